#include "certification/verify/refit.hpp"

#include "certification/verify/observations.hpp"
#include "harness/calibration/calibrate.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::certification::verify {

namespace {

/// A value that says that it was read off a campaign.
struct CalibratedValue {
    std::string path;
    const models::SourcedValue* value = nullptr;
};

std::vector<CalibratedValue> calibrated_values(const models::Architecture& machine) {
    std::vector<CalibratedValue> found;
    for (const auto& [path, group] : models::value_groups(machine))
        for (const auto& value : group->values)
            if (value.grade == models::Grade::Measured && value.source.rfind("campaign ", 0) == 0)
                found.push_back({path + "/" + value.name, &value});
    return found;
}

std::string text_of(const models::Interval& interval) {
    return interval.is_exact() ? fmt::format("{}", interval.lo)
                               : fmt::format("{}..{}", interval.lo, interval.hi);
}

/// What the samples of the bundle show of a machine of that generation. Throws `Finding`.
harness::Calibration calibrated(const Evidence& evidence, assembly::Target target) {
    std::vector<harness::RecordedSeries> recorded;
    for (const auto& series : evidence.calibration)
        recorded.push_back({series.key, series.samples.unpacked()});
    const auto measurements = harness::Measurements::of(std::move(recorded), target);
    if (!measurements) refuted(to_string(measurements.error()));
    auto calibration = harness::calibrate(measurements.value());
    if (!calibration) refuted(to_string(calibration.error()));
    return std::move(calibration).value();
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
    if (found->sharpness == harness::Sharpness::Range && stated.value->reason.empty())
        throw failed("is read off samples that were not all equal, and does not say so");
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
        std::map<int, harness::Calibration> by_target;
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
            const assembly::Target target = kernel->architecture.target;
            auto known = by_target.find(target.sm);
            if (known == by_target.end())
                known = by_target.emplace(target.sm, calibrated(evidence, target)).first;
            for (const auto& value : stated)
                check_value(value, known->second, file);
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
