/// \file
/// Fails on an include that the design does not allow, on include cycles between modules, on
/// headers that do not include what they use of the standard library, and on functions of the
/// verifier that have the name of one of the analyzer. A module is a .cpp file with its .hpp. Run
/// as: layering_check SOURCES

#include "tests/layering/rules.hpp"
#include "tests/layering/shared_names.hpp"
#include "tests/layering/standard_headers.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using warpbound::layering::FolderOrder;

struct Include {
    std::string file;
    std::string target;  ///< As written.
    bool quoted = false; ///< "..." and not <...>.
};

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream words{std::string{text}};
    std::vector<std::string> all;
    for (std::string word; words >> word;)
        all.push_back(word);
    return all;
}

std::vector<std::string> source_files(const fs::path& root) {
    std::vector<std::string> files;
    for (const char* top : {"assembly", "models", "harness", "analyzer", "certification", "cli",
                            "tests", "benchmarks"}) {
        if (!fs::exists(root / top)) continue;
        for (const auto& entry : fs::recursive_directory_iterator{root / top}) {
            const auto path = entry.path().lexically_relative(root).generic_string();
            const auto extension = entry.path().extension();
            if ((extension == ".cpp" || extension == ".hpp" || extension == ".inc") &&
                path.find("/planted/") == std::string::npos)
                files.push_back(path);
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<Include> includes_of(const fs::path& root, const std::vector<std::string>& files) {
    static const std::regex line_form{R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re"};
    std::vector<Include> includes;
    for (const auto& file : files) {
        std::ifstream text{root / file};
        std::smatch found;
        for (std::string line; std::getline(text, line);)
            if (line.find("include") != std::string::npos &&
                std::regex_search(line, found, line_form))
                includes.push_back({file, found[2], found[1] == "\""});
    }
    return includes;
}

std::string top_of(std::string_view path) {
    return std::string{path.substr(0, path.find('/'))};
}

void check_top_level(const Include& include, std::vector<std::string>& violations) {
    using warpbound::layering::top_level;
    const auto rule_of = [](const std::string& folder) {
        return std::find_if(top_level.begin(), top_level.end(),
                            [&](const auto& rule) { return rule.folder == folder; });
    };
    const std::string from = top_of(include.file);
    const std::string to = top_of(include.target);
    const auto* const rule = rule_of(from);
    if (rule == top_level.end() || rule_of(to) == top_level.end() || from == to) return;
    const auto allowed = words_of(rule->may_include);
    if (std::find(allowed.begin(), allowed.end(), to) == allowed.end())
        violations.push_back(include.file + ": " + from + " may not include " + to + ": " +
                             include.target);
}

/// Row of a file in an order; none: below all rows.
std::optional<std::size_t> row_of(const FolderOrder& order, const std::string& file) {
    const auto lowest = words_of(order.lowest);
    if (std::find(lowest.begin(), lowest.end(), file) != lowest.end()) return std::nullopt;
    const std::string rest = file.substr(order.folder.size() + 1);
    if (rest.find('/') == std::string::npos) return order.rows.size();
    for (std::size_t row = 0; row < order.rows.size(); ++row)
        for (const auto& folder : words_of(order.rows[row]))
            if (top_of(rest) == folder) return row;
    return order.rows.size();
}

void check_order(const FolderOrder& order, const Include& include,
                 std::vector<std::string>& violations) {
    const std::string start = std::string{order.folder} + "/";
    if (!starts_with(include.file, start) || !starts_with(include.target, start)) return;
    const auto from = row_of(order, include.file);
    const auto to = row_of(order, include.target);
    const auto sub_folder = [&](const std::string& path) {
        return top_of(path.substr(start.size()));
    };
    const bool directly = from == order.rows.size() && to == order.rows.size();
    if (directly || !to) return;
    if (from && *to < *from) return;
    if (from == to && sub_folder(include.file) == sub_folder(include.target)) return;
    violations.push_back(include.file + ": against the order of folders in " +
                         std::string{order.folder} + ": " + include.target);
}

void check_folders_are_known(const FolderOrder& order, const std::vector<std::string>& files,
                             std::vector<std::string>& violations) {
    const std::string start = std::string{order.folder} + "/";
    std::set<std::string> known;
    for (const auto& row : order.rows)
        for (const auto& folder : words_of(row))
            known.insert(folder);
    for (const auto& file : files) {
        if (!starts_with(file, start)) continue;
        const std::string rest = file.substr(start.size());
        if (rest.find('/') != std::string::npos && known.count(top_of(rest)) == 0)
            violations.push_back(file + ": its folder has no row in tests/layering/rules.hpp");
    }
}

void check_forbidden(const Include& include, std::vector<std::string>& violations) {
    for (const auto& rule : warpbound::layering::forbidden)
        if (starts_with(include.file, rule.folder) && starts_with(include.target, rule.forbidden) &&
            (rule.except.empty() || !starts_with(include.target, rule.except)))
            violations.push_back(include.file + ": " + std::string{rule.reason} + ": " +
                                 include.target);
}

void check_restricted(const Include& include, std::vector<std::string>& violations) {
    const std::string top = top_of(include.file);
    if (top == "tests" || top == "benchmarks") return;
    for (const auto& rule : warpbound::layering::restricted)
        if (std::regex_search(include.target, std::regex{std::string{rule.header}}) &&
            !std::regex_search(include.file, std::regex{std::string{rule.allowed}}))
            violations.push_back(include.file + ": " + include.target + " is not visible here");
}

/// Strongly connected components of more than one module (Tarjan 1972), each as one violation.
class Cycles {
public:
    explicit Cycles(std::map<std::string, std::set<std::string>> graph) : graph_{std::move(graph)} {
        for (const auto& [module, targets] : graph_)
            if (index_.count(module) == 0) visit(module);
    }
    [[nodiscard]] const std::vector<std::string>& found() const { return found_; }

private:
    void visit(const std::string& module) {
        const std::size_t own = index_.size();
        index_[module] = own;
        std::size_t& low = low_[module] = own;
        stack_.push_back(module);
        open_.insert(module);
        for (const auto& target : graph_[module]) {
            if (index_.count(target) == 0) {
                visit(target);
                low = std::min(low, low_[target]);
            } else if (open_.count(target) != 0) {
                low = std::min(low, index_[target]);
            }
        }
        if (low != own) return;
        std::vector<std::string> component;
        do {
            component.push_back(stack_.back());
            open_.erase(stack_.back());
            stack_.pop_back();
        } while (component.back() != module);
        if (component.size() == 1) return;
        std::sort(component.begin(), component.end());
        std::string text = "include cycle:";
        for (const auto& member : component)
            text += " " + member;
        found_.push_back(text);
    }

    std::map<std::string, std::set<std::string>> graph_;
    std::map<std::string, std::size_t> index_;
    std::map<std::string, std::size_t> low_;
    std::vector<std::string> stack_;
    std::set<std::string> open_;
    std::vector<std::string> found_;
};

std::string module_of(const std::string& file) {
    return file.substr(0, file.rfind('.'));
}

std::vector<std::string> include_cycles(const std::vector<std::string>& files,
                                        const std::vector<Include>& includes) {
    const std::set<std::string> known{files.begin(), files.end()};
    std::map<std::string, std::set<std::string>> graph;
    for (const auto& file : files)
        graph[module_of(file)];
    for (const auto& include : includes)
        if (known.count(include.target) != 0 &&
            module_of(include.file) != module_of(include.target))
            graph[module_of(include.file)].insert(module_of(include.target));
    return Cycles{std::move(graph)}.found();
}

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
}

std::vector<std::string> missing_standard_headers(const fs::path& root,
                                                  const std::vector<std::string>& files,
                                                  const std::vector<Include>& includes) {
    std::map<std::string, std::set<std::string>> included;
    for (const auto& include : includes)
        included[include.file].insert(include.target);
    std::vector<warpbound::layering::HeaderText> headers;
    for (const auto& file : files) {
        if (fs::path{file}.extension() != ".hpp") continue;
        headers.push_back({file, text_of(root / file), included[file]});
    }
    return warpbound::layering::missing_standard_headers(headers);
}

std::vector<std::string> names_shared_with_verifier(const fs::path& root,
                                                    const std::vector<std::string>& files) {
    std::vector<warpbound::layering::SourceText> analyzer;
    std::vector<warpbound::layering::SourceText> verifier;
    for (const auto& file : files) {
        if (starts_with(file, "analyzer/")) analyzer.push_back({file, text_of(root / file)});
        if (starts_with(file, "certification/verify/"))
            verifier.push_back({file, text_of(root / file)});
    }
    std::set<std::string> allowed;
    for (const auto& name : warpbound::layering::names_on_both_sides)
        allowed.emplace(name.name);
    return warpbound::layering::shared_names(analyzer, verifier, allowed);
}

/// How many source files may lie directly in `analyzer`: what is more has a room of its own.
constexpr std::size_t most_files_directly_in_analyzer = 10;

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: layering_check SOURCES\n", stderr);
        return 2;
    }
    const fs::path root{arguments[1]};
    const auto files = source_files(root);
    const auto includes = includes_of(root, files);
    std::vector<std::string> violations;
    for (const auto& include : includes) {
        check_restricted(include, violations);
        if (!include.quoted) continue;
        check_top_level(include, violations);
        check_forbidden(include, violations);
        for (const auto& order : warpbound::layering::orders)
            check_order(order, include, violations);
    }
    for (const auto& order : warpbound::layering::orders)
        check_folders_are_known(order, files, violations);
    const auto directly = std::count_if(files.begin(), files.end(), [](const std::string& file) {
        return starts_with(file, "analyzer/") && file.find('/', 9) == std::string::npos;
    });
    if (static_cast<std::size_t>(directly) > most_files_directly_in_analyzer)
        violations.push_back("analyzer: " + std::to_string(directly) +
                             " source files directly in it; at most 10 were expected");
    for (const auto& cycle : include_cycles(files, includes))
        violations.push_back(cycle);
    for (const auto& missing : missing_standard_headers(root, files, includes))
        violations.push_back(missing);
    for (const auto& shared : names_shared_with_verifier(root, files))
        violations.push_back(shared);
    for (const auto& violation : violations)
        std::fprintf(stderr, "%s\n", violation.c_str());
    if (files.empty()) std::fprintf(stderr, "no source file found below %s\n", arguments[1]);
    if (violations.empty() && !files.empty())
        std::printf(
            "%zu files, %zu includes: no forbidden include, no cycle, no missing include, no "
            "name of the analyzer in the verifier\n",
            files.size(), includes.size());
    return violations.empty() && !files.empty() ? 0 : 1;
}
