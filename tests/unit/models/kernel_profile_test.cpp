#include "models/kernel_profile.hpp"
#include "tests/unit/models/refusal.hpp"

namespace warpbound::models {
namespace {

TEST(KernelProfile, IsWrittenSoThatItReadsBack) {
    const NamedProfile profile{.name = "rows",
                               .counts = {.arithmetic_independent = 1,
                                          .arithmetic_dependent = 2,
                                          .shared_loads = 3,
                                          .shared_stores = 4,
                                          .global_loads = 5,
                                          .global_stores = 6},
                               .hidden_latency = 7,
                               .digest = {}};
    const auto again = read_profile(as_source(write_profile(profile)));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again.value().name, "rows");
    EXPECT_EQ(again.value().counts, profile.counts);
    EXPECT_EQ(again.value().hidden_latency, 7);
}

TEST(KernelProfile, CountsZeroWhatIsLeftOut) {
    EXPECT_EQ(read_profile(as_source("<kernel-profile name=''/>")).value().counts, KernelProfile{});
}

TEST(KernelProfile, IsRefusedWithALine) {
    const std::vector<Refusal> refusals{
        {"another root", "<profile/>", 1, "no <kernel-profile>"},
        {"no name", "<kernel-profile/>", 1, "without 'name'"},
        {"unknown attribute", "\n<kernel-profile name='' loads='1'/>", 2, "'loads'"},
        {"negative", "\n<kernel-profile name='' shared-loads='-1'/>", 2, "'shared-loads'"},
        {"text", "\n<kernel-profile name='' global-loads='many'/>", 2, "\"many\""},
        {"child", "<kernel-profile name=''>\n<x/></kernel-profile>", 2, "<x> inside"},
    };
    for (const auto& refusal : refusals)
        expect_refusal(refusal, read_profile);
}

} // namespace
} // namespace warpbound::models
