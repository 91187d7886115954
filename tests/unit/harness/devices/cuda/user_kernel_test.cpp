#include "assembly/support/digest.hpp"
#include "assembly/support/source_text.hpp"
#include "harness/devices/cuda/user_kernel.hpp"
#include "harness/protocol/user_kernel_series.hpp"
#include "tests/unit/harness/devices/cuda/scaled_bytes.hpp"
#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace warpbound::harness {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Pair;
using tests::bytes_of;
using tests::played_clock;
using tests::scale;
using tests::StandIn;

Result<std::unique_ptr<cuda::UserKernelOnCard>> on_card(UserKernel kernel = scale()) {
    auto card = cuda::open_card("cuda:0");
    if (!card) return card.as_failure();
    return cuda::UserKernelOnCard::prepare(card.value(), std::move(kernel), played_clock());
}

UserKernelIdentity identity() {
    UserKernelIdentity identity;
    identity.key.name = "scale";
    identity.key.device = "cuda:0";
    identity.key.launch = "1x1";
    identity.module_digest = "sha256:0";
    identity.buffers = {"data"};
    identity.conditions = {{"driver", "13.0"}};
    return identity;
}

UserKernelProtocol protocol(const std::string& release, std::int64_t runs = 5,
                            std::int64_t warm_up = 1) {
    UserKernelProtocol protocol;
    protocol.release = read_release(release).value();
    protocol.repetitions = runs;
    protocol.warm_up = warm_up;
    protocol.checked = {0};
    return protocol;
}

Result<UserKernelSeries> measured(const UserKernelProtocol& protocol,
                                  Campaign* campaign = nullptr) {
    auto kernel = on_card();
    if (!kernel) return kernel.as_failure();
    return measure_user_kernel(
        [&](const ReleasePattern& pattern) { return kernel.value()->run(pattern); }, identity(),
        protocol, played_clock(), campaign);
}

std::vector<std::int64_t> times(const std::vector<Sample>& samples) {
    std::vector<std::int64_t> all;
    for (const auto& sample : samples)
        all.insert(all.end(), sample.times.begin(), sample.times.end());
    return all;
}

TEST(ReleasePattern, IsReadAndWritten) {
    for (const char* text :
         {"back-to-back", "warm", "l2-flushed", "cold", "periodic:1ms", "idle:100ms"}) {
        const auto pattern = read_release(text);
        ASSERT_TRUE(pattern) << text;
        EXPECT_EQ(to_string(pattern.value()), text);
    }
    for (const char* text : {"", "hot", "cold:1ms", "idle", "periodic:", "periodic:1", "idle:1ns",
                             "idle:2000000s", "idle:-1ms"})
        EXPECT_FALSE(read_release(text)) << text;
}

TEST(UserKernel, TakesTheTimeBetweenEventsAndOfTheHost) {
    const StandIn driver{"user-time 30000"};
    const auto series = measured(protocol("warm"));
    ASSERT_TRUE(series) << to_string(series.error());
    EXPECT_EQ(series.value().ending, Ending::AllRuns);
    // A launch takes 4 us in the stand-in; nothing passes there but the kernel.
    EXPECT_THAT(times(series.value().device), (std::vector<std::int64_t>(5, 34000)));
    EXPECT_THAT(times(series.value().host), (std::vector<std::int64_t>(5, 34000)));
    const Conditions& state = series.value().conditions.front().conditions;
    for (const auto& [name, value] : Conditions{{"clock", "1410 MHz"},
                                                {"memory-clock", "1215 MHz"},
                                                {"temperature", "41 C"},
                                                {"power-state", "P0"},
                                                {"throttled", "no"},
                                                {"clock-rate", "1000.0 MHz"},
                                                {"driver", "13.0"}})
        EXPECT_THAT(state, Contains(Pair(name, value)));
    EXPECT_EQ(find_condition(state, "mig"), nullptr); // NVML does not say it here.
}

TEST(UserKernel, ReadsTheFilesOfABoardBesideNvml) {
    const StandIn driver;
    const auto write = [&](const std::string& file, const std::string& text) {
        const auto path = driver.folder() / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream{path} << text;
    };
    write("proc/device-tree/model", "NVIDIA Jetson\n");
    write("sys/class/devfreq/17000000.gpu/cur_freq", "612000000\n");
    write("var/lib/nvpmodel/status", "pmode:0002\n");
    setenv("WARPBOUND_BOARD_ROOT", driver.folder().c_str(), 1);
    const auto series = measured(protocol("warm", 1));
    setenv("WARPBOUND_NVML", "/no/such/nvml.so", 1);
    const auto without = measured(protocol("warm", 1));
    unsetenv("WARPBOUND_BOARD_ROOT");
    ASSERT_TRUE(series);
    const Conditions& state = series.value().conditions.front().conditions;
    EXPECT_THAT(state, Contains(Pair("clock", "1410 MHz"))); // NVML's comes first.
    EXPECT_THAT(state, Contains(Pair("power-mode", "pmode:0002")));
    ASSERT_TRUE(without);
    const Conditions& of_board = without.value().conditions.front().conditions;
    EXPECT_THAT(of_board, Contains(Pair("clock", "612 MHz")));
    EXPECT_EQ(find_condition(of_board, "temperature"), nullptr);
}

TEST(UserKernel, BeginsEachRunWithItsInputs) {
    const StandIn driver;
    auto kernel = on_card();
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    // The stand-in's kernel adds one to each byte.
    const auto digest = [](const char* bytes) { return assembly::digest_of(bytes); };
    for (int i = 0; i < 2; ++i) {
        const auto run = kernel.value()->run({ReleaseKind::Warm});
        ASSERT_TRUE(run);
        EXPECT_THAT(run.value().outputs, testing::ElementsAre(digest("\2\3\4\5")));
    }
    // Back to back, it works on what the launch before left.
    const auto run = kernel.value()->run({ReleaseKind::BackToBack});
    EXPECT_THAT(run.value().outputs, testing::ElementsAre(digest("\3\4\5\6")));
}

TEST(UserKernel, ReleasesCold) {
    const StandIn driver{"user-time 10000\nuser-from-dram 5000\nuser-code 700"};
    EXPECT_THAT(times(measured(protocol("warm")).value().device), Each(14000));
    EXPECT_THAT(times(measured(protocol("back-to-back")).value().device), Each(14000));
    EXPECT_THAT(times(measured(protocol("l2-flushed")).value().device), Each(19000));
    EXPECT_THAT(times(measured(protocol("cold")).value().device), Each(19700));
}

TEST(UserKernel, HasNoHostTimeBehindAnotherLaunch) {
    const StandIn driver;
    const auto series = measured(protocol("back-to-back"));
    EXPECT_EQ(series.value().device.size(), 5U);
    EXPECT_TRUE(series.value().host.empty());
}

TEST(UserKernel, ShowsTheClockOfIdleTimes) {
    // Idle from 5 s on, at a quarter of the clock.
    const StandIn driver{"user-time 10000\nidle 5000000000 250"};
    const auto busy = measured(protocol("warm"));
    EXPECT_THAT(times(busy.value().device), Each(14000));
    const auto idle = measured(protocol("idle:6s"));
    ASSERT_TRUE(idle) << to_string(idle.error());
    EXPECT_THAT(times(idle.value().device), Each(44000));
    const Conditions& state = idle.value().conditions.front().conditions;
    EXPECT_THAT(state, Contains(Pair("clock", "250 MHz")));
    EXPECT_THAT(state, Contains(Pair("clock-rate", "250.0 MHz")));
    EXPECT_THAT(state, Contains(Pair("power-state", "P8")));
    EXPECT_THAT(times(measured(protocol("idle:4s")).value().device), Each(14000));
}

TEST(UserKernel, SaysThatAClockChanged) {
    const StandIn driver{"user-time 10000\nslow-from 5 500"};
    const auto series = measured(protocol("l2-flushed", 6));
    ASSERT_TRUE(series);
    // The first run is not recorded: launch 5 is run 3.
    EXPECT_THAT(times(series.value().device),
                testing::ElementsAre(14000, 14000, 14000, 24000, 24000, 24000));
    EXPECT_EQ(series.value().device[2].remark, Remark{});
    EXPECT_EQ(series.value().device[3].remark.anomaly, RunAnomaly::Throttled);
    EXPECT_THAT(series.value().device[3].remark.text, HasSubstr("500.0 MHz"));
    ASSERT_EQ(series.value().conditions.size(), 2U);
    EXPECT_EQ(series.value().conditions[1].first_run, 3);
}

TEST(UserKernel, IsReleasedAtMultiplesOfThePeriod) {
    const StandIn driver{"user-time 100000"};
    auto kernel = on_card();
    ASSERT_TRUE(kernel);
    const HostClock clock = played_clock();
    std::vector<std::int64_t> ends;
    for (int i = 0; i < 4; ++i) {
        const auto run = kernel.value()->run(read_release("periodic:1ms").value());
        ASSERT_TRUE(run);
        EXPECT_EQ(run.value().host_time, 104000);
        EXPECT_EQ(run.value().skipped, 0);
        // After the run the clock is measured, for a fifth of a millisecond.
        ends.push_back(clock.now() - 304000);
    }
    for (std::size_t i = 1; i < ends.size(); ++i)
        EXPECT_EQ(ends[i] - ends[i - 1], 1'000'000);
}

TEST(UserKernel, CountsPeriodsThatItCannotMeet) {
    // A run and the measurement of the clock take 304 us: of periods of 200 us every second passes.
    const StandIn driver{"user-time 100000"};
    const auto series = measured(protocol("periodic:200us", 4, 0));
    ASSERT_TRUE(series);
    EXPECT_EQ(series.value().skipped(), 3);
}

TEST(UserKernel, FindsAWrongOutput) {
    const StandIn driver{"wrong-output-at 4"};
    const auto series = measured(protocol("l2-flushed"));
    ASSERT_TRUE(series);
    EXPECT_EQ(series.value().wrong_outputs(), 1);
    const Sample& wrong = series.value().device[2];
    EXPECT_EQ(wrong.remark.anomaly, RunAnomaly::Output);
    EXPECT_THAT(wrong.remark.text, HasSubstr("buffer 'data' has sha256:"));
    EXPECT_EQ(wrong.times.size(), 1U);
    // Buffers that may differ are not compared.
    driver.play("wrong-output-at 4");
    UserKernelProtocol unchecked = protocol("l2-flushed");
    unchecked.checked.clear();
    EXPECT_EQ(measured(unchecked).value().wrong_outputs(), 0);
}

TEST(UserKernel, ResumesItsCampaign) {
    const StandIn driver{"user-jitter 900"};
    const auto file = driver.folder() / "c.db";
    {
        const auto campaign = Campaign::open(file);
        ASSERT_TRUE(measured(protocol("warm", 3), campaign.value().get()));
    }
    driver.play("wrong-output-at 3");
    const auto campaign = Campaign::open(file);
    const auto all = measured(protocol("warm", 5), campaign.value().get());
    ASSERT_TRUE(all) << to_string(all.error());
    EXPECT_EQ(all.value().device.size(), 5U);
    // The first recorded run of the first process counts. Each warm run launches twice, and what
    // the first launch leaves is overwritten: the third launch is the first one of run 3.
    EXPECT_EQ(all.value().wrong_outputs(), 0);
    driver.play("wrong-output-at 4");
    EXPECT_EQ(measured(protocol("warm", 7), campaign.value().get()).value().wrong_outputs(), 1);
    const auto list = campaign.value()->list().value();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].key.quantity, device_time);
    EXPECT_EQ(list[1].key.quantity, host_time);
    EXPECT_EQ(list[0].runs, 7);
    EXPECT_EQ(list[1].runs, 7);
    EXPECT_THAT(list[0].key.protocol, HasSubstr("release warm"));
    EXPECT_THAT(campaign.value()->conditions(list[0].id).value().front().conditions,
                Contains(Pair("output data", testing::StartsWith("sha256:"))));
}

TEST(UserKernel, KeepsWhatRanBeforeTheDeviceWasLost) {
    const StandIn driver{"illegal-address-at 4"};
    const auto campaign = Campaign::open(driver.folder() / "c.db");
    const auto series = measured(protocol("l2-flushed"), campaign.value().get());
    ASSERT_FALSE(series);
    EXPECT_THAT(to_string(series.error()), HasSubstr("the device was lost in run"));
    EXPECT_GE(campaign.value()->list().value().front().runs, 2);
}

TEST(UserKernel, IsRefusedWithTheReason) {
    const StandIn driver;
    UserKernel unknown = scale();
    unknown.name = "scal";
    EXPECT_THAT(to_string(on_card(unknown).error()), HasSubstr("cuModuleGetFunction"));
    driver.play("out-of-memory-at 3");
    EXPECT_THAT(to_string(on_card().error()), HasSubstr("cuMemAlloc_v2"));
    driver.play("l2-bytes 0");
    const auto kernel = on_card();
    ASSERT_TRUE(kernel);
    EXPECT_THAT(to_string(kernel.value()->run({ReleaseKind::Cold}).error()),
                HasSubstr("the L2 has 0 bytes"));
}

TEST(UserKernel, MeasuresWhatALaunchTakesBesideTheKernel) {
    const StandIn driver{"empty-time 3500"};
    const auto kernel = on_card();
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel.value()->longest_empty_launch().value(), 3500);
}

/// On a real card, where there is one.
TEST(UserKernelOnRealCard, Runs) {
    const auto driver = cuda::Driver::load();
    if (driver->state() != cuda::DriverState::Ready) GTEST_SKIP() << driver->text();
    const auto card = cuda::open_card("cuda:0");
    ASSERT_TRUE(card) << to_string(card.error());
    const auto target = card.value()->session->device().target;
    if (target.sm != 75 && target.sm != 80 && target.sm != 90)
        GTEST_SKIP() << "no cubin for this card among the test data";
    const auto image = assembly::read_source(WARPBOUND_TEST_DATA "/two_kernels.sm_" +
                                             std::to_string(target.sm) + ".cubin");
    ASSERT_TRUE(image);
    UserKernel kernel = scale();
    kernel.image = image.value().text;
    kernel.block = {32, 1, 1};
    kernel.buffers[0].bytes.resize(4);
    const int n = 1;
    std::memcpy(kernel.parameters.data() + 8, &n, sizeof(n));
    auto loaded = cuda::UserKernelOnCard::prepare(card.value(), kernel, system_clock());
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    const auto run = loaded.value()->run({ReleaseKind::Warm});
    ASSERT_TRUE(run) << to_string(run.error());
    EXPECT_EQ(run.value().remark, Remark{});
    EXPECT_GT(run.value().device_time, 0);
    EXPECT_GE(run.value().host_time, run.value().device_time / 2);
}

} // namespace
} // namespace warpbound::harness
