/// \file
/// Runs the examples of Markdown pages and compares what they print with what the page says.
/// Run as: example_check PROGRAM PAGES SCRATCH [EXAMPLES]
///
/// An example is a line `$ COMMAND` of a ```console block; the lines up to the next command or the
/// end of the block are its standard output. A line `...` stands for any lines, none included.
/// Commands run in SCRATCH/run, where `examples/` is a copy of that of PAGES, with `warpbound` in
/// the path. Lines that end with a backslash continue in the next one. Every page whose name begins
/// with a digit must have an example, and a page must name every file of `examples/`. PAGES may be
/// one page, which must have an example; `examples/` is then a copy of EXAMPLES.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct Example {
    std::size_t line = 0; ///< Of its command, from 1 on.
    std::string command;
    Lines expected;
};

std::string without_trailing_blanks(std::string text) {
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
}

void drop_blank_lines_at_the_end(Lines& lines) {
    while (!lines.empty() && lines.back().empty())
        lines.pop_back();
}

std::vector<Example> examples_of(const fs::path& page) {
    std::vector<Example> examples;
    std::ifstream text{page};
    bool inside = false;
    bool continues = false;
    std::size_t number = 0;
    for (std::string line; std::getline(text, line);) {
        ++number;
        line = without_trailing_blanks(line);
        if (line.rfind("```", 0) == 0) {
            inside = !inside && line == "```console";
            continues = false;
            if (inside) examples.push_back({number, "", {}});
            continue;
        }
        if (!inside) continue;
        if (continues) {
            examples.back().command += "\n" + line;
        } else if (line.rfind("$ ", 0) == 0) {
            examples.push_back({number, line.substr(2), {}});
        } else {
            examples.back().expected.push_back(line);
            continue;
        }
        continues = line.back() == '\\';
    }
    for (auto& example : examples)
        drop_blank_lines_at_the_end(example.expected);
    // What stands before the first command of a block is kept only if there is something to refuse.
    examples.erase(std::remove_if(examples.begin(), examples.end(),
                                  [](const Example& example) {
                                      return example.command.empty() && example.expected.empty();
                                  }),
                   examples.end());
    return examples;
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
                next[j] = j > 0 && possible[j - 1] && found[j - 1] == line;
        }
        possible = std::move(next);
    }
    return possible[found.size()];
}

Lines output_of(const std::string& command, const fs::path& folder) {
    const fs::path script = folder / "command.sh";
    std::ofstream{script} << command << "\n";
    const std::string line = "cd '" + folder.string() + "' && sh ./command.sh 2>command.err";
    Lines lines;
    std::FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) return {"the command did not start"};
    std::string text;
    char buffer[4096];
    for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        text.append(buffer, count);
    pclose(pipe);
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        lines.push_back(without_trailing_blanks(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    drop_blank_lines_at_the_end(lines);
    return lines;
}

void print(const char* heading, const Lines& lines) {
    std::fprintf(stderr, "  %s\n", heading);
    for (const auto& line : lines)
        std::fprintf(stderr, "    %s\n", line.c_str());
}

bool holds(const fs::path& page, const Example& example, const fs::path& folder) {
    const std::string at = page.filename().string() + ":" + std::to_string(example.line);
    if (example.command.empty()) {
        std::fprintf(stderr, "%s: output without a command\n", at.c_str());
        return false;
    }
    const Lines found = output_of(example.command, folder);
    if (agree(example.expected, found)) return true;
    std::fprintf(stderr, "%s: $ %s\n", at.c_str(), example.command.c_str());
    print("the page says", example.expected);
    print("the command prints", found);
    return false;
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

} // namespace

int main(int count, char** arguments) {
    if (count != 4 && count != 5) {
        std::fputs("usage: example_check PROGRAM PAGES SCRATCH [EXAMPLES]\n", stderr);
        return 2;
    }
    const fs::path program = fs::canonical(arguments[1]);
    const fs::path pages = arguments[2];
    const fs::path folder = fs::absolute(arguments[3]) / "run";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const bool is_one_page = fs::is_regular_file(pages);
    const fs::path used = count == 5 ? fs::path{arguments[4]} : pages / "examples";
    if (fs::exists(used)) fs::copy(used, folder / "examples", fs::copy_options::recursive);
    const char* path = std::getenv("PATH");
    const std::string paths =
        program.parent_path().string() + ":" + (path ? path : "/usr/bin:/bin");
    setenv("PATH", paths.c_str(), 1);

    std::vector<fs::path> files;
    if (is_one_page)
        files.push_back(pages);
    else
        for (const auto& entry : fs::directory_iterator{pages})
            if (entry.path().extension() == ".md") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::size_t run = 0;
    bool good = !files.empty() && (is_one_page || names_all_of(files, pages / "examples"));
    for (const auto& page : files) {
        const auto examples = examples_of(page);
        const char first = page.filename().string().front();
        if (examples.empty() && (is_one_page || (first >= '0' && first <= '9'))) {
            std::fprintf(stderr, "%s: no example\n", page.filename().c_str());
            good = false;
        }
        for (const auto& example : examples) {
            ++run;
            if (!holds(page, example, folder)) good = false;
        }
    }
    if (good) std::printf("%zu examples hold\n", run);
    return good ? 0 : 1;
}
