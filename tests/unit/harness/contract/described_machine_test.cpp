// Which description a card of some name is held against.
#include "harness/described_machine.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

std::string described(const std::string& card, int sm) {
    const auto machine =
        described_machine({"cuda:0", card + ", sm_" + std::to_string(sm) + ", CUDA driver 13.0"});
    return machine ? machine.value().name : machine.error().what;
}

TEST(DescribedMachine, IsThatOfTheCard) {
    EXPECT_EQ(described("NVIDIA GeForce RTX 3060", 86), "ampere-rtx3060");
    EXPECT_EQ(described("NVIDIA RTX A6000", 86), "ampere-rtxa6000");
    EXPECT_EQ(described("Tesla V100-SXM2-16GB", 70), "volta-v100");
    EXPECT_EQ(described("NVIDIA TITAN V", 70), "volta-titanv");
    EXPECT_EQ(described("NVIDIA A100-SXM4-40GB", 80), "ampere-a100");
    EXPECT_EQ(described("NVIDIA H200", 90), "hopper-h200");
    EXPECT_EQ(described("Orin", 87), "ampere-orin");
    EXPECT_EQ(described("NVIDIA GeForce RTX 2080 Ti", 75), "turing-rtx2080ti");
}

// A T400 is another card than a T4, and an RTX 3060 Ti another one than an RTX 3060.
TEST(DescribedMachine, IsThatOfTheTargetForOtherCards) {
    for (const auto& [card, sm] : {std::pair{"NVIDIA T400", 75},
                                   {"NVIDIA GeForce RTX 3060 Ti", 86},
                                   {"NVIDIA RTX A1000", 86},
                                   {"Stand-in", 80}}) {
        const std::string target = "sm_" + std::to_string(sm);
        EXPECT_EQ(described(card, sm), models::load_architecture(target).value().name) << card;
    }
}

TEST(DescribedMachine, IsRefusedForTargetsThatNoneDescribes) {
    EXPECT_NE(described("Tesla K40", 35).find("sm_35"), std::string::npos);
    EXPECT_EQ(described_machine({"simulated:turing-t4", ""}).value().name, "turing-t4");
    EXPECT_FALSE(described_machine({"cuda:0", "no target"}));
}

} // namespace
} // namespace warpbound::harness
