// The shapes of Taylor and Li 2010 (T10) on simulated machines that are described after the paper.
// Wavefronts run clauses as a whole there: greedy, then oldest.
#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/library.hpp"
#include "tests/support/median.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

class TaylorLi : public testing::TestWithParam<std::string> {
protected:
    /// The median time of a launch, or number of blocks, at a point of the suite.
    [[nodiscard]] double at(const std::string& benchmark, const std::string& axes) const {
        const auto points = points_for(*device_, benchmark);
        EXPECT_TRUE(points) << to_string(points.error());
        const auto found = std::ranges::find_if(points.value(), [&](const BenchmarkPoint& point) {
            return point.name.starts_with(benchmark + "/" + axes + "/");
        });
        EXPECT_NE(found, points.value().end()) << axes;
        return at(*found);
    }
    [[nodiscard]] double at(const BenchmarkPoint& point) const {
        Protocol protocol;
        protocol.warm_up = 0;
        protocol.repetitions = 5;
        const auto measured = measure_point(*device_, point, protocol, nullptr);
        EXPECT_TRUE(measured) << to_string(measured.error());
        std::vector<double> times;
        for (const Sample& sample : measured.value().samples)
            times.push_back(static_cast<double>(sample.times.front()));
        return tests::median_of(std::move(times));
    }
    [[nodiscard]] const Device& device() const { return *device_; }
    [[nodiscard]] double ratio(int quarters, int words, int tiled = 0) const {
        return at(words == 1 ? "full-fetch-ratio" : "full-fetch-ratio-wide",
                  "quarters=" + std::to_string(quarters) + "/words=" + std::to_string(words) +
                      "/tiled=" + std::to_string(tiled));
    }
    [[nodiscard]] double read(int inputs, int words, int tiled = 0) const {
        return at(words == 1 ? "full-read-latency" : "full-read-latency-wide",
                  "inputs=" + std::to_string(inputs) + "/words=" + std::to_string(words) +
                      "/tiled=" + std::to_string(tiled));
    }

private:
    models::Architecture machine_ = models::load_architecture(GetParam()).value();
    std::unique_ptr<Device> device_ =
        simulated_device(machine_, {models::PolicyKind::GreedyThenOldest});
};

// Fig. 7, 8: constant within 7 % up to the ratio 1, linear from 2 on. 64 wavefronts, and an
// operation of each takes four cycles: 2048 cycles for each step of 8 operations.
TEST_P(TaylorLi, TimeIsConstantUntilTheCrossoverAndLinearAfter) {
    const double fetching = ratio(1, 1);
    EXPECT_NEAR(ratio(4, 1), fetching, 0.07 * fetching);
    EXPECT_NEAR(ratio(16, 1) - ratio(12, 1), 4 * 2048, 200);
    EXPECT_NEAR(ratio(32, 1) - ratio(16, 1), 16 * 2048, 200);
}

// IV.A: the crossover of four words lies at 5.0 on RV670 and RV770 and later on RV870.
TEST_P(TaylorLi, CrossoverOfFourWordsIsAboutFourTimesThatOfOne) {
    const double fetching = ratio(1, 4);
    EXPECT_NEAR(ratio(16, 4), fetching, 0.07 * fetching);
    EXPECT_NEAR(ratio(32, 4) - ratio(30, 4), 2 * 2048, 600);
    EXPECT_LT(ratio(32, 4), 1.1 * ratio(32, 1)); // Arithmetic decides both.
}

// Fig. 8: blocks of 4 x 16 read four words up to four times as fast as those of 64 x 1, and the
// crossover is that of one word.
TEST_P(TaylorLi, BlocksOnOneTileFetchFourWordsLikeOne) {
    EXPECT_NEAR(read(8, 4) / read(8, 4, 1), 4, 0.4);
    EXPECT_EQ(ratio(2, 4, 1), ratio(2, 1));
}

// Fig. 11: linear in the inputs; n of four words take as long as 4 n of one.
TEST_P(TaylorLi, ReadTimeIsLinearInTheInputs) {
    const double step = (read(12, 1) - read(4, 1)) / 8;
    EXPECT_NEAR(read(8, 1), read(4, 1) + 4 * step, step);
    EXPECT_NEAR(read(3, 4), read(12, 1), 0.1 * read(12, 1));
    EXPECT_NEAR((read(12, 4) - read(4, 4)) / 8, 4 * step, 0.1 * 4 * step);
}

// Fig. 13, 14: the fetches of 8 inputs hide the first outputs; then linear. Writes of four lines
// take four times as long as those of one.
TEST_P(TaylorLi, WriteTimeIsLinearWhereInputsNoLongerDecide) {
    const auto write = [&](int outputs, int lines) {
        return at("full-write-latency",
                  "outputs=" + std::to_string(outputs) + "/lines=" + std::to_string(lines));
    };
    EXPECT_NEAR(write(3, 1), write(1, 1), 0.05 * write(1, 1));
    const double step = (write(16, 1) - write(12, 1)) / 4;
    EXPECT_GT(step, 1000);
    EXPECT_NEAR(write(14, 1), write(12, 1) + 2 * step, 0.1 * step);
    EXPECT_NEAR((write(16, 4) - write(12, 4)) / 4, 4 * step, 0.1 * step);
}

// II.B: floor(256 / registers) wavefronts, of 66 blocks of one; with 5 registers 51.
TEST_P(TaylorLi, RegistersLimitTheWavefronts) {
    const auto points = points_for(device(), "resident-warps");
    ASSERT_TRUE(points) << to_string(points.error());
    BenchmarkPoint point = points.value().front();
    for (const std::int64_t registers : {4, 5, 16, 17, 33, 64, 128, 129, 256}) {
        point.launch.registers = registers;
        EXPECT_EQ(at(point), static_cast<double>(256 / registers)) << registers;
    }
}

// Fig. 16, 17: fewer registers are faster, then the time levels off; much less on RV870, where the
// fetches decide whatever the registers.
TEST_P(TaylorLi, FewerRegistersAreFasterThenLevel) {
    const auto time = [&](int registers) {
        return at("full-register-usage", "registers=" + std::to_string(registers));
    };
    EXPECT_NEAR(time(12), time(18), 0.03 * time(18));
    if (GetParam() == "terascale-rv870") {
        EXPECT_LT(time(48), 1.1 * time(12));
        return;
    }
    EXPECT_GT(time(48), 1.15 * time(12));
    EXPECT_GT(time(48), 1.05 * time(30));
    EXPECT_GT(time(30), time(18));
}

// Fig. 15: the time of an arithmetic-bound launch grows with the domain.
TEST_P(TaylorLi, TimeGrowsWithTheDomain) {
    const auto time = [&](int blocks) {
        return at("domain-size", "blocks=" + std::to_string(blocks));
    };
    EXPECT_NEAR(time(64) / time(32), 2, 0.02);
    EXPECT_NEAR(time(32) / time(16), 2, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Cards, TaylorLi, testing::Values("terascale-rv770", "terascale-rv870"),
                         [](const auto& of) { return of.param.substr(of.param.size() - 5); });

// RV670 differs from RV770 in the number of SIMD engines, of which one is simulated.
TEST(TeraScale, RefusesCodeAndBenchmarksOfWhatTheirPaperDoesNotSay) {
    const auto device = simulated_device(models::load_architecture("rv670").value(), {});
    const auto points = points_for(*device, "shared-load");
    ASSERT_TRUE(points) << to_string(points.error());
    const auto refused = PointRun::prepare(*device, points.value().front());
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("classes/load-shared/"));
    const auto code = amd_points_of("full-fetch-ratio", device->machine().value().target);
    ASSERT_FALSE(code);
    EXPECT_THAT(to_string(code.error()), HasSubstr("no code is generated for rv670"));
}

} // namespace
} // namespace warpbound::harness
