#include "tests/unit/harness/calibration/calibrated_card.hpp"

#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/launch/warp_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpbound::harness {

models::Architecture fermi() {
    return models::load_architecture("fermi-gtx470").value();
}

std::vector<RecordedSeries> measured_on(const models::Architecture& machine,
                                        const std::vector<std::string>& names,
                                        std::int64_t repetitions, const std::string& policy) {
    const auto device = simulated_device(machine, models::read_policy(policy).value());
    Protocol protocol;
    protocol.repetitions = repetitions;
    std::vector<RecordedSeries> all;
    for (const auto& name : names) {
        const auto points = points_of(name.substr(0, name.find('/')), machine);
        EXPECT_TRUE(points) << to_string(points.error());
        for (const auto& point : points.value()) {
            if (!point.name.starts_with(name)) continue;
            const auto series = measure_point(*device, point, protocol, nullptr);
            EXPECT_TRUE(series) << to_string(series.error());
            all.push_back(
                {series_key(point, device->identity(), protocol), series.value().samples});
        }
    }
    return all;
}

std::vector<RecordedSeries> measured(const std::vector<std::string>& names,
                                     std::int64_t repetitions, const std::string& policy) {
    return measured_on(fermi(), names, repetitions, policy);
}

Result<Calibration> calibrated(std::vector<RecordedSeries> series) {
    const auto measurements = Measurements::of(std::move(series), {20});
    if (!measurements) return measurements.as_failure();
    return calibrate(measurements.value());
}

const Finding* finding(const Calibration& calibration, const std::string& path) {
    const auto found =
        std::find_if(calibration.findings.begin(), calibration.findings.end(),
                     [&](const Finding& candidate) { return candidate.path == path; });
    return found == calibration.findings.end() ? nullptr : &*found;
}

const Unidentified* reason(const Calibration& calibration, const std::string& path) {
    const auto& all = calibration.unidentified;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Unidentified& candidate) {
        return candidate.path == path;
    });
    return found == all.end() ? nullptr : &*found;
}

void expect_found(const Result<Calibration>& calibration, const std::string& path, std::int64_t lo,
                  std::int64_t hi) {
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto* found = finding(calibration.value(), path);
    const auto* unknown = reason(calibration.value(), path);
    ASSERT_NE(found, nullptr) << path << ": " << (unknown == nullptr ? "" : unknown->why);
    EXPECT_EQ(found->interval.lo, lo) << path;
    EXPECT_EQ(found->interval.hi, hi) << path;
}

} // namespace warpbound::harness
