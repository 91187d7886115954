#include "harness/campaign/series_identity.hpp"
#include "harness/simulated_identity.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::harness {
namespace {

TEST(SimulatedIdentity, IsReadAsItIsWritten) {
    for (const SimulatedDetail& detail :
         {SimulatedDetail{"sha256:a", "lrr", 1}, SimulatedDetail{"sha256:a", "gto", 40},
          SimulatedDetail{"sha256:a", "variable-rate:fast=0,every=2", 1},
          SimulatedDetail{"sha256:a", "variable-rate:fast=0,every=2", 3}})
        EXPECT_EQ(parse_simulated_detail(to_string(detail)), detail) << to_string(detail);
}

TEST(SimulatedIdentity, IsNotReadFromOtherTexts) {
    for (const std::string text : {"", "Tesla T4, sm_75, CUDA driver 13.0", "sha256:a, policy ",
                                   ", policy lrr", "sha256:a, policy lrr, many multiprocessors"})
        EXPECT_FALSE(parse_simulated_detail(text)) << text;
}

TEST(SeriesIdentity, SaysOfASimulatedDeviceItsMachine) {
    const SeriesKey key{"saxpy",
                        "simulated:turing-t4",
                        "sha256:m, policy gto, 4 multiprocessors",
                        "",
                        "sha256:c",
                        "",
                        "2x128,0x160=512",
                        "execution-time"};
    const auto identity = identity_of(key);
    EXPECT_EQ(identity.kernel_digest, "sha256:c");
    EXPECT_EQ(identity.kernel, "saxpy");
    ASSERT_TRUE(identity.launch);
    EXPECT_EQ(models::to_string(*identity.launch), "2x128,0x160=512");
    EXPECT_EQ(identity.machine_digest, "sha256:m");
    EXPECT_EQ(identity.policy, "gto");
    EXPECT_EQ(identity.multiprocessors, 4);
}

TEST(SeriesIdentity, SaysOfACardNoDescription) {
    const auto identity = identity_of({"saxpy", "cuda:0", "Tesla T4, sm_75, CUDA driver 13.0", "",
                                       "sha256:c", "", "2x128", "execution-time"});
    EXPECT_TRUE(identity.machine_digest.empty());
    EXPECT_FALSE(identity.multiprocessors);
    EXPECT_TRUE(identity.launch);
}

} // namespace
} // namespace warpbound::harness
