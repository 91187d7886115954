/// \file
/// Checks the Markdown pages: sentences of at most 40 words, paragraphs of at most six lines,
/// relative links that lead to a file and, in a page, to a heading. Run as: prose_check SOURCES
///
/// Tables, code blocks and headings are no prose. Of the change log only the links are checked.

#include "tests/docs/headings.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_words = 40;
constexpr std::size_t most_lines = 6;

struct Paragraph {
    std::size_t line = 0; ///< Of its first line, from 1 on.
    std::vector<std::string> lines;
};

std::string stripped(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t>");
    return begin == std::string::npos ? std::string{} : text.substr(begin);
}

bool begins_list_item(const std::string& text) {
    static const std::regex form{R"re(^([-*+]|\d+[.)])\s)re"};
    return std::regex_search(text, form);
}

/// Prose of a page; list items are paragraphs of their own.
std::vector<Paragraph> paragraphs_of(const std::vector<std::string>& lines) {
    std::vector<Paragraph> paragraphs;
    bool fenced = false;
    bool open = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string text = stripped(lines[i]);
        if (text.rfind("```", 0) == 0 || text.rfind("~~~", 0) == 0) {
            fenced = !fenced;
            open = false;
            continue;
        }
        const bool code = lines[i].rfind("    ", 0) == 0 && !open;
        if (fenced || code || text.empty() || text[0] == '|' || text[0] == '#' ||
            text.rfind("<!--", 0) == 0 || text.rfind("---", 0) == 0) {
            open = false;
            continue;
        }
        if (!open || begins_list_item(text)) paragraphs.push_back({i + 1, {}});
        open = true;
        paragraphs.back().lines.push_back(text);
    }
    return paragraphs;
}

std::size_t words_in(const std::string& text) {
    std::istringstream words{text};
    std::size_t count = 0;
    for (std::string word; words >> word;)
        ++count;
    return count;
}

class Page {
public:
    Page(const fs::path& root, fs::path file) : root_{root}, file_{std::move(file)} {
        std::ifstream text{root_ / file_};
        for (std::string line; std::getline(text, line);)
            lines_.push_back(line);
    }

    void check(std::vector<std::string>& found) const {
        const std::string name = file_.generic_string();
        check_links(found);
        if (name == "CHANGELOG.md") return;
        for (const Paragraph& paragraph : paragraphs_of(lines_)) {
            if (paragraph.lines.size() > most_lines)
                found.push_back(at(paragraph.line) + "a paragraph of " +
                                std::to_string(paragraph.lines.size()) +
                                " lines; at most 6 were expected");
            check_sentences(paragraph, found);
        }
    }

private:
    [[nodiscard]] std::string at(std::size_t line) const {
        return file_.generic_string() + ":" + std::to_string(line) + ": ";
    }

    void check_sentences(const Paragraph& paragraph, std::vector<std::string>& found) const {
        static const std::regex link{R"re(\]\([^)]*\))re"};
        static const std::regex end{R"re([.!?]['")*`\]]*\s+)re"};
        std::string text;
        for (const auto& line : paragraph.lines)
            text += line + " ";
        text = std::regex_replace(text, link, "]");
        for (std::sregex_token_iterator sentence{text.begin(), text.end(), end, -1}, last;
             sentence != last; ++sentence)
            if (words_in(*sentence) > most_words)
                found.push_back(
                    at(paragraph.line) + "a sentence of " + std::to_string(words_in(*sentence)) +
                    " words; at most 40 were expected: " + sentence->str().substr(0, 60));
    }

    void check_links(std::vector<std::string>& found) const {
        static const std::regex link{R"re(\]\(([^)#\s]*)(#[^)]*)?\))re"};
        bool fenced = false;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (stripped(lines_[i]).rfind("```", 0) == 0) fenced = !fenced;
            if (fenced) continue;
            for (std::sregex_iterator match{lines_[i].begin(), lines_[i].end(), link}, last;
                 match != last; ++match) {
                const std::string target = (*match)[1];
                const std::string heading = (*match)[2];
                if (target.find("://") != std::string::npos) continue;
                const fs::path file =
                    target.empty() ? root_ / file_ : root_ / file_.parent_path() / target;
                if (!fs::exists(file))
                    found.push_back(at(i + 1) + "a link to nothing: " + target);
                else if (heading.size() > 1 && file.extension() == ".md" &&
                         anchors_of(file).count(heading.substr(1)) == 0)
                    found.push_back(at(i + 1) + "a link to no heading: " + target + heading);
            }
        }
    }

    /// Of a repeated heading the second one has the anchor NAME-1, and so on.
    static const std::set<std::string>& anchors_of(const fs::path& page) {
        static std::map<fs::path, std::set<std::string>> known;
        const auto [entry, is_new] = known.try_emplace(fs::weakly_canonical(page));
        if (is_new) {
            std::map<std::string, int> times;
            for (const auto& heading : warpbound::tests::headings_of(page)) {
                const std::string anchor = warpbound::tests::anchor_of(heading);
                const int before = times[anchor]++;
                entry->second.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
            }
        }
        return entry->second;
    }

    fs::path root_;
    fs::path file_;
    std::vector<std::string> lines_;
};

std::vector<fs::path> pages_below(const fs::path& root) {
    std::vector<fs::path> pages;
    for (auto entry = fs::recursive_directory_iterator{root};
         entry != fs::recursive_directory_iterator{}; ++entry) {
        const auto path = entry->path().lexically_relative(root);
        const std::string top = path.begin()->string();
        if (top == "build" || top[0] == '.' || path.generic_string() == "tests/docs/planted" ||
            path.generic_string() == "tests/data") {
            entry.disable_recursion_pending();
            continue;
        }
        if (entry->is_regular_file() && path.extension() == ".md") pages.push_back(path);
    }
    std::sort(pages.begin(), pages.end());
    return pages;
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: prose_check SOURCES\n", stderr);
        return 2;
    }
    const fs::path root{arguments[1]};
    const auto pages = pages_below(root);
    std::vector<std::string> found;
    for (const auto& page : pages)
        Page{root, page}.check(found);
    for (const auto& text : found)
        std::fprintf(stderr, "%s\n", text.c_str());
    if (pages.empty()) std::fprintf(stderr, "no page found below %s\n", arguments[1]);
    if (found.empty() && !pages.empty()) std::printf("%zu pages hold\n", pages.size());
    return found.empty() && !pages.empty() ? 0 : 1;
}
