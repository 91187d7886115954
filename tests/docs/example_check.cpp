/// \file
/// Runs the examples of Markdown pages and compares what they print with what the page says.
/// Run as: example_check PROGRAM FOLDER SCRATCH, for every page of a folder, or
///         example_check PROGRAM ROOT SCRATCH PAGE.., for pages of the sources.
///
/// An example is
///  - a line `$ COMMAND` of a ```console block; the lines up to the next command or the end of the
///    block are its standard output. Lines that end with a backslash continue in the next one;
///  - a ```sh block; a ```text block that follows at once is its standard output. Else that is not
///    compared. (A ```bash block is not run: it needs a toolkit, a card or files of a user.)
/// A line `...` stands for any lines, none included; `...` at the end of a line for any text;
/// `sha256:..` for any digest.
///
/// The examples of all pages are one shell script, in the order of the arguments; of a folder each
/// page is one. It runs in SCRATCH/run, with `warpbound` in the path and as
/// build/release/cli/warpbound. For a folder, `examples/` is a copy of the folder's; every page
/// whose name begins with a digit must have an example, and a page must name every file of
/// `examples/`. For pages of the sources, what lies in ROOT lies there too, as links; each page
/// must have an example whose output is compared.
///
/// With WARPBOUND_APPROVE in the environment, an output that differs is written into the page,
/// where none of its lines is `...`.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct Example {
    fs::path page;
    std::size_t line = 0; ///< Of the first command, from 1 on.
    std::string commands;
    bool is_compared = true;
    Lines expected;
    std::size_t begin = 0; ///< Lines of the page that are the expected ones, from 0 on.
    std::size_t end = 0;
};

std::string without_trailing_blanks(std::string text) {
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
}

void drop_blank_lines_at_the_end(Lines& lines) {
    while (!lines.empty() && lines.back().empty())
        lines.pop_back();
}

Lines lines_of(const fs::path& file) {
    Lines lines;
    std::ifstream text{file};
    for (std::string line; std::getline(text, line);)
        lines.push_back(without_trailing_blanks(line));
    return lines;
}

/// A block of a page: its language and its lines [begin, end).
struct Block {
    std::string language;
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::vector<Block> blocks_of(const Lines& page) {
    std::vector<Block> blocks;
    bool inside = false;
    for (std::size_t i = 0; i < page.size(); ++i) {
        if (page[i].rfind("```", 0) != 0) continue;
        if (inside)
            blocks.back().end = i;
        else
            blocks.push_back({page[i].substr(3), i + 1, page.size()});
        inside = !inside;
    }
    return blocks;
}

void set_expected(Example& example, const Lines& page, std::size_t begin, std::size_t end) {
    example.begin = begin;
    example.end = end;
    const auto first = page.begin() + static_cast<std::ptrdiff_t>(begin);
    example.expected.assign(first, page.begin() + static_cast<std::ptrdiff_t>(end));
    drop_blank_lines_at_the_end(example.expected);
}

/// Of a ```console block.
void append_console(const fs::path& file, const Lines& page, const Block& block,
                    std::vector<Example>& examples) {
    std::size_t i = block.begin;
    while (i < block.end) {
        Example example;
        example.page = file;
        example.line = i + 1;
        if (page[i].rfind("$ ", 0) == 0) {
            example.commands = page[i].substr(2);
            while (page[i].back() == '\\' && i + 1 < block.end)
                example.commands += "\n" + page[++i];
            ++i;
        }
        const std::size_t begin = i;
        while (i < block.end && page[i].rfind("$ ", 0) != 0)
            ++i;
        set_expected(example, page, begin, i);
        examples.push_back(std::move(example));
    }
}

std::vector<Example> examples_of(const fs::path& file) {
    const Lines page = lines_of(file);
    const auto blocks = blocks_of(page);
    std::vector<Example> examples;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const auto& block = blocks[k];
        if (block.language == "console") append_console(file, page, block, examples);
        if (block.language != "sh") continue;
        Example example;
        example.page = file;
        example.line = block.begin + 1;
        for (std::size_t i = block.begin; i < block.end; ++i)
            example.commands += page[i] + "\n";
        // With one blank line between them.
        const bool has_output = k + 1 < blocks.size() && blocks[k + 1].language == "text" &&
                                blocks[k + 1].begin == block.end + 3;
        example.is_compared = has_output;
        if (has_output) set_expected(example, page, blocks[k + 1].begin, blocks[k + 1].end);
        examples.push_back(std::move(example));
    }
    return examples;
}

std::string with_digests_masked(const std::string& line) {
    static const std::regex digest{"sha256:([0-9a-f]{64}|[.][.])"};
    return std::regex_replace(line, digest, "sha256:..");
}

bool ends_with_a_gap(const std::string& line) {
    return line.size() >= 3 && line.compare(line.size() - 3, 3, "...") == 0;
}

bool agree(const std::string& expected, const std::string& found) {
    if (ends_with_a_gap(expected)) {
        const std::size_t length = expected.size() - 3;
        return found.compare(0, length, expected, 0, length) == 0;
    }
    if (expected.find("sha256:..") != std::string::npos)
        return with_digests_masked(expected) == with_digests_masked(found);
    return expected == found;
}

/// Whether the lines are the expected ones, where `...` is any lines.
bool agree(const Lines& expected, const Lines& found) {
    // possible[j]: the expected lines so far may be the first j found ones.
    std::vector<bool> possible(found.size() + 1, false);
    possible[0] = true;
    for (const auto& line : expected) {
        std::vector<bool> next(found.size() + 1, false);
        bool before = false;
        for (std::size_t j = 0; j <= found.size(); ++j) {
            before = before || possible[j];
            if (line == "...")
                next[j] = before;
            else
                next[j] = j > 0 && possible[j - 1] && agree(line, found[j - 1]);
        }
        possible = std::move(next);
    }
    return possible[found.size()];
}

/// Runs the examples in the folder and gives the output of each.
std::vector<Lines> outputs_of(const std::vector<Example>& examples, const fs::path& folder) {
    const fs::path output = folder.parent_path() / "output";
    fs::remove_all(output);
    fs::create_directories(output);
    const auto place = [&output](std::size_t k) { return output / std::to_string(k); };
    std::ofstream script{output / "script.sh"};
    script << "cd '" << folder.string() << "' || exit 1\n";
    for (std::size_t k = 0; k < examples.size(); ++k)
        script << "{\n" << examples[k].commands << "\n} >" << place(k) << " 2>/dev/null\n";
    script.close();
    std::vector<Lines> outputs(examples.size());
    if (std::system(("sh '" + (output / "script.sh").string() + "' </dev/null").c_str()) == -1)
        return outputs;
    for (std::size_t k = 0; k < examples.size(); ++k) {
        outputs[k] = lines_of(place(k));
        drop_blank_lines_at_the_end(outputs[k]);
    }
    return outputs;
}

void print(const char* heading, const Lines& lines) {
    std::fprintf(stderr, "  %s\n", heading);
    for (const auto& line : lines)
        std::fprintf(stderr, "    %s\n", line.c_str());
}

bool holds(const Example& example, const Lines& found) {
    if (!example.is_compared) return true;
    const std::string at = example.page.filename().string() + ":" + std::to_string(example.line);
    if (example.commands.empty()) {
        std::fprintf(stderr, "%s: output without a command\n", at.c_str());
        return false;
    }
    if (agree(example.expected, found)) return true;
    std::fprintf(stderr, "%s: $ %s\n", at.c_str(),
                 without_trailing_blanks(example.commands).c_str());
    print("the page says", example.expected);
    print("the command prints", found);
    return false;
}

bool has_gap(const Lines& lines) {
    return std::any_of(lines.begin(), lines.end(), ends_with_a_gap);
}

/// Writes the outputs into the pages, the last first, so that earlier places stay.
void approve(const std::vector<Example>& examples, const std::vector<Lines>& outputs) {
    for (std::size_t k = examples.size(); k-- > 0;) {
        const auto& example = examples[k];
        if (!example.is_compared || has_gap(example.expected)) continue;
        Lines page = lines_of(example.page);
        const auto first = page.begin() + static_cast<std::ptrdiff_t>(example.begin);
        const auto length = static_cast<std::ptrdiff_t>(example.expected.size());
        page.insert(page.erase(first, first + length), outputs[k].begin(), outputs[k].end());
        std::ofstream file{example.page};
        for (const auto& line : page)
            file << line << "\n";
    }
}

/// Whether every example says what its command prints, and there is one of each page that needs it.
template <class Needs>
bool hold(const std::vector<fs::path>& pages, const fs::path& folder, const Needs& needs,
          std::size_t& run) {
    std::vector<Example> examples;
    bool good = true;
    for (const auto& page : pages) {
        const auto more = examples_of(page);
        if (needs(page) && std::none_of(more.begin(), more.end(), [](const Example& example) {
                return example.is_compared;
            })) {
            std::fprintf(stderr, "%s: no example\n", page.filename().c_str());
            good = false;
        }
        examples.insert(examples.end(), more.begin(), more.end());
    }
    const auto outputs = outputs_of(examples, folder);
    if (std::getenv("WARPBOUND_APPROVE") != nullptr) approve(examples, outputs);
    for (std::size_t k = 0; k < examples.size(); ++k) {
        if (examples[k].is_compared) ++run;
        if (!holds(examples[k], outputs[k])) good = false;
    }
    return good;
}

std::string text_of(const fs::path& file) {
    std::ifstream text{file};
    return {std::istreambuf_iterator<char>{text}, std::istreambuf_iterator<char>{}};
}

/// Whether some page names each file of the folder.
bool names_all_of(const std::vector<fs::path>& pages, const fs::path& examples) {
    std::string all;
    for (const auto& page : pages)
        all += text_of(page);
    bool good = true;
    if (!fs::exists(examples)) return good;
    for (const auto& entry : fs::directory_iterator{examples}) {
        const std::string name = "examples/" + entry.path().filename().string();
        if (all.find(name) != std::string::npos) continue;
        std::fprintf(stderr, "%s is named on no page\n", name.c_str());
        good = false;
    }
    return good;
}

std::vector<fs::path> pages_of(const fs::path& folder) {
    std::vector<fs::path> pages;
    for (const auto& entry : fs::directory_iterator{folder})
        if (entry.path().extension() == ".md") pages.push_back(entry.path());
    std::sort(pages.begin(), pages.end());
    return pages;
}

bool begins_with_a_digit(const fs::path& page) {
    const char first = page.filename().string().front();
    return first >= '0' && first <= '9';
}

void link_entries(const fs::path& root, const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator{root}) {
        const auto name = entry.path().filename();
        if (name != "build") fs::create_symlink(fs::absolute(entry.path()), folder / name);
    }
}

} // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        std::fputs("usage: example_check PROGRAM FOLDER SCRATCH\n"
                   "       example_check PROGRAM ROOT SCRATCH PAGE..\n",
                   stderr);
        return 2;
    }
    const fs::path program = fs::canonical(arguments[1]);
    const fs::path source = arguments[2];
    const fs::path folder = fs::absolute(arguments[3]) / "run";
    fs::remove_all(folder);
    fs::create_directories(folder / "build/release/cli");
    fs::create_symlink(program, folder / "build/release/cli/warpbound");
    const char* path = std::getenv("PATH");
    const std::string paths =
        program.parent_path().string() + ":" + (path ? path : "/usr/bin:/bin");
    setenv("PATH", paths.c_str(), 1);

    std::size_t run = 0;
    bool good = true;
    if (count == 4) {
        if (fs::exists(source / "examples"))
            fs::copy(source / "examples", folder / "examples", fs::copy_options::recursive);
        const auto pages = pages_of(source);
        good = !pages.empty() && names_all_of(pages, source / "examples");
        for (const auto& page : pages)
            if (!hold({page}, folder, begins_with_a_digit, run)) good = false;
    } else {
        link_entries(source, folder);
        std::vector<fs::path> pages;
        for (int i = 4; i < count; ++i)
            pages.push_back(source / arguments[i]);
        good = hold(
            pages, folder, [](const fs::path&) { return true; }, run);
    }
    if (good) std::printf("%zu examples hold\n", run);
    return good ? 0 : 1;
}
