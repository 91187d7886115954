#include "models/facts/address_pattern_xml.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace warpbound::models {
namespace {

constexpr std::size_t distance_limit = 256; // Producers of one step.

/// "1" or "1..4"; nothing for "any".
Result<std::optional<CountRange>> read_passes(const assembly::SourceText& source,
                                              const XmlElement& element) {
    const std::string& text = *element.find("passes");
    if (text == "any") return std::optional<CountRange>{};
    const auto dots = text.find("..");
    const auto min = parse_integer(std::string_view{text}.substr(0, dots));
    const auto max = dots == std::string::npos ? min : parse_integer(text.substr(dots + 2));
    if (!min || !max || *min < 1 || *max > most_passes_of_step || *min > *max)
        return refuse(
            source, element,
            fmt::format("'passes' is \"{}\"; expected 1 to {}, a range \"1..4\" or \"any\"", text,
                        most_passes_of_step));
    return std::optional{CountRange{*min, *max}};
}

/// "1 4 9", increasing.
Result<std::vector<std::int64_t>> read_distances(const assembly::SourceText& source,
                                                 const XmlElement& element) {
    const std::string& text = *element.find("reads");
    std::vector<std::int64_t> distances;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const auto distance = parse_integer(std::string_view{text}.substr(at, end - at));
        if (!distance || *distance < 1 || distances.size() >= distance_limit ||
            (!distances.empty() && *distance <= distances.back()))
            return refuse(source, element,
                          fmt::format("'reads' is \"{}\"; expected at most {} increasing distances "
                                      "like \"1 4\"",
                                      text, distance_limit));
        distances.push_back(*distance);
        at = end + 1;
    }
    return distances;
}

Result<bool> read_yes(const assembly::SourceText& source, const XmlElement& element,
                      std::string_view attribute) {
    const std::string* const text = element.find(attribute);
    if (text == nullptr || *text == "no") return false;
    if (*text == "yes") return true;
    return refuse(source, element,
                  fmt::format("'{}' is \"{}\"; expected \"yes\" or \"no\"", attribute, *text));
}

Result<MemoryLevel> read_level(const assembly::SourceText& source, const XmlElement& element) {
    const std::string& text = *element.find("level");
    for (const auto level : {MemoryLevel::Any, MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::Dram})
        if (text == to_string(level)) return level;
    return refuse(
        source, element,
        fmt::format("'level' is \"{}\"; expected {}", text, one_of({"any", "l1", "l2", "dram"})));
}

/// The step with the address pattern inside its element, if there is one.
Result<ProfileStep> with_pattern(const assembly::SourceText& source, const XmlElement& element,
                                 ProfileStep step) {
    if (element.children.empty()) return step;
    if (element.children.size() > 1 || element.children.front().name != "pattern")
        return refuse(source, element.children.back(),
                      fmt::format("<{}> inside <step>; expected at most one <pattern>",
                                  element.children.back().name));
    if (element.find("passes") != nullptr)
        return refuse(
            source, element,
            "a <step> with both passes and a <pattern>; expected one of them: the pattern "
            "gives the passes");
    const bool accesses = is_memory_access(step.opcode_class) ||
                          step.opcode_class == assembly::OpcodeClass::LoadConstant;
    if (!accesses || step.bytes_per_lane == 0)
        return refuse(source, element,
                      "a <pattern> in a <step> that accesses no bytes of memory; expected a memory "
                      "class and 'bytes'");
    constexpr std::int64_t most_bytes_of_lane = 32;
    if (step.bytes_per_lane > most_bytes_of_lane)
        return refuse(source, element,
                      fmt::format("a <pattern> in a <step> of {} bytes; expected at most {} of a "
                                  "lane",
                                  step.bytes_per_lane, most_bytes_of_lane));
    if (!step.address)
        return refuse(source, element,
                      "a <pattern> without 'at'; expected the address of the instruction, whose "
                      "executions the pattern counts");
    const auto pattern = read_pattern(source, element.children.front());
    if (!pattern) return pattern.as_failure();
    step.pattern = pattern.value();
    step.passes.reset();
    return step;
}

Result<ProfileStep> read_step(const assembly::SourceText& source, const XmlElement& element) {
    if (element.name != "step")
        return refuse(source, element, fmt::format("<{}> where <step> was expected", element.name));
    const auto known = check_attributes(
        source, element, {"class"},
        {"reads", "passes", "level", "bytes", "stall", "sleep", "dual-issue", "taken", "at"});
    if (!known) return known.as_failure();
    ProfileStep step;
    const auto opcode_class = assembly::parse_opcode_class(*element.find("class"));
    if (!opcode_class || *opcode_class == assembly::OpcodeClass::Unknown)
        return refuse(source, element,
                      fmt::format("'class' is \"{}\"; expected a class like \"float-add\"",
                                  *element.find("class")));
    step.opcode_class = *opcode_class;
    if (is_memory_access(step.opcode_class)) step.passes.reset();
    if (element.find("reads") != nullptr) {
        auto distances = read_distances(source, element);
        if (!distances) return distances.as_failure();
        step.distances = std::move(distances).value();
    }
    if (element.find("passes") != nullptr) {
        const auto passes = read_passes(source, element);
        if (!passes) return passes.as_failure();
        step.passes = passes.value();
    }
    if (element.find("level") != nullptr) {
        const auto level = read_level(source, element);
        if (!level) return level.as_failure();
        step.level = level.value();
    }
    if (element.find("bytes") != nullptr) {
        const auto bytes = integer_attribute(source, element, "bytes", 0, 1024);
        if (!bytes) return bytes.as_failure();
        step.bytes_per_lane = bytes.value();
    }
    if (element.find("stall") != nullptr) {
        const auto stall = integer_attribute(source, element, "stall", 0, 1024);
        if (!stall) return stall.as_failure();
        step.stall = stall.value();
    }
    if (element.find("sleep") != nullptr) {
        const auto sleep = integer_attribute(source, element, "sleep", 0, 127);
        if (!sleep) return sleep.as_failure();
        step.sleep = sleep.value();
    }
    const auto dual = read_yes(source, element, "dual-issue");
    if (!dual) return dual.as_failure();
    step.dual_issued = dual.value();
    const auto taken = read_yes(source, element, "taken");
    if (!taken) return taken.as_failure();
    step.transfers = taken.value();
    if (element.find("at") != nullptr) {
        const auto at = integer_attribute(source, element, "at", 0);
        if (!at) return at.as_failure();
        step.address = at.value();
    }
    return with_pattern(source, element, std::move(step));
}

/// The step is the next one of the profile.
Result<void> add_step(const assembly::SourceText& source, const XmlElement& element,
                      const ProfileStep& step, Steps& steps) {
    if (steps.size() >= profile_step_limit)
        return refuse(source, element,
                      fmt::format("more than {} executed steps", profile_step_limit));
    if (!step.distances.empty() && step.distances.back() > static_cast<std::int64_t>(steps.size()))
        return refuse(source, element,
                      fmt::format("'reads' reaches {} steps back; {} steps are before it",
                                  step.distances.back(), steps.size()));
    if (steps.empty() && step.dual_issued)
        return refuse(source, element, "the first step is dual-issued with none");
    steps.push_back(step);
    return boost::outcome_v2::success();
}

Result<void> add_repeat(const assembly::SourceText& source, const XmlElement& element,
                        Steps& steps) {
    const auto known = check_attributes(source, element, {"times"});
    if (!known) return known.as_failure();
    const auto times = integer_attribute(source, element, "times", 1,
                                         static_cast<std::int64_t>(profile_step_limit));
    if (!times) return times.as_failure();
    std::vector<ProfileStep> body;
    for (const auto& child : element.children) {
        auto step = read_step(source, child);
        if (!step) return step.as_failure();
        body.push_back(std::move(step).value());
    }
    if (body.empty()) return refuse(source, element, "<repeat> without <step>");
    for (std::int64_t repetition = 0; repetition < times.value(); ++repetition)
        for (std::size_t k = 0; k < body.size(); ++k)
            if (const auto added = add_step(source, element.children[k], body[k], steps); !added)
                return added.as_failure();
    return boost::outcome_v2::success();
}

Result<Steps> read_steps(const assembly::SourceText& source, const XmlElement& root) {
    Steps steps;
    for (const auto& child : root.children) {
        if (child.name == "repeat") {
            if (const auto added = add_repeat(source, child, steps); !added)
                return added.as_failure();
            continue;
        }
        const auto step = read_step(source, child);
        if (!step) return step.as_failure();
        if (const auto added = add_step(source, child, step.value(), steps); !added)
            return added.as_failure();
    }
    return steps;
}

} // namespace

Result<NamedProfile> read_profile(const assembly::SourceText& source) {
    const auto document = read_xml(source, "kernel-profile");
    if (!document) return document.as_failure();
    const XmlElement& root = document.value();
    const auto known = check_attributes(
        source, root, {"name"},
        {"arithmetic-independent", "arithmetic-dependent", "shared-loads", "shared-stores",
         "global-loads", "global-stores", "hidden-latency", "registers", "shared-memory"});
    if (!known) return known.as_failure();
    NamedProfile profile{.name = *root.find("name"),
                         .counts = {},
                         .hidden_latency = std::nullopt,
                         .digest = assembly::digest_of(source.text)};
    struct Field {
        std::string_view attribute;
        std::int64_t& count;
    };
    const Field fields[] = {
        {"arithmetic-independent", profile.counts.arithmetic_independent},
        {"arithmetic-dependent", profile.counts.arithmetic_dependent},
        {"shared-loads", profile.counts.shared_loads},
        {"shared-stores", profile.counts.shared_stores},
        {"global-loads", profile.counts.global_loads},
        {"global-stores", profile.counts.global_stores},
    };
    for (const auto& field : fields) {
        if (root.find(field.attribute) == nullptr) continue;
        if (!root.children.empty())
            return refuse(source, root,
                          fmt::format("'{}' combined with steps; expected either counts or steps",
                                      field.attribute));
        const auto count = integer_attribute(source, root, field.attribute, 0);
        if (!count) return count.as_failure();
        field.count = count.value();
    }
    struct OptionalField {
        std::string_view attribute;
        std::optional<std::int64_t>& value;
    };
    const OptionalField optional_fields[] = {{"hidden-latency", profile.hidden_latency},
                                             {"registers", profile.registers},
                                             {"shared-memory", profile.shared_memory}};
    for (const auto& field : optional_fields) {
        if (root.find(field.attribute) == nullptr) continue;
        const auto value = integer_attribute(source, root, field.attribute, 0);
        if (!value) return value.as_failure();
        field.value = value.value();
    }
    auto steps = read_steps(source, root);
    if (!steps) return steps.as_failure();
    profile.steps = std::move(steps).value();
    if (!profile.steps.empty()) profile.counts = counts_of(profile.steps);
    return profile;
}

} // namespace warpbound::models
