#include "models/application/application_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::models::application {

namespace {

/// Demands of a warp and the machine in Volkov's model, as `<volkov>` names them.
struct Demand {
    std::string_view name;
    bool is_required;
};
constexpr std::array<Demand, 7> volkov_demands{{{"cuda-instructions", true},
                                                {"issued-instructions", true},
                                                {"bytes", true},
                                                {"latency", true},
                                                {"occupancy", true},
                                                {"lambda", false},
                                                {"dram-bytes-per-cycle", false}}};

} // namespace

Result<void> ApplicationReader::demands(const XmlElement& element, Kernel& kernel) {
    if (auto known = check_attributes(
            source_, element,
            {"cuda-instructions", "issued-instructions", "bytes", "latency", "occupancy"},
            {"lambda", "dram-bytes-per-cycle"});
        !known)
        return known;
    for (const Demand& demand : volkov_demands) {
        if (!demand.is_required && element.find(demand.name) == nullptr) continue;
        auto value = expression(element, demand.name);
        if (!value) return value.as_failure();
        kernel.values.emplace_back(demand.name, std::move(value).value());
    }
    return check_no_children(source_, element);
}

/// `<set>` of a formula, `<argument>` of code.
Result<void> ApplicationReader::named_values(const XmlElement& element, Kernel& kernel) {
    const bool is_formula = kernel.source == KernelSource::Formula;
    const bool is_code = kernel.source == KernelSource::Code;
    for (const XmlElement& child : element.children) {
        if (!(child.name == "set" && is_formula) && !(child.name == "argument" && is_code))
            return refuse(child, fmt::format("unknown element <{}> in a <kernel> whose time is "
                                             "\"{}\"; expected {}",
                                             child.name, to_string(kernel.source),
                                             is_formula ? "<set>"
                                             : is_code  ? "<argument>"
                                                        : "none"));
        if (auto known = check_attributes(source_, child, {"name", "value"}); !known) return known;
        auto value = expression(child, "value");
        if (!value) return value.as_failure();
        kernel.values.emplace_back(*child.find("name"), std::move(value).value());
        if (auto none = check_no_children(source_, child); !none) return none;
    }
    return boost::outcome_v2::success();
}

Result<void> ApplicationReader::source_of(const XmlElement& element, Kernel& kernel) {
    const auto has = [&](std::string_view attribute) { return element.find(attribute) != nullptr; };
    const bool has_volkov = !element.children.empty() && element.children.front().name == "volkov";
    const int sources = (has("time") ? 1 : 0) + (has("file") ? 1 : 0) + (has("profile") ? 1 : 0) +
                        (has("campaign") ? 1 : 0) + (has_volkov ? 1 : 0);
    if (sources != 1)
        return refuse(element,
                      "a <kernel> has one source of its time; expected one of 'time', 'file' (of "
                      "code), 'profile' (with 'model'), 'campaign' or <volkov>");
    if (has("profile") && !has("model"))
        return refuse(element, "'model' is missing; expected the formula for the profile, such as "
                               "\"volkov\"");
    if (has("time")) {
        auto time = stated_time(element, "time");
        if (!time) return time.as_failure();
        kernel.stated = std::move(time).value();
    } else if (has("basis") || has("source")) {
        return refuse(element, "'basis' and 'source' are those of 'time', which is missing");
    }
    kernel.source = has("time")                      ? KernelSource::Stated
                    : has_volkov                     ? KernelSource::Volkov
                    : has("campaign")                ? KernelSource::Campaign
                    : has("profile") || has("model") ? KernelSource::Formula
                                                     : KernelSource::Code;
    const auto only_for = [&](std::string_view attribute, bool allowed) -> Result<void> {
        if (!has(attribute) || allowed) return boost::outcome_v2::success();
        return refuse(element, fmt::format("'{}' has no effect in a <kernel> whose time is \"{}\"",
                                           attribute, to_string(kernel.source)));
    };
    const bool is_campaign = kernel.source == KernelSource::Campaign;
    const bool has_code = has("file");
    for (const auto& [attribute, allowed] :
         {std::pair{"function", has_code}, std::pair{"flow-facts", has_code},
          std::pair{"policy", kernel.source == KernelSource::Code},
          std::pair{"model", kernel.source == KernelSource::Formula},
          std::pair{"series", is_campaign},
          std::pair{"blocks", kernel.source != KernelSource::Stated},
          std::pair{"threads", kernel.source != KernelSource::Stated}})
        if (auto done = only_for(attribute, allowed); !done) return done;
    if (is_campaign && !has("series"))
        return refuse(element,
                      "'series' is missing; expected the name of a series of the campaign");
    const bool needs_launch =
        kernel.source != KernelSource::Stated && kernel.source != KernelSource::Campaign;
    if (needs_launch && (!has("blocks") || !has("threads")))
        return refuse(element, "the launch is missing; expected 'blocks' and 'threads' (per "
                               "block), such as blocks=\"n/256\" threads=\"256\"");
    if (has_volkov) {
        if (element.children.size() > 1)
            return refuse(element.children[1], "an element behind <volkov>; expected none");
        return demands(element.children.front(), kernel);
    }
    return named_values(element, kernel);
}

Result<void> ApplicationReader::kernel(const XmlElement& element) {
    if (auto known =
            check_attributes(source_, element, {"name"},
                             {"time", "basis", "source", "blocks", "threads", "file", "profile",
                              "function", "flow-facts", "policy", "model", "campaign", "series"});
        !known)
        return known;
    auto name = new_name(element);
    if (!name) return name.as_failure();
    Kernel kernel{.name = name.value(), .line = element.line};
    if (auto done = source_of(element, kernel); !done) return done;
    auto blocks = expressions(element, "blocks");
    if (!blocks) return blocks.as_failure();
    kernel.blocks = std::move(blocks).value();
    auto threads = expressions(element, "threads");
    if (!threads) return threads.as_failure();
    kernel.threads = std::move(threads).value();
    if (kernel.blocks.empty() != kernel.threads.empty())
        return refuse(element, "'blocks' and 'threads' belong together; expected both");
    const bool is_campaign = kernel.source == KernelSource::Campaign;
    kernel.file = text_or_empty(element, is_campaign ? "campaign" : "file");
    kernel.profile = text_or_empty(element, "profile");
    kernel.function = text_or_empty(element, is_campaign ? "series" : "function");
    kernel.flow_facts = text_or_empty(element, "flow-facts");
    kernel.policy = text_or_empty(element, "policy");
    kernel.model = text_or_empty(element, "model");
    application_.kernels.push_back(std::move(kernel));
    return boost::outcome_v2::success();
}

} // namespace warpbound::models::application
