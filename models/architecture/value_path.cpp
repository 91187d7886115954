#include "models/architecture/value_path.hpp"

#include "assembly/support/digest.hpp"
#include "models/architecture/costless_groups.hpp"
#include "models/architecture/schema.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

namespace warpbound::models {
namespace {

/// The value group of a path, with the rules of the values that it may hold.
struct ValueGroupRules {
    ValueGroup* group = nullptr;
    std::span<const ValueRule> rules;
};

template <typename Rules, typename Name>
std::vector<std::string_view> names_of(const Rules& rules, Name name) {
    std::vector<std::string_view> names;
    for (const auto& rule : rules)
        names.push_back(rule.*name);
    return names;
}

Failure unknown(std::string_view path, std::string_view part,
                const std::vector<std::string_view>& expected) {
    return Failure{fmt::format("'{}' of the value '{}' is not known; expected {}", part, path,
                               one_of(expected))};
}

Failure too_short(std::string_view path) {
    return Failure{fmt::format("'{}' names no value; expected a path like geometry/core-clock, "
                               "memories/dram/latency or classes/load-global/initiation",
                               path)};
}

/// The memory of that name, added when the description has none.
ValueGroup* memory_of(Architecture& architecture, std::string_view name) {
    const auto found = std::ranges::find(architecture.memories, name, &ValueGroup::name);
    if (found != architecture.memories.end()) return &*found;
    architecture.memories.push_back({.name = std::string{name}, .values = {}});
    return &architecture.memories.back();
}

Result<ValueGroupRules> rules_of(Architecture& architecture, std::string_view path,
                                 std::string_view first, std::string_view second) {
    if (first == "memories") {
        const auto rules = memory_rules();
        const auto rule = std::ranges::find(rules, second, &MemoryRule::name);
        if (rule == rules.end()) return unknown(path, second, names_of(rules, &MemoryRule::name));
        return ValueGroupRules{memory_of(architecture, second), rule->values};
    }
    if (first == "classes") {
        const auto opcode_class = assembly::parse_opcode_class(second);
        const auto found =
            opcode_class ? architecture.classes.find(*opcode_class) : architecture.classes.end();
        if (found == architecture.classes.end())
            return Failure{fmt::format("'{}' of the value '{}' is no class of {}", second, path,
                                       architecture.name)};
        return ValueGroupRules{&found->second.values, class_rules(*opcode_class)};
    }
    const auto groups = group_rules();
    const auto rule = std::ranges::find(groups, first, &GroupRule::element);
    if (rule == groups.end()) {
        auto names = names_of(groups, &GroupRule::element);
        names.insert(names.end(), {"classes", "memories"});
        return unknown(path, first, names);
    }
    return ValueGroupRules{&(architecture.*(rule->member)), rule->values};
}

template <typename Group, typename Machine>
std::vector<std::pair<std::string, Group>> groups_of(Machine& machine) {
    std::vector<std::pair<std::string, Group>> groups;
    for (const auto& rule : group_rules()) {
        // Beside the groups that occur once.
        if (rule.element == "write-buffer") {
            for (auto& [opcode_class, timing] : machine.classes)
                groups.emplace_back(fmt::format("classes/{}", assembly::to_string(opcode_class)),
                                    &timing.values);
            for (auto& memory : machine.memories)
                groups.emplace_back(fmt::format("memories/{}", memory.name), &memory);
        }
        groups.emplace_back(rule.element, &(machine.*(rule.member)));
        if (rule.element == "register-file")
            for (auto& collector : machine.operand_collectors)
                groups.emplace_back(fmt::format("operand-collectors/{}", collector.name),
                                    &collector);
    }
    return groups;
}

std::optional<std::int64_t> read_number(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || text.front() == '-' || error != std::errc{} || stop != end)
        return std::nullopt;
    return number;
}

/// NUMBER or LO..HI.
std::optional<Interval> read_interval(std::string_view text) {
    constexpr std::string_view dots = "..";
    const auto at = text.find(dots);
    const auto lo = read_number(text.substr(0, at));
    const auto hi = at == std::string_view::npos ? lo : read_number(text.substr(at + dots.size()));
    if (!lo || !hi || *lo > *hi) return std::nullopt;
    return Interval{.lo = *lo, .typical = std::nullopt, .hi = *hi};
}

} // namespace

const SourcedValue* find_value(const Architecture& architecture, std::string_view path) {
    const auto first = path.find('/');
    if (first == std::string_view::npos) return nullptr;
    const std::string_view group = path.substr(0, first);
    const auto last = path.rfind('/');
    const std::string_view value = path.substr(last + 1);
    if (last == first) {
        for (const auto& rule : group_rules())
            if (rule.element == group) return (architecture.*(rule.member)).find(value);
        return nullptr;
    }
    const std::string_view name = path.substr(first + 1, last - first - 1);
    if (group == "memories") {
        const ValueGroup* const memory = architecture.memory(name);
        return memory == nullptr ? nullptr : memory->find(value);
    }
    const auto opcode_class = assembly::parse_opcode_class(name);
    if (group != "classes" || !opcode_class) return nullptr;
    const auto found = architecture.classes.find(*opcode_class);
    return found == architecture.classes.end() ? nullptr : found->second.values.find(value);
}

std::vector<std::pair<std::string, const ValueGroup*>> value_groups(const Architecture& machine) {
    return groups_of<const ValueGroup*>(machine);
}

std::vector<std::pair<std::string, ValueGroup*>> value_groups(Architecture& machine) {
    return groups_of<ValueGroup*>(machine);
}

Result<void> set_value(Architecture& architecture, std::string_view path, SourcedValue value) {
    const auto first = path.find('/');
    if (first == std::string_view::npos) return too_short(path);
    const auto last = path.rfind('/');
    const std::string_view group = path.substr(0, first);
    const bool named = group == "memories" || group == "classes";
    if (named != (last != first)) return too_short(path);
    const std::string_view second =
        named ? path.substr(first + 1, last - first - 1) : std::string_view{};
    const auto target = rules_of(architecture, path, group, second);
    if (!target) return target.as_failure();
    const std::string_view name = path.substr(last + 1);
    if (target.value().group->costs_nothing)
        return Failure{fmt::format("'{}': its group is stated to cost nothing ({}=none); expected "
                                   "one of both",
                                   path, path.substr(0, last))};
    const auto& rules = target.value().rules;
    const auto rule = std::ranges::find(rules, name, &ValueRule::name);
    if (rule == rules.end()) return unknown(path, name, names_of(rules, &ValueRule::name));
    if (value.interval) {
        const auto& [lo, typical, hi] = *value.interval;
        const std::int64_t most = rule->unit == "cycles" ? largest_cycles : largest_value;
        if (lo < rule->minimum || hi > most)
            return Failure{fmt::format("{} is {}; expected {} to {}", path,
                                       lo < rule->minimum ? lo : hi, rule->minimum, most)};
        if (rule->exact && lo != hi)
            return Failure{
                fmt::format("{} is {}..{}; expected one number, it is a count", path, lo, hi)};
    }
    value.name = rule->name;
    value.unit = rule->unit;
    auto& values = target.value().group->values;
    const auto known = std::ranges::find(values, name, &SourcedValue::name);
    if (known == values.end())
        values.push_back(std::move(value));
    else
        *known = std::move(value);
    architecture.digest.clear();
    return boost::outcome_v2::success();
}

Result<void> override_value(Architecture& architecture, std::string_view path,
                            std::int64_t number) {
    SourcedValue value;
    value.interval = Interval{.lo = number, .typical = number, .hi = number};
    value.source = "stated";
    value.grade = Grade::Assumed;
    value.reason = "stated for this prediction in place of the description's value";
    return set_value(architecture, path, std::move(value));
}

Result<void> assume_value(Architecture& architecture, std::string_view text) {
    const auto equals = text.find('=');
    if (equals != std::string_view::npos && text.substr(equals + 1) == "none") {
        if (auto made = make_costless(architecture, text.substr(0, equals)); !made) return made;
        architecture.digest = assembly::digest_of(write_architecture(architecture));
        return boost::outcome_v2::success();
    }
    const auto interval =
        equals == std::string_view::npos ? std::nullopt : read_interval(text.substr(equals + 1));
    if (!interval)
        return Failure{fmt::format("'{}'; expected PATH=NUMBER or PATH=LO..HI like "
                                   "blocks/replacement=0..2000, or GROUP=none like fetch=none",
                                   text)};
    SourcedValue value;
    value.interval = interval;
    value.source = "stated by the user";
    value.grade = Grade::Assumed;
    value.reason = "stated by the user in place of the description's value";
    if (auto set = set_value(architecture, text.substr(0, equals), std::move(value)); !set)
        return set;
    architecture.digest = assembly::digest_of(write_architecture(architecture));
    return boost::outcome_v2::success();
}

} // namespace warpbound::models
