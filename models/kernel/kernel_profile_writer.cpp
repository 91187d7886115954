#include "models/facts/address_pattern_xml.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/kernel/profile_summary.hpp"
#include "models/xml/xml_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace warpbound::models {
namespace {

constexpr std::size_t longest_body = 512; // Steps of a repetition that is looked for.

XmlElement element_of(const ProfileStep& step) {
    XmlElement element;
    element.name = "step";
    const auto add = [&element](std::string_view name, std::string value) {
        element.attributes.push_back({std::string{name}, std::move(value)});
    };
    add("class", std::string{to_string(step.opcode_class)});
    if (!step.distances.empty()) add("reads", fmt::format("{}", fmt::join(step.distances, " ")));
    if (step.passes && (is_memory_access(step.opcode_class) || *step.passes != CountRange{}))
        add("passes", to_string(step.passes));
    if (!step.passes && !step.pattern && !is_memory_access(step.opcode_class)) add("passes", "any");
    if (step.level != MemoryLevel::Any) add("level", std::string{to_string(step.level)});
    if (step.bytes_per_lane != 0) add("bytes", std::to_string(step.bytes_per_lane));
    if (step.stall) add("stall", std::to_string(*step.stall));
    if (step.sleep) add("sleep", std::to_string(*step.sleep));
    if (step.dual_issued) add("dual-issue", "yes");
    if (step.transfers) add("taken", "yes");
    if (step.address) add("at", fmt::format("0x{:04x}", *step.address));
    if (step.pattern) element.children.push_back(pattern_element(*step.pattern));
    return element;
}

/// Instructions that differ in nothing else become one step kind; those with a pattern keep theirs,
/// by which their executions are counted.
Steps without_addresses(const Steps& steps) {
    Steps plain;
    std::vector<Steps::Kind> kinds;
    for (ProfileStep step : steps.kinds()) {
        if (!step.pattern) step.address.reset();
        kinds.push_back(plain.kind_of(step));
    }
    for (const Steps::Kind kind : steps.order())
        plain.push_back(kinds[kind]);
    return plain;
}

struct Repetition {
    std::size_t body = 1;
    std::size_t times = 1;
};

/// The repetition that covers most of the steps from here on; a shorter body wins a tie.
Repetition repetition_at(std::span<const Steps::Kind> steps) {
    Repetition best;
    const std::size_t longest = std::min(longest_body, steps.size() / 2);
    for (std::size_t body = 1; body <= longest; ++body) {
        std::size_t same = 0;
        while (body + same < steps.size() && steps[same] == steps[body + same])
            ++same;
        const std::size_t times = same / body + 1;
        if (times > 1 && times * body > best.times * best.body) best = {body, times};
    }
    return best;
}

std::vector<XmlElement> folded(const Steps& all) {
    const auto element = [&all](Steps::Kind kind) { return element_of(all.kinds()[kind]); };
    std::span<const Steps::Kind> steps = all.order();
    std::vector<XmlElement> elements;
    while (!steps.empty()) {
        const Repetition found = repetition_at(steps);
        if (found.times < 2) {
            elements.push_back(element(steps.front()));
            steps = steps.subspan(1);
            continue;
        }
        XmlElement repeat;
        repeat.name = "repeat";
        repeat.attributes.push_back({"times", std::to_string(found.times)});
        std::ranges::transform(steps.first(found.body), std::back_inserter(repeat.children),
                               element);
        elements.push_back(std::move(repeat));
        steps = steps.subspan(found.body * found.times);
    }
    return elements;
}

} // namespace

Result<std::string> write_profile(const NamedProfile& profile) {
    XmlElement root;
    root.name = "kernel-profile";
    const auto add = [&root](std::string_view name, std::int64_t count) {
        root.attributes.push_back({std::string{name}, std::to_string(count)});
    };
    root.attributes.push_back({"name", profile.name});
    if (profile.steps.empty()) {
        add("arithmetic-independent", profile.counts.arithmetic_independent);
        add("arithmetic-dependent", profile.counts.arithmetic_dependent);
        add("shared-loads", profile.counts.shared_loads);
        add("shared-stores", profile.counts.shared_stores);
        add("global-loads", profile.counts.global_loads);
        add("global-stores", profile.counts.global_stores);
    }
    if (profile.hidden_latency) add("hidden-latency", *profile.hidden_latency);
    if (profile.registers) add("registers", *profile.registers);
    if (profile.shared_memory) add("shared-memory", *profile.shared_memory);
    root.children = folded(without_addresses(profile.steps));
    std::size_t elements = 1;
    for (const auto& child : root.children) {
        elements += 1 + child.children.size();
        for (const auto& step : child.children)
            elements += step.children.size();
    }
    if (elements > xml_element_limit)
        return Failure{fmt::format("the profile needs {} XML elements; expected at most {}",
                                   elements, xml_element_limit),
                       profile.name};
    std::string text = write_xml(root);
    if (text.size() > xml_size_limit)
        return Failure{fmt::format("the profile needs {} bytes; expected at most {}", text.size(),
                                   xml_size_limit),
                       profile.name};
    return text;
}

} // namespace warpbound::models
