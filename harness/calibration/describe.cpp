#include "harness/calibration/calibrate.hpp"
#include "harness/suite/calibration_benchmarks.hpp"
#include "models/architecture/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::harness {

namespace {

using models::Architecture;
using models::SourcedValue;
using models::ValueGroup;

constexpr const char* no_smaller =
    "no time depends on a smaller one: other intervals of the machine hide it";
constexpr const char* from_samples = "smallest and largest of the samples; no upper bound";

/// Where the values of a path live and the rules for them.
struct Place {
    ValueGroup* group = nullptr;
    std::span<const models::ValueRule> rules;
};

/// Makes the place where the description has none.
Result<Place> place_of(Architecture& machine, std::string_view path) {
    const auto first = path.find('/');
    const auto last = path.rfind('/');
    const std::string_view kind = path.substr(0, first);
    const std::string_view name =
        first == last ? std::string_view{} : path.substr(first + 1, last - first - 1);
    if (kind == "memories") {
        for (const auto& rule : models::memory_rules()) {
            if (rule.name != name) continue;
            for (auto& memory : machine.memories)
                if (memory.name == name) return Place{&memory, rule.values};
            machine.memories.push_back({std::string{name}, {}});
            return Place{&machine.memories.back(), rule.values};
        }
    }
    if (kind == "classes") {
        const auto opcode_class = assembly::parse_opcode_class(name);
        if (opcode_class)
            if (const auto found = machine.classes.find(*opcode_class);
                found != machine.classes.end())
                return Place{&found->second.values, models::class_rules(*opcode_class)};
        return Failure{
            fmt::format("was measured, but {} does not describe the class", machine.name),
            std::string{path}};
    }
    for (const auto& rule : models::group_rules())
        if (rule.element == kind) return Place{&(machine.*rule.member), rule.values};
    return Failure{"is no value of a description", std::string{path}};
}

Result<void> put(Architecture& machine, std::string_view path, SourcedValue value) {
    const auto place = place_of(machine, path);
    if (!place) return place.as_failure();
    value.name = path.substr(path.rfind('/') + 1);
    const auto& rules = place.value().rules;
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const auto& known) { return known.name == value.name; });
    if (rule == rules.end()) return Failure{"is no value of a description", std::string{path}};
    value.unit = rule->unit;
    auto& values = place.value().group->values;
    const auto known = std::find_if(values.begin(), values.end(), [&](const SourcedValue& other) {
        return other.name == value.name;
    });
    if (known == values.end())
        values.push_back(std::move(value));
    else
        *known = std::move(value);
    return boost::outcome_v2::success();
}

/// What is known of a machine before anything is measured on it.
Architecture blank(const Calibration& calibration) {
    Architecture machine;
    machine.target = calibration.target;
    machine.geometry.values = {
        {"warp-size", "threads", models::Interval{32, 32, 32}, "Guide", models::Grade::Vendor, {}}};
    std::vector<std::string> classes = calibrated_classes();
    classes.insert(classes.end(), {"clock-read", "barrier", "branch", "exit"});
    for (const auto& name : classes) {
        const auto opcode_class = *assembly::parse_opcode_class(name);
        machine.units.push_back({name, models::UnitScope::Partition});
        models::ClassTiming& timing = machine.classes[opcode_class];
        timing.unit = name;
        for (const auto& rule : models::class_rules(opcode_class))
            if (rule.name == "initiation" || rule.name == "latency")
                timing.values.values.push_back({std::string{rule.name},
                                                std::string{rule.unit},
                                                std::nullopt,
                                                {},
                                                models::Grade::Unknown,
                                                {}});
    }
    return machine;
}

/// Gives each unit the scope that its classes were found to have.
Result<void> put_scopes(Architecture& machine, const std::vector<ScopeFinding>& scopes) {
    std::map<std::string, const ScopeFinding*> by_unit;
    for (const auto& finding : scopes) {
        const auto found =
            machine.classes.find(*assembly::parse_opcode_class(finding.opcode_class));
        if (found == machine.classes.end()) continue;
        const auto [other, fresh] = by_unit.emplace(found->second.unit, &finding);
        if (!fresh && other->second->scope != finding.scope)
            return Failure{fmt::format("two benchmarks contradict each other: {} shows one port "
                                       "per {}, {} one per {}",
                                       other->second->benchmark, to_string(other->second->scope),
                                       finding.benchmark, to_string(finding.scope)),
                           fmt::format("units/{}", found->second.unit)};
        for (auto& unit : machine.units)
            if (unit.name == found->second.unit) unit.scope = finding.scope;
    }
    return boost::outcome_v2::success();
}

} // namespace

std::string source_of(const Finding& finding, const std::string& campaign) {
    return fmt::format("campaign {}: {} ({})", campaign, fmt::join(finding.benchmarks, ", "),
                       finding.digest);
}

Result<Architecture> describe(const Calibration& calibration, const DescriptionRequest& request) {
    Architecture machine = request.base ? *request.base : blank(calibration);
    if (!(machine.target == calibration.target))
        return Failure{fmt::format("describes {}, and {} was measured", to_string(machine.target),
                                   to_string(calibration.target)),
                       machine.name};
    machine.name = request.name;
    machine.title = request.title;
    machine.digest.clear();
    for (const auto& finding : calibration.findings) {
        SourcedValue value;
        value.interval = finding.interval;
        value.source = source_of(finding, request.campaign);
        value.grade = models::Grade::Measured;
        if (finding.sharpness == Sharpness::AtMost) value.reason = no_smaller;
        if (finding.sharpness == Sharpness::Range) value.reason = from_samples;
        if (auto done = put(machine, finding.path, std::move(value)); !done)
            return done.as_failure();
    }
    for (const auto& missing : calibration.unidentified)
        if (!request.base && missing.path.find('/') != std::string::npos) {
            SourcedValue value;
            value.source = missing.why;
            if (auto done = put(machine, missing.path, std::move(value)); !done)
                return done.as_failure();
        }
    if (auto done = put_scopes(machine, calibration.scopes); !done) return done.as_failure();
    return machine;
}

} // namespace warpbound::harness
