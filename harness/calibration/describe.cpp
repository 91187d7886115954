#include "harness/calibration/calibrate.hpp"
#include "harness/calibration/relations.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "models/architecture/schema.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::harness {

namespace {

using models::Architecture;
using models::SourcedValue;

constexpr const char* no_smaller = " (no time depends on a smaller value)";
constexpr const char* from_samples =
    "smallest and largest of the samples; neither a lower nor an upper bound";

/// Sets the scope of each unit to the one found for its classes.
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

Architecture blank_machine(assembly::Target target) {
    constexpr int first_encoded = 30;
    Architecture machine;
    machine.target = target;
    machine.issue_control = is_amd(target) || target.sm < first_encoded
                                ? models::IssueControl::Interlocked
                                : models::IssueControl::Encoded;
    const std::int64_t lanes = lanes_of_warp(target);
    machine.geometry.values = {{"warp-size",
                                "threads",
                                models::Interval{lanes, lanes, lanes},
                                is_amd(target) ? "LLVM AMDGPUUsage" : "Guide",
                                models::Grade::Vendor,
                                {}}};
    for (const auto& name : described_classes()) {
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

std::string source_of(const Finding& finding, const std::string& campaign) {
    return fmt::format("campaign {}{}: {} ({})", campaign,
                       finding.sharpness == Sharpness::AtMost ? no_smaller : "",
                       fmt::join(finding.benchmarks, ", "), finding.digest);
}

Result<Architecture> describe(const Calibration& calibration, const DescriptionRequest& request) {
    Architecture machine = request.base ? *request.base : blank_machine(calibration.target);
    if (!(machine.target == calibration.target))
        return Failure{fmt::format("describes {}, and {} was measured", to_string(machine.target),
                                   to_string(calibration.target)),
                       machine.name};
    machine.name = request.name;
    machine.title = request.title;
    machine.digest.clear();
    const auto put = [&](const std::string& path, SourcedValue value) {
        return models::set_value(machine, path, std::move(value));
    };
    for (const auto& finding : calibration.findings) {
        SourcedValue value;
        value.interval = finding.interval;
        value.source = source_of(finding, request.campaign);
        value.grade = models::Grade::Measured;
        value.reason = finding.assumption;
        if (finding.sharpness == Sharpness::Range) value.reason = from_samples;
        if (auto done = put(finding.path, std::move(value)); !done) return done.as_failure();
    }
    if (!request.base)
        for (const auto& missing : calibration.unidentified) {
            SourcedValue value;
            value.source = missing.why;
            std::string path = missing.path;
            if (path == policy_path) continue;
            if (path.ends_with(port_of_class)) {
                // If the sharing of the port is unknown, so is the initiation interval that depends
                // on it.
                path.replace(path.size() - port_of_class.size(), port_of_class.size(),
                             "/initiation");
                value.source = "the scope of the port was not measured: " + missing.why;
            }
            if (auto done = put(path, std::move(value)); !done) return done.as_failure();
        }
    if (auto done = put_scopes(machine, calibration.scopes); !done) return done.as_failure();
    return machine;
}

} // namespace warpbound::harness
