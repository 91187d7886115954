#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warpbound::harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using tests::ptx_point;
using tests::ptx_point_named;
using tests::StandIn;

std::string refusal() {
    const auto device = open_device("cuda:0");
    return device ? "opened" : to_string(device.error());
}

std::string listed() {
    std::string text;
    for (const auto& entry : list_devices())
        if (entry.name.rfind("cuda:", 0) == 0)
            text += entry.name + (entry.available ? " yes " : " no ") + entry.detail + "\n";
    return text;
}

void expect_state(const std::string& text) {
    EXPECT_THAT(listed(), HasSubstr("cuda:<n> no " + text));
    EXPECT_THAT(refusal(), HasSubstr("cuda:0: " + text));
}

TEST(CudaDriver, SaysInWhichStateItCannotBeUsed) {
    const StandIn driver;
    setenv("WARPBOUND_CUDA_DRIVER", "/no/such/driver.so", 1);
    expect_state("no CUDA driver is installed: ");
    setenv("WARPBOUND_CUDA_DRIVER", "libm.so.6", 1);
    expect_state("the CUDA driver libm.so.6 lacks cuInit");
    setenv("WARPBOUND_CUDA_DRIVER", WARPBOUND_TEST_STAND_IN, 1);
    driver.play("init 34");
    expect_state("the CUDA driver that was found is the toolkit's stub for linking");
    driver.play("init 100");
    expect_state("the CUDA driver knows no device: CUDA_ERROR_NO_DEVICE");
    driver.play("devices 0");
    expect_state("the CUDA driver 13.0 knows no device");
    driver.play("init 802");
    expect_state("the CUDA driver does not start: CUDA_ERROR_SYSTEM_NOT_READY");
    driver.play("init 12345");
    expect_state("the CUDA driver does not start: CUDA error 12345");
}

TEST(CudaDriver, ListsItsDevices) {
    const StandIn driver{"devices 2\ntarget 90"};
    EXPECT_EQ(listed(), "cuda:0 yes Stand-in, sm_90, 2 SMs, CUDA driver 13.0\n"
                        "cuda:1 yes Stand-in, sm_90, 2 SMs, CUDA driver 13.0\n");
    EXPECT_THAT(to_string(open_device("cuda:2").error()), HasSubstr("cuda:0 to cuda:1"));
    EXPECT_THAT(to_string(open_device("cuda:x").error()), HasSubstr("as in cuda:0"));
    EXPECT_THAT(to_string(open_device("cuda:0", "gto").error()), HasSubstr("warp policy"));
    EXPECT_THAT(to_string(open_device("cuda:0", "lrr", 2).error()), HasSubstr("SMs"));
    driver.play("target 20");
    EXPECT_THAT(refusal(), HasSubstr("sm_20 has no timer of nanoseconds"));
    setenv("WARPBOUND_CUDA_TIME_OUT", "soon", 1);
    EXPECT_THAT(refusal(), HasSubstr("expected milliseconds, not 'soon'"));
}

constexpr std::int64_t warm_up = 2;

Protocol short_protocol(std::int64_t repetitions = 6) {
    Protocol protocol;
    protocol.warm_up = warm_up;
    protocol.repetitions = repetitions;
    return protocol;
}

/// Measures into a campaign in the folder of the script, from the start or resumed.
Result<Measured> measured(const StandIn& driver, const BenchmarkPoint& point,
                          std::int64_t repetitions = 6) {
    const auto device = open_device("cuda:0");
    if (!device) return device.as_failure();
    const auto campaign = Campaign::open(driver.folder() / "c.db");
    if (!campaign) return campaign.as_failure();
    return measure_point(*device.value(), point, short_protocol(repetitions),
                         campaign.value().get(), 4);
}

std::vector<Sample> recorded(const StandIn& driver) {
    const auto campaign = Campaign::open_existing(driver.folder() / "c.db");
    const auto all = campaign.value()->list();
    return all.value().empty() ? std::vector<Sample>{}
                               : campaign.value()->samples(all.value().front().id).value();
}

TEST(CudaDevice, GivesTheTimeOfEachWarp) {
    const StandIn driver;
    const auto result = measured(driver, ptx_point("dependent-pair", 2)); // 3 warps
    ASSERT_TRUE(result) << to_string(result.error());
    ASSERT_EQ(result.value().samples.size(), 6U);
    for (const auto& sample : result.value().samples) {
        EXPECT_EQ(sample.remark, (Remark{}));
        ASSERT_EQ(sample.times.size(), 3U);
        // Every fifth launch is slower; launches 1 and 2 were the warm-up.
        const bool slower = (sample.run + 1 + warm_up) % 5 == 0;
        EXPECT_THAT(sample.times, testing::Each(slower ? 40 : 36)) << sample.run;
    }
    EXPECT_EQ(recorded(driver), result.value().samples);
}

// The stand-in follows the addresses that the device laid out, 100 cycles per element.
TEST(CudaDevice, LaysOutTheWalkOfAPointerChase) {
    const StandIn driver;
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device);
    const auto points = ptx_points_of("pointer-chase", {80});
    ASSERT_TRUE(points) << to_string(points.error());
    for (BenchmarkPoint point : points.value()) {
        point.launch.threads = 64; // Two warps, each with its own walk.
        const auto result = measure_point(*device.value(), point, short_protocol(1), nullptr);
        ASSERT_TRUE(result) << to_string(result.error());
        const auto& sample = result.value().samples.front();
        EXPECT_EQ(sample.remark, (Remark{})) << point.name;
        const std::int64_t stops =
            axis_value(point.axes, "footprint", 0) / axis_value(point.axes, "stride", 1);
        ASSERT_EQ(sample.times.size(), 2U);
        EXPECT_GE(sample.times.front(), 100 * stops) << point.name;
        EXPECT_LE(sample.times.front(), 100 * stops + 4) << point.name;
    }
}

TEST(CudaDevice, FindsAWalkWithoutARecord) {
    const StandIn driver{"no-record-at 4"};
    const auto result = measured(driver, ptx_point("pointer-chase"));
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_EQ(result.value().samples[0].remark, (Remark{}));
    EXPECT_EQ(result.value().samples[1].remark,
              (Remark{RunAnomaly::LaunchFailure, "warp 0 left no record"}));
}

TEST(CudaDevice, StatesItsConditions) {
    const StandIn driver;
    for (const char* name : {"WARPBOUND_NVDISASM", "WARPBOUND_CUOBJDUMP"})
        setenv(name, "", 1); // Not used, wherever they are.
    ASSERT_TRUE(measured(driver, ptx_point("dependent-pair")));
    for (const char* name : {"WARPBOUND_NVDISASM", "WARPBOUND_CUOBJDUMP"})
        unsetenv(name);
    const auto campaign = Campaign::open_existing(driver.folder() / "c.db");
    const auto series = campaign.value()->list().value().front();
    EXPECT_EQ(series.key.device, "cuda:0");
    EXPECT_EQ(series.key.device_detail, "Stand-in, sm_80, CUDA driver 13.0");
    const auto noted = campaign.value()->conditions(series.id);
    ASSERT_TRUE(noted);
    const Conditions& conditions = noted.value().front().conditions;
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"name", "Stand-in"},
             {"compute-capability", "8.0"},
             {"driver", "13.0"},
             {"ecc", "on"},
             {"clock", "1410 MHz"},
             {"memory-clock", "1215 MHz"},
             {"temperature", "41 C"},
             {"power-state", "P0"},
             {"throttled", "no"},
             {"mig", "unknown: said by the stand-in"},
             {"clock-rate", "1000.0 MHz"},
             {"registers", "16"},
             {"sequence", "unverified: neither nvdisasm nor cuobjdump was found"}})
        EXPECT_THAT(conditions, Contains(Pair(name, value)));
}

TEST(CudaDevice, IsReplayedFromItsCampaign) {
    const StandIn driver;
    const auto point = ptx_point("dependent-pair", 2);
    ASSERT_TRUE(measured(driver, point));
    const auto replay = open_device("recorded:" + (driver.folder() / "c.db").string());
    ASSERT_TRUE(replay) << to_string(replay.error());
    EXPECT_TRUE(replay.value()->compiles());
    const auto points = points_for(*replay.value(), "dependent-pair");
    ASSERT_TRUE(points) << to_string(points.error());
    const auto again =
        measure_point(*replay.value(), points.value().at(2), short_protocol(), nullptr);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(again.value().samples.size(), 6U);
    EXPECT_THAT(again.value().samples.front().times, testing::ElementsAre(36, 36, 36));
}

TEST(CudaDevice, SaysWhatIsUnknownWithoutNvml) {
    const StandIn driver;
    setenv("WARPBOUND_NVML", "/no/such/nvml.so", 1);
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device) << to_string(device.error());
    EXPECT_THAT(device.value()->conditions(),
                Contains(Pair("temperature", HasSubstr("unknown: NVML cannot be loaded: "
                                                       "/no/such/nvml.so: "))));
}

TEST(CudaDevice, RunsOneKernelAtATimeAndRefusesWhatItCannotShow) {
    const StandIn driver;
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device);
    EXPECT_EQ(device.value()->runs_at_once(), 1U);
    EXPECT_EQ(device.value()->machine().value().target.sm, 80);
    EXPECT_FALSE(points_for(*device.value(), "switched-off"));
    const auto point = ptx_point("dependent-add");
    BenchmarkPoint other = point;
    other.ptx.reset();
    other.text = "  EXIT;\n";
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), other).error()),
                HasSubstr("has no PTX"));
    other = point;
    other.quantity = Quantity::Clocks;
    EXPECT_TRUE(PointRun::prepare(*device.value(), other));
    other.launch.blocks = 2;
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), other).error()),
                HasSubstr("clocks are given for one block"));
    other = point;
    other.launch.registers = 64;
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), other).error()),
                HasSubstr("took 16 registers of a thread, and 64 were asked for"));
    other = point;
    other.launch.shared_memory = 200'000;
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), other).error()),
                HasSubstr("at most 98304 bytes"));
    other = point;
    other.launch.threads = 2048;
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), other).error()),
                HasSubstr("at most 1024"));
    Protocol drawn = short_protocol();
    drawn.draw = Draw::AllHigh;
    EXPECT_THAT(to_string(measure_point(*device.value(), point, drawn, nullptr).error()),
                HasSubstr("draws and paths are of simulated devices"));
}

TEST(CudaDevice, RefusesWhatIsNotCompiledWithTheLog) {
    const StandIn driver{"compile-error ptxas fatal: line 12, unexpected token"};
    const auto result = measured(driver, ptx_point("dependent-add"));
    ASSERT_FALSE(result);
    EXPECT_EQ(to_string(result.error()),
              "cuda:0: the PTX was not compiled: cuLinkAddData_v2 failed: CUDA_ERROR_INVALID_PTX: "
              "said by the stand-in (ptxas fatal: line 12, unexpected token)");
    EXPECT_TRUE(recorded(driver).empty());
}

TEST(CudaDevice, RefusesAKernelWithoutMemoryForIt) {
    for (const int allocation : {1, 2, 3, 5}) { // The first allocation is for the clock rate.
        const StandIn driver{"out-of-memory-at " + std::to_string(allocation)};
        const auto result = measured(driver, ptx_point("dependent-add"));
        ASSERT_FALSE(result) << allocation;
        EXPECT_THAT(to_string(result.error()),
                    HasSubstr("cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY"));
    }
}

/// A fault in the fourth launch (the second recorded run) and its record.
struct Fault {
    const char* script;
    RunAnomaly anomaly;
    const char* text;
    bool loses; ///< Whether the device is lost; then the third run reports it and is the last one.
};

class CudaFault : public testing::TestWithParam<Fault> {};

TEST_P(CudaFault, IsRecordedAndTheSeriesResumed) {
    const Fault& fault = GetParam();
    const StandIn driver{fault.script};
    const auto point = ptx_point("dependent-add");
    const auto result = measured(driver, point);
    const auto samples = recorded(driver);
    ASSERT_GE(samples.size(), 2U);
    EXPECT_EQ(samples[0].remark.anomaly, RunAnomaly::None);
    EXPECT_EQ(samples[1].remark.anomaly, fault.anomaly);
    EXPECT_THAT(samples[1].remark.text, HasSubstr(fault.text));
    EXPECT_EQ(samples[1].times.empty(), !gives_times(fault.anomaly));
    if (!fault.loses) {
        ASSERT_TRUE(result) << to_string(result.error());
        ASSERT_EQ(samples.size(), 6U);
        EXPECT_EQ(samples[2].remark.anomaly, fault.anomaly == RunAnomaly::Throttled
                                                 ? RunAnomaly::Throttled
                                                 : RunAnomaly::None);
        return;
    }
    ASSERT_FALSE(result);
    EXPECT_THAT(to_string(result.error()), HasSubstr("the device was lost in run"));
    EXPECT_THAT(to_string(result.error()), HasSubstr(fault.text));
    EXPECT_EQ(samples.back().remark.anomaly, RunAnomaly::DeviceLost);
    EXPECT_EQ(samples.size(), fault.anomaly == RunAnomaly::DeviceLost ? 2U : 3U);
    // A later process finds the device working.
    driver.play("");
    const auto later = measured(driver, point);
    ASSERT_TRUE(later) << to_string(later.error());
    const auto all = recorded(driver);
    ASSERT_EQ(all.size(), 6U);
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_EQ(all[i], samples[i]);
    for (std::size_t i = samples.size(); i < all.size(); ++i)
        EXPECT_EQ(all[i].remark.anomaly, RunAnomaly::None);
}

INSTANTIATE_TEST_SUITE_P(
    Played, CudaFault,
    testing::Values(
        Fault{"time-out-at 4", RunAnomaly::TimeOut, "a launch did not end within 50 ms", true},
        Fault{"illegal-address-at 4", RunAnomaly::LaunchFailure, "CUDA_ERROR_ILLEGAL_ADDRESS",
              true},
        Fault{"lost-at 4", RunAnomaly::DeviceLost, "CUDA_ERROR_DEVICE_UNAVAILABLE", true},
        Fault{"refused-at 4", RunAnomaly::LaunchFailure, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
              false},
        Fault{"clock-back-at 4", RunAnomaly::Clock, "the clock of warp 0 went from", false},
        Fault{"clock-jump-at 4", RunAnomaly::Clock, "the clock of warp 0 counted", false},
        Fault{"no-record-at 4", RunAnomaly::LaunchFailure, "warp 0 left no record", false},
        Fault{"slow-from 4 900", RunAnomaly::Throttled,
              "clock rate 900.0 MHz, 1000.0 MHz in the first run", false},
        Fault{"reasons-from 4 64", RunAnomaly::Throttled, "thermal limit (hardware)", false}),
    [](const auto& tested) {
        std::string name = tested.param.script;
        std::replace_if(
            name.begin(), name.end(), [](char c) { return c == '-' || c == ' '; }, '_');
        return name;
    });

TEST(CudaDevice, AcceptsASlightlyLowerClockRate) {
    const StandIn driver{"slow-from 4 960"};
    const auto result = measured(driver, ptx_point("dependent-add"));
    ASSERT_TRUE(result);
    for (const auto& sample : result.value().samples)
        EXPECT_EQ(sample.remark.anomaly, RunAnomaly::None) << sample.remark.text;
}

TEST(CudaDevice, StaysThrottledFromOneSeriesToTheNext) {
    const StandIn driver{"slow-from 9 900"}; // The first series has 8 launches.
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device);
    const auto anomalies = [&](const BenchmarkPoint& point) {
        const auto result = measure_point(*device.value(), point, short_protocol(), nullptr);
        std::vector<RunAnomaly> all;
        for (const auto& sample : result.value().samples)
            all.push_back(sample.remark.anomaly);
        return all;
    };
    EXPECT_THAT(anomalies(ptx_point("dependent-add")), testing::Each(RunAnomaly::None));
    EXPECT_THAT(anomalies(ptx_point("dependent-mad")), testing::Each(RunAnomaly::Throttled));
}

TEST(CudaDevice, ReportsThatTheTimerDidNotAdvanceWhereNoRateWasStored) {
    const StandIn driver{"no-rate-at 4"};
    const auto result = measured(driver, ptx_point("dependent-add"));
    ASSERT_TRUE(result);
    EXPECT_EQ(result.value().samples[1].remark,
              (Remark{RunAnomaly::Clock,
                      "the nanosecond timer did not advance while the clock rate was measured"}));
}

TEST(CudaDevice, RefusesToEmptyAnL2OfUnknownSize) {
    const StandIn driver{"l2-bytes 0"};
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device);
    const auto point = ptx_point("store-burst");
    ASSERT_TRUE(point.ptx->from_dram);
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), point).error()),
                HasSubstr("the driver says that the L2 has 0 bytes"));
    EXPECT_TRUE(PointRun::prepare(*device.value(), ptx_point("dependent-add")));
}

/// The number of blocks resident on an SM at once, per run.
std::vector<std::int64_t> resident(const StandIn& driver, const std::string& point) {
    std::vector<std::int64_t> counts;
    const auto result = measured(driver, ptx_point_named(point));
    EXPECT_TRUE(result) << to_string(result.error());
    if (result)
        for (const auto& sample : result.value().samples)
            counts.insert(counts.end(), sample.times.begin(), sample.times.end());
    return counts;
}

// The stand-in has two SMs of 48 warps, 16 blocks, 65536 registers and 102400 bytes of shared
// memory; each block takes 1024 bytes more than requested.
TEST(CudaSemaphore, CountsTheBlocksThatFit) {
    const StandIn driver;
    using Counts = std::vector<std::int64_t>;
    EXPECT_EQ(resident(driver, "resident-warps/warps=1/blocks=66"), (Counts{16, 16}));
    EXPECT_EQ(resident(driver, "resident-warps/warps=7/blocks=66"), (Counts{6, 6}));
    EXPECT_EQ(resident(driver, "resident-registers/registers=63/warps=11/blocks=24"),
              (Counts{2, 2}));
    EXPECT_EQ(resident(driver, "resident-shared-memory/shared-memory=24576/warps=1/blocks=66"),
              (Counts{4, 4}));
}

TEST(CudaSemaphore, CountsNoRunWhoseBlocksCameLate) {
    const StandIn driver{"late-block-at 4"};
    const auto result = measured(driver, ptx_point_named("resident-warps/warps=1/blocks=66"));
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_EQ(result.value().samples[0].times, (std::vector<std::int64_t>{16}));
    EXPECT_EQ(result.value().samples[1].remark.anomaly, RunAnomaly::Clock);
    EXPECT_THAT(result.value().samples[1].remark.text, HasSubstr("more may have fitted"));
    EXPECT_TRUE(result.value().samples[1].times.empty());
}

TEST(CudaSemaphore, HasNoTimesAndOthersHaveNoCount) {
    const StandIn driver;
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device);
    auto semaphore = ptx_point_named("resident-warps/warps=1/blocks=66");
    semaphore.quantity = Quantity::ExecutionTime;
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), semaphore).error()),
                HasSubstr("wait for each other, and it has no times"));
    auto timed = ptx_point("dependent-add");
    timed.quantity = Quantity::ResidentBlocks;
    EXPECT_THAT(to_string(PointRun::prepare(*device.value(), timed).error()),
                HasSubstr("do not wait for each other"));
}

TEST(CudaDevice, RunsEveryBenchmarkThatHasPtx) {
    const StandIn driver;
    const auto device = open_device("cuda:0");
    ASSERT_TRUE(device);
    int count = 0;
    for (const auto& benchmark : benchmarks()) {
        const auto points = points_for(*device.value(), benchmark.name);
        if (!points) continue;
        const auto& point = points.value().back();
        if (point.quantity == Quantity::Clocks && point.launch.blocks > 1) continue;
        const auto result = measure_point(*device.value(), point, short_protocol(1), nullptr);
        EXPECT_TRUE(result) << point.name << to_string(result.error());
        ++count;
    }
    EXPECT_GT(count, 20);
}

} // namespace
} // namespace warpbound::harness
