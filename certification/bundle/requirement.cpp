#include "certification/bundle/requirement.hpp"

#include "models/launch/launch.hpp"
#include "models/xml/xml_reader.hpp"

#include <algorithm>

namespace warpbound::certification {

namespace {

Result<Requirement> read_one(const assembly::SourceText& source,
                             const models::XmlElement& element) {
    if (element.name != "requirement")
        return models::refuse(source, element, "<" + element.name + ">: expected <requirement>");
    if (auto checked = models::check_attributes(source, element, {"id", "kernel", "at-most"},
                                                {"launch", "quantity", "text"});
        !checked)
        return checked.as_failure();
    if (auto checked = models::check_no_children(source, element); !checked)
        return checked.as_failure();
    Requirement requirement;
    requirement.id = *element.find("id");
    requirement.kernel = *element.find("kernel");
    requirement.quantity = "execution-time";
    if (const auto* quantity = element.find("quantity")) requirement.quantity = *quantity;
    if (requirement.quantity != "execution-time" && requirement.quantity != "measured-time")
        return models::refuse(source, element,
                              "quantity '" + requirement.quantity +
                                  "': expected execution-time or measured-time");
    if (const auto* text = element.find("text")) requirement.text = *text;
    if (const auto* launch = element.find("launch")) {
        const auto read = models::parse_launch(*launch);
        if (!read) return models::refuse(source, element, read.error().what);
        requirement.launch = models::to_string(read.value());
    }
    const std::string& budget = *element.find("at-most");
    if (budget.find_first_not_of("0123456789") != std::string::npos) {
        const auto read = models::parse_deadline(budget);
        if (!read) return models::refuse(source, element, "at-most: " + read.error().what);
        requirement.at_most = read.value();
        return requirement;
    }
    const auto cycles = models::integer_attribute(source, element, "at-most", 1);
    if (!cycles) return cycles.as_failure();
    requirement.at_most.limit = models::Cycles{cycles.value()};
    return requirement;
}

} // namespace

Result<std::vector<Requirement>> read_requirements(const assembly::SourceText& source) {
    const auto root = models::read_xml(source, "requirements");
    if (!root) return root.as_failure();
    if (auto checked = models::check_attributes(source, root.value(), {}); !checked)
        return checked.as_failure();
    std::vector<Requirement> list;
    for (const auto& element : root.value().children) {
        auto requirement = read_one(source, element);
        if (!requirement) return requirement.as_failure();
        const auto& id = requirement.value().id;
        if (std::any_of(list.begin(), list.end(),
                        [&](const auto& other) { return other.id == id; }))
            return models::refuse(source, element, "a second requirement with id '" + id + "'");
        list.push_back(std::move(requirement).value());
    }
    return list;
}

std::string to_string(RequirementVerdict verdict) {
    switch (verdict) {
    case RequirementVerdict::Met:
        return "met";
    case RequirementVerdict::Violated:
        return "violated";
    default:
        return "undecided";
    }
}

std::string budget_text(const models::Deadline& budget) {
    if (const auto* cycles = std::get_if<models::Cycles>(&budget.limit))
        return std::to_string(cycles->count()) + " core cycles";
    return models::to_string(budget);
}

RequirementVerdict verdict_on(const Requirement& requirement, const KnownTimes& known,
                              const std::optional<models::ClockRange>& clock) {
    const auto is_over = [&](const std::optional<std::int64_t>& cycles) {
        return cycles && models::ends_after(models::Cycles{*cycles}, requirement.at_most, clock);
    };
    // An observation above the budget violates it, whatever was proved.
    if (is_over(known.lower) || is_over(known.worst)) return RequirementVerdict::Violated;
    const bool is_met = known.upper && models::ends_within(models::Cycles{*known.upper},
                                                           requirement.at_most, clock);
    return is_met ? RequirementVerdict::Met : RequirementVerdict::Undecided;
}

} // namespace warpbound::certification
