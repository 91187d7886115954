/// \file
/// Folders of descriptions, and the search for a description by its name.
#include "models/architecture/library.hpp"

#include "assembly/amd/processor.hpp"
#include "models/architecture/shipped_descriptions.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace warpbound::models {
namespace {

namespace fs = std::filesystem;

Result<Architecture> load_file(const fs::path& path) {
    const auto source = assembly::read_source(path, xml_size_limit);
    if (!source) return source.as_failure();
    return read_architecture(source.value());
}

std::string names_at_hand(const std::vector<ArchitectureEntry>& entries) {
    std::vector<std::string_view> names;
    for (const auto& entry : entries)
        names.emplace_back(entry.name);
    return "expected " + one_of(names) + ", or the path of a file";
}

/// The description whose name ends in "-NAME", if one and only one does: "t4" is "turing-t4".
const ArchitectureEntry* find_card(const std::vector<ArchitectureEntry>& entries,
                                   std::string_view name) {
    const ArchitectureEntry* found = nullptr;
    for (const auto& entry : entries) {
        if (!entry.name.ends_with(fmt::format("-{}", name))) continue;
        if (found != nullptr) return nullptr;
        found = &entry;
    }
    return found;
}

/// The description that stands for this target, else the only one with it.
Result<Architecture> load_by_target(const std::vector<ArchitectureEntry>& entries,
                                    assembly::Target target) {
    std::vector<Architecture> of_target;
    for (const auto& entry : entries)
        if (auto loaded = load_architecture(entry); loaded && loaded.value().target == target)
            of_target.push_back(std::move(loaded).value());
    const auto standing = std::ranges::find(of_target, true, &Architecture::stands_for_target);
    if (standing != of_target.end()) return std::move(*standing);
    if (of_target.size() == 1) return std::move(of_target.front());
    std::vector<std::string> names;
    for (const auto& machine : of_target)
        names.push_back(machine.name);
    if (names.empty())
        return Failure{.what = fmt::format("no description of a machine with {}; {}",
                                           assembly::to_string(target), names_at_hand(entries)),
                       .where = {}};
    return Failure{.what = fmt::format("{} descriptions have {}; expected one of their names: {}",
                                       names.size(), assembly::to_string(target),
                                       fmt::join(names, ", ")),
                   .where = {}};
}

/// $WARPBOUND_ARCHITECTURES, then the installation of the program that runs.
std::vector<fs::path> architecture_folders() {
    std::vector<fs::path> folders;
    if (const char* const variable = std::getenv("WARPBOUND_ARCHITECTURES"); variable != nullptr) {
        std::string_view rest = variable;
        while (!rest.empty()) {
            const std::size_t colon = rest.find(':');
            if (colon != 0) folders.emplace_back(rest.substr(0, colon));
            rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
        }
    }
    std::error_code error;
    const fs::path executable = fs::read_symlink("/proc/self/exe", error);
    if (!error)
        folders.push_back(
            (executable.parent_path() / WARPBOUND_DESCRIPTIONS_FROM_PROGRAM).lexically_normal());
    return folders;
}

} // namespace

std::vector<ArchitectureEntry> list_architectures() {
    std::vector<ArchitectureEntry> entries;
    for (const auto& folder : architecture_folders()) {
        std::error_code error;
        // A folder that is not there or not readable holds no descriptions.
        for (fs::directory_iterator at{folder, error}, end; !error && at != end;
             at.increment(error)) {
            if (at->path().extension() != ".xml") continue;
            const std::string name = at->path().stem().string();
            if (std::ranges::count(entries, name, &ArchitectureEntry::name) == 0)
                entries.push_back({.name = name, .path = at->path()});
        }
    }
    for (const auto& shipped : shipped_descriptions())
        if (std::ranges::count(entries, shipped.name, &ArchitectureEntry::name) == 0)
            entries.push_back({.name = std::string{shipped.name}, .path = {}});
    std::ranges::sort(entries, {}, &ArchitectureEntry::name);
    return entries;
}

Result<assembly::SourceText> read_description(const ArchitectureEntry& entry) {
    if (!entry.path.empty()) return assembly::read_source(entry.path, xml_size_limit);
    const auto shipped = shipped_descriptions();
    const auto found = std::ranges::find(shipped, entry.name, &ShippedDescription::name);
    if (found == shipped.end())
        return Failure{.what = "no description of this name is built in", .where = entry.name};
    return assembly::SourceText{entry.name + " (built in)", std::string{found->text}};
}

Result<Architecture> load_architecture(const ArchitectureEntry& entry) {
    const auto source = read_description(entry);
    if (!source) return source.as_failure();
    return read_architecture(source.value());
}

Result<Architecture> load_architecture(std::string_view name_or_path) {
    const auto entries = list_architectures();
    auto target = assembly::parse_target(name_or_path);
    if (!target) target = assembly::amd::parse_processor(name_or_path);
    if (target && name_or_path == assembly::to_string(*target))
        return load_by_target(entries, *target);
    const auto named = std::ranges::find(entries, name_or_path, &ArchitectureEntry::name);
    const ArchitectureEntry* const found =
        named != entries.end() ? &*named : find_card(entries, name_or_path);
    if (found != nullptr) {
        auto loaded = load_architecture(*found);
        if (loaded && loaded.value().name != found->name)
            return Failure{.what =
                               fmt::format("the description is named '{}'; expected '{}' as its "
                                           "file is",
                                           loaded.value().name, found->name),
                           .where = found->path};
        return loaded;
    }
    const fs::path path{name_or_path};
    std::error_code error;
    if (path.has_parent_path() || path.extension() == ".xml" || fs::is_regular_file(path, error))
        return load_file(path);
    return Failure{.what = fmt::format("no architecture is called '{}'; {}", name_or_path,
                                       names_at_hand(entries)),
                   .where = {}};
}

} // namespace warpbound::models
