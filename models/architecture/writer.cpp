#include "models/architecture/architecture.hpp"
#include "models/architecture/schema.hpp"
#include "models/xml/xml_writer.hpp"

#include <fmt/core.h>

namespace warpbound::models {
namespace {

XmlElement value_element(const SourcedValue& value) {
    XmlElement element;
    element.name = "value";
    const auto add = [&element](std::string_view name, std::string text) {
        element.attributes.push_back({std::string{name}, std::move(text)});
    };
    add("name", value.name);
    add("unit", value.unit);
    if (value.interval) {
        const Interval& interval = *value.interval;
        if (interval.is_exact() && interval.typical == interval.lo) {
            add("value", fmt::format("{}", interval.lo));
        } else {
            add("lo", fmt::format("{}", interval.lo));
            if (interval.typical) add("typical", fmt::format("{}", *interval.typical));
            add("hi", fmt::format("{}", interval.hi));
        }
    }
    if (!value.source.empty()) add("source", value.source);
    add("grade", std::string{to_string(value.grade)});
    if (value.measured != MeasuredOn::Nothing)
        add("measured", std::string{to_string(value.measured)});
    if (!value.reason.empty()) add("reason", value.reason);
    return element;
}

XmlElement group_element(std::string_view name, std::vector<XmlAttribute> attributes,
                         const ValueGroup& group) {
    XmlElement element;
    element.name = name;
    element.attributes = std::move(attributes);
    if (group.costs_nothing) element.attributes.push_back({"costs", "nothing"});
    for (const auto& value : group.values)
        element.children.push_back(value_element(value));
    return element;
}

XmlElement units_element(const Architecture& architecture) {
    XmlElement element;
    element.name = "units";
    for (const auto& unit : architecture.units) {
        XmlElement& child = element.children.emplace_back();
        child.name = "unit";
        child.attributes = {{"name", unit.name}, {"scope", std::string{to_string(unit.scope)}}};
    }
    return element;
}

XmlElement classes_element(const Architecture& architecture) {
    XmlElement element;
    element.name = "classes";
    for (const auto& [opcode_class, timing] : architecture.classes)
        element.children.push_back(group_element(
            "class",
            {{"name", std::string{assembly::to_string(opcode_class)}}, {"unit", timing.unit}},
            timing.values));
    return element;
}

XmlElement memories_element(const Architecture& architecture) {
    XmlElement element;
    element.name = "memories";
    for (const auto& memory : architecture.memories)
        element.children.push_back(group_element("memory", {{"name", memory.name}}, memory));
    return element;
}

XmlElement collectors_element(const Architecture& architecture) {
    XmlElement element;
    element.name = "operand-collectors";
    for (const auto& collector : architecture.operand_collectors)
        element.children.push_back(
            group_element("operand-collector", {{"unit", collector.name}}, collector));
    return element;
}

} // namespace

std::string write_architecture(const Architecture& architecture) {
    XmlElement root;
    root.name = "architecture";
    root.attributes = {{"name", architecture.name},
                       {"title", architecture.title},
                       {"isa", assembly::to_string(architecture.target)},
                       {"issue-control", std::string{to_string(architecture.issue_control)}}};
    if (architecture.stands_for_target) root.attributes.push_back({"stands-for-target", "yes"});
    for (const auto& rule : group_rules()) {
        const ValueGroup& group = architecture.*rule.member;
        // Absent, these are perfect (C17); an empty element would say the same at length.
        if (!rule.may_cost_nothing || group.costs_nothing || !group.values.empty())
            root.children.push_back(group_element(rule.element, {}, group));
        if (rule.element == "register-file" && !architecture.operand_collectors.empty())
            root.children.push_back(collectors_element(architecture));
        if (rule.element != "schedulers") continue;
        root.children.push_back(units_element(architecture));
        root.children.push_back(classes_element(architecture));
        root.children.push_back(memories_element(architecture));
    }
    return write_xml(root);
}

} // namespace warpbound::models
