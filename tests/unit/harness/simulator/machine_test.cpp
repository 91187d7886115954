// Which devices are available, and which are refused.

#include "harness/device.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace warpbound::harness::simulator::test {
namespace {

using testing::HasSubstr;

TEST(Devices, RunAKernelOnADescribedMachine) {
    const auto device = open_device("simulated:fermi-gtx470");
    ASSERT_TRUE(device) << device.error().what;
    EXPECT_EQ(device.value()->identity().name, "simulated:fermi-gtx470");
    const auto program = straight_line({add(1, 0, 0), add(2, 1, 1)});
    const auto prepared = device.value()->prepare(program.kernel());
    ASSERT_TRUE(prepared) << prepared.error().what;
    const auto observation = prepared.value()->run({});
    ASSERT_TRUE(observation);
    EXPECT_EQ(observation.value().observation.execution_time.count(), 36);
}

TEST(Devices, RefuseWhatThisVersionLacks) {
    const auto refusal_of = [](std::string_view name, std::string_view policy = "lrr") {
        const auto device = open_device(name, policy);
        return device ? std::string{} : device.error().what;
    };
    EXPECT_THAT(refusal_of("hip:0", "gto"), HasSubstr("the number of SMs of a card are fixed"));
    setenv("WARPBOUND_HIP_RUNTIME", "no-such.so", 1);
    EXPECT_THAT(refusal_of("hip:0"), HasSubstr("no-such.so"));
    unsetenv("WARPBOUND_HIP_RUNTIME");
    EXPECT_THAT(refusal_of("recorded:no-such.db"), HasSubstr("cannot be opened"));
    EXPECT_THAT(refusal_of("recorded:no-such.db", "gto"),
                HasSubstr("the number of SMs of a recording are fixed"));
    EXPECT_THAT(refusal_of("cuda:0", "gto"), HasSubstr("the number of SMs of a card are fixed"));
    setenv("WARPBOUND_CUDA_TIME_OUT", "0", 1);
    EXPECT_THAT(refusal_of("cuda:0"), HasSubstr("expected milliseconds, not '0' (at least 1)"));
    unsetenv("WARPBOUND_CUDA_TIME_OUT");
    EXPECT_THAT(refusal_of("quantum:0"), HasSubstr("expected simulated:<architecture>"));
    EXPECT_THAT(refusal_of("simulated:fermi-gtx470", "fair"),
                HasSubstr("unknown warp policy 'fair'"));
    EXPECT_THAT(refusal_of("simulated:nothing"), HasSubstr("fermi-gtx470"));
}

TEST(Devices, AreListedWithTheReasonWhenUnavailable) {
    bool fermi = false;
    bool hip = false;
    setenv("WARPBOUND_HIP_RUNTIME", "no-such.so", 1);
    for (const DeviceEntry& device : list_devices()) {
        fermi = fermi || (device.name == "simulated:fermi-gtx470" && device.available);
        hip = hip || (device.name == "hip:<n>" && !device.available &&
                      device.detail.find("no-such.so") != std::string::npos);
    }
    unsetenv("WARPBOUND_HIP_RUNTIME");
    EXPECT_TRUE(fermi && hip);
}

} // namespace
} // namespace warpbound::harness::simulator::test
