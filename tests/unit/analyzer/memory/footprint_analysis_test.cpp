/// \file
/// What the addresses of a launch say of its lines, sectors and rows.

#include "analyzer/launch/context.hpp"
#include "analyzer/memory/footprint_analysis.hpp"
#include "analyzer/preparation.hpp"
#include "tests/unit/analyzer/analyzed.hpp"
#include "tests/unit/harness/simulator/machines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace warpbound::analyzer {
namespace {

using harness::simulator::test::set_memory;

/// A loop of five turns whose first access has a pattern; an L1 of 2 sets of 2 lines of 128 bytes,
/// two slices and channels, 4 banks with rows of 1024 bytes, sectors of 32 bytes.
std::unique_ptr<Analyzed> loop_of_accesses(const std::string& accesses,
                                           const models::AddressPattern& pattern,
                                           models::Launch launch) {
    models::FlowFacts facts;
    models::MemoryFact memory;
    memory.at = 8;
    memory.pattern = pattern;
    facts.memory.push_back(memory);
    facts.loops.push_back({8, 5, 5, {}});
    auto made =
        analyzed("MOV R2, R3; H: " + accesses + " IADD R5, R4, R5; @P0 BRA H; EXIT;", facts);
    made->architecture =
        harness::simulator::test::cached_machine(models::IssueControl::Interlocked);
    harness::simulator::test::set_class(made->architecture,
                                        {assembly::OpcodeClass::Move, "alu", 18});
    made->request.launch = launch;
    return made;
}

std::unique_ptr<Analyzed> loop_of_loads(const models::AddressPattern& pattern,
                                        models::Launch launch) {
    return loop_of_accesses("LD R4, [R2];", pattern, launch);
}

Footprint touched_in(const Analyzed& made) {
    const auto context = prepare(made.request);
    EXPECT_TRUE(context) << to_string(context.error());
    return context && context.value().memory.footprint ? *context.value().memory.footprint
                                                       : Footprint{};
}

/// Each warp reads a line of its own in the first turn, the next 256 bytes behind in the next.
constexpr models::AddressPattern stream{
    .thread_stride = 4, .warp_stride = 128, .iteration_stride = 256, .random = {}};

TEST(Footprint, CountsWhatAStreamBringsAtLeast) {
    const auto made = loop_of_loads(stream, {1, 64}); // Two warps.
    const Footprint footprint = touched_in(*made);
    // Ten lines of four sectors, in turn on both channels; every warp loads in every turn.
    EXPECT_EQ(footprint.least_load_transactions, 10);
    EXPECT_EQ(footprint.least_sectors, 20);
    EXPECT_EQ(footprint.least_store_transactions, 0);
    EXPECT_EQ(footprint.load_lines, 10);
    EXPECT_EQ(footprint.shared_lines, 0);
    EXPECT_EQ(footprint.second_sectors, 40);
    EXPECT_EQ(footprint.passes[1], (models::Interval{1, std::nullopt, 1}));
}

TEST(Footprint, CountsNothingAsSureThatMayBeSwitchedOff) {
    auto made = loop_of_loads(stream, {1, 64});
    assembly::Guard guard;
    guard.predicate.file = assembly::RegisterFile::Predicate;
    guard.predicate.index = 0;
    made->program.functions.front().instructions[1].guard = guard;
    const Footprint footprint = touched_in(*made);
    EXPECT_EQ(footprint.least_load_transactions, 0);
    EXPECT_EQ(footprint.least_sectors, 0);
    EXPECT_EQ(footprint.load_lines, 10);
}

TEST(Footprint, FindsWhatCachesNeverReplace) {
    auto pattern = stream;
    pattern.footprint = 512; // Four lines: each warp comes to two of them.
    const Footprint fits = touched_in(*loop_of_loads(pattern, {1, 64}));
    EXPECT_EQ(fits.transactions, 4);
    EXPECT_EQ(fits.new_to_warp, 2);
    ASSERT_TRUE(fits.fetched);
    EXPECT_EQ(fits.fetched->transfers, 4);
    EXPECT_EQ(fits.fetched->sectors, 16);

    pattern.footprint = 1024; // Eight lines: too many for the L1, not for the L2.
    const Footprint fits_second = touched_in(*loop_of_loads(pattern, {1, 64}));
    EXPECT_FALSE(fits_second.transactions);
    ASSERT_TRUE(fits_second.fetched);
    EXPECT_EQ(fits_second.fetched->transfers, 8);

    auto small = loop_of_loads(stream, {1, 64});
    set_memory(small->architecture, "l2", "sets", 1);
    EXPECT_FALSE(touched_in(*small).fetched); // Ten lines, of which a slice holds four.
}

TEST(Footprint, CountsALoadAsNewOnceWhereItComesBackToItsLines) {
    auto pattern = stream;
    pattern.thread_stride = 16; // Four lines, the same in each turn.
    pattern.iteration_stride = 0;
    const Footprint again = touched_in(*loop_of_loads(pattern, {1, 32}));
    EXPECT_EQ(again.transactions, 4);
    EXPECT_EQ(again.new_to_warp, 1);
}

TEST(Footprint, CountsTheWarpsThatShareALine) {
    auto pattern = stream;
    pattern.warp_stride = 0;
    EXPECT_EQ(touched_in(*loop_of_loads(pattern, {1, 96})).sharers, 3);
    pattern.iteration_stride = 0; // A warp waits for its last load: it is there once.
    EXPECT_EQ(touched_in(*loop_of_loads(pattern, {1, 96})).sharers, 3);
    const Footprint two = touched_in(*loop_of_loads(stream, {1, 96}));
    EXPECT_EQ(two.sharers, 2);          // 0, 128, 256, ..
    EXPECT_EQ(two.shared_lines, 2 * 4); // At 256, 512, 768 and 1024.
}

TEST(Footprint, CountsRowsOfOneBank) {
    // Two channels: blocks of 2048 bytes follow each other on the banks. 2048 bytes per turn: five
    // blocks, two of them on bank 0; of one warp one load is under way.
    auto pattern = stream;
    pattern.iteration_stride = 2048;
    EXPECT_EQ(touched_in(*loop_of_loads(pattern, {1, 32})).rows->of_bank, 2);
    // 8192 bytes per turn: five rows of bank 0. One load of the warp, and one that may be over.
    pattern.iteration_stride = 8192;
    EXPECT_EQ(touched_in(*loop_of_loads(pattern, {1, 32})).rows->of_bank, 2);
    // Of five warps three have their lines on the first channel.
    EXPECT_EQ(touched_in(*loop_of_loads(pattern, {1, 160})).rows->of_bank, 4);
    // Never more than a queue has room for.
    auto made = loop_of_loads(pattern, {1, 160});
    set_memory(made->architecture, "dram", "queue", 3);
    EXPECT_EQ(touched_in(*made).rows->of_bank, 3);
    set_memory(made->architecture, "dram", "banks", {4, 8});
    EXPECT_FALSE(touched_in(*made).rows);
}

TEST(Footprint, CountsTheRowsThatEachLoadWaitsForInOneBank) {
    // A line per load: one other row may be being opened in its bank. Ten loads.
    const auto one = touched_in(*loop_of_loads(stream, {1, 64})).rows;
    ASSERT_TRUE(one);
    EXPECT_EQ(one->of_loads, 10);
    // 32 lines, 8192 bytes apart: one of four rows on each of them, of the same channel. The last
    // one waits for those of the 31 others that lie in its bank, and for one that was there.
    auto pattern = stream;
    pattern.thread_stride = 8192;
    pattern.warp_stride = 0;
    const auto made = loop_of_loads(pattern, {1, 32});
    set_memory(made->architecture, "dram", "banks", 1);
    const auto apart = touched_in(*made).rows;
    ASSERT_TRUE(apart);
    EXPECT_EQ(apart->of_loads, 5 * 32);
    // 32 lines in a row open it once, beside the one that was there.
    pattern.thread_stride = 256;
    const auto behind = loop_of_loads(pattern, {1, 32});
    set_memory(behind->architecture, "dram", "banks", 1);
    set_memory(behind->architecture, "dram", "row", 8192);
    pattern.iteration_stride = 16384;
    const auto together = touched_in(*behind).rows;
    ASSERT_TRUE(together);
    EXPECT_EQ(together->of_loads, 5 * 2);
}

TEST(Footprint, CountsWhatAnL2WritesWhenItReplacesStoredLines) {
    // Ten lines of four sectors, stored once each; half of them go to each slice.
    const auto stored = [](std::int64_t sets, std::int64_t ways, const std::string& first = "") {
        auto made = loop_of_accesses(first + "ST [R2], R4;", stream, {1, 64});
        set_memory(made->architecture, "l2", "sets", sets);
        set_memory(made->architecture, "l2", "ways", ways);
        return made;
    };
    const auto fits = touched_in(*stored(1, 5));
    ASSERT_TRUE(fits.writebacks);
    EXPECT_EQ(fits.writebacks->transfers, 0);
    EXPECT_EQ(fits.rows->of_bank, 0); // DRAM is not used.
    // All but what the slices still hold at the end.
    const auto replaced = touched_in(*stored(1, 2));
    ASSERT_TRUE(replaced.writebacks);
    EXPECT_EQ(replaced.writebacks->transfers, 2 * (5 - 2));
    EXPECT_EQ(replaced.writebacks->sectors, 2 * (5 - 2) * 4);
    EXPECT_EQ(replaced.writebacks->most_sectors, 4);
    EXPECT_EQ(replaced.rows->of_bank, 1);
    // A set is another one: three of five lines go to the first.
    EXPECT_EQ(touched_in(*stored(2, 2)).writebacks->transfers, 2);
    for (const char* flag : {"write-allocate", "write-back"}) {
        const auto made = stored(1, 5);
        set_memory(made->architecture, "l2", flag, {0, 1});
        EXPECT_FALSE(touched_in(*made).writebacks) << flag;
    }
    const auto made = stored(1, 5);
    set_memory(made->architecture, "l2", "slices", {1, 2});
    EXPECT_FALSE(touched_in(*made).writebacks);
}

TEST(Footprint, CountsLoadsThatPutStoredLinesOut) {
    // One line is stored, in each of five turns; as many lines are loaded beside it.
    auto made = loop_of_accesses("ST [R2], R4;", stream, {1, 32});
    made->facts.memory[0].pattern->iteration_stride = 0;
    EXPECT_EQ(touched_in(*made).writebacks->transfers, 0);
    made = loop_of_accesses("ST [R2], R4; LD R4, [R2];", stream, {1, 32});
    made->facts.memory[0].pattern->iteration_stride = 0;
    models::MemoryFact load;
    load.at = 16;
    load.pattern = stream;
    load.pattern->base = 1U << 20U;
    made->facts.memory.push_back(load);
    for (const auto& [memory, name, value] :
         {std::tuple{"l2", "slices", 1}, {"dram", "channels", 1}, {"l2", "sets", 1}})
        set_memory(made->architecture, memory, name, value);
    // Six lines; each turn stores the line and brings another.
    EXPECT_EQ(touched_in(*made).writebacks->transfers, 5);
    set_memory(made->architecture, "l2", "ways", 5);
    EXPECT_EQ(touched_in(*made).writebacks->transfers, 5);
    set_memory(made->architecture, "l2", "ways", 6);
    EXPECT_EQ(touched_in(*made).writebacks->transfers, 0);
}

TEST(Footprint, GivesALowerBoundByTheBusiestChannel) {
    // 16 warps, five turns: 80 lines of four sectors, half of them on each channel. All but the
    // last transfer, which brings four sectors, take 4 cycles a sector, and it has 400 cycles.
    const auto made = loop_of_loads(
        {.thread_stride = 4, .warp_stride = 128, .iteration_stride = 2048, .random = {}}, {1, 512});
    const auto bounds = made->run();
    ASSERT_TRUE(bounds) << to_string(bounds.error());
    EXPECT_GE(bounds.value().execution_time.lower.proved.count(), (160 - 4) * 4 + 400);
    set_memory(made->architecture, "dram", "row-hit", 20);
    const auto slower = made->run();
    ASSERT_TRUE(slower) << to_string(slower.error());
    EXPECT_EQ(slower.value().execution_time.lower.proved.count(), (160 - 4) * 20 + 400);
}

} // namespace
} // namespace warpbound::analyzer
