// Occupancy limits of AMD's machines, with wavefronts of 64 and of 32 lanes.
#include "harness/suite/suites.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/unit/harness/calibration/calibrated_card.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

models::Architecture mi210() {
    return models::load_architecture("cdna2-mi210").value();
}

/// With the values that it lacks of a clock read and a load, on which no limit depends.
models::Architecture v520() {
    auto machine = models::load_architecture("rdna1-v520").value();
    for (const auto& [path, value] : {std::pair{"classes/clock-read/initiation", 4},
                                      {"classes/clock-read/latency", 40},
                                      {"memories/l1/latency", 120},
                                      {"memories/l2/latency", 250},
                                      {"memories/dram/latency", 800}})
        EXPECT_TRUE(models::override_value(machine, path, value)) << path;
    return machine;
}

Result<Calibration> calibrated_on(const models::Architecture& machine,
                                  const std::vector<std::string>& names) {
    auto series = measured_on(machine, names, 2, "lrr");
    const auto target = target_of(series);
    if (!target) return target.as_failure();
    EXPECT_EQ(target.value(), machine.target);
    const auto measurements = Measurements::of(std::move(series), target.value());
    if (!measurements) return measurements.as_failure();
    return calibrate(measurements.value());
}

/// Blocks of one to four wavefronts, and some amounts of shared memory.
const std::vector<std::string> few_points{"resident-warps/warps=1/",
                                          "resident-warps/warps=2/",
                                          "resident-warps/warps=3/",
                                          "resident-warps/warps=4/",
                                          "resident-shared-memory/shared-memory=21",
                                          "resident-shared-memory/shared-memory=2624",
                                          "resident-shared-memory/shared-memory=4",
                                          "resident-shared-memory/shared-memory=65"};

TEST(AmdCalibration, FindsTheLimitsOfAComputeUnitOfCdna2) {
    const auto calibration = calibrated_on(mi210(), few_points);
    expect_found(calibration, "limits/max-warps", 4 * 8, 4 * 8);
    expect_found(calibration, "limits/shared-memory", 64 * 1024, 64 * 1024);
    expect_found(calibration, "limits/shared-granularity", 512, 512);
    EXPECT_THAT(reason(calibration.value(), "limits/max-blocks")->why, HasSubstr("fill an SM"));
    DescriptionRequest request;
    request.name = "card";
    const auto described = describe(calibration.value(), request);
    ASSERT_TRUE(described) << to_string(described.error());
    EXPECT_EQ(described.value().geometry.find("warp-size")->interval->lo, 64);
    EXPECT_EQ(described.value().issue_control, models::IssueControl::Interlocked);
}

TEST(AmdCalibration, FindsTheLimitsOfAWorkGroupProcessorOfAV520) {
    const auto calibration = calibrated_on(v520(), few_points);
    expect_found(calibration, "limits/max-warps", 4 * 20, 4 * 20);
    expect_found(calibration, "limits/shared-memory", 128 * 1024, 128 * 1024);
    expect_found(calibration, "limits/shared-granularity", 512, 512);
    expect_found(calibration, "limits/max-blocks", 32, 32); // Of two wavefronts or more.
}

TEST(AmdCalibration, RefusesBenchmarksOfInstructions) {
    const auto refused = points_of("spacing-float-add", mi210());
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()),
                HasSubstr("of cdna2-mi210 (gfx90a) `--suite residence` is measured"));
}

} // namespace
} // namespace warpbound::harness
