// Traces that do not match the listing or the launch are refused with their position; and the
// meaning of gaps, masks and the order of lanes in a trace.

#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "harness/trace/recorded_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace warpbound::harness::trace {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string listing_text = R"(!Kernel k
S2R R0, SR_TID.X;
@P0 BRA far;
IADD R1, R0, 0x1;
@P1 ST [R2], R1;
far:
BAR.SYNC 0x0;
LD R4, [R2];
EXIT;
!EndKernel
)";

constexpr std::int64_t first_line =
    9; ///< Line in the file of the first instruction of the first warp.

class RecordedRefusal : public testing::Test {
protected:
    explicit RecordedRefusal(int sm = 20) {
        program_ =
            assembly::read_program({"k.sass", fmt::format("!Arch sm_{}\n{}", sm, listing_text)})
                .value();
        function_ = &program_.functions.front();
        graph_ = assembly::build_control_flow_graph(*function_).value();
    }

    /// A trace of one block; instructions per warp. `step`: 8 bytes, 16 from sm_70 on.
    static std::string trace_of(const std::vector<std::vector<std::string>>& warps,
                                int threads = 32) {
        std::string text = fmt::format("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = "
                                       "({},1,1)\n-accelsim tracer version = 5\n#BEGIN_TB\n"
                                       "thread block = 0,0,0",
                                       threads);
        for (std::size_t warp = 0; warp < warps.size(); ++warp)
            text += fmt::format("\nwarp = {} \ninsts = {}\n{}", warp, warps[warp].size(),
                                fmt::join(warps[warp], "\n"));
        return text + "\n#END_TB\n";
    }
    Result<std::unique_ptr<RecordedTrace>> open(const std::string& text) const {
        return RecordedTrace::open(TraceBytes{{"k.traceg", text}}, {function_, &graph_, "k.sass"});
    }
    Failure refusal(const std::string& text) const {
        const auto opened = open(text);
        return opened ? Failure{"accepted", ""} : opened.error();
    }
    /// The stretches of warp 0: "0-1:ffffffff".
    std::vector<std::string> stream(const std::vector<std::string>& issues) const {
        const auto opened = open(trace_of({issues}));
        EXPECT_TRUE(opened) << to_string(opened.error());
        std::vector<std::string> words;
        if (!opened) return words;
        for (const auto& stretch : opened.value()->block(0).value()->warps[0].stretches)
            words.push_back(fmt::format("{}-{}:{:x}{}", stretch.first, stretch.last, stretch.lanes,
                                        stretch.transferred ? "!" : ""));
        return words;
    }

    assembly::Program program_;
    const assembly::Function* function_ = nullptr;
    assembly::ControlFlowGraph graph_;
};

class RecordedRefusalSm75 : public RecordedRefusal {
protected:
    RecordedRefusalSm75() : RecordedRefusal{75} {}
};

const std::string s2r = "0000 ffffffff 1 R0 S2R 0 0";
const std::string not_taken = "0008 00000000 0 BRA 0 0";
const std::string add = "0010 ffffffff 1 R1 IADD 1 R0 0";
const std::string off = "0018 00000000 0 ST 2 R2 R1 4 0";
const std::string bar = "0020 ffffffff 0 BAR.SYNC 0 0";
const std::string load = "0028 ffffffff 1 R4 LD 1 R2 4 1 0x1000 4";
const std::string end = "0030 ffffffff 0 EXIT 0 0";

using testing::ElementsAre;

TEST_F(RecordedRefusal, AcceptsAConvergedWarp) {
    EXPECT_THAT(stream({s2r, not_taken, add, off, bar, load, end}),
                ElementsAre("0-1:ffffffff!", "2-3:ffffffff", "4-6:ffffffff"));
    EXPECT_THAT(stream({s2r, "0008 ffffffff 0 BRA 0 0", bar, load, end}),
                ElementsAre("0-1:ffffffff!", "4-6:ffffffff!"));
}

// The masks of a branch determine the path of each lane, whatever the later issue order; lanes that
// have passed BAR wait for the others.
TEST_F(RecordedRefusal, FollowsLanesInTheOrderOfTheTrace) {
    EXPECT_THAT(stream({s2r, "0008 0000ffff 0 BRA 0 0", "0010 ffff0000 1 R1 IADD 1 R0 0",
                        "0020 0000ffff 0 BAR.SYNC 0 0", "0018 00ff0000 0 ST 2 R2 R1 4 1 0x0 4",
                        "0020 ffff0000 0 BAR.SYNC 0 0", load, end}),
                ElementsAre("0-1:ffffffff!", "2-2:ffff0000", "4-4:ffff!", "3-3:ffff0000!",
                            "4-4:ffff0000", "5-6:ffffffff"));
}

TEST_F(RecordedRefusal, ReportsThePositionOfAMismatch) {
    struct Case {
        std::vector<std::string> issues;
        std::int64_t line; ///< Line of warp 0, from 0 on.
        std::vector<std::string> words;
    };
    const Case cases[] = {
        {{s2r, "0400 ffffffff 0 NOP 0 0"}, 1, {"0x0400 is no instruction of kernel 'k' in k.sass"}},
        {{"0000 ffffffff 1 R0 MOV 0 0"}, 0, {"MOV at 0x0000, where the listing has S2R", ":3)"}},
        {{"0000 ffffffff 1 R7 S2R 0 0"}, 0, {"S2R at 0x0000 writes R7", "S2R (k.sass:3) with R0"}},
        {{"0000 ffffffff 0 S2R 0 0"}, 0, {"writes no general register"}},
        {{s2r, add}, 1, {"no lane of warp 0 of block 0,0,0 can be there; they continue at 0x0008"}},
        {{"0000 0000ffff 1 R0 S2R 0 0", "0000 00ff0000 1 R0 S2R 0 0", "0008 ffff0000 0 BRA 0 0"},
         2,
         {"lanes 0xff000000 of warp 0", "cannot be there"}},
        {{"0000 00000000 1 R0 S2R 0 0"}, 0, {"it is recorded for no lane and has no guard"}},
        {{s2r, not_taken, "0020 ffffffff 0 BAR.SYNC 0 0"}, 2, {"they continue at 0x0010"}},
        {{s2r, not_taken, add, "0018 ffffffff 0 ST 2 R2 R1 0"}, 3, {"executes without addresses"}},
        {{s2r, not_taken, add, off, bar, load, "0030 0000ffff 0 EXIT 0 0"},
         6,
         {"the recording of warp 0 of block 0,0,0 ends before lanes 0xffff0000, which continue at "
          "0x0030"}},
        {{s2r, not_taken, add, off, bar, load, "0030 0000ffff 0 EXIT 0 0",
          "0030 ffff8000 0 EXIT 0 0"},
         7,
         {"lanes 0x00008000 have exited"}},
        {{s2r, not_taken, add, off, bar, load}, 5, {"ends before lanes 0xffffffff"}},
    };
    for (const auto& [issues, line, words] : cases) {
        const Failure failure = refusal(trace_of({issues}));
        EXPECT_EQ(failure.where, "k.traceg") << failure.what;
        EXPECT_EQ(failure.line, first_line + line) << failure.what;
        for (const std::string& word : words)
            EXPECT_THAT(failure.what, HasSubstr(word));
    }
}

TEST_F(RecordedRefusal, AllowsOnlyLanesThatHaveAThread) {
    const std::vector<std::string> whole{s2r, not_taken, add, off, bar, load, end};
    std::vector<std::string> half;
    for (std::string line : whole)
        half.push_back(line.replace(5, 4, "0000"));
    EXPECT_TRUE(open(trace_of({half}, 16)));
    EXPECT_THAT(refusal(trace_of({whole}, 16)).what,
                HasSubstr("lanes 0xffff0000 are not of warp 0 of block 0,0,0, which has "
                          "0x0000ffff"));
}

TEST_F(RecordedRefusal, RequiresEveryWarpAndBlockOfTheLaunch) {
    const std::vector<std::string> whole{s2r, not_taken, add, off, bar, load, end};
    EXPECT_THAT(refusal(trace_of({whole, {}}, 64)).what,
                HasSubstr("warp 1 of block 0,0,0 has no instructions"));
    EXPECT_THAT(refusal(trace_of({whole}, 64)).what,
                HasSubstr("warp 1 of block 0,0,0 is not recorded"));
    std::string two = trace_of({whole});
    two.replace(two.find("(1,1,1)"), 7, "(1,2,1)");
    EXPECT_THAT(refusal(two).what, HasSubstr("block 0,1,0 is not recorded; expected all 2"));
    two.replace(two.find("(1,2,1)"), 7, "(1,9999999,1)");
    EXPECT_THAT(refusal(two).what, HasSubstr("a grid of more than"));
    EXPECT_THAT(refusal(trace_of({})).what, HasSubstr("warp 0 of block 0,0,0 is not recorded"));
    EXPECT_THAT(refusal("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (1,1,1)\n").what,
                HasSubstr("no block is recorded"));
    EXPECT_THAT(refusal("").what, HasSubstr("expected the lines -kernel name"));
}

TEST_F(RecordedRefusal, RequiresTheKernelAndTheMachineOfTheListing) {
    std::string other = trace_of({{s2r}});
    other.replace(other.find("= k\n"), 4, "= j\n");
    EXPECT_THAT(refusal(other).what, HasSubstr("a trace of kernel 'j'; 'k' of k.sass"));
    const std::string newer = "-binary version = 75\n" + trace_of({{s2r}});
    EXPECT_THAT(refusal(newer).what, HasSubstr("a trace of sm_75 code; k.sass has sm_20"));
}

// From sm_70 on threads arrive individually (C9).
TEST_F(RecordedRefusalSm75, RefusesABarrierThatPartOfTheLanesReach) {
    const Failure failure =
        refusal(trace_of({{s2r, "0010 0000ffff 0 BRA 0 0", "0040 0000ffff 0 BAR.SYNC 0 0"}}));
    EXPECT_EQ(failure.line, first_line + 2);
    EXPECT_THAT(failure.what, AllOf(HasSubstr("lanes 0x0000ffff of 0xffffffff reach it"),
                                    HasSubstr("from sm_70 on")));
}

// The second warp ends without reaching the barrier that counts two warps.
TEST_F(RecordedRefusal, ExplainsADeadlock) {
    program_ = assembly::read_program({"k.sass", "!Kernel k\n@P0 BRA out;\nBAR.SYNC 0x0, 0x40;\n"
                                                 "out:\nEXIT;\n!EndKernel\n"})
                   .value();
    function_ = &program_.functions.front();
    graph_ = assembly::build_control_flow_graph(*function_).value();
    const auto opened = open(trace_of(
        {{"0000 00000000 0 BRA 0 0", "0008 ffffffff 0 BAR.SYNC 0 0", "0010 ffffffff 0 EXIT 0 0"},
         {"0000 ffffffff 0 BRA 0 0", "0010 ffffffff 0 EXIT 0 0"}},
        64));
    ASSERT_TRUE(opened) << to_string(opened.error());
    const auto machine = models::load_architecture("fermi-gtx470").value();
    const RecordedTrace& trace = *opened.value();
    const auto prepared = simulator::Machine::prepare(
        machine, {function_, &graph_, &trace.facts(), trace.launch(), &trace});
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    const auto run = prepared.value()->run({});
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().what, HasSubstr("deadlock"));
    EXPECT_THAT(prepared.value()->run({.seed = 1, .draw = {}, .path = {0}}).error().what,
                HasSubstr("a recorded launch has its own paths"));
}

// Both addresses of an LDGSTS are recorded, one per line; the one of global memory is used.
TEST_F(RecordedRefusal, UsesTheSecondAddressOfAnLdgsts) {
    program_ = assembly::read_program({"k.sass", "!Arch sm_80\n!Kernel k\nLDGSTS.E [R8], [R2];\n"
                                                 "EXIT;\n!EndKernel\n"})
                   .value();
    function_ = &program_.functions.front();
    graph_ = assembly::build_control_flow_graph(*function_).value();
    const auto opened = open(
        trace_of({{"0000 ffffffff 0 LDGSTS.E 2 R8 R2 4 1 0x100 4",
                   "0000 ffffffff 0 LDGSTS.E 2 R8 R2 4 1 0x7000 4", "0010 ffffffff 0 EXIT 0 0"}}));
    ASSERT_TRUE(opened) << to_string(opened.error());
    EXPECT_EQ(opened.value()->instructions(), 2);
    const auto block = opened.value()->block(0).value();
    ASSERT_EQ(block->warps[0].accesses.size(), 1U);
    EXPECT_EQ(block->warps[0].accesses[0].base, 0x7000U);
}

// The lanes that issue a guarded instruction are those of the next unguarded one; the second line
// of an LDGSTS is not an instruction.
TEST_F(RecordedRefusal, SkipsTheLinesOfAnLdgstsToFindTheLanesOfAGuardedInstruction) {
    program_ =
        assembly::read_program({"k.sass", "!Arch sm_80\n!Kernel k\n@P0 LDGSTS.E [R8], [R2];\n"
                                          "@P1 IADD3 R1, R0, 0x1, RZ;\nMOV R4, R5;\n"
                                          "EXIT;\n!EndKernel\n"})
            .value();
    function_ = &program_.functions.front();
    graph_ = assembly::build_control_flow_graph(*function_).value();
    const auto opened = open(trace_of(
        {{"0000 0000000f 0 LDGSTS.E 2 R8 R2 4 1 0x100 4",
          "0000 0000000f 0 LDGSTS.E 2 R8 R2 4 1 0x7000 4", "0010 000000ff 1 R1 IADD3 1 R0 0",
          "0020 0000ffff 1 R4 MOV 1 R5 0", "0030 0000ffff 0 EXIT 0 0"}},
        16));
    ASSERT_TRUE(opened) << to_string(opened.error());
    const auto block = opened.value()->block(0).value();
    ASSERT_EQ(block->warps[0].stretches.size(), 1U);
    EXPECT_EQ(block->warps[0].stretches[0].lanes, 0xffffU);
}

TEST_F(RecordedRefusal, UnpacksAddressesForTheLanesThatAccess) {
    const auto opened = open(trace_of({{s2r, not_taken, add,
                                        "0018 00000106 0 ST 2 R2 R1 4 0 0x10 "
                                        "0x20 0xffff000000000008",
                                        bar, load, end}}));
    ASSERT_TRUE(opened) << to_string(opened.error());
    const auto block = opened.value()->block(0).value();
    const auto store = block->warps[0].addresses(0, 4);
    EXPECT_EQ(store.active, 0x106U);
    EXPECT_EQ(store.address[1], 0x10U);
    EXPECT_EQ(store.address[2], 0x20U);
    EXPECT_EQ(store.address[8], 0x8U) << "addresses have 48 bits";
    EXPECT_EQ(block->warps[0].addresses(1, 4).address[31], 0x1000U + 31 * 4);
    EXPECT_EQ(block->warps[0].executing, std::vector<RecordedLanes>{0x106U});
}

// Where a byte of a trace of several blocks is changed or the end is missing, any number of threads
// finds the same first error.
TEST_F(RecordedRefusal, DoesNotDependOnTheNumberOfThreads) {
    std::string text = trace_of({{s2r, not_taken, add, off, bar, load, end}});
    const std::string block = text.substr(text.find("#BEGIN_TB"));
    text.replace(text.find("(1,1,1)"), 7, "(5,1,1)");
    for (int number = 1; number < 5; ++number) {
        std::string next = block;
        next.replace(next.find("0,0,0"), 1, std::to_string(number));
        text += next;
    }
    const auto outcome = [&](const std::string& of, unsigned threads) {
        const auto opened =
            RecordedTrace::open(TraceBytes{{"k.traceg", of}}, {function_, &graph_, "k.sass"},
                                RecordedTrace::default_kept_limit, {}, threads);
        return opened ? fmt::format("{} instructions", opened.value()->instructions())
                      : to_string(opened.error());
    };
    EXPECT_EQ(outcome(text, 3), "35 instructions");
    std::mt19937_64 random{5};
    std::set<std::string> outcomes;
    for (int change = 0; change < 400; ++change) {
        std::string changed = text;
        const std::size_t at = random() % text.size();
        if (change % 5 == 0)
            changed.resize(at);
        else
            changed[at] = "0f#\n -="[random() % 7];
        const std::string one = outcome(changed, 1);
        EXPECT_EQ(one, outcome(changed, 3));
        outcomes.insert(one);
    }
    EXPECT_GT(outcomes.size(), 50U);
    std::string twice = text;
    twice.replace(twice.rfind("4,0,0"), 1, "2");
    EXPECT_EQ(outcome(twice, 3), "k.traceg:54:1: the block appears twice");
}

// A file of which no block is kept is read again during the run.
TEST_F(RecordedRefusal, NoticesAFileThatChanges) {
    const std::string path = testing::TempDir() + "changing.traceg";
    const std::string text = trace_of({{s2r, not_taken, add, off, bar, load, end}});
    std::ofstream{path} << text;
    const auto opened =
        RecordedTrace::open(TraceBytes::open(path).value(), {function_, &graph_, "k.sass"}, 0);
    ASSERT_TRUE(opened) << to_string(opened.error());
    EXPECT_EQ(opened.value()->blocks_read_again(), 1);
    EXPECT_EQ(opened.value()->facts().digest, assembly::digest_of(text));
    ASSERT_TRUE(opened.value()->block(0));
    EXPECT_FALSE(opened.value()->block(1));
    std::string changed = text;
    changed.replace(changed.find("0x1000"), 6, "0x2000");
    std::ofstream{path} << changed;
    const auto block = opened.value()->block(0);
    ASSERT_FALSE(block);
    EXPECT_THAT(block.error().what, HasSubstr("was changed after it was opened"));
    EXPECT_FALSE(TraceBytes::open(testing::TempDir())) << "a folder";
    EXPECT_FALSE(TraceBytes::open(path + ".absent"));
}

} // namespace
} // namespace warpbound::harness::trace
