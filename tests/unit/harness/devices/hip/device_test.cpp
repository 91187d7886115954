#include "assembly/support/digest.hpp"
#include "assembly/support/source_text.hpp"
#include "harness/described_machine.hpp"
#include "harness/devices/cuda/user_kernel.hpp"
#include "harness/devices/hip/generated_code.hpp"
#include "harness/toolchain/amd_assembler.hpp"
#include "tests/unit/harness/devices/cuda/scaled_bytes.hpp"
#include "tests/unit/harness/devices/hip/hip_stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace warpbound::harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using tests::HipStandIn;

std::string refusal() {
    const auto device = open_device("hip:0");
    return device ? "opened" : to_string(device.error());
}

std::string listed() {
    std::string text;
    for (const auto& entry : list_devices())
        if (entry.name.starts_with("hip:"))
            text += entry.name + (entry.available ? " yes " : " no ") + entry.detail + "\n";
    return text;
}

void expect_state(const std::string& text) {
    EXPECT_THAT(listed(), HasSubstr("hip:<n> no " + text));
    EXPECT_THAT(refusal(), HasSubstr("hip:0: " + text));
}

TEST(HipRuntime, SaysInWhichStateItCannotBeUsed) {
    const HipStandIn runtime;
    setenv("WARPBOUND_HIP_RUNTIME", "/no/such/runtime.so", 1);
    expect_state("no HIP runtime is installed: /no/such/runtime.so: ");
    setenv("WARPBOUND_HIP_RUNTIME", "libm.so.6", 1);
    expect_state("the HIP runtime libm.so.6 lacks hipInit; expected that of ROCm 5 or later");
    setenv("WARPBOUND_HIP_RUNTIME", WARPBOUND_TEST_STAND_IN, 1);
    runtime.play("init 100");
    expect_state("the HIP runtime knows no device: hipErrorNoDevice: said by the stand-in");
    runtime.play("init 101"); // HIP 5 without a card.
    expect_state("the HIP runtime knows no device: hipErrorInvalidDevice");
    runtime.play("devices 0");
    expect_state("the HIP runtime 6.2.41134 knows no device");
    runtime.play("init 999");
    expect_state("the HIP runtime does not start: hipErrorUnknown");
}

TEST(HipRuntime, ListsItsDevices) {
    const HipStandIn runtime{"devices 2\nprocessor gfx1100\nlanes 32"};
    EXPECT_EQ(listed(), "hip:0 yes Stand-in, gfx1100, 2 CUs, HIP runtime 6.2.41134\n"
                        "hip:1 yes Stand-in, gfx1100, 2 CUs, HIP runtime 6.2.41134\n");
    EXPECT_THAT(to_string(open_device("hip:2").error()), HasSubstr("hip:0 to hip:1"));
    EXPECT_THAT(to_string(open_device("hip:x").error()), HasSubstr("as in hip:0"));
    EXPECT_THAT(to_string(open_device("hip:0", "gto").error()), HasSubstr("warp policy"));
    setenv("WARPBOUND_HIP_TIME_OUT", "soon", 1);
    EXPECT_THAT(refusal(), HasSubstr("WARPBOUND_HIP_TIME_OUT: expected milliseconds, not 'soon'"));
    setenv("WARPBOUND_HIP_TIME_OUT", "50", 1);
    runtime.play("processor gfx9999");
    EXPECT_THAT(refusal(), HasSubstr("its processor 'gfx9999' is none of those that are known"));
    runtime.play("fail-call hipGetDeviceProperties 2 0");
    EXPECT_THAT(refusal(), HasSubstr("hip:0: hipErrorOutOfMemory"));
    runtime.play("fail-call hipSetDevice 101 0");
    EXPECT_THAT(refusal(), HasSubstr("hipSetDevice failed: hipErrorInvalidDevice"));
}

TEST(HipDevice, IsDescribedByItsName) {
    const auto machine =
        described_machine({"hip:0", "AMD Instinct MI210, gfx90a, HIP runtime 6.2.41134"});
    ASSERT_TRUE(machine) << to_string(machine.error());
    EXPECT_EQ(machine.value().name, "cdna2-mi210");
    EXPECT_FALSE(described_machine({"hip:0", "Radeon, gfx1032, HIP runtime 6.2.41134"}));
}

TEST(HipDevice, StatesItsConditions) {
    const HipStandIn runtime{"rate 1700"};
    const auto device = open_device("hip:0");
    ASSERT_TRUE(device) << to_string(device.error());
    EXPECT_EQ(device.value()->identity().detail, "Stand-in, gfx90a, HIP runtime 6.2.41134");
    const Conditions conditions = device.value()->conditions();
    for (const auto& [name, value] : Conditions{{"name", "Stand-in"},
                                                {"processor", "gfx90a"},
                                                {"driver", "6.2.41134"},
                                                {"timer-rate", "100.0 MHz"},
                                                {"clock-rate", "1700.0 MHz"}})
        EXPECT_THAT(conditions, Contains(Pair(name, value)));
}

// The timer of some cards has another rate; without it, 100 MHz are taken.
TEST(HipDevice, TakesTheRateOfTheTimerFromTheRuntime) {
    const HipStandIn runtime{"timer-rate 25000"};
    const auto device = open_device("hip:0");
    ASSERT_TRUE(device) << to_string(device.error());
    EXPECT_THAT(device.value()->conditions(), Contains(Pair("timer-rate", "25.0 MHz")));
    EXPECT_THAT(device.value()->conditions(), Contains(Pair("clock-rate", "1000.0 MHz")));
    runtime.play("timer-rate 0");
    const auto old = open_device("hip:0");
    ASSERT_TRUE(old) << to_string(old.error());
    EXPECT_THAT(old.value()->conditions(), Contains(Pair("timer-rate", "100.0 MHz, assumed")));
    EXPECT_THAT(old.value()->conditions(), Contains(Pair("clock-rate", "1000.0 MHz")));
}

TEST(HipDevice, SaysWhatItLacksWithoutAnAssembler) {
    const HipStandIn runtime;
    setenv("WARPBOUND_CLANG", "", 1);
    const auto device = open_device("hip:0");
    ASSERT_TRUE(device) << to_string(device.error());
    EXPECT_THAT(device.value()->conditions(),
                Contains(Pair("clock-rate", HasSubstr("unknown: AMD's assembly is assembled by "
                                                      "clang, which was not found"))));
    Kernel copy;
    copy.copy = Copy{models::HostOperationKind::CopyToDevice, 64};
    const auto refused = device.value()->prepare(copy);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("need the clock rate, which cannot be measured"));
}

Protocol short_protocol(std::int64_t repetitions = 6) {
    Protocol protocol;
    protocol.warm_up = 2;
    protocol.repetitions = repetitions;
    return protocol;
}

Result<Measured> measured(const HipStandIn& runtime, const std::string& benchmark,
                          std::size_t index) {
    const auto device = open_device("hip:0");
    if (!device) return device.as_failure();
    const auto campaign = Campaign::open(runtime.folder() / "c.db");
    if (!campaign) return campaign.as_failure();
    const auto points = points_for(*device.value(), benchmark);
    if (!points) return points.as_failure();
    return measure_point(*device.value(), points.value().at(index), short_protocol(),
                         campaign.value().get(), 4);
}

// Two operations in 24 + 6 n cycles of the stand-in; every fifth launch is slower.
TEST(HipDevice, GivesTheTimeOfEachWavefrontOf32Lanes) {
    const HipStandIn runtime{"processor gfx1030\nlanes 32"};
    const auto result = measured(runtime, "dependent-pair", 2); // 3 wavefronts
    ASSERT_TRUE(result) << to_string(result.error());
    ASSERT_EQ(result.value().samples.size(), 6U);
    for (const auto& sample : result.value().samples) {
        EXPECT_EQ(sample.remark, Remark{});
        ASSERT_EQ(sample.times.size(), 3U);
        EXPECT_THAT(sample.times, testing::Each((sample.run + 3) % 5 == 0 ? 40 : 36));
    }
}

TEST(HipDevice, CountsAWavefrontOf64LanesTwice) {
    const HipStandIn runtime;
    const auto result = measured(runtime, "dependent-pair", 2);
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_THAT(result.value().samples.front().times, testing::ElementsAre(36, 36, 36, 36, 36, 36));
}

// The stand-in follows the addresses that the device laid out, 100 cycles per element.
TEST(HipDevice, LaysOutTheWalkOfAPointerChase) {
    const HipStandIn runtime;
    const auto result = measured(runtime, "pointer-chase", 0); // 4096 bytes, 128 apart.
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_EQ(result.value().samples.front().times.front(), 3200);
}

TEST(HipDevice, IsReplayedFromItsCampaign) {
    const HipStandIn runtime;
    ASSERT_TRUE(measured(runtime, "dependent-pair", 2));
    const auto replay = open_device("recorded:" + (runtime.folder() / "c.db").string());
    ASSERT_TRUE(replay) << to_string(replay.error());
    const auto points = points_for(*replay.value(), "dependent-pair");
    ASSERT_TRUE(points) << to_string(points.error());
    const auto again =
        measure_point(*replay.value(), points.value().at(2), short_protocol(), nullptr);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_THAT(again.value().samples.front().times, testing::ElementsAre(36, 36, 36, 36, 36, 36));
}

TEST(HipDevice, SaysHowItsCodeWasMade) {
    const HipStandIn runtime;
    ASSERT_TRUE(measured(runtime, "dependent-pair", 0));
    const auto campaign = Campaign::open_existing(runtime.folder() / "c.db");
    const auto series = campaign.value()->list().value().front();
    EXPECT_EQ(series.key.device_detail, "Stand-in, gfx90a, HIP runtime 6.2.41134");
    const auto noted = campaign.value()->conditions(series.id);
    ASSERT_TRUE(noted);
    for (const auto& [name, value] : Conditions{{"compiler", "clang as an assembler"},
                                                {"sequence", "as written, in assembly"},
                                                {"local-bytes", "0"}})
        EXPECT_THAT(noted.value().front().conditions, Contains(Pair(name, value)));
}

// The clock of gfx11 has 20 bits: at 1 GHz it wraps after 1.05 ms.
TEST(HipDevice, GivesNoTimesWhereItsClockMayHaveWrapped) {
    const HipStandIn runtime{"processor gfx1100\nlanes 32\nrate 1100000"};
    const auto result = measured(runtime, "dependent-pair", 0);
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_EQ(result.value().samples.front().remark.anomaly, RunAnomaly::Clock);
    EXPECT_THAT(result.value().samples.front().remark.text, HasSubstr("may have wrapped"));
}

// On a CU of the stand-in, whatever its wavefronts: 16 blocks, 48 wavefronts.
TEST(HipDevice, CountsTheBlocksThatFitOnACu) {
    const HipStandIn runtime;
    const auto device = open_device("hip:0");
    ASSERT_TRUE(device) << to_string(device.error());
    const auto points = points_for(*device.value(), "resident-warps");
    ASSERT_TRUE(points) << to_string(points.error());
    for (const auto& point : points.value()) {
        const std::int64_t warps = axis_value(point.axes, "warps", 1);
        const auto result = measure_point(*device.value(), point, short_protocol(1), nullptr);
        ASSERT_TRUE(result) << to_string(result.error());
        EXPECT_EQ(result.value().samples.front().remark, Remark{}) << point.name;
        EXPECT_THAT(result.value().samples.front().times,
                    testing::ElementsAre(std::min<std::int64_t>(16, 48 / warps)))
            << point.name;
    }
}

TEST(HipDevice, RefusesWhatItDoesNotGenerate) {
    const HipStandIn runtime;
    const auto off = measured(runtime, "switched-off", 0);
    ASSERT_FALSE(off);
    EXPECT_THAT(off.error().what, HasSubstr("'@!PT IADD R6, R2, R3' has no form for AMD"));
    runtime.play("processor gfx1100\nlanes 32");
    const auto waits = measured(runtime, "resident-warps", 0);
    ASSERT_FALSE(waits);
    EXPECT_THAT(waits.error().what, HasSubstr("the clocks of gfx1100 wrap"));
    const auto other = amd_points_of("dependent-pair", {0, 0x1200});
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().what, HasSubstr("no code is generated for gfx1200; there is code "
                                              "for gfx900, gfx906"));
}

struct Fault {
    const char* script;
    RunAnomaly anomaly;
    const char* text;
};

class HipFault : public testing::TestWithParam<Fault> {};

TEST_P(HipFault, IsRecordedWithTheRun) {
    const auto& [script, anomaly, text] = GetParam();
    const HipStandIn runtime{script};
    const auto result = measured(runtime, "dependent-pair", 0);
    // A lost device ends the series; what it recorded is in the campaign.
    if (!result) {
        EXPECT_THAT(result.error().what, HasSubstr("the device was lost in run"));
    }
    const auto campaign = Campaign::open_existing(runtime.folder() / "c.db");
    const auto samples =
        campaign.value()->samples(campaign.value()->list().value().front().id).value();
    const auto found = std::find_if(samples.begin(), samples.end(), [](const Sample& sample) {
        return sample.remark.anomaly != RunAnomaly::None;
    });
    ASSERT_NE(found, samples.end());
    EXPECT_EQ(found->run, 1U); // Launches 1 and 2 were the warm-up.
    EXPECT_EQ(found->remark.anomaly, anomaly) << found->remark.text;
    EXPECT_THAT(found->remark.text, HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(
    Played, HipFault,
    testing::Values(
        Fault{"time-out-at 4", RunAnomaly::TimeOut, "did not end within 50 ms"},
        Fault{"illegal-address-at 4", RunAnomaly::LaunchFailure, "hipErrorIllegalAddress"},
        Fault{"lost-at 4", RunAnomaly::DeviceLost, "hipModuleLaunchKernel failed"},
        Fault{"refused-at 4", RunAnomaly::LaunchFailure, "hipErrorLaunchOutOfResources"},
        Fault{"no-record-at 4", RunAnomaly::LaunchFailure, "left no record"},
        Fault{"clock-back-at 4", RunAnomaly::Clock, "the clock of warp 0 went"},
        Fault{"clock-jump-at 4", RunAnomaly::Clock, "cycles in"},
        Fault{"no-rate-at 4", RunAnomaly::Clock, "the nanosecond timer did not advance"},
        Fault{"slow-from 4 500", RunAnomaly::Throttled, "clock rate 500.0 MHz"}),
    [](const auto& of) {
        const std::string script = of.param.script;
        std::string name = script.substr(0, script.find(' '));
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

/// Clang of this machine, where there is one, that knows the youngest of these processors.
TEST(HipDevice, BuildsItsCodeWithClang) {
    const auto clang = toolchain::find_amd_assembler();
    if (!clang) GTEST_SKIP() << "no clang was found";
    for (const int gfx : {0x906, 0x90a, 0x942, 0x1030, 0x1100}) {
        const assembly::Target target{0, gfx};
        const auto points = amd_points_of("dependent-pair", target);
        ASSERT_TRUE(points) << to_string(points.error());
        for (const std::string& text :
             {hip::clock_rate_code(target, "clock_rate").value(),
              hip::empty_code(target, "empty").value(), points.value().front().ptx->text}) {
            const auto image = toolchain::assemble_amd(text, target);
            if (!image && image.error().what.find("unknown target") != std::string::npos)
                GTEST_SKIP() << to_string(image.error());
            ASSERT_TRUE(image) << to_string(image.error());
            EXPECT_EQ(image.value()[16], 3); // A shared object, which the runtime loads.
        }
    }
}

/// A code object, of which the stand-in runs no instruction, on four bytes.
UserKernel scale() {
    const auto image =
        assembly::read_source(WARPBOUND_TEST_DATA "/fuzz/corpus/code_object/gfx906.hsaco");
    if (!image) throw std::runtime_error{to_string(image.error())};
    UserKernel kernel;
    kernel.name = "one";
    kernel.image = image.value().text;
    kernel.parameters.resize(16);
    kernel.buffers.push_back({"data", 0, tests::bytes_of({1, 2, 3, 4})});
    return kernel;
}

Result<std::unique_ptr<cuda::UserKernelOnCard>> on_card(UserKernel kernel = scale()) {
    auto card = cuda::open_card("hip:0");
    if (!card) return card.as_failure();
    return cuda::UserKernelOnCard::prepare(card.value(), std::move(kernel), tests::played_clock());
}

TEST(HipUserKernel, RunsOnItsInputsAndTakesTheTimeBetweenEvents) {
    const HipStandIn runtime{"processor gfx906\nuser-time 30000"};
    auto kernel = on_card();
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    for (const ReleaseKind kind : {ReleaseKind::Warm, ReleaseKind::L2Flushed, ReleaseKind::Cold}) {
        const auto run = kernel.value()->run({kind});
        ASSERT_TRUE(run);
        EXPECT_EQ(run.value().remark, Remark{});
        EXPECT_EQ(run.value().device_time, 34000); // A launch takes 4 us in the stand-in.
        EXPECT_THAT(run.value().outputs, testing::ElementsAre(assembly::digest_of("\2\3\4\5")));
        EXPECT_THAT(run.value().state, Contains(Pair("clock-rate", "1000.0 MHz")));
    }
    EXPECT_EQ(kernel.value()->longest_empty_launch(4).value(), 4000);
}

TEST(HipUserKernel, RunsWithoutAnAssembler) {
    const HipStandIn runtime{"processor gfx906"};
    setenv("WARPBOUND_CLANG", "", 1);
    auto kernel = on_card();
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    const auto run = kernel.value()->run({ReleaseKind::Warm});
    ASSERT_TRUE(run);
    EXPECT_EQ(run.value().remark, Remark{});
    EXPECT_EQ(run.value().device_time, 24000);
}

TEST(HipUserKernel, IsRefusedInTheWordsOfHip) {
    const HipStandIn runtime{"processor gfx906\nout-of-memory-at 2"};
    const auto no_memory = on_card();
    ASSERT_FALSE(no_memory);
    EXPECT_THAT(to_string(no_memory.error()),
                HasSubstr("hip:0: hipMalloc failed: hipErrorOutOfMemory: said by the stand-in"));
    runtime.play("processor gfx906");
    UserKernel other = scale();
    other.name = "no_such_kernel";
    const auto unknown = on_card(other);
    ASSERT_FALSE(unknown);
    EXPECT_THAT(to_string(unknown.error()),
                HasSubstr("hipModuleGetFunction failed: hipErrorInvalidValue"));
}

TEST(HipUserKernel, RecordsWhatHappensToARun) {
    struct Row {
        const char* script;
        RunAnomaly anomaly;
        const char* text;
        bool loses;
    };
    for (const auto& [script, anomaly, text, loses] :
         {Row{"time-out-at 2", RunAnomaly::TimeOut, "a launch did not end within 50 ms", true},
          Row{"illegal-address-at 2", RunAnomaly::LaunchFailure,
              "the launch failed: hipErrorIllegalAddress", true},
          Row{"refused-at 2", RunAnomaly::LaunchFailure,
              "hipModuleLaunchKernel failed: hipErrorLaunchOutOfResources", false},
          Row{"slow-from 2 500", RunAnomaly::Throttled, "clock rate 500.0 MHz", false}}) {
        const HipStandIn runtime{std::string{"processor gfx906\n"} + script};
        auto kernel = on_card();
        ASSERT_TRUE(kernel) << to_string(kernel.error());
        ASSERT_EQ(kernel.value()->run({ReleaseKind::L2Flushed}).value().remark, Remark{}) << script;
        const auto run = kernel.value()->run({ReleaseKind::L2Flushed});
        ASSERT_TRUE(run) << script;
        EXPECT_EQ(run.value().remark.anomaly, anomaly) << run.value().remark.text;
        EXPECT_THAT(run.value().remark.text, HasSubstr(text));
        const auto after = kernel.value()->run({ReleaseKind::L2Flushed}).value().remark.anomaly;
        EXPECT_EQ(after == RunAnomaly::DeviceLost, loses) << script;
    }
}

} // namespace
} // namespace warpbound::harness
