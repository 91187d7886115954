#include "certification/verify/divergence/stacks_json.hpp"

#include "certification/verify/bundle_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_stack(const std::string& what) {
    incomplete(what);
}

SimtStack::Kind kind_of(const std::string& name) {
    using Kind = SimtStack::Kind;
    constexpr std::array<std::pair<std::string_view, Kind>, 4> kinds{
        {{"pending", Kind::Pending},
         {"released", Kind::Released},
         {"point", Kind::Explicit},
         {"post-dominator", Kind::PostDominator}}};
    for (const auto& [known, kind] : kinds)
        if (known == name) return kind;
    refuse_stack("an entry of a stack of unknown kind");
}

/// Places in the stack, of points below.
std::set<SimtStack::Point> points_at(const json& row, const std::vector<SimtStack::Entry>& below) {
    std::set<SimtStack::Point> points;
    if (!row.contains("left")) return points;
    for (const auto& place : row.at("left")) {
        const std::size_t at = index_of(place);
        if (at >= below.size()) refuse_stack("a stack has no point that lanes left");
        points.emplace(below[at].kind, below[at].origin);
    }
    return points;
}

SimtStack::Entry entry_of(const json& row, const std::vector<SimtStack::Entry>& below) {
    SimtStack::Entry entry;
    entry.kind = kind_of(row.at("kind").get<std::string>());
    entry.origin = index_of(row.at("origin"));
    if (row.contains("resume")) entry.resume = index_of(row.at("resume"));
    entry.left = points_at(row, below);
    if (!row.contains("flags")) return entry;
    for (const auto& flag : row.at("flags")) {
        const auto name = flag.get<std::string>();
        if (name == "optional")
            entry.optional = true;
        else if (name == "one-or-more")
            entry.one_or_more = true;
        else if (name == "interleaved")
            entry.interleaved = true;
        else if (name == "simultaneous")
            entry.simultaneous = true;
        else
            refuse_stack("an entry of a stack with an unknown flag");
    }
    return entry;
}

SimtStack stack_of(const json& row) {
    std::vector<SimtStack::Entry> entries;
    for (const auto& entry : row.at("entries"))
        entries.push_back(entry_of(entry, entries));
    std::set<SimtStack::Point> left = points_at(row, entries);
    auto stack = SimtStack::of(std::move(entries), std::move(left));
    if (!stack)
        refuse_stack("points twice, flags that do not belong together, lanes that left what they "
                     "were not in, or too many entries");
    return std::move(*stack);
}

} // namespace

std::vector<SimtStack> read_stacks(const json& table) {
    std::vector<SimtStack> stacks;
    for (const auto& row : table) {
        try {
            stacks.push_back(stack_of(row));
        } catch (const Finding& finding) {
            throw Finding{finding.verdict,
                          fmt::format("simt-stacks[{}]: {}", stacks.size(), finding.what())};
        }
    }
    return stacks;
}

} // namespace warpbound::certification::verify
