#include "assembly/amd/processor.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/schema.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace warpbound::models {
namespace {

using assembly::SourceText;

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 64 &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
               std::string_view::npos;
}

class Reader {
public:
    explicit Reader(const SourceText& source) : source_{source} {}

    Result<Architecture> read(const XmlElement& root);

private:
    Result<std::string> name(const XmlElement& element, std::string_view attribute);
    Result<void> heading(const XmlElement& root);
    Result<Interval> interval(const XmlElement& element, const ValueRule& rule);
    Result<SourcedValue> value(const XmlElement& element, const ValueRule& rule);
    Result<ValueGroup> values(const XmlElement& element, std::span<const ValueRule> rules);
    Result<ValueGroup> optional_values(const XmlElement& element, std::span<const ValueRule> rules);
    Result<void> group(const XmlElement& element, const GroupRule& rule);
    Result<void> units(const XmlElement& element);
    Result<void> classes(const XmlElement& element);
    Result<void> memories(const XmlElement& element);
    Result<void> collectors(const XmlElement& element);
    Result<void> part(const XmlElement& element);
    Result<void> only(const XmlElement& child, std::string_view expected);

    const SourceText& source_;
    Architecture architecture_;
};

Result<std::string> Reader::name(const XmlElement& element, std::string_view attribute) {
    const std::string& text = *element.find(attribute);
    if (is_name(text)) return text;
    return refuse(source_, element,
                  fmt::format("'{}' is \"{}\"; expected lower-case letters, digits and '-'",
                              attribute, text));
}

Result<void> Reader::heading(const XmlElement& root) {
    const auto known = check_attributes(source_, root, {"name", "title", "isa", "issue-control"},
                                        {"stands-for-target"});
    if (!known) return known.as_failure();
    const auto own_name = name(root, "name");
    if (!own_name) return own_name.as_failure();
    architecture_.name = own_name.value();
    architecture_.title = *root.find("title");
    auto target = assembly::parse_target(*root.find("isa"));
    if (!target) target = assembly::amd::parse_processor(*root.find("isa"));
    if (!target) target = assembly::amd::parse_vliw_chip(*root.find("isa"));
    if (!target)
        return refuse(
            source_, root,
            fmt::format("'isa' is \"{}\"; expected a target such as sm_20, sm_90 or gfx90a",
                        *root.find("isa")));
    architecture_.target = *target;
    if (const auto* stands = root.find("stands-for-target"); stands != nullptr) {
        if (*stands != "yes")
            return refuse(source_, root,
                          fmt::format("'stands-for-target' is \"{}\"; expected yes, or no such "
                                      "attribute",
                                      *stands));
        architecture_.stands_for_target = true;
    }
    const std::string& control = *root.find("issue-control");
    if (control == "interlocked")
        architecture_.issue_control = IssueControl::Interlocked;
    else if (control == "encoded")
        architecture_.issue_control = IssueControl::Encoded;
    else
        return refuse(
            source_, root,
            fmt::format("'issue-control' is \"{}\"; expected interlocked or encoded", control));
    if (is_amd(architecture_.target) && control != "interlocked")
        return refuse(source_, root,
                      "'issue-control' is \"encoded\"; AMD's instructions have no control fields; "
                      "expected interlocked");
    return boost::outcome_v2::success();
}

/// `value="18"`, or lo and hi with typical between them.
Result<Interval> Reader::interval(const XmlElement& element, const ValueRule& rule) {
    const std::int64_t most = rule.unit == "cycles" ? largest_cycles : largest_value;
    const auto number = [&](std::string_view attribute) {
        return integer_attribute(source_, element, attribute, rule.minimum, most);
    };
    const bool single = element.find("value") != nullptr;
    const bool parts = element.find("lo") != nullptr || element.find("hi") != nullptr ||
                       element.find("typical") != nullptr;
    if (single == parts)
        return refuse(source_, element,
                      fmt::format("'{}' has {}; expected either value, or lo and hi", rule.name,
                                  single ? "both value and lo, typical or hi" : "no number"));
    if (single) {
        const auto only_one = number("value");
        if (!only_one) return only_one.as_failure();
        return Interval{
            .lo = only_one.value(), .typical = only_one.value(), .hi = only_one.value()};
    }
    Interval read;
    const auto low = number("lo");
    if (!low) return low.as_failure();
    const auto high = number("hi");
    if (!high) return high.as_failure();
    read.lo = low.value();
    read.hi = high.value();
    if (read.lo > read.hi)
        return refuse(source_, element,
                      fmt::format("lo {} is above hi {}; expected lo <= hi", read.lo, read.hi));
    if (element.find("typical") != nullptr) {
        const auto typical = number("typical");
        if (!typical) return typical.as_failure();
        if (typical.value() < read.lo || typical.value() > read.hi)
            return refuse(source_, element,
                          fmt::format("typical {} is outside {}..{}; expected it between lo and hi",
                                      typical.value(), read.lo, read.hi));
        read.typical = typical.value();
    }
    if (rule.exact && read.lo != read.hi)
        return refuse(source_, element,
                      fmt::format("'{}' is a range; expected one number", rule.name));
    return read;
}

Result<SourcedValue> Reader::value(const XmlElement& element, const ValueRule& rule) {
    const auto known =
        check_attributes(source_, element, {"name", "unit", "grade"},
                         {"value", "lo", "typical", "hi", "source", "measured", "reason"});
    if (!known) return known.as_failure();
    if (const auto leaf = check_no_children(source_, element); !leaf) return leaf.as_failure();
    SourcedValue read;
    read.name = rule.name;
    read.unit = *element.find("unit");
    if (read.unit != rule.unit)
        return refuse(source_, element,
                      fmt::format("'{}' is in \"{}\"; expected the unit \"{}\"", rule.name,
                                  read.unit, rule.unit));
    const auto grade = parse_grade(*element.find("grade"));
    if (!grade)
        return refuse(source_, element,
                      fmt::format("'grade' is \"{}\"; expected vendor, peer-reviewed, repository, "
                                  "measured, inferred, assumed or unknown",
                                  *element.find("grade")));
    read.grade = *grade;
    if (const auto* text = element.find("source"); text != nullptr) read.source = *text;
    if (const auto* text = element.find("reason"); text != nullptr) read.reason = *text;
    if (const auto* text = element.find("measured"); text != nullptr) {
        const auto card = parse_measured_on(*text);
        if (!card || *card == MeasuredOn::Nothing)
            return refuse(source_, element,
                          fmt::format("'measured' is \"{}\"; expected card or family, or no such "
                                      "attribute",
                                      *text));
        read.measured = *card;
    }
    if (read.grade == Grade::Unknown) {
        for (const std::string_view number : {"value", "lo", "typical", "hi", "measured"})
            if (element.find(number) != nullptr)
                return refuse(source_, element,
                              fmt::format("'{}' is unknown and has '{}'; expected no number",
                                          rule.name, number));
        return read;
    }
    const auto numbers = interval(element, rule);
    if (!numbers) return numbers.as_failure();
    read.interval = numbers.value();
    if (read.source.empty())
        return refuse(
            source_, element,
            fmt::format("'{}' has no source; expected where the number comes from", rule.name));
    if (read.grade == Grade::Assumed && read.reason.empty())
        return refuse(
            source_, element,
            fmt::format("'{}' is assumed without a reason; expected why this number", rule.name));
    return read;
}

Result<void> Reader::only(const XmlElement& child, std::string_view expected) {
    if (child.name == expected) return boost::outcome_v2::success();
    return refuse(source_, child,
                  fmt::format("unknown element <{}>; expected <{}>", child.name, expected));
}

Result<ValueGroup> Reader::values(const XmlElement& element, std::span<const ValueRule> rules) {
    ValueGroup read;
    for (const auto& child : element.children) {
        if (const auto known = only(child, "value"); !known) return known.as_failure();
        const std::string* const wanted = child.find("name");
        const auto rule =
            wanted == nullptr ? rules.end() : std::ranges::find(rules, *wanted, &ValueRule::name);
        if (rule == rules.end()) {
            std::vector<std::string_view> names;
            for (const auto& candidate : rules)
                names.push_back(candidate.name);
            return refuse(source_, child,
                          fmt::format("unknown value \"{}\" of <{}>; expected {}",
                                      wanted == nullptr ? "" : *wanted, element.name,
                                      one_of(names)));
        }
        if (read.find(rule->name) != nullptr)
            return refuse(source_, child, fmt::format("a second '{}'; expected one", rule->name));
        auto one = value(child, *rule);
        if (!one) return one.as_failure();
        read.values.push_back(std::move(one).value());
    }
    return read;
}

/// Of a group that may be said to cost nothing.
Result<ValueGroup> Reader::optional_values(const XmlElement& element,
                                           std::span<const ValueRule> rules) {
    const std::string* const costs = element.find("costs");
    if (costs == nullptr) return values(element, rules);
    if (*costs != "nothing" || !element.children.empty())
        return refuse(source_, element,
                      fmt::format("<{}> has 'costs' \"{}\"{}; expected nothing, and no values",
                                  element.name, *costs,
                                  element.children.empty() ? "" : " and values"));
    return ValueGroup{.name = {}, .values = {}, .costs_nothing = true};
}

Result<void> Reader::group(const XmlElement& element, const GroupRule& rule) {
    const auto known = rule.may_cost_nothing ? check_attributes(source_, element, {}, {"costs"})
                                             : check_attributes(source_, element, {});
    if (!known) return known.as_failure();
    auto read = rule.may_cost_nothing ? optional_values(element, rule.values)
                                      : values(element, rule.values);
    if (!read) return read.as_failure();
    architecture_.*rule.member = std::move(read).value();
    return boost::outcome_v2::success();
}

Result<void> Reader::units(const XmlElement& element) {
    if (const auto known = check_attributes(source_, element, {}); !known)
        return known.as_failure();
    for (const auto& child : element.children) {
        if (const auto known = only(child, "unit"); !known) return known.as_failure();
        const auto known = check_attributes(source_, child, {"name", "scope"});
        if (!known) return known.as_failure();
        if (const auto leaf = check_no_children(source_, child); !leaf) return leaf.as_failure();
        const auto own_name = name(child, "name");
        if (!own_name) return own_name.as_failure();
        if (architecture_.unit_index(own_name.value()))
            return refuse(source_, child,
                          fmt::format("a second unit '{}'; expected one", own_name.value()));
        constexpr auto scopes =
            std::to_array({UnitScope::Warp, UnitScope::Partition, UnitScope::Core});
        const auto* const scope = std::ranges::find(
            scopes, *child.find("scope"), [](UnitScope candidate) { return to_string(candidate); });
        if (scope == scopes.end())
            return refuse(source_, child,
                          fmt::format("'scope' is \"{}\"; expected warp, partition or core",
                                      *child.find("scope")));
        architecture_.units.push_back({.name = own_name.value(), .scope = *scope});
    }
    return boost::outcome_v2::success();
}

Result<void> Reader::classes(const XmlElement& element) {
    if (const auto known = check_attributes(source_, element, {}); !known)
        return known.as_failure();
    for (const auto& child : element.children) {
        if (const auto known = only(child, "class"); !known) return known.as_failure();
        const auto known = check_attributes(source_, child, {"name", "unit"});
        if (!known) return known.as_failure();
        const auto opcode_class = assembly::parse_opcode_class(*child.find("name"));
        if (!opcode_class || *opcode_class == assembly::OpcodeClass::Unknown)
            return refuse(source_, child,
                          fmt::format("no opcode class is called \"{}\"; expected a name such as "
                                      "integer-add",
                                      *child.find("name")));
        if (architecture_.classes.contains(*opcode_class))
            return refuse(source_, child,
                          fmt::format("a second class '{}'; expected one", *child.find("name")));
        ClassTiming timing{.unit = *child.find("unit"), .values = {}};
        if (!architecture_.unit_index(timing.unit))
            return refuse(source_, child,
                          fmt::format("no unit is called \"{}\"; expected one of <units>, which "
                                      "stand before <classes>",
                                      timing.unit));
        auto read = values(child, class_rules(*opcode_class));
        if (!read) return read.as_failure();
        timing.values = std::move(read).value();
        architecture_.classes.emplace(*opcode_class, std::move(timing));
    }
    return boost::outcome_v2::success();
}

Result<void> Reader::memories(const XmlElement& element) {
    if (const auto known = check_attributes(source_, element, {}); !known)
        return known.as_failure();
    for (const auto& child : element.children) {
        if (const auto known = only(child, "memory"); !known) return known.as_failure();
        if (const auto known = check_attributes(source_, child, {"name"}, {"costs"}); !known)
            return known.as_failure();
        const std::string& level = *child.find("name");
        const auto rule = std::ranges::find(memory_rules(), level, &MemoryRule::name);
        if (rule == memory_rules().end()) {
            std::vector<std::string_view> names;
            for (const auto& candidate : memory_rules())
                names.push_back(candidate.name);
            return refuse(
                source_, child,
                fmt::format("no memory is called \"{}\"; expected {}", level, one_of(names)));
        }
        if (architecture_.memory(level) != nullptr)
            return refuse(source_, child, fmt::format("a second memory '{}'; expected one", level));
        if (!rule->may_cost_nothing && child.find("costs") != nullptr)
            return refuse(source_, child,
                          fmt::format("the memory '{}' has 'costs'; expected it of groups that "
                                      "only delay",
                                      level));
        auto read = optional_values(child, rule->values);
        if (!read) return read.as_failure();
        architecture_.memories.push_back(std::move(read).value());
        architecture_.memories.back().name = level;
    }
    return boost::outcome_v2::success();
}

Result<void> Reader::collectors(const XmlElement& element) {
    if (const auto known = check_attributes(source_, element, {}); !known)
        return known.as_failure();
    for (const auto& child : element.children) {
        if (const auto known = only(child, "operand-collector"); !known) return known.as_failure();
        if (const auto known = check_attributes(source_, child, {"unit"}); !known)
            return known.as_failure();
        const std::string& unit = *child.find("unit");
        const auto index = architecture_.unit_index(unit);
        if (!index || architecture_.units[*index].scope == UnitScope::Warp)
            return refuse(source_, child,
                          fmt::format("no unit of scope partition or core is called \"{}\"; "
                                      "expected one of <units>, which stand before",
                                      unit));
        if (architecture_.operand_collector(unit) != nullptr)
            return refuse(source_, child,
                          fmt::format("a second operand collector of '{}'; expected one", unit));
        auto read = values(child, collector_rules());
        if (!read) return read.as_failure();
        architecture_.operand_collectors.push_back(std::move(read).value());
        architecture_.operand_collectors.back().name = unit;
    }
    return boost::outcome_v2::success();
}

Result<void> Reader::part(const XmlElement& element) {
    const auto rule = std::ranges::find(group_rules(), element.name, &GroupRule::element);
    if (rule != group_rules().end()) return group(element, *rule);
    if (element.name == "units") return units(element);
    if (element.name == "classes") return classes(element);
    if (element.name == "memories") return memories(element);
    if (element.name == "operand-collectors") return collectors(element);
    std::vector<std::string_view> names{"units", "classes", "memories", "operand-collectors"};
    for (const auto& candidate : group_rules())
        names.push_back(candidate.element);
    return refuse(source_, element,
                  fmt::format("unknown element <{}>; expected {}", element.name, one_of(names)));
}

Result<Architecture> Reader::read(const XmlElement& root) {
    if (const auto read = heading(root); !read) return read.as_failure();
    std::set<std::string> parts;
    for (const auto& child : root.children) {
        if (!parts.insert(child.name).second)
            return refuse(source_, child, fmt::format("a second <{}>; expected one", child.name));
        if (const auto read = part(child); !read) return read.as_failure();
    }
    architecture_.digest = assembly::digest_of(source_.text);
    return std::move(architecture_);
}

} // namespace

Result<Architecture> read_architecture(const SourceText& source) {
    const auto root = read_xml(source, "architecture");
    if (!root) return root.as_failure();
    return Reader{source}.read(root.value());
}

} // namespace warpbound::models
