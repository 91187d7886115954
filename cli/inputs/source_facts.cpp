#include "cli/inputs/source_facts.hpp"

#include "models/facts/source_comments.hpp"
#include "models/facts/source_facts.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace warpbound::cli {

namespace {

using std::filesystem::path;

bool is_file(const path& at) {
    std::error_code unknown;
    return std::filesystem::is_regular_file(at, unknown);
}

/// Files that a marker's file may be, the likeliest first. `folder`: of the sources, or the only
/// one.
std::vector<path> candidates(const path& named, const path& listing, const std::string& folder) {
    if (is_file(folder))
        return path{folder}.filename() == named.filename() ? std::vector{path{folder}}
                                                           : std::vector<path>{};
    if (folder.empty()) return {named.is_absolute() ? named : listing.parent_path() / named};
    std::vector<path> parts;
    for (const path& part : named.relative_path())
        if (part != "." && part != "..") parts.push_back(part);
    std::vector<path> found;
    for (auto from = parts.begin(); from != parts.end(); ++from) {
        path whole{folder};
        std::for_each(from, parts.end(), [&](const path& part) { whole /= part; });
        found.push_back(std::move(whole));
    }
    return found;
}

std::optional<path> find_source(const std::string& named, const std::string& listing,
                                const std::string& folder) {
    for (const path& candidate : candidates(named, listing == "-" ? "" : listing, folder))
        if (is_file(candidate)) return candidate.lexically_normal();
    return std::nullopt;
}

} // namespace

Result<models::SourceFacts> source_facts(const assembly::Function& function,
                                         const assembly::ControlFlowGraph& graph,
                                         const std::string& listing, const std::string& folder) {
    const auto& files = function.source_lines.files;
    if (files.empty() && folder.empty()) return models::SourceFacts{};
    if (files.empty())
        return Failure{"no line marker of the listing names a source file; expected the listing "
                       "of nvdisasm -g or -gi for code that was compiled with -lineinfo",
                       "--source"};
    if (is_file(folder)) {
        std::vector<std::string> named;
        std::ranges::copy_if(files, std::back_inserter(named), [&](const std::string& file) {
            return path{file}.filename() == path{folder}.filename();
        });
        if (named.size() > 1)
            return Failure{"may be " + named[0] + " or " + named[1] +
                               ", which line markers name; give the folder that holds them",
                           folder};
    }
    std::vector<models::FoundSource> found;
    for (std::size_t file = 0; file < files.size(); ++file) {
        const auto candidate = find_source(files[file], listing, folder);
        if (!candidate) continue;
        auto text = assembly::read_source(*candidate, models::source_file_limit);
        if (!text) return text.as_failure();
        found.push_back({file, std::move(text).value()});
    }
    if (found.empty() && !folder.empty())
        return Failure{std::string{is_file(folder) ? "is none" : "holds none"} +
                           " of the source files that line markers name; the first is " +
                           files.front(),
                       folder};
    auto facts = models::facts_of_sources(function, graph, found);
    if (facts && found.empty())
        facts.value().notes.push_back(
            files.front() +
            " is not found; its comments state no facts (--source names its folder)");
    return facts;
}

} // namespace warpbound::cli
