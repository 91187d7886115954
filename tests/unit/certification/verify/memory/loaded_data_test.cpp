// Data that a launch certainly loads (docs/theory, S79), as the verifier counts them; and claims on
// them that are wrong.

#include "assembly/isa/reader.hpp"
#include "certification/verify/memory/least_traffic.hpp"
#include "certification/verify/memory/loaded_data.hpp"
#include "models/architecture/library.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/random_source.hpp"
#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using tests::edit;
using verify::check_loaded_data;
using verify::Finding;
using verify::IndexStep;
using verify::KernelCase;
using verify::LoadedDataRow;
using verify::LoadedSetRow;
using verify::units_of_strides;
using verify::UnitsOfSet;
using verify::Verdict;

/// By listing every byte, from this base on.
UnitsOfSet listed(const std::vector<IndexStep>& steps, std::int64_t width, std::int64_t unit,
                  std::int64_t base) {
    std::set<std::int64_t> begins{base};
    for (const IndexStep& step : steps) {
        std::set<std::int64_t> next;
        for (const std::int64_t begin : begins)
            for (std::int64_t i = 0; i < step.values; ++i)
                next.insert(begin + i * step.distance);
        begins = std::move(next);
    }
    std::map<std::int64_t, std::set<std::int64_t>> bytes;
    for (const std::int64_t begin : begins)
        for (std::int64_t byte = begin; byte < begin + width; ++byte)
            bytes[byte / unit].insert(byte % unit);
    UnitsOfSet units;
    for (const auto& [number, of_unit] : bytes) {
        ++units.met;
        if (static_cast<std::int64_t>(of_unit.size()) == unit) ++units.filled;
    }
    return units;
}

TEST(LoadedData, CountsNoMoreUnitsThanThereAre) {
    tests::RandomSource random{1};
    int exact = 0;
    constexpr int cases = 2000;
    for (int i = 0; i < cases; ++i) {
        std::vector<IndexStep> steps;
        for (std::int64_t left = random.whole(0, 3); left > 0; --left)
            steps.push_back({random.whole(0, 1) == 0 ? random.whole(0, 40) : random.whole(0, 400),
                             random.whole(1, 8)});
        const std::int64_t width = std::int64_t{1} << random.whole(0, 4);
        const std::int64_t base = 4096 + random.whole(0, 63);
        const UnitsOfSet least = units_of_strides(steps, width, 32);
        const UnitsOfSet all = listed(steps, width, 32, base);
        ASSERT_LE(least.met, all.met);
        ASSERT_LE(least.filled, all.filled);
        if (least.met == all.met) ++exact;
    }
    EXPECT_GT(exact, cases / 4);
}

TEST(LoadedData, OfAMatrixCountsOnceByRowsAndByColumns) {
    for (const auto& steps : {std::vector<IndexStep>{{4, 1024}, {4096, 1024}},
                              std::vector<IndexStep>{{4096, 1024}, {4, 1024}}}) {
        EXPECT_EQ(units_of_strides(steps, 4, 32).met, 131072);
        EXPECT_EQ(units_of_strides(steps, 4, 32).filled, 131071);
    }
    // Indices with one factor: all numbers from 0 to 8.
    EXPECT_EQ(units_of_strides({{336, 8}, {336, 2}}, 4, 32).met, 9);
    // 64 times 2^28 bytes wrap around: 16 of them, less one unit, fit.
    EXPECT_EQ(units_of_strides({{std::int64_t{1} << 28, 64}}, 4, 32).met, 16);
}

/// i is the index of the thread in the grid; R6 holds 4.
const std::string own_index = "S2R R2, SR_CTAID.X;\nS2R R3, SR_TID.X;\n"
                              "IMAD R4, R2, c[0x0][0x0], R3;\nMOV R6, 0x4;\n";
const std::string leaves_beyond_limit = "ISETP.GE.AND P0, PT, R4, c[0x0][0x178], PT;\n@P0 EXIT;\n";
const std::string all_disjoint = ",0x160=disjoint:256,0x168=disjoint:256,0x170=disjoint:256";

std::string load(const std::string& pointer, const std::string& modifiers = ".CONSTANT") {
    return "IMAD.WIDE R8, R4, R6, c[0x0][" + pointer + "];\nLDG.E" + modifiers +
           ".SYS R10, [R8];\n";
}
std::string store(const std::string& pointer) {
    return "IMAD.WIDE R8, R4, R6, c[0x0][" + pointer + "];\nSTG.E.SYS [R8], R10;\n";
}

constexpr std::int64_t width_of_instruction = 16;

/// Of the n-th load, of all 16 blocks.
LoadedSetRow set_of(const KernelCase& kernel, std::size_t load, std::int64_t pointer,
                    std::int64_t units) {
    std::vector<std::int64_t> addresses;
    for (const auto& instruction : kernel.function->instructions)
        if (instruction.mnemonic == "LDG") addresses.push_back(instruction.address);
    return {.load = addresses.at(load),
            .pointer = pointer,
            .first_block = {0, 0, 0},
            .last_block = {15, 0, 0},
            .units = units};
}

/// What is wrong with these data of a kernel of 16 blocks of 256 threads; empty: nothing.
class LoadedDataOf {
public:
    explicit LoadedDataOf(const std::string& body, const std::string& words = "",
                          const std::string& geometry = "16x256,grid=16") {
        auto program =
            assembly::read_program({"test", "!Arch sm_75\n!Kernel k\n" + body + "!EndKernel\n"});
        EXPECT_TRUE(program) << to_string(program.error());
        kernel.id = "K1";
        kernel.program = std::move(program).value();
        kernel.function = &kernel.program.functions.front();
        kernel.architecture = models::load_architecture("turing-rtx2080ti").value();
        kernel.launch = models::parse_launch(geometry + words).value();
        kernel.loads_through_caches = true;
    }

    [[nodiscard]] std::string rejection(std::vector<LoadedSetRow> sets) const {
        LoadedDataRow row{.bytes = 32, .units = 0, .sets = std::move(sets)};
        for (const LoadedSetRow& set : row.sets)
            row.units += set.units;
        try {
            check_loaded_data(kernel, row);
        } catch (const Finding& finding) {
            EXPECT_EQ(finding.verdict, Verdict::Failed) << finding.what();
            return finding.what();
        }
        return {};
    }
    /// Of the last load.
    [[nodiscard]] std::string rejection_of_last(std::int64_t units) const {
        const auto& code = kernel.function->instructions;
        const auto loads = std::count_if(code.begin(), code.end(), [](const auto& instruction) {
            return instruction.mnemonic == "LDG";
        });
        return rejection({set_of(kernel, static_cast<std::size_t>(loads - 1), 0x160, units)});
    }
    /// Of the first load.
    [[nodiscard]] std::string rejection(std::int64_t units, std::int64_t pointer = 0x160) const {
        return rejection({set_of(kernel, 0, pointer, units)});
    }

    KernelCase kernel;
};

// 4,096 elements of 4 bytes are 512 sectors.
TEST(LoadedData, WithoutStoresIsAllThatIsTouched) {
    const LoadedDataOf made{own_index + load("0x160", "") + "EXIT;\n"};
    EXPECT_EQ(made.rejection(512), "");
    EXPECT_EQ(made.rejection(500), "");
    EXPECT_THAT(made.rejection(513), HasSubstr("512 follow"));
    EXPECT_THAT(made.rejection(512, 0x168), HasSubstr("base"));
}

TEST(LoadedData, BehindAStoreIsWhatIsReadOnly) {
    const LoadedDataOf in_place{own_index + load("0x160", "") + store("0x160") + "EXIT;\n",
                                ",0x160=disjoint:256"};
    EXPECT_THAT(in_place.rejection(1), HasSubstr("0 follow"));
    const LoadedDataOf beside{own_index + load("0x160", "") + store("0x168") + "EXIT;\n"};
    EXPECT_THAT(beside.rejection(1), HasSubstr("0 follow")); // Both may be one buffer.
    const LoadedDataOf read_only{own_index + load("0x160") + store("0x168") + "EXIT;\n"};
    EXPECT_EQ(read_only.rejection(511), "");
    EXPECT_THAT(read_only.rejection(512), HasSubstr("511 follow"));
    // A store of any address, under any guard.
    const LoadedDataOf anywhere{
        own_index + load("0x160", "") + "@!P5 STG.E.SYS [R20], R10;\nEXIT;\n", all_disjoint};
    EXPECT_THAT(anywhere.rejection(512), HasSubstr("0 follow"));
    const LoadedDataOf generic{own_index + load("0x160", "") + "ST.E.SYS [R20], R10;\nEXIT;\n",
                               all_disjoint};
    EXPECT_THAT(generic.rejection(512), HasSubstr("0 follow"));
}

TEST(LoadedData, OfDisjointBuffersAddUp) {
    const std::string body =
        own_index + load("0x160") + load("0x168", "") + store("0x170") + "EXIT;\n";
    const LoadedDataOf made{body, all_disjoint};
    const auto first = set_of(made.kernel, 0, 0x160, 512);
    const auto second = set_of(made.kernel, 1, 0x168, 512);
    EXPECT_EQ(made.rejection({first, second}), "");
    EXPECT_THAT(made.rejection({first, first}), HasSubstr("another set"));
    // Not stated, of one of the loads or of the store.
    for (const char* stated : {",0x160=disjoint:256,0x168=multiple:256,0x170=disjoint:256",
                               ",0x160=disjoint:256,0x168=disjoint:256", ""}) {
        const LoadedDataOf other{body, stated};
        EXPECT_NE(other.rejection({first, second}), "") << stated;
    }
    // Two loads of one buffer.
    const LoadedDataOf one{own_index + load("0x160") + load("0x160") + "EXIT;\n", all_disjoint};
    EXPECT_THAT(
        one.rejection({set_of(one.kernel, 0, 0x160, 512), set_of(one.kernel, 1, 0x160, 512)}),
        HasSubstr("another set"));
}

TEST(LoadedData, IsThatOfBlocksWhoseThreadsAllLoad) {
    const std::string body = own_index + leaves_beyond_limit + load("0x160") + "EXIT;\n";
    EXPECT_EQ((LoadedDataOf{body, ",0x178=4096"}.rejection(512)), "");
    const LoadedDataOf made{body, ",0x178=4095"};
    EXPECT_THAT(made.rejection(512), HasSubstr("may end without it"));
    auto smaller = set_of(made.kernel, 0, 0x160, 480);
    smaller.last_block = {14, 0, 0};
    EXPECT_EQ(made.rejection({smaller}), "");
    smaller.units = 481;
    EXPECT_THAT(made.rejection({smaller}), HasSubstr("480 follow"));
    EXPECT_THAT((LoadedDataOf{body}.rejection(1)), HasSubstr("may end without it"));
    // Under a guard that fails for some of them.
    const std::string guarded = own_index + "ISETP.GE.AND P0, PT, R4, c[0x0][0x178], PT;\n" +
                                "IMAD.WIDE R8, R4, R6, c[0x0][0x160];\n" +
                                "@!P0 LDG.E.CONSTANT.SYS R10, [R8];\nEXIT;\n";
    EXPECT_EQ((LoadedDataOf{guarded, ",0x178=4096"}.rejection(512)), "");
    EXPECT_THAT((LoadedDataOf{guarded, ",0x178=4095"}.rejection(512)), HasSubstr("no such load"));
}

// The limit is compared with the index and what a loop counts: no form of indices.
TEST(LoadedData, IsThatOfThreadsWhoseExecutionLeadsToTheLoad) {
    const std::string body = own_index +
                             "MOV R20, RZ;\nL:\nIADD3 R20, R20, 0x1, RZ;\n"
                             "ISETP.GE.AND P2, PT, R20, 0x8, PT;\n@!P2 BRA L;\n"
                             "IADD3 R21, R4, R20, RZ;\n"
                             "ISETP.GE.AND P0, PT, R21, c[0x0][0x178], PT;\n@P0 EXIT;\n" +
                             load("0x160", "") + "EXIT;\n";
    EXPECT_EQ((LoadedDataOf{body, ",0x178=4104"}.rejection(512)), "");
    EXPECT_THAT((LoadedDataOf{body, ",0x178=4104"}.rejection(513)), HasSubstr("512 follow"));
    const LoadedDataOf made{body, ",0x178=4103"};
    EXPECT_THAT(made.rejection(512), HasSubstr("may end without it"));
    auto smaller = set_of(made.kernel, 0, 0x160, 480);
    smaller.last_block = {14, 0, 0};
    EXPECT_EQ(made.rejection({smaller}), "");
    // A store that no thread comes to does not count.
    const std::string beside = own_index +
                               "MOV R20, 0x8;\nSHF.R.U32.HI R20, RZ, 0x1, R20;\n"
                               "ISETP.NE.AND P2, PT, R20, c[0x0][0x178], PT;\n"
                               "@P2 BRA S;\n" +
                               load("0x160", "") + "EXIT;\nS:\n" + load("0x160", "") +
                               store("0x160") + "EXIT;\n";
    EXPECT_EQ((LoadedDataOf{beside, ",0x178=4"}.rejection(512)), "");
    EXPECT_THAT((LoadedDataOf{beside}.rejection(512)), HasSubstr("0 follow"));
}

// A quotient and bits of the index: equal for each part of 32 threads, not as sets of all (S88).
TEST(LoadedData, IsFoundByPartsOfABoxOfThreads) {
    const auto ends_early = [](const std::string& mask) {
        return own_index + "SHF.R.U32.HI R20, RZ, 0x5, R3;\nLOP3.LUT R21, R3, " + mask +
               ", RZ, 0xc0, !PT;\nSHF.R.U32.HI R21, RZ, 0x5, R21;\n"
               "ISETP.NE.AND P0, PT, R20, R21, PT;\n@P0 EXIT;\n" +
               load("0x160", "") + "EXIT;\n";
    };
    EXPECT_EQ((LoadedDataOf{ends_early("0xe0")}.rejection(512)), "");
    EXPECT_THAT((LoadedDataOf{ends_early("0xe0")}.rejection(513)), HasSubstr("512 follow"));
    EXPECT_THAT((LoadedDataOf{ends_early("0xc0")}.rejection(1)), HasSubstr("may end without it"));
    // A store that no thread comes to.
    const std::string stores = own_index + load("0x160", "") +
                               "SHF.R.U32.HI R20, RZ, 0x5, R3;\n"
                               "LOP3.LUT R21, R3, 0xe0, RZ, 0xc0, !PT;\n"
                               "SHF.R.U32.HI R21, RZ, 0x5, R21;\n"
                               "ISETP.NE.AND P0, PT, R20, R21, PT;\n@!P0 EXIT;\n" +
                               store("0x160") + "EXIT;\n";
    EXPECT_EQ((LoadedDataOf{stores}.rejection(512)), "");
}

/// R20 holds data; threads for which they are less than 5 load elsewhere than the others.
std::string data_decide(const std::string& then, const std::string& ends) {
    return own_index +
           "LDG.E.SYS R20, [R30];\nISETP.LT.AND P0, PT, R20, 0x5, PT;\n"
           "@P0 BRA A;\n" +
           then + ends + load("0x160", "") + "EXIT;\nA:\n" + load("0x160", "") + "EXIT;\n";
}

TEST(LoadedData, IsFoundWhereDataDecideTwice) {
    const std::string ends = "@P1 EXIT;\n";
    const auto of = [&](const std::string& then) { return LoadedDataOf{data_decide(then, ends)}; };
    EXPECT_EQ(of("ISETP.LT.AND P1, PT, R20, 0x5, PT;\n").rejection_of_last(512), "");
    EXPECT_THAT(of("ISETP.LT.AND P1, PT, R20, 0x6, PT;\n").rejection_of_last(1),
                HasSubstr("may end without it"));
    // Said of the register before it was written: what holds of the sum.
    EXPECT_EQ(
        of("IADD3 R20, R20, 0x2, RZ;\nISETP.EQ.AND P1, PT, R20, 0x6, PT;\n").rejection_of_last(512),
        "");
    EXPECT_THAT(
        of("IADD3 R20, R20, 0x2, RZ;\nISETP.EQ.AND P1, PT, R20, 0x7, PT;\n").rejection_of_last(1),
        HasSubstr("may end without it"));
    EXPECT_THAT(
        of("LDG.E.SYS R20, [R30];\nISETP.LT.AND P1, PT, R20, 0x5, PT;\n").rejection_of_last(1),
        HasSubstr("may end without it"));
    // A sum, a copy and a minimum of it.
    EXPECT_EQ(of("IADD3 R21, R20, -0x5, RZ;\nISETP.EQ.AND P1, PT, R21, -0x1, PT;\n")
                  .rejection_of_last(512),
              "");
    EXPECT_EQ(
        of("IMNMX R21, R20, 0x9, PT;\nISETP.LT.AND P1, PT, R21, 0x5, PT;\n").rejection_of_last(512),
        "");
    EXPECT_THAT(
        of("IMNMX R21, R20, 0x4, PT;\nISETP.LT.AND P1, PT, R21, 0x5, PT;\n").rejection_of_last(1),
        HasSubstr("may end without it"));
}

// Which number R21 has follows from the predicate, as long as neither is written.
TEST(LoadedData, IsFoundWhereAPredicateSaysWhichNumberItIs) {
    const auto decided = [](const std::string& between, const std::string& number) {
        return LoadedDataOf{own_index +
                            "LDG.E.SYS R20, [R30];\nISETP.LT.AND P0, PT, R20, 0x5, PT;\n"
                            "MOV R21, 0x1;\n@P0 MOV R21, 0x2;\n" +
                            between + "ISETP.EQ.AND P1, PT, R21, " + number + ", P0;\n@P1 EXIT;\n" +
                            load("0x160", "") + "EXIT;\n"};
    };
    EXPECT_EQ(decided("", "0x1").rejection_of_last(512), "");
    EXPECT_THAT(decided("", "0x2").rejection_of_last(1), HasSubstr("may end without it"));
    EXPECT_THAT(decided("ISETP.LT.AND P0, PT, R22, 0x5, PT;\n", "0x1").rejection_of_last(1),
                HasSubstr("may end without it"));
}

// A loop without a bound: the counter does not fall below its first number, but may exceed any.
TEST(LoadedData, IsFoundBehindALoopWithoutABound) {
    const auto behind = [](const std::string& early) {
        return LoadedDataOf{own_index +
                            "MOV R20, RZ;\nL:\nIADD3 R20, R20, 0x1, RZ;\nLDG.E.SYS R21, [R30];\n"
                            "ISETP.GE.AND P1, PT, R20, 0x8, PT;\n@P1 BRA D;\n"
                            "ISETP.NE.AND P0, PT, R21, RZ, PT;\n@P0 BRA L;\nD:\n"
                            "ISETP." +
                            early + ", PT;\n@P0 EXIT;\n" + load("0x160", "") + "EXIT;\n"};
    };
    EXPECT_EQ(behind("LE.AND P0, PT, R20, RZ").rejection_of_last(512), "");
    EXPECT_THAT(behind("GE.AND P0, PT, R20, 0x3").rejection_of_last(1),
                HasSubstr("may end without it"));
}

TEST(LoadedData, OfBlocksThatTheLaunchDoesNotHave) {
    const LoadedDataOf made{own_index + load("0x160", "") + "EXIT;\n"};
    for (const auto& [first, last] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 16}, {-1, 15}, {8, 7}}) {
        auto set = set_of(made.kernel, 0, 0x160, 1);
        set.first_block[0] = first;
        set.last_block[0] = last;
        EXPECT_THAT(made.rejection({set}), HasSubstr("thread blocks")) << first << " " << last;
    }
    auto other_y = set_of(made.kernel, 0, 0x160, 1);
    other_y.last_block[1] = 1;
    EXPECT_THAT(made.rejection({other_y}), HasSubstr("thread blocks"));
}

TEST(LoadedData, OfAddressesThatDataDecideAreNone) {
    const LoadedDataOf made{own_index + load("0x160", "") +
                            "IMAD.WIDE R12, R10, R6, c[0x0][0x168];\nLDG.E.SYS R14, [R12];\n"
                            "EXIT;\n"};
    EXPECT_THAT(made.rejection({set_of(made.kernel, 1, 0x168, 1)}), HasSubstr("no such load"));
    auto no_load = set_of(made.kernel, 0, 0x160, 1);
    no_load.load = width_of_instruction;
    EXPECT_THAT(made.rejection({no_load}), HasSubstr("no such load"));
}

// Threads i and i + 1 load the same element: half of the bytes.
TEST(LoadedData, FollowsFromTheFactorsOfTheCode) {
    const std::string halves = "S2R R2, SR_CTAID.X;\nS2R R3, SR_TID.X;\n"
                               "IMAD R4, R2, 0x80, R3;\nMOV R6, 0x4;\n" +
                               load("0x160", "") + "EXIT;\n";
    EXPECT_EQ((LoadedDataOf{halves}.rejection(272)), "");
    EXPECT_THAT((LoadedDataOf{halves}.rejection(273)), HasSubstr("272 follow"));
}

TEST(LoadedData, NeedsTheShapesOfTheLaunchAndItsStatement) {
    const std::string body = own_index + load("0x160", "") + "EXIT;\n";
    EXPECT_THAT((LoadedDataOf{body, "", "16x256"}.rejection(1)), HasSubstr("shapes"));
    const LoadedDataOf of_rows{"S2R R9, SR_TID.Y;\n" + body};
    EXPECT_THAT(of_rows.rejection(1), HasSubstr("shapes"));
    LoadedDataOf made{body};
    made.kernel.loads_through_caches = false;
    EXPECT_THAT(made.rejection(1), HasSubstr("not stated"));
}

TEST(LoadedData, OfAccessesWhoseLevelIsStatedAreNone) {
    LoadedDataOf made{own_index + load("0x160", "") + "EXIT;\n"};
    models::MemoryFact fact;
    fact.at = set_of(made.kernel, 0, 0x160, 1).load;
    fact.level = models::MemoryLevel::L2;
    made.kernel.facts.memory.push_back(fact);
    EXPECT_THAT(made.rejection(1), HasSubstr("no such load"));
}

// 22 channels, 44 slices of 64 sets of 16 lines of 4 sectors: 180,224 sectors may be present.
TEST(LoadedData, CountsWhatCachesCannotHold) {
    const LoadedDataOf made{own_index + "EXIT;\n"};
    const auto sums = [&](std::int64_t bytes, std::int64_t units) {
        return verify::sums_of_loaded_data(made.kernel, 68, {bytes, units, {}});
    };
    const std::vector<verify::Term> of_channel{{182'455, 1, ""}, {1, 385, ""}};
    EXPECT_EQ(sums(32, 4'194'304), (std::vector<std::vector<verify::Term>>{of_channel}));
    EXPECT_THROW(sums(32, 180'224), Finding);
    EXPECT_THROW(sums(64, 4'194'304), Finding);
    EXPECT_EQ(sums(128, 1'048'576).size(), 2U); // Slices, and links.
}

/// Each instruction lets its warp issue again after six cycles.
std::string with_stalls(const std::string& body) {
    std::string text;
    for (const char c : body)
        text += c == ';' ? " ?trans6;" : std::string{c};
    return text;
}

/// saxpy on the RTX 2080 Ti: buffers of 16 MiB.
BundleInputs inputs_of_saxpy(std::int64_t row_hit) {
    BundleInputs inputs;
    inputs.tool_version = "1.2.3";
    KernelInput& kernel = inputs.kernels.emplace_back();
    kernel.kernel = "k";
    kernel.listing = "!Arch sm_75\n!Kernel k\n" +
                     with_stalls(own_index + leaves_beyond_limit + load("0x160") +
                                 load("0x168", "") + store("0x170") + "EXIT;\n") +
                     "!EndKernel\n";
    auto machine = models::load_architecture("turing-rtx2080ti").value();
    machine.fetch = {};
    machine.register_file = {};
    std::erase_if(machine.memories, [](const auto& one) { return one.name == "constant"; });
    EXPECT_TRUE(models::override_value(machine, "memories/dram/row-hit", row_hit));
    kernel.architecture = models::write_architecture(machine);
    kernel.launch = "16384x256,grid=16384,0x178=4194304" + all_disjoint;
    kernel.policy = "unknown";
    kernel.multiprocessors = 68;
    kernel.loads_through_caches = true;
    return inputs;
}

const Bundle& bundle_of_saxpy() {
    static const Bundle made = build_bundle(inputs_of_saxpy(1)).value();
    return made;
}

/// 2 x 2^24 / 32 sectors, of which 868,352 cannot be present.
TEST(LoadedData, IsWhatABundleClaims) {
    const Bundle& bundle = bundle_of_saxpy();
    const auto* claim = bundle.reports.front().claim("execution-time", analyzer::Side::Lower);
    ASSERT_TRUE(claim->loaded.has_value());
    EXPECT_EQ(claim->loaded->units, 1'048'576);
    EXPECT_EQ(claim->value, (868'352 + 21) / 22 - 4 + 385);
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
}

// Latencies that do not contain what the channels need: nothing is claimed.
TEST(LoadedData, OfADescriptionThatContradictsItselfIsRefused) {
    const auto bundle = build_bundle(inputs_of_saxpy(20));
    ASSERT_FALSE(bundle);
    EXPECT_THAT(to_string(bundle.error()), HasSubstr("by the latencies of loads"));
}

/// The lower claim with other numbers, and the value that its terms add up to.
std::string rejection_of_claim(const std::function<void(Json& claim)>& change) {
    EvidenceFiles files = bundle_of_saxpy().files;
    edit(files, "claims.json", [&](Json& claims) {
        for (Json& claim : claims["claims"])
            if (claim["side"] == "lower") {
                change(claim);
                claim["value"] = tests::sum_of_terms(claim["proof"]["terms"]);
            }
    });
    const auto step = structure_step(files);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    return step.detail;
}

TEST(LoadedData, OfAClaimThatLeavesOutCapacitiesFails) {
    EXPECT_THAT(rejection_of_claim([](Json& claim) {
                    claim["proof"]["terms"][0]["count"] = (1'048'576 + 21) / 22 - 4;
                }),
                HasSubstr("its sum lacks"));
    EXPECT_THAT(rejection_of_claim([](Json& claim) { claim["proof"]["terms"][0]["cycles"] = 2; }),
                HasSubstr("its sum lacks"));
}

TEST(LoadedData, OfAClaimWithoutThemOrWithoutItsAssumptionFails) {
    EXPECT_NE(rejection_of_claim([](Json& claim) { claim["proof"].erase("loaded-data"); }), "");
    EvidenceFiles files = bundle_of_saxpy().files;
    edit(files, "claims.json", [](Json& claims) {
        for (Json& row : claims["assumptions"]) {
            std::string text = row["text"];
            if (const auto at = text.find("(S79)"); at != std::string::npos)
                row["text"] = text.replace(at, 5, "(S16)");
        }
    });
    EXPECT_THAT(structure_step(files).detail, HasSubstr("does not name the assumption"));
}

} // namespace
} // namespace warpbound::certification
