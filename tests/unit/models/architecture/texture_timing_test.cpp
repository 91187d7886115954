/// \file
/// Timing of accesses to textures and surfaces (C101).

#include "assembly/isa/reader.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "tests/unit/models/architecture/timed_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::models {
namespace {

/// The machine with a class for textures; 32 lanes.
Architecture with_textures() {
    Architecture made = timed::machine(IssueControl::Encoded);
    made.classes[assembly::OpcodeClass::Texture] = {
        .unit = "path",
        .values = {.name = {},
                   .values = {timed::value("initiation", 1, 64),
                              timed::value("line-interval", 1, 4), timed::value("pass-cost", 1, 8),
                              timed::value("source-read", 1, 80),
                              timed::value("latency", 38, 200)}}};
    made.classes[assembly::OpcodeClass::AtomicGlobal].values.values.push_back(
        timed::value("pass-cost", 1, 8));
    return made;
}

assembly::Instruction texture_instruction(const std::string& statement) {
    const auto program =
        assembly::read_program({.name = "listing", .text = "!Arch sm_75\n" + statement + ";\n"});
    auto read = program.value().functions.front().instructions.front();
    read.control.emplace();
    read.address = 0x10;
    return read;
}

InstructionTiming texture_timing(const char* statement, const FlowFacts& facts = {}) {
    const auto read = texture_instruction(statement);
    return timed::timing_of(read, with_textures(), facts).value();
}

// C101, by hand. DRAM is at most 500 cycles away.
TEST(TextureTiming, OfATextureCountsTexelsSamplesAndHandles) {
    const auto fetch = texture_timing("TLD.SCR.LZ RZ, R5, R0, 0x0, 0x5a, 1D, 0x1");
    EXPECT_EQ(fetch.passes, (Interval{1, std::nullopt, 32}));
    EXPECT_EQ(fetch.latency, (Interval{38, std::nullopt, 200 + 2 * 500}));
    EXPECT_EQ(occupancy_of_port(fetch), (Interval{1, std::nullopt, 32 * 4}));
    const auto nearest = texture_timing("TEX.SCR.LZ R6, R4, R4, R5, 0x0, 0x5a, 2D");
    EXPECT_EQ(nearest.passes.hi, 32 * 4);
    EXPECT_EQ(nearest.initiation.hi, 64);
    const auto blended = texture_timing("TEX.SCR.LL R6, R4, R4, R6, 0x0, 0x5a, 3D"); // 4 samples
    EXPECT_EQ(blended.passes.hi, 32 * 16);
    EXPECT_EQ(blended.initiation.hi, 4 * 64);
    EXPECT_EQ(blended.latency.hi, 200 + 3 * 64 + 2 * 500);
    const auto stretched = texture_timing("TXD R10, R8, R4, R8, 0x0, 0x5a, 2D"); // 32 samples
    EXPECT_EQ(stretched.passes.hi, 32 * 128);
    EXPECT_EQ(stretched.latency.hi, 200 + 31 * 64 + 2 * 500);
    const auto handles = texture_timing("TLD.SCR.B.LZ RZ, R11, R13, R10, 1D, 0x1");
    EXPECT_EQ(handles.latency, (Interval{38, std::nullopt, 32 * (200 + 2 * 500)}));
    EXPECT_EQ(handles.initiation, (Interval{1, std::nullopt, 32 * 64}));
}

TEST(TextureTiming, OfASurfaceIsThatOfAStoreOrAnAtomicOnTheTexturePath) {
    const auto store = texture_timing("SUST.D.BA.2D.128.STRONG.CTA.TRAP [R4], R8, 0x0, 0x5a");
    EXPECT_TRUE(store.enters_write_buffer);
    EXPECT_EQ(store.passes.hi, 32);
    EXPECT_EQ(store.initiation.hi, 64);
    EXPECT_EQ(store.latency.hi, 0);
    const auto reduction = texture_timing("SURED.D.BA.2D.ADD.STRONG.SYS.TRAP [R4], R2, 0x0, 0x5a");
    EXPECT_TRUE(is_atomic_at_l2(reduction));
    EXPECT_FALSE(reduction.enters_write_buffer);
    EXPECT_EQ(reduction.passes.hi, 32);
}

TEST(TextureTiming, OfATextureFollowsLevelAndTransactionsOfItsFact) {
    const char* const statement = "TEX.SCR.LZ R6, R4, R4, R5, 0x0, 0x5a, 2D";
    FlowFacts facts;
    facts.memory.emplace_back();
    facts.memory.front().at = 0x10;
    facts.memory.front().transactions = CountRange{2, 6};
    facts.memory.front().level = MemoryLevel::L1;
    const auto near = texture_timing(statement, facts);
    EXPECT_EQ(near.passes, (Interval{2, std::nullopt, 6}));
    EXPECT_EQ(near.latency, (Interval{38, std::nullopt, 200}));
    facts.memory.front().level = MemoryLevel::L2;
    EXPECT_EQ(texture_timing(statement, facts).latency.hi, 200 + 2 * 230);
    facts.memory.front().pattern.emplace();
    EXPECT_THAT(
        timed::timing_of(texture_instruction(statement), with_textures(), facts).error().what,
        testing::HasSubstr("state the lines"));
}

} // namespace
} // namespace warpbound::models
