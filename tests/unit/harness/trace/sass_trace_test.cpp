// Recorded SASS traces: values, refusals with their position, and the fuzz corpus intact and
// damaged.

#include "harness/trace/kernels_list.hpp"
#include "harness/trace/sass_trace.hpp"
#include "harness/trace/trace_mix.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <random>

namespace warpbound::harness::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string corpus = std::string{WARPBOUND_SOURCE_DIR} + "/tests/fuzz/corpus/sass_trace/";

SassTrace read_corpus(const std::string& file) {
    const auto source = assembly::read_source(corpus + file);
    EXPECT_TRUE(source);
    const auto trace = read_sass_trace(source.value());
    EXPECT_TRUE(trace) << to_string(trace.error());
    return trace.value();
}

TEST(SassTrace, HoldsLaunchBlocksAndWarps) {
    const SassTrace trace = read_corpus("kernel-1.traceg");
    EXPECT_EQ(trace.kernel, "scale_rows");
    EXPECT_EQ(trace.grid, (Dimensions{2, 1, 1}));
    EXPECT_EQ(trace.block, (Dimensions{48, 1, 1}));
    EXPECT_EQ(trace.warps_per_block(), 2);
    EXPECT_EQ(trace.shared_memory, 256);
    EXPECT_EQ(trace.registers, 16);
    EXPECT_EQ(trace.binary_version, 75);
    ASSERT_EQ(trace.blocks.size(), 2U);
    EXPECT_EQ(trace.blocks[1].number, (Dimensions{1, 0, 0}));
    ASSERT_EQ(trace.blocks[1].warps.size(), 2U);
    EXPECT_THAT(trace.blocks[1].warps[1].issues, IsEmpty());
    const TracedIssue& load = trace.blocks[0].warps[1].issues[2];
    EXPECT_EQ(load.address, 0x20);
    EXPECT_EQ(load.mask, 0xffffU);
    EXPECT_EQ(load.opcode, "LDG.E.SYS");
    EXPECT_THAT(load.destinations, ElementsAre(4));
    EXPECT_THAT(load.sources, ElementsAre(2));
    EXPECT_EQ(load.width, 4);
}

// Not 0 bytes: if the trace does not state it, it is unknown.
TEST(SassTrace, LeavesUnstatedSharedMemoryUnknown) {
    auto source = assembly::read_source(corpus + "kernel-1.traceg").value();
    const std::size_t line = source.text.find("-shmem");
    source.text.erase(line, source.text.find('\n', line) + 1 - line);
    const auto trace = read_sass_trace(source);
    ASSERT_TRUE(trace) << to_string(trace.error());
    EXPECT_EQ(trace.value().shared_memory, std::nullopt);
    EXPECT_EQ(read_sass_trace({"again", print(trace.value())}).value(), trace.value());
}

TEST(SassTrace, LeavesUnstatedRegistersUnknown) {
    const auto source = assembly::read_source(corpus + "kernel-1.traceg").value();
    const std::size_t line = source.text.find("-nregs");
    const std::size_t end = source.text.find('\n', line);
    for (const std::string& said : {std::string{}, std::string{"-nregs = 0"}}) {
        auto changed = source;
        changed.text.replace(line, end - line, said);
        const auto trace = read_sass_trace(changed);
        ASSERT_TRUE(trace) << to_string(trace.error());
        EXPECT_EQ(trace.value().registers, std::nullopt);
        EXPECT_EQ(read_sass_trace({"again", print(trace.value())}).value(), trace.value());
    }
}

// The format of all blocks is stated before the first one.
TEST(SassTrace, RefusesAFormatBetweenBlocks) {
    auto source = assembly::read_source(corpus + "kernel-1.traceg").value();
    source.text.insert(source.text.rfind("#BEGIN_TB"), "#traces format = with immediates\n");
    const auto trace = read_sass_trace(source);
    ASSERT_FALSE(trace);
    EXPECT_THAT(trace.error().what, HasSubstr("after the first block"));
}

TEST(SassTrace, UnpacksTheThreeFormsOfAddresses) {
    const SassTrace rows = read_corpus("kernel-1.traceg");
    const auto stride = addresses_of(rows.blocks[0].warps[1].issues[2]);
    ASSERT_EQ(stride.size(), 16U);
    EXPECT_EQ(stride.front(), 0x7f0000000082U);
    EXPECT_EQ(stride.back(), 0x7f0000000082U + 15 * 4);
    const auto deltas = addresses_of(rows.blocks[0].warps[0].issues[5]);
    ASSERT_EQ(deltas.size(), 32U);
    EXPECT_EQ(deltas[7], 0x7f0000001000U + 7 * 8);
    EXPECT_EQ(deltas[8], deltas[7] + 1024);
    EXPECT_THAT(addresses_of(rows.blocks[0].warps[1].issues[5]), IsEmpty());
    const SassTrace gather = read_corpus("kernel-2.traceg");
    const auto& issues = gather.blocks[0].warps[0].issues;
    EXPECT_THAT(addresses_of(issues[0]), ElementsAre(0x10, 0x3f, ~std::uint64_t{0}, 0x200));
    EXPECT_EQ(issues[0].width, 1);
    EXPECT_EQ(issues[0].line, 11);
    // Lanes 0 and 2; the difference is negative.
    EXPECT_THAT(addresses_of(issues[1]), ElementsAre(0x1000, 0x1000 - 64));
}

TEST(SassTrace, ReadsOlderVersionsThatRepeatBlockAndWarp) {
    const SassTrace trace = read_corpus("version-2.traceg");
    EXPECT_EQ(trace.blocks.at(0).number, (Dimensions{0, 1, 0}));
    EXPECT_EQ(trace.blocks.at(0).warps.at(0).issues.at(0).opcode, "EXIT");
}

TEST(SassTrace, TakesTheWidthFromTheOpcode) {
    const SassTrace trace = read_corpus("kernel-1.traceg");
    EXPECT_EQ(trace.blocks[0].warps[0].issues[3].width, 16); // LDS.U.128
    EXPECT_EQ(trace.blocks[0].warps[0].issues[5].width, 8);  // STG.E.64.SYS
}

// 16 lanes of 4 bytes from 0x82 on access the bytes 0x82..0xc1: sectors 4, 5 and 6.
TEST(TraceMix, CountsSectorsLanesAndPaths) {
    const auto mix = mix_of(read_corpus("kernel-1.traceg"));
    ASSERT_TRUE(mix);
    EXPECT_EQ(mix.value().warps, 4);
    EXPECT_EQ(mix.value().paths, 3);
    EXPECT_EQ(mix.value().issues_of_warp.most, 7);
    const AddressMix& load = mix.value().by_address.at(0x20);
    EXPECT_EQ(load.opcode_class, assembly::OpcodeClass::LoadGlobal);
    ASSERT_TRUE(load.sectors);
    EXPECT_EQ(load.sectors->least, 3);
    EXPECT_EQ(load.sectors->most, 4);
    EXPECT_FALSE(mix.value().by_address.at(0x30).sectors) << "shared memory has no sectors";
    EXPECT_EQ(mix.value().by_address.at(0x50).sectors->count, 1) << "no lane, no access";
}

TEST(TraceMix, RefusesTwoOpcodesAtOneAddress) {
    SassTrace trace = read_corpus("kernel-1.traceg");
    trace.blocks[1].warps[0].issues[0].opcode = "MOV";
    const auto mix = mix_of(trace);
    ASSERT_FALSE(mix);
    EXPECT_THAT(mix.error().what, HasSubstr("0x0000 is S2R and MOV"));
}

TEST(KernelsList, HoldsCopiesAndLaunches) {
    const auto source = assembly::read_source(corpus + "kernelslist.g");
    const auto commands = read_kernels_list(source.value());
    ASSERT_TRUE(commands);
    EXPECT_THAT(commands.value(), ElementsAre(TraceCommand{TracedCopy{0x7f0000000000, 4096}},
                                              TraceCommand{TracedCopy{0x7f0000001000, 128}},
                                              TraceCommand{TracedLaunch{"kernel-1.traceg"}},
                                              TraceCommand{TracedLaunch{"kernel-2.traceg"}}));
}

TEST(KernelsList, RefusesOtherLinesAndOtherFolders) {
    for (const char* line : {"MemcpyHtoD,xyz,1", "MemcpyHtoD,0x10", "MemcpyHtoD,0x10,1,2",
                             "kernel/../../etc/passwd", "rm -rf"}) {
        const auto commands = read_kernels_list({"list", "\n" + std::string{line} + "\n"});
        ASSERT_FALSE(commands) << line;
        EXPECT_EQ(commands.error().line, 2) << line;
    }
}

struct Refusal {
    std::string replaced;
    std::string by;
    std::string words;
    std::int64_t line;
    std::int64_t column;
};

class SassTraceRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(SassTraceRefusal, ReportsThePosition) {
    auto source = assembly::read_source(corpus + "kernel-2.traceg").value();
    const auto& refusal = GetParam();
    const auto at = source.text.find(refusal.replaced);
    ASSERT_NE(at, std::string::npos);
    source.text.replace(at, refusal.replaced.size(), refusal.by);
    const auto trace = read_sass_trace(source);
    ASSERT_FALSE(trace);
    EXPECT_THAT(trace.error().what, HasSubstr(refusal.words));
    EXPECT_EQ(trace.error().line, refusal.line);
    EXPECT_EQ(trace.error().column, refusal.column);
}

INSTANTIATE_TEST_SUITE_P(
    All, SassTraceRefusal,
    testing::Values(
        Refusal{"version = 3", "version = 7", "tracer version 7 is not read; expected 1..6", 9, 1},
        Refusal{"grid dim = (1,1,1)", "grid dim = (1,1)", "expected three numbers", 3, 1},
        Refusal{"grid dim = (1,1,1)", "grid dim = (1,,1)", "missing grid", 3, 1},
        Refusal{"block dim = (32,1,1)", "block dim = (1024,2,1)", "more than 1024 threads", 4, 1},
        Refusal{"nregs = 8", "nregs = -8", "'-8' is no nregs", 6, 10},
        Refusal{"-kernel name = gather\n", "", "expected the lines -kernel name", 13, 1},
        Refusal{"block = 0,0,0", "block = 0,1,0", "outside the grid of 1x1x1", 15, 1},
        Refusal{"warp = 0", "warp = 1", "'1' is no warp of the block; expected a number 0..0", 16,
                8},
        Refusal{"insts = 3", "insts = 2", "more instructions than the 2 announced", 20, 1},
        Refusal{"insts = 3", "insts = 4", "has 3 instructions, not the 4 announced", 21, 1},
        Refusal{"insts = 3\n", "", "an instruction before 'insts = n'", 17, 1},
        Refusal{"0000000f 1 R1", "1ffffffff 1 R1", "is no mask of lanes", 18, 9},
        Refusal{"1 R1 LDG", "1 P1 LDG", "'P1' is no register", 18, 20},
        Refusal{"1 R1 LDG", "1 R256 LDG", "'256' is no register", 18, 20},
        Refusal{"1 R1 LDG", "9 R1 LDG", "'9' is no number of destinations", 18, 18},
        Refusal{"LDG.E.U8", "UTMALDG.1D", "bulk copies (UTMALDG.1D) are not read", 18, 23},
        Refusal{" 0x200", "", "missing address", 18, 69},
        Refusal{" 0x200", " 0x200 7", "unexpected '7' after the instruction", 18, 76},
        Refusal{"4 2 0x1000", "4 3 0x1000", "'3' is no form of addresses", 19, 34},
        Refusal{"4 2 0x1000", "4 1 0x1000", "lanes 00000005, which are not contiguous", 19, 1},
        Refusal{"#END_TB", "#BEGIN_TB", "a block begins inside another one", 21, 1},
        Refusal{"#END_TB", "", "the trace ends inside a block", 21, 1}));

void read_and_print(const assembly::SourceText& source) {
    static_cast<void>(read_kernels_list(source));
    const auto trace = read_sass_trace(source);
    if (!trace) {
        EXPECT_FALSE(trace.error().what.empty());
        EXPECT_GT(trace.error().line, 0);
        return;
    }
    static_cast<void>(mix_of(trace.value()));
    const std::string printed = print(trace.value());
    const auto again = read_sass_trace({"printed", printed});
    ASSERT_TRUE(again) << to_string(again.error()) << "\n" << printed;
    EXPECT_EQ(again.value().blocks, trace.value().blocks);
    EXPECT_EQ(print(again.value()), printed);
}

TEST(SassTraceCorpus, IsReadOrRefusedAndSurvivesPrinting) {
    unsigned seed = 0;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator{corpus}) {
        ++files;
        const auto source = assembly::read_source(entry.path()).value();
        read_and_print(source);
        for (unsigned copy = 0; copy < 400; ++copy, ++seed) {
            SCOPED_TRACE(source.name + ", seed " + std::to_string(seed));
            std::mt19937 random{seed};
            assembly::SourceText damaged = source;
            if (copy % 3 == 0)
                damaged.text.resize(random() % damaged.text.size());
            else
                for (unsigned flips = copy % 3; flips > 0; --flips)
                    damaged.text[random() % damaged.text.size()] =
                        copy % 2 == 0 ? static_cast<char>(random())
                                      : "0123456789 ,=()-RxfA\n"[random() % 21];
            read_and_print(damaged);
        }
    }
    EXPECT_EQ(files, 6);
}

} // namespace
} // namespace warpbound::harness::trace
