#include "models/architecture/difference.hpp"

#include "models/architecture/costless_groups.hpp"
#include "models/architecture/schema.hpp"
#include "models/architecture/value_path.hpp"

#include <map>
#include <set>

namespace warpbound::models {

namespace {

/// `left_out`: groups of which it counts only whether they are described.
std::map<std::string, std::string> properties_of(const Architecture& machine,
                                                 const std::set<std::string>& left_out) {
    std::map<std::string, std::string> found{
        {"target", to_string(machine.target)},
        {"issue-control",
         machine.issue_control == IssueControl::Encoded ? "encoded" : "interlocked"}};
    for (const auto& unit : machine.units)
        found["units/" + unit.name + "/scope"] = to_string(unit.scope);
    // A group may be present without values: it may state that accesses go through the caches.
    for (const auto& memory : machine.memories)
        found["memories/" + memory.name] = "described";
    for (const auto& [path, group] : value_groups(machine)) {
        if (!left_out.contains(path)) continue;
        if (group->costs_nothing) found[path] = "stated to cost nothing";
        if (!group->values.empty()) found[path] = "described";
    }
    for (const auto& collector : machine.operand_collectors)
        found["operand-collectors/" + collector.name] = "described";
    for (const auto& [opcode_class, timing] : machine.classes)
        found["classes/" + std::string{assembly::to_string(opcode_class)} + "/unit"] = timing.unit;
    return found;
}

/// Without those of the groups that are left out.
std::vector<std::pair<std::string, const SourcedValue*>>
values_of(const Architecture& machine, const std::set<std::string>& left_out) {
    std::vector<std::pair<std::string, const SourcedValue*>> found;
    for (const auto& [path, group] : value_groups(machine)) {
        if (left_out.contains(path)) continue;
        for (const auto& value : group->values)
            found.emplace_back(path + "/" + value.name, &value);
    }
    return found;
}

/// Of a group that costs nothing in one of both, that it does is the only difference.
std::set<std::string> groups_that_cost_nothing_in_one(const Architecture& a,
                                                      const Architecture& b) {
    std::set<std::string> groups;
    for (const Architecture* machine : {&a, &b})
        for (std::string& path : groups_that_cost_nothing(*machine))
            groups.insert(std::move(path));
    return groups;
}

} // namespace

bool ValueDifference::of_source_only() const {
    return a != nullptr && b != nullptr && a->interval && a->interval == b->interval;
}

Differences differences(const Architecture& a, const Architecture& b) {
    Differences found;
    const auto left_out = groups_that_cost_nothing_in_one(a, b);
    auto theirs = properties_of(b, left_out);
    auto all = properties_of(a, left_out);
    for (const auto& [path, property] : theirs)
        all.try_emplace(path);
    for (const auto& [path, property] : all)
        if (property != theirs[path]) found.properties.push_back({path, property, theirs[path]});
    const auto of_b = values_of(b, left_out);
    const std::map<std::string, const SourcedValue*> by_path{of_b.begin(), of_b.end()};
    std::map<std::string, const SourcedValue*> seen;
    for (const auto& [path, value] : values_of(a, left_out)) {
        seen.emplace(path, value);
        const auto other = by_path.find(path);
        if (other == by_path.end())
            found.values.push_back({path, value, nullptr});
        else if (!(*value == *other->second))
            found.values.push_back({path, value, other->second});
    }
    for (const auto& [path, value] : of_b)
        if (!seen.contains(path)) found.values.push_back({path, nullptr, value});
    return found;
}

} // namespace warpbound::models
