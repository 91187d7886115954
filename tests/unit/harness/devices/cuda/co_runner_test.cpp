// A kernel that runs beside the measured one on the stand-in driver, where it slows it.

#include "harness/devices/cuda/user_kernel.hpp"
#include "harness/protocol/user_kernel_series.hpp"
#include "tests/unit/harness/devices/cuda/scaled_bytes.hpp"
#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;
using tests::played_clock;
using tests::scale;
using tests::StandIn;

Result<std::unique_ptr<cuda::UserKernelOnCard>> beside(std::optional<UserKernel> co_runner) {
    auto card = cuda::open_card("cuda:0");
    if (!card) return card.as_failure();
    return cuda::UserKernelOnCard::prepare(card.value(), scale(), played_clock(),
                                           std::move(co_runner));
}

UserRun run_of(const Result<std::unique_ptr<cuda::UserKernelOnCard>>& kernel,
               const std::string& release) {
    EXPECT_TRUE(kernel) << to_string(kernel.error());
    auto run = kernel.value()->run(read_release(release).value());
    EXPECT_TRUE(run) << to_string(run.error());
    return std::move(run).value();
}

// A launch takes 4 us in the stand-in, and the kernel 10 us at its clock, alone.
TEST(CoRunner, SlowsTheKernelUnderEveryPattern) {
    const StandIn driver{"user-time 10000\nbeside-slows 7000"};
    const auto alone = beside({});
    EXPECT_EQ(run_of(alone, "warm").device_time, 14000);
    const auto kernel = beside(scale());
    EXPECT_EQ(kernel.value()->time_of_co_runner(), 14000);
    for (const char* release : {"warm", "back-to-back", "l2-flushed", "cold", "periodic:1ms"})
        for (int i = 0; i < 3; ++i) {
            const UserRun run = run_of(kernel, release);
            EXPECT_EQ(run.remark, Remark{}) << release << ": " << run.remark.text;
            EXPECT_EQ(run.device_time, 21000) << release;
            EXPECT_EQ(run.outputs.size(), 1U) << "those of the kernel only";
        }
}

TEST(CoRunner, IsKeptBusyWhileThePeriodPasses) {
    // What is queued at first lasts 2 ms.
    const StandIn driver{"user-time 10000\nbeside-slows 7000"};
    const auto kernel = beside(scale());
    for (int i = 0; i < 3; ++i) {
        const UserRun run = run_of(kernel, "periodic:20ms");
        EXPECT_EQ(run.remark, Remark{}) << run.remark.text;
        EXPECT_EQ(run.device_time, 21000);
        EXPECT_EQ(run.skipped, 0);
    }
}

TEST(CoRunner, ThatEndsEarlyIsAnAnomalyOfTheRun) {
    // 143 launches of 10 ns are over before the kernel is.
    const StandIn driver{"user-time 10000\nbeside-time 10"};
    const UserRun run = run_of(beside(scale()), "warm");
    EXPECT_EQ(run.remark.anomaly, RunAnomaly::CoRunner);
    EXPECT_THAT(run.remark.text, HasSubstr("ns before the kernel"));
    EXPECT_FALSE(counts(run.remark.anomaly));
    EXPECT_TRUE(gives_times(run.remark.anomaly));
    // From the 400th launch on it takes no time: the first run has 143 and a few more, the fifth
    // only such.
    driver.play("user-time 10000\nbeside-ends-at 400");
    const auto kernel = beside(scale());
    EXPECT_EQ(run_of(kernel, "warm").remark, Remark{});
    for (int i = 0; i < 3; ++i)
        run_of(kernel, "warm");
    EXPECT_EQ(run_of(kernel, "warm").remark.anomaly, RunAnomaly::CoRunner);
}

TEST(CoRunner, WhoseLaunchIsRefusedIsNamed) {
    const StandIn driver{"beside-refused-at 3"};
    const auto kernel = beside(scale());
    const UserRun refused = run_of(kernel, "warm");
    EXPECT_EQ(refused.remark.anomaly, RunAnomaly::LaunchFailure);
    EXPECT_THAT(refused.remark.text, HasSubstr("the co-runner: cuLaunchKernel failed"));
    EXPECT_EQ(run_of(kernel, "warm").remark, Remark{}) << "the next run is whole again";
    // The first launches of it are made alone: the second one of the session is refused.
    driver.play("refused-at 2");
    EXPECT_THAT(to_string(beside(scale()).error()),
                HasSubstr("the co-runner: cuLaunchKernel failed: "
                          "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
}

TEST(CoRunner, IsRefusedWithTheReason) {
    const StandIn driver;
    UserKernel missing = scale();
    missing.name = "hog";
    EXPECT_THAT(to_string(beside(missing).error()),
                HasSubstr("the co-runner: cuModuleGetFunction failed"));
    driver.play("fail-call cuStreamCreate 1 1");
    EXPECT_THAT(to_string(beside(scale()).error()), HasSubstr("cuStreamCreate failed"));
    driver.play("out-of-memory-at 4");
    EXPECT_THAT(to_string(beside(scale()).error()),
                HasSubstr("the co-runner: cuMemAlloc_v2 failed"));
}

TEST(CoRunner, ThatHangsLosesTheDevice) {
    // The first launch does not end within the time-out of 50 ms.
    const StandIn driver{"beside-time 1e13"};
    const auto kernel = beside(scale());
    EXPECT_EQ(run_of(kernel, "warm").remark.anomaly, RunAnomaly::TimeOut);
    EXPECT_EQ(run_of(kernel, "warm").remark.anomaly, RunAnomaly::DeviceLost);
}

TEST(CoRunner, IsPartOfTheIdentityOfASeries) {
    const StandIn driver;
    UserKernelIdentity identity;
    identity.key.name = "scale";
    identity.buffers = {"data"};
    UserKernelProtocol protocol;
    protocol.release = read_release("warm").value();
    protocol.repetitions = 2;
    const auto kernel = beside(scale());
    const auto measured = [&] {
        return measure_user_kernel(
                   [&](const ReleasePattern& pattern) { return kernel.value()->run(pattern); },
                   identity, protocol, played_clock(), nullptr)
            .value()
            .key.protocol;
    };
    const std::string alone = measured();
    identity.co_runner = "hog, launch 1x32";
    EXPECT_EQ(measured(), alone + ", co-runner hog, launch 1x32");
}

} // namespace
} // namespace warpbound::harness
