/// \file
/// Holds two tables against the pages of a folder: the theorems in README.md against the headings
/// `### S1. Name`, and rules.md, which theorem names which rule of the timing contract, against
/// their texts. Run as: theory_index PAGES CONTRACT; with WARPBOUND_APPROVE in the environment it
/// writes the tables anew.

#include "tests/docs/headings.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using warpbound::tests::anchor_of;

const std::string begin_mark = "<!-- table: begin -->\n";
const std::string end_mark = "<!-- table: end -->\n";

/// `S19d` and `C9a` as (19, "d") and (9, "a"), so that they sort by number.
using Number = std::pair<int, std::string>;

struct Theorem {
    std::string name;
    std::string page; ///< File name.
    std::string anchor;
    std::set<Number> rules; ///< That its text names.
};

std::string written(const char* letter, const Number& number) {
    return letter + std::to_string(number.first) + number.second;
}

/// Adds `C4`, `C9a` and all of `C4 to C9`.
void add_rules(const std::string& line, std::set<Number>& rules) {
    static const std::regex form{R"re(\bC(\d+)([a-z]?)\b(?: to C(\d+)\b)?)re"};
    for (std::sregex_iterator match{line.begin(), line.end(), form}, last; match != last; ++match) {
        const int first = std::stoi((*match)[1]);
        rules.insert({first, (*match)[2]});
        if ((*match)[3].matched)
            for (int number = first + 1; number <= std::stoi((*match)[3]); ++number)
                rules.insert({number, ""});
    }
}

/// False when a theorem is stated twice.
bool read_page(const fs::path& page, std::map<Number, Theorem>& theorems) {
    static const std::regex form{R"re(### S(\d+)([a-z]?)\. (.*))re"};
    const std::string name = page.filename().string();
    std::ifstream text{page};
    Theorem* theorem = nullptr;
    bool fenced = false;
    bool good = true;
    for (std::string line; std::getline(text, line);) {
        std::smatch match;
        if (line.rfind("```", 0) == 0) fenced = !fenced;
        if (fenced) continue;
        if (std::regex_match(line, match, form)) {
            const Number number{std::stoi(match[1]), match[2]};
            const auto [entry, is_new] = theorems.try_emplace(
                number, Theorem{match[3], name, anchor_of(line.substr(4)), {}});
            theorem = &entry->second;
            if (is_new) continue;
            std::fprintf(stderr, "%s: %s is stated a second time\n", name.c_str(),
                         written("S", number).c_str());
            good = false;
        } else if (theorem != nullptr)
            add_rules(line, theorem->rules);
    }
    return good;
}

std::string table_of_theorems(const std::map<Number, Theorem>& theorems) {
    std::string table = "| theorem | name | page |\n|---|---|---|\n";
    for (const auto& [number, theorem] : theorems)
        table += "| [" + written("S", number) + "](" + theorem.page + "#" + theorem.anchor +
                 ") | " + theorem.name + " | " + theorem.page.substr(0, theorem.page.find('-')) +
                 " |\n";
    return table;
}

/// All rules of the contract; an empty cell where no theorem names one.
std::string table_of_rules(const std::map<Number, Theorem>& theorems, const fs::path& pages,
                           const fs::path& contract) {
    static const std::regex form{R"re(C(\d+)([a-z]?): (.*))re"};
    std::map<Number, std::string> rules;
    const std::string file = contract.lexically_proximate(pages).generic_string();
    for (const auto& heading : warpbound::tests::headings_of(contract)) {
        std::smatch match;
        if (!std::regex_match(heading, match, form)) continue;
        const Number number{std::stoi(match[1]), match[2]};
        rules[number] = "| [" + written("C", number) + "](" + file + "#" + anchor_of(heading) +
                        ") | " + match[3].str() + " |";
    }
    std::string table = "| rule | name | theorems |\n|---|---|---|\n";
    for (const auto& [rule, row] : rules) {
        table += row;
        const char* between = " ";
        for (const auto& [number, theorem] : theorems) {
            if (theorem.rules.count(rule) == 0) continue;
            table += between + ("[" + written("S", number) + "](" + theorem.page + "#" +
                                theorem.anchor + ")");
            between = ", ";
        }
        table += " |\n";
    }
    return table;
}

/// Whether the table between the marks of a file is this one, or has been written.
bool holds(const fs::path& file, const std::string& table) {
    const std::string name = file.filename().string();
    std::ostringstream read;
    read << std::ifstream{file}.rdbuf();
    const std::string text = read.str();
    const auto begin = text.find(begin_mark);
    const auto end = text.find(end_mark);
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        std::fprintf(stderr, "%s: the marks of the table were expected\n", name.c_str());
        return false;
    }
    const auto from = begin + begin_mark.size();
    if (text.substr(from, end - from) == table) return true;
    if (std::getenv("WARPBOUND_APPROVE") != nullptr) {
        std::ofstream{file} << text.substr(0, from) << table << text.substr(end);
        std::printf("%s: the table is written\n", name.c_str());
        return true;
    }
    std::fprintf(stderr, "%s: the table is not that of the pages, which is\n%s", name.c_str(),
                 table.c_str());
    return false;
}

} // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fputs("usage: theory_index PAGES CONTRACT\n", stderr);
        return 2;
    }
    const fs::path pages{arguments[1]};
    std::map<Number, Theorem> theorems;
    bool good = true;
    for (const auto& entry : fs::directory_iterator{pages}) {
        const std::string name = entry.path().filename().string();
        if (name.front() < '0' || name.front() > '9' || entry.path().extension() != ".md") continue;
        good = read_page(entry.path(), theorems) && good;
    }
    if (theorems.empty()) std::fputs("no theorem was found\n", stderr);
    good = holds(pages / "README.md", table_of_theorems(theorems)) && good;
    good = holds(pages / "rules.md", table_of_rules(theorems, pages, arguments[2])) && good;
    if (good && !theorems.empty()) std::printf("%zu theorems\n", theorems.size());
    return good && !theorems.empty() ? 0 : 1;
}
