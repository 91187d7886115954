/// \file
/// Holds the table of theorems in docs/theory/README.md against the headings `### S1. Name` of the
/// pages beside it. Run as: theory_index PAGES; with WARPBOUND_APPROVE in the environment it writes
/// the table anew.

#include "tests/docs/headings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

namespace {

namespace fs = std::filesystem;

const std::string begin_mark = "<!-- theorems: begin -->\n";
const std::string end_mark = "<!-- theorems: end -->\n";

/// `S19d` as (19, "d"), so that theorems sort by number.
using Number = std::pair<int, std::string>;

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
}

/// The rows of the table; false when a theorem is stated twice.
bool collect(const fs::path& pages, std::map<Number, std::string>& rows) {
    static const std::regex form{R"re(S(\d+)([a-z]?)\. (.*))re"};
    bool good = true;
    for (const auto& entry : fs::directory_iterator{pages}) {
        const fs::path& page = entry.path();
        if (page.extension() != ".md" || page.filename() == "README.md") continue;
        for (const auto& heading : warpbound::tests::headings_of(page)) {
            std::smatch match;
            if (!std::regex_match(heading, match, form)) continue;
            const Number number{std::stoi(match[1]), match[2]};
            const std::string name = page.filename().string();
            const std::string row = "| [S" + match[1].str() + match[2].str() + "](" + name + "#" +
                                    warpbound::tests::anchor_of(heading) + ") | " + match[3].str() +
                                    " | " + name.substr(0, name.find('-')) + " |\n";
            if (rows.emplace(number, row).second) continue;
            std::fprintf(stderr, "%s: S%s%s is stated a second time\n", name.c_str(),
                         match[1].str().c_str(), match[2].str().c_str());
            good = false;
        }
    }
    return good && !rows.empty();
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: theory_index PAGES\n", stderr);
        return 2;
    }
    const fs::path pages{arguments[1]};
    std::map<Number, std::string> rows;
    if (!collect(pages, rows)) return 1;
    std::string table = "| theorem | name | page |\n|---|---|---|\n";
    for (const auto& row : rows)
        table += row.second;

    const fs::path index = pages / "README.md";
    const std::string text = text_of(index);
    const auto begin = text.find(begin_mark);
    const auto end = text.find(end_mark);
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        std::fprintf(stderr, "README.md: the marks of the table were expected\n");
        return 1;
    }
    const auto from = begin + begin_mark.size();
    if (text.substr(from, end - from) == table) {
        std::printf("%zu theorems\n", rows.size());
        return 0;
    }
    if (std::getenv("WARPBOUND_APPROVE") != nullptr) {
        std::ofstream{index} << text.substr(0, from) << table << text.substr(end);
        std::printf("README.md: %zu theorems written\n", rows.size());
        return 0;
    }
    std::fprintf(stderr, "README.md: the table is not that of the pages, which is\n%s",
                 table.c_str());
    return 1;
}
