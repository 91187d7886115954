#include "assembly/isa/target.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace warpbound::assembly {
namespace {

TEST(Target, IsReadFromTheNamesOfTools) {
    EXPECT_EQ(parse_target("sm_20"), Target{20});
    EXPECT_EQ(parse_target("sm_90a"), Target{90});
    EXPECT_EQ(parse_target("sm_120f"), Target{120});
    EXPECT_EQ(parse_target("compute_75"), Target{75});
}

TEST(Target, IsNotReadFromAnythingElse) {
    for (const char* text : {"", "sm_", "sm_7x", "sm_10", "sm_40", "sm_200", "SM_80", "90", "sm_-5",
                             "sm_80 ", "gfx900"})
        EXPECT_EQ(parse_target(text), std::nullopt) << text;
}

TEST(Target, PrintsAsItWasRead) {
    EXPECT_EQ(to_string(Target{52}), "sm_52");
}

TEST(Target, BelongsToAGeneration) {
    EXPECT_EQ(generation_of(Target{21}), Generation::Fermi);
    EXPECT_EQ(generation_of(Target{37}), Generation::Kepler);
    EXPECT_EQ(generation_of(Target{52}), Generation::Maxwell);
    EXPECT_EQ(generation_of(Target{61}), Generation::Pascal);
    EXPECT_EQ(generation_of(Target{70}), Generation::Volta);
    EXPECT_EQ(generation_of(Target{75}), Generation::Turing);
    EXPECT_EQ(generation_of(Target{86}), Generation::Ampere);
    EXPECT_EQ(generation_of(Target{89}), Generation::Ada);
    EXPECT_EQ(generation_of(Target{90}), Generation::Hopper);
    EXPECT_EQ(generation_of(Target{120}), Generation::Blackwell);
    EXPECT_THROW(static_cast<void>(generation_of(Target{40})), std::logic_error);
}

} // namespace
} // namespace warpbound::assembly
