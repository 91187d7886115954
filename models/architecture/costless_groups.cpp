#include "models/architecture/costless_groups.hpp"

#include "models/architecture/schema.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace warpbound::models {

namespace {

/// What never happens where the group costs nothing.
std::string_view statement_on_group(std::string_view path) {
    if (path == "fetch") return "Instruction fetch never delays";
    if (path == "register-file") return "Register reads and writes never wait for their banks";
    return "Constant operands never miss their cache";
}

std::vector<std::string> paths_that_may_cost_nothing() {
    std::vector<std::string> paths;
    for (const GroupRule& rule : group_rules())
        if (rule.may_cost_nothing) paths.emplace_back(rule.element);
    for (const MemoryRule& rule : memory_rules())
        if (rule.may_cost_nothing) paths.push_back(fmt::format("memories/{}", rule.name));
    return paths;
}

/// The group of the path, added if it is a memory that the description lacks.
ValueGroup& group_at(Architecture& machine, std::string_view path) {
    for (const GroupRule& rule : group_rules())
        if (rule.element == path) return machine.*rule.member;
    const std::string name{path.substr(path.find('/') + 1)};
    const auto found = std::ranges::find(machine.memories, name, &ValueGroup::name);
    if (found != machine.memories.end()) return *found;
    return machine.memories.emplace_back(ValueGroup{.name = name, .values = {}});
}

} // namespace

std::vector<std::string> groups_that_cost_nothing(const Architecture& machine) {
    std::vector<std::string> paths;
    for (const GroupRule& rule : group_rules())
        if ((machine.*rule.member).costs_nothing) paths.emplace_back(rule.element);
    for (const ValueGroup& memory : machine.memories)
        if (memory.costs_nothing) paths.push_back(fmt::format("memories/{}", memory.name));
    return paths;
}

std::vector<std::string> statements_on_costless_groups(const Architecture& machine) {
    std::vector<std::string> statements;
    for (const std::string& path : groups_that_cost_nothing(machine))
        statements.push_back(fmt::format("{} ({}=none), as the user states, unchecked.",
                                         statement_on_group(path), path));
    return statements;
}

Result<void> make_costless(Architecture& machine, std::string_view path) {
    const std::vector<std::string> known = paths_that_may_cost_nothing();
    if (std::ranges::find(known, path) == known.end())
        return Failure{fmt::format("'{}=none': '{}' is no group that only delays; expected {}",
                                   path, path, one_of({known.begin(), known.end()}))};
    ValueGroup& group = group_at(machine, path);
    group.values.clear();
    group.costs_nothing = true;
    if (path == "register-file") machine.operand_collectors.clear();
    machine.digest.clear();
    return boost::outcome_v2::success();
}

} // namespace warpbound::models
