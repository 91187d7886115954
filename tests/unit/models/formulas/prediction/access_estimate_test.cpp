#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/access_estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::prediction {
namespace {

using assembly::OpcodeClass;
using testing::Contains;
using testing::HasSubstr;

/// L1: 4 sets of 2 ways of 128 bytes; L2: 64 lines.
Architecture cached() {
    Architecture machine = load_architecture("fermi-gtx470").value();
    const std::pair<const char*, std::int64_t> values[] = {
        {"memories/l1/line", 128}, {"memories/l1/sector", 128}, {"memories/l1/sets", 4},
        {"memories/l1/ways", 2},   {"memories/l2/line", 128},   {"memories/l2/sector", 32},
        {"memories/l2/slices", 2}, {"memories/l2/sets", 8},     {"memories/l2/ways", 4}};
    for (const auto& [path, number] : values)
        EXPECT_TRUE(override_value(machine, path, number).has_value()) << path;
    return machine;
}

ProfileStep access(OpcodeClass opcode_class, std::int64_t address, const AddressPattern& pattern) {
    ProfileStep step;
    step.opcode_class = opcode_class;
    step.passes.reset();
    step.bytes_per_lane = 4;
    step.address = address;
    step.pattern = pattern;
    return step;
}

/// `iterations` executions of one load by `warps` warps of one block.
AccessEstimate of_load(const AddressPattern& pattern, std::int64_t iterations, std::int64_t warps,
                       const Architecture& machine = cached()) {
    Steps steps;
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration)
        steps.push_back(access(OpcodeClass::LoadGlobal, 0, pattern));
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    const auto found = estimate_accesses(steps, {.warps_per_block = warps}, inputs);
    EXPECT_TRUE(inputs.missing().empty()) << inputs.missing().front();
    return found.at(0).value();
}

// One line, the same at all of ten iterations: the first comes from DRAM, nine hit.
TEST(AccessEstimate, MissesOnceAndHitsAfterwards) {
    const auto found = of_load({.thread_stride = 4, .random = {}}, 10, 1);
    EXPECT_EQ(found.passes, 1);
    EXPECT_DOUBLE_EQ(found.shares->dram, 0.1);
    EXPECT_DOUBLE_EQ(found.shares->l1, 0.9);
    EXPECT_DOUBLE_EQ(found.transactions, 0.1);
    EXPECT_DOUBLE_EQ(found.dram_bytes, 12.8);
}

// Four warps at one step: the first fetches the line, three wait for it, none sends again.
TEST(AccessEstimate, MergesWarpsThatRequestAnOutstandingLine) {
    const auto found = of_load({.thread_stride = 4, .random = {}}, 1, 4);
    EXPECT_DOUBLE_EQ(found.transactions, 0.25);
    EXPECT_DOUBLE_EQ(found.shares->dram, 1);
}

// 16 lines cyclically: too many for the 8 of the L1, few enough for the 64 of the L2.
TEST(AccessEstimate, FindsInTheL2WhatTheL1CannotHold) {
    const auto found = of_load(
        {.thread_stride = 4, .iteration_stride = 128, .footprint = 2048, .random = {}}, 64, 1);
    EXPECT_DOUBLE_EQ(found.shares->dram, 0.25);
    EXPECT_DOUBLE_EQ(found.shares->l2, 0.75);
    EXPECT_DOUBLE_EQ(found.transactions, 1);
    EXPECT_DOUBLE_EQ(found.dram_transfers, 0.25);
}

// 32 lines each: the result waits for the farthest, and each line is a pass.
TEST(AccessEstimate, CountsTheFarthestLineOfAnAccess) {
    const auto found =
        of_load({.thread_stride = 128, .iteration_stride = 1 << 20, .random = {}}, 4, 1);
    EXPECT_EQ(found.passes, 32);
    EXPECT_EQ(found.transactions, 32);
    EXPECT_EQ(found.miss_registers, 32);
    EXPECT_EQ(found.shares->dram, 1);
}

// Sectors of 32 bytes: one word takes one register and moves 32 bytes, a whole line four.
TEST(AccessEstimate, TakesARegisterForEachSector) {
    Architecture machine = cached();
    ASSERT_TRUE(override_value(machine, "memories/l1/sector", 32).has_value());
    const auto word = of_load({.iteration_stride = 128, .random = {}}, 4, 1, machine);
    EXPECT_EQ(word.miss_registers, 1);
    EXPECT_EQ(word.dram_bytes, 32);
    const auto line =
        of_load({.thread_stride = 4, .iteration_stride = 128, .random = {}}, 4, 1, machine);
    EXPECT_EQ(line.miss_registers, 4);
    EXPECT_EQ(line.transactions, 1);
}

TEST(AccessEstimate, LetsStoresFillTheL2Only) {
    const AddressPattern pattern{.thread_stride = 4, .random = {}};
    const Steps steps{access(OpcodeClass::StoreGlobal, 0, pattern),
                      access(OpcodeClass::LoadGlobal, 8, pattern)};
    const Architecture machine = cached();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    const auto found = estimate_accesses(steps, {}, inputs);
    EXPECT_EQ(found.at(0)->transactions, 1);
    EXPECT_FALSE(found.at(0)->shares.has_value());
    EXPECT_EQ(found.at(1)->shares->l2, 1);
}

TEST(AccessEstimate, CountsExecutionsByInstruction) {
    // Each instruction goes on by a line at each of its executions, whatever is between.
    const AddressPattern pattern{.thread_stride = 4, .iteration_stride = 128, .random = {}};
    AddressPattern elsewhere = pattern;
    elsewhere.base = 1 << 20;
    Steps steps;
    for (int iteration = 0; iteration < 3; ++iteration) {
        steps.push_back(access(OpcodeClass::LoadGlobal, 0, pattern));
        steps.push_back(access(OpcodeClass::LoadGlobal, 8, elsewhere));
    }
    const Architecture machine = cached();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    for (const auto& found : estimate_accesses(steps, {}, inputs))
        EXPECT_EQ(found->shares->dram, 1);
}

// Shared memory: passes only. Word stride 2 on 32 banks.
TEST(AccessEstimate, CountsBankConflicts) {
    const Steps steps{access(OpcodeClass::LoadShared, 0, {.thread_stride = 8, .random = {}})};
    const Architecture machine = load_architecture("fermi-gtx470").value();
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    const auto found = estimate_accesses(steps, {}, inputs);
    EXPECT_EQ(found.at(0)->passes, 2);
    EXPECT_FALSE(found.at(0)->through_caches);
}

TEST(AccessEstimate, LetsStatedRatesReplaceItsLevels) {
    const Steps steps{access(OpcodeClass::LoadGlobal, 0, {.thread_stride = 8, .random = {}})};
    const Architecture machine = cached();
    Stated stated;
    ASSERT_TRUE(stated.set("l1-miss-rate", 0.5).has_value());
    Inputs inputs{machine, stated, Variant::Typical};
    const auto found = estimate_accesses(steps, {}, inputs);
    EXPECT_EQ(found.at(0)->passes, 2);
    EXPECT_FALSE(found.at(0)->shares.has_value());
}

TEST(AccessEstimate, NeedsNoCachesWhereRatesAreStated) {
    Architecture machine = load_architecture("fermi-gtx470").value();
    ASSERT_TRUE(override_value(machine, "memories/l1/line", 128).has_value());
    Stated stated;
    ASSERT_TRUE(stated.set("l1-miss-rate", 0.5).has_value());
    Inputs inputs{machine, stated, Variant::Typical};
    const Steps steps{access(OpcodeClass::LoadGlobal, 0, {.thread_stride = 8, .random = {}})};
    EXPECT_EQ(estimate_accesses(steps, {}, inputs).at(0)->passes, 2);
    EXPECT_THAT(inputs.missing(), testing::IsEmpty());
}

// Sizes of a stranger's file: each is named, none is computed with.
TEST(AccessEstimate, NamesSizesThatNoCacheHas) {
    struct Row {
        const char* path;
        std::int64_t number;
        const char* named;
    };
    for (const auto& [path, number, named] :
         {Row{"memories/l1/sets", 99'999'999, "memories/l1/sets of 1 to"},
          Row{"memories/l1/ways", 99'999'999'999, "memories/l1/ways of 1 to"},
          Row{"memories/l1/sector", 1, "memories/l1/line and sector as powers of two"},
          Row{"memories/l1/sector", 48, "memories/l1/line and sector as powers of two"},
          Row{"memories/l2/line", 64, "memories/l2/line of at least a line of the L1"},
          Row{"memories/l2/slices", 1 << 23, "memories/l2/sets in all slices"},
          Row{"memories/l1/line", 48, "memories/l1/line is 48"},
          Row{"geometry/warp-size", 128, "warps of 128 lanes"}}) {
        Architecture machine = cached();
        ASSERT_TRUE(override_value(machine, path, number).has_value()) << path;
        const Stated stated;
        Inputs inputs{machine, stated, Variant::Typical};
        const Steps steps{access(OpcodeClass::LoadGlobal, 0, {.thread_stride = 4, .random = {}})};
        EXPECT_TRUE(estimate_accesses(steps, {}, inputs).empty()) << path;
        EXPECT_THAT(inputs.missing(), Contains(HasSubstr(named))) << path;
    }
}

// Values that the description lacks are named as missing and give no estimate.
TEST(AccessEstimate, NamesOnlyWhatIsMissing) {
    for (const char* path : {"memories/l1/line", "memories/l2/line"}) {
        Architecture machine = cached();
        ASSERT_TRUE(set_value(machine, path, SourcedValue{}).has_value()) << path;
        const Stated stated;
        Inputs inputs{machine, stated, Variant::Typical};
        const Steps steps{access(OpcodeClass::LoadGlobal, 0, {.thread_stride = 4, .random = {}})};
        EXPECT_TRUE(estimate_accesses(steps, {}, inputs).empty()) << path;
        EXPECT_THAT(inputs.missing(), testing::ElementsAre(HasSubstr(path)));
    }
}

// Whether the lines of an access are found anew or taken from one that lies alike, they are the
// same: where the strides are beyond any memory, each is found anew.
TEST(AccessEstimate, FindsTheSameWhereAccessesLieAlike) {
    for (const std::uint64_t stride : {4U, 12U, 36U, 100U, 132U, 260U})
        for (const std::uint64_t base : {0U, 20U, 4090U}) {
            const AddressPattern pattern{.base = base,
                                         .thread_stride = stride,
                                         .warp_stride = 132,
                                         .iteration_stride = 68,
                                         .random = {}};
            AddressPattern at_the_end = pattern;
            at_the_end.base = (std::uint64_t{1} << 48U) - (1U << 20U) + base;
            at_the_end.row = 1; // One lane a row: the same lanes, but strides beyond any memory.
            at_the_end.row_stride = stride + (std::uint64_t{1} << 47U) * 2;
            const auto one = of_load(pattern, 16, 4);
            const auto other = of_load(at_the_end, 16, 4);
            EXPECT_EQ(one.passes, other.passes) << stride << " " << base;
            EXPECT_EQ(one.transactions, other.transactions) << stride << " " << base;
            EXPECT_EQ(one.shares->l1, other.shares->l1) << stride << " " << base;
            EXPECT_EQ(one.shares->dram, other.shares->dram) << stride << " " << base;
        }
}

// Without sets the L1 is one set of its size, and the L2 takes SDCM.
TEST(AccessEstimate, NeedsNoMoreThanSizes) {
    Architecture machine = load_architecture("fermi-gtx470").value();
    for (const auto& [path, number] :
         {std::pair{"memories/l1/line", 128}, std::pair{"memories/l1/size", 1024},
          std::pair{"memories/l2/line", 128}, std::pair{"memories/l2/size", 4096},
          std::pair{"memories/l2/ways", 4}})
        ASSERT_TRUE(override_value(machine, path, number).has_value());
    const auto found =
        of_load({.thread_stride = 4, .iteration_stride = 128, .footprint = 2048, .random = {}}, 64,
                1, machine);
    EXPECT_EQ(found.shares->l1, 0);
    // 15 other lines lie between two uses: P(15 | 32 lines, 4 ways) = 0.8921, 48 times of 64.
    EXPECT_NEAR(found.shares->l2, 0.75 * 0.8921, 1e-4);
}

TEST(AccessEstimate, NamesTheCacheThatIsNotDescribed) {
    Architecture machine = load_architecture("maxwell-gtx970").value();
    const Steps steps{access(OpcodeClass::LoadGlobal, 0, {.random = {}})};
    const Stated stated;
    Inputs inputs{machine, stated, Variant::Typical};
    EXPECT_TRUE(estimate_accesses(steps, {}, inputs).empty());
    EXPECT_THAT(inputs.missing(), Contains(HasSubstr("memories/l1/line")));
}

} // namespace
} // namespace warpbound::models::prediction
