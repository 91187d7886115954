#include "models/formulas/amd_occupancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::amd_occupancy {
namespace {

using testing::HasSubstr;

TEST(AmdOccupancyRefuses, WaveSizesAndModesThatAFamilyLacks) {
    EXPECT_THAT(limits_of(Family::Cdna4, 32, false).error().what, HasSubstr("32 lanes"));
    EXPECT_THAT(limits_of(Family::Rdna1, 16, false).error().what, HasSubstr("16 lanes"));
    EXPECT_THAT(limits_of(Family::Gcn1, 64, true).error().what, HasSubstr("work-group processors"));
}

TEST(AmdOccupancyRefuses, WhatNoComputeUnitHas) {
    const auto limits = limits_of(Family::Gcn1, 64, false).value();
    EXPECT_THAT(resident({}, limits).error().what, HasSubstr("threads per work-group is 0"));
    EXPECT_THAT(resident({.threads = 64, .vector_registers = 257}, limits).error().what,
                HasSubstr("vector registers is 257"));
    EXPECT_THAT(resident({.threads = 64}, {}).error().what, HasSubstr("lanes of a wave is 0"));
}

TEST(AmdOccupancy, NamesWhatLimits) {
    const auto limits = limits_of(Family::Gcn3ToGcn5, 64, false).value();
    EXPECT_THAT(resident({.threads = 256, .vector_registers = 128}, limits).value().limiting,
                testing::ElementsAre(Resource::VectorRegisters));
    EXPECT_EQ(resident({.threads = 64, .local_memory = 65537}, limits).value().work_groups, 0);
}

TEST(AmdOccupancy, ExplainsItself) {
    const auto limits = limits_of(Family::Rdna2, 64, false).value();
    const WorkGroup group{.threads = 64, .vector_registers = 65};
    const ExplainedSymbol expected{"waves per SIMD", 7, "waves", "LLVM"};
    EXPECT_THAT(explain(group, limits, resident(group, limits).value()),
                testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::amd_occupancy
