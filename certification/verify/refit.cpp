#include "certification/verify/refit.hpp"

#include "harness/calibration/calibrate.hpp"
#include "harness/protocol/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

/// A value that says that it was read off a campaign.
struct CalibratedValue {
    std::string path;
    const models::SourcedValue* value = nullptr;
};

std::vector<CalibratedValue> calibrated_values(const models::Architecture& machine) {
    std::vector<CalibratedValue> found;
    const auto add = [&](const std::string& group, const models::ValueGroup& values) {
        for (const auto& value : values.values)
            if (value.grade == models::Grade::Measured && value.source.rfind("campaign ", 0) == 0)
                found.push_back({group + "/" + value.name, &value});
    };
    add("geometry", machine.geometry);
    add("limits", machine.limits);
    add("schedulers", machine.schedulers);
    add("write-buffer", machine.write_buffer);
    add("control-flow", machine.control_flow);
    add("fetch", machine.fetch);
    add("register-file", machine.register_file);
    add("blocks", machine.blocks);
    add("transfers", machine.transfers);
    for (const auto& [opcode_class, timing] : machine.classes)
        add(fmt::format("classes/{}", to_string(opcode_class)), timing.values);
    for (const auto& memory : machine.memories)
        add("memories/" + memory.name, memory);
    return found;
}

std::string text_of(const models::Interval& interval) {
    return interval.is_exact() ? fmt::format("{}", interval.lo)
                               : fmt::format("{}..{}", interval.lo, interval.hi);
}

void check_seeds(const harness::RecordedSeries& series) {
    const auto seed = seed_of_protocol(series.key.protocol);
    if (!seed)
        throw Finding{Verdict::Incomplete, series.key.name + ": its protocol does not name a seed"};
    for (std::size_t run = 0; run < series.samples.size(); ++run)
        if (series.samples[run].seed != harness::seed_of_run(*seed, static_cast<std::int64_t>(run)))
            throw Finding{Verdict::Failed,
                          fmt::format("{}: run {} does not have the seed that the protocol gives "
                                      "it: a run was left out, added or moved",
                                      series.key.name, run)};
}

void check_value(const CalibratedValue& stated, const harness::Calibration& calibration,
                 const std::string& file) {
    const auto found =
        std::find_if(calibration.findings.begin(), calibration.findings.end(),
                     [&](const harness::Finding& finding) { return finding.path == stated.path; });
    const auto failed = [&](const std::string& why) {
        return Finding{Verdict::Failed, fmt::format("{}: {} {}", file, stated.path, why)};
    };
    if (found == calibration.findings.end())
        throw failed("does not show in the samples of the bundle");
    if (stated.value->interval != found->interval)
        throw failed(fmt::format("is {}, and the samples show {}", text_of(*stated.value->interval),
                                 text_of(found->interval)));
    // The name of the campaign is free; what it was read off is not.
    const std::string rest = harness::source_of(*found, "");
    const std::string_view tail = std::string_view{rest}.substr(rest.find(':'));
    if (!stated.value->source.ends_with(tail))
        throw failed(fmt::format("names other samples than those of the bundle: '{}'; expected "
                                 "'campaign NAME{}'",
                                 stated.value->source, tail));
}

} // namespace

StepResult check_refit(const Evidence& evidence) {
    try {
        for (const auto& series : evidence.calibration)
            check_seeds(series);
        std::size_t values = 0;
        for (const auto& kernel : evidence.kernels) {
            const auto stated = calibrated_values(kernel->architecture);
            if (stated.empty()) continue;
            const std::string& file = kernel->architecture_path;
            if (evidence.calibration.empty())
                return {"refit", Verdict::Incomplete,
                        fmt::format("{}: {} and {} more values name a campaign, and the bundle "
                                    "does not hold its samples",
                                    file, stated.front().path, stated.size() - 1)};
            const auto measurements =
                harness::Measurements::of(evidence.calibration, kernel->architecture.target);
            if (!measurements) throw Finding{Verdict::Failed, to_string(measurements.error())};
            const auto calibration = harness::calibrate(measurements.value());
            if (!calibration) throw Finding{Verdict::Failed, to_string(calibration.error())};
            for (const auto& value : stated)
                check_value(value, calibration.value(), file);
            values += stated.size();
        }
        if (values == 0)
            return {"refit", Verdict::NotApplicable, "no value of a description names a campaign"};
        return {
            "refit", Verdict::Holds,
            fmt::format("{} values read again off {} series", values, evidence.calibration.size())};
    } catch (const Finding& finding) {
        return {"refit", finding.verdict, finding.what()};
    }
}

} // namespace warpbound::certification::verify
