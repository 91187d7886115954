/// \file
/// Bounds of loops whose count is loaded, clamped or counted from bits, unrolled as compilers do
/// (S70), a quotient by a variable (S71), or that lie in a clamped window (S92), compared with an
/// interpreter that runs the code.

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/value/value_code.hpp"
#include "assembly/isa/reader.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/lane_interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::tests {
namespace {

/// Writes counts that data decides within limits, and loops of so many iterations.
class DataLoopWriter {
public:
    explicit DataLoopWriter(RandomSource& random_source) : random_source_{random_source} {}

    std::string write() {
        text_ = "!Arch sm_75\n!Kernel k\n";
        for (std::int64_t loops = random_source_.whole(1, 2); loops > 0; --loops) {
            if (one_in(3)) {
                windows();
                continue;
            }
            count();
            unrolled();
        }
        return text_ + "EXIT;\n!EndKernel\n";
    }

private:
    bool one_in(std::int64_t n) { return random_source_.whole(1, n) == 1; }
    void add(const std::string& line) { text_ += line + ";\n"; }

    /// R2: how often.
    void count() {
        switch (random_source_.whole(1, 9)) {
        case 1:
            return add("LDG.E.U8 R2, [R8.64]");
        case 2: // R20 is any number.
            add("IMNMX R2, R20, 0x0, !PT");
            return add(fmt::format("IMNMX R2, R2, 0x{:x}, PT", random_source_.whole(1, 90)));
        case 3:
            return add("POPC R2, R21");
        case 4:
            add("FLO.U32 R2, R21");
            return add("IADD3 R2, -R2, 0x1f, RZ");
        case 5:
            add("LDG.E.U8 R2, [R8.64]");
            add("IMAD.HI.U32 R2, R2, 0x24924925, RZ");
            return;
        case 6: // As with a factor of 33 bits: R2 / 7.
            add("LDG.E.U8 R7, [R8.64]");
            add("MOV R6, RZ");
            add("IMAD.HI R6, R7, -0x6db6db6d, R6");
            add("SHF.R.S32.HI R2, RZ, 0x2, R6");
            return;
        case 7:
        case 8:
            return divide();
        default:
            add("PRMT R2, R20, 0x7770, RZ");
            return add("VIADDMNMX R2, R2, -0x9, RZ, !PT");
        }
    }

    /// As compilers divide by a variable: quotient or rest of a loaded byte or any number.
    void divide() {
        const bool any = one_in(2);
        add(any ? "MOV R16, R20" : "LDG.E.U8 R16, [R8.64]");
        if (one_in(2))
            add(fmt::format("MOV R17, 0x{:x}", random_source_.whole(2, 40)));
        else
            add(fmt::format("LDG.E.U8 R17, [R8.64];\nIADD3 R17, R17, 0x{:x}, RZ",
                            random_source_.whole(1, 3)));
        const bool wants_rest = any || one_in(2);
        const bool swaps = one_in(2);
        const bool is_negated = one_in(2);
        add("I2F.U32.RP R10, R17");
        add("MUFU.RCP R10, R10");
        add("IADD3 R12, R10, 0xffffffe, RZ");
        add("F2I.FTZ.U32.TRUNC.NTZ R13, R12");
        add("MOV R12, RZ");
        add(one_in(2) ? "IADD3 R14, RZ, -R13, RZ" : "IMAD.MOV R14, RZ, RZ, -R13");
        add("IMAD R14, R14, R17, RZ");
        add("IMAD.HI.U32 R13, R13, R14, R12");
        add("IMAD.HI.U32 R13, R13, R16, RZ");
        if (is_negated)
            add("IADD3 R15, RZ, -R17, RZ;\nIMAD R16, R13, R15, R16");
        else
            add("IADD3 R14, -R13, RZ, RZ;\nIMAD R16, R17, R14, R16");
        const auto step = [&](const char* into) {
            if (swaps)
                add(fmt::format("ISETP.GT.U32.AND {}, PT, R17, R16, PT", into));
            else
                add(fmt::format("ISETP.GE.U32.AND {}, PT, R16, R17, PT", into));
            add(fmt::format("@{}{} IADD3 R16, R16, -R17, RZ", swaps ? "!" : "", into));
            add(fmt::format("@{}{} IADD3 R13, R13, 0x1, RZ", swaps ? "!" : "", into));
        };
        step("P4");
        step("P5");
        add(fmt::format("MOV R2, {}", wants_rest ? "R16" : "R13"));
    }

    void remainder(const std::string& label) {
        add(fmt::format("ISETP.NE.AND P3, PT, R4, RZ, PT"));
        add(fmt::format("@!P3 BRA E{}", label));
        text_ += fmt::format("N{}:\n", label);
        add("IADD3 R4, R4, -0x1, RZ");
        add("ISETP.NE.AND P3, PT, R4, RZ, PT");
        add(fmt::format("@P3 BRA N{}", label));
        text_ += fmt::format("E{}:\n", label);
        add("NOP");
    }

    /// Rounds of 16, one of 8, rounds of 4 and single ones, or rounds of `step` and single ones.
    void unrolled() {
        const std::string label = fmt::format("{}", labels_++);
        const bool at_least_one = one_in(2);
        if (at_least_one) add("IMNMX.U32 R2, R2, 0x1, !PT");
        const bool reuses = one_in(2); // The register that is compared is written again.
        add(fmt::format("IADD3 {}, R2, -0x1, RZ", reuses ? "R4" : "R3"));
        if (!at_least_one) {
            add("ISETP.LT.AND P3, PT, R2, 0x1, PT");
            add(fmt::format("@P3 BRA E{}", label));
        }
        if (one_in(3)) return inclusive(label);
        if (one_in(2)) return round_of_rounds(label, reuses);
        add(fmt::format("ISETP.GE.U32.AND P0, PT, {}, 0xf, PT", reuses ? "R4" : "R3"));
        add("LOP3.LUT R4, R2, 0xf, RZ, 0xc0, !PT");
        add(fmt::format("@!P0 BRA M{}", label));
        add("LOP3.LUT R5, R2, 0xfffffff0, RZ, 0xc0, !PT");
        add("IADD3 R5, -R5, RZ, RZ");
        text_ += fmt::format("L{}:\n", label);
        add("IADD3 R5, R5, 0x10, RZ");
        add("ISETP.NE.AND P1, PT, R5, RZ, PT");
        add(fmt::format("@P1 BRA L{}", label));
        text_ += fmt::format("M{}:\n", label);
        remainder(label);
    }

    /// R2 and one more, in rounds of four: R4 is the rest of R2 + 1, whose register may be lost.
    void inclusive(const std::string& label) {
        add("ISETP.GE.U32.AND P0, PT, R2, 0x3, PT");
        const bool keeps = one_in(2);
        add(fmt::format("IADD3 {}, R2, 0x1, RZ", keeps ? "R6" : "R4"));
        add(fmt::format("LOP3.LUT R4, {}, 0x3, RZ, 0xc0, !PT", keeps ? "R6" : "R4"));
        if (keeps && one_in(2)) { // Of the sum, after R2 was lost.
            add("MOV R2, R20");
            add(fmt::format("@!P0 BRA M{}", label));
            add("LOP3.LUT R5, R6, 0x3fc, RZ, 0xc0, !PT");
        } else {
            add(fmt::format("@!P0 BRA M{}", label));
            add("IADD3 R5, R2, 0x1, -R4");
        }
        text_ += fmt::format("L{}:\n", label);
        add("IADD3 R5, R5, -0x4, RZ");
        add("ISETP.NE.AND P1, PT, R5, RZ, PT");
        add(fmt::format("@P1 BRA L{}", label));
        text_ += fmt::format("M{}:\n", label);
        remainder(label);
    }

    void round_of_rounds(const std::string& label, bool reuses) {
        add(fmt::format("ISETP.GE.U32.AND P0, PT, {}, 0x3, PT", reuses ? "R4" : "R3"));
        add("LOP3.LUT R4, R2, 0x3, RZ, 0xc0, !PT");
        add(fmt::format("@!P0 BRA M{}", label));
        add(one_in(2) ? "IADD3 R5, R2, -R4, RZ" : "IMAD.IADD R5, R2, 0x1, -R4");
        add("ISETP.GT.AND P0, PT, R5, RZ, PT");
        add(fmt::format("@!P0 BRA F{}", label));
        add("ISETP.GT.AND P1, PT, R5, 0xc, PT");
        add("PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0");
        add(fmt::format("@!P1 BRA G{}", label));
        add("PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0");
        text_ += fmt::format("L{}:\n", label);
        add("IADD3 R5, R5, -0x10, RZ");
        add("ISETP.GT.AND P1, PT, R5, 0xc, PT");
        add(fmt::format("@P1 BRA L{}", label));
        text_ += fmt::format("G{}:\n", label);
        add("ISETP.GT.AND P1, PT, R5, 0x4, PT");
        add(fmt::format("@!P1 BRA H{}", label));
        add("PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0");
        add("IADD3 R5, R5, -0x8, RZ");
        text_ += fmt::format("H{}:\n", label);
        add("ISETP.NE.OR P0, PT, R5, RZ, P0");
        add(fmt::format("@!P0 BRA M{}", label));
        text_ += fmt::format("F{}:\n", label);
        add("IADD3 R5, R5, -0x4, RZ");
        add("ISETP.NE.AND P0, PT, R5, RZ, PT");
        add(fmt::format("@P0 BRA F{}", label));
        text_ += fmt::format("M{}:\n", label);
        remainder(label);
    }

    /// R22: around which number a window lies. Not an affine form of one that is known.
    void center() {
        if (one_in(2)) {
            add("LDG.E.U8 R22, [R8.64]");
        } else { // R20 is any number.
            add(fmt::format("IMNMX R22, R20, -0x{:x}, !PT", random_source_.whole(0, 90)));
            add(fmt::format("IMNMX R22, R22, 0x{:x}, PT", random_source_.whole(1, 90)));
        }
        if (one_in(4)) add("LOP3.LUT R22, RZ, R22, RZ, 0x33, !PT");
        if (one_in(4)) add("IADD3 R22, -R22, 0x11, RZ");
    }

    void lower_end() {
        add(fmt::format("IADD3 R23, R22, -0x{:x}, RZ", random_source_.whole(0, 9)));
        if (one_in(4)) add("IMAD.MOV.U32 R23, RZ, RZ, R23");
        if (one_in(2)) add(fmt::format("IMNMX R23, R23, 0x{:x}, !PT", random_source_.whole(0, 40)));
        if (one_in(8)) add("@P6 IADD3 R23, R23, 0x2, RZ");
    }

    void upper_end(bool is_any) {
        add(fmt::format("IADD3 R24, R22, 0x{:x}, RZ", random_source_.whole(0, 9)));
        if (is_any) return add("IMNMX R24, R21, R24, PT");
        if (one_in(2)) add(fmt::format("IMNMX R24, R24, 0x{:x}, PT", random_source_.whole(0, 80)));
        if (one_in(8)) add("@P6 IADD3 R24, R24, 0x1, RZ");
    }

    /// `for (i = max(x - a, l); i <= min(x + b, m); ++i)`, perhaps three times, of one number x or
    /// of different ones.
    void windows() {
        const std::string label = fmt::format("{}", labels_++);
        const bool repeats = one_in(2);
        const bool is_late = repeats && one_in(2); // One end is of the number before.
        const bool is_any = one_in(4);
        center();
        upper_end(is_any);
        add("MOV R27, 0x3");
        text_ += fmt::format("O{}:\n", label);
        if (is_late || (repeats && one_in(2))) center();
        if (!is_late && repeats) upper_end(is_any);
        lower_end();
        if (is_any || one_in(2))
            while_in_window(label);
        else
            counted_window(label);
        if (is_late) upper_end(is_any);
        if (!repeats) return;
        add("IADD3 R27, R27, -0x1, RZ");
        add("ISETP.NE.AND P2, PT, R27, RZ, PT");
        add(fmt::format("@P2 BRA O{}", label));
    }

    void while_in_window(const std::string& label) {
        add("ISETP.GT.AND P0, PT, R23, R24, PT");
        add(fmt::format("@P0 BRA E{}", label));
        text_ += fmt::format("L{}:\n", label);
        add(fmt::format("IADD3 R23, R23, 0x{:x}, RZ", random_source_.whole(1, 3)));
        add(one_in(2) ? "ISETP.LE.AND P0, PT, R23, R24, PT" : "ISETP.GE.AND P0, PT, R24, R23, PT");
        add(fmt::format("@P0 BRA L{}", label));
        text_ += fmt::format("E{}:\n", label);
        add("NOP");
    }

    /// The count is computed before, from the complement of the end, as compilers do.
    void counted_window(const std::string& label) {
        add("LOP3.LUT R25, RZ, R24, RZ, 0x33, !PT");
        add(one_in(2) ? "IADD3 R26, -R25, -R23, RZ" : "IADD3 R26, RZ, -R23, -R25");
        add("ISETP.LT.AND P0, PT, R26, 0x1, PT");
        add(fmt::format("@P0 BRA E{}", label));
        text_ += fmt::format("L{}:\n", label);
        add("IADD3 R26, R26, -0x1, RZ");
        add("ISETP.NE.AND P0, PT, R26, RZ, PT");
        add(fmt::format("@P0 BRA L{}", label));
        text_ += fmt::format("E{}:\n", label);
        add("NOP");
    }

    RandomSource& random_source_;
    std::string text_;
    int labels_ = 0;
};

TEST(DataLoops, HaveBoundsThatHoldForEveryEntry) {
    int loops = 0;
    int entries = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 150));
    for_seeds(cases, [&](RandomSource& random_source) {
        const std::string text = DataLoopWriter{random_source}.write();
        const auto program = assembly::read_program({"random", text});
        ASSERT_TRUE(program) << to_string(program.error()) << text;
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << text;
        const analyzer::ValueCode code = analyzer::value_code(function, graph.value());
        const auto executed = analyzer::execute_abstractly(code.function, code.graph, {1, 32}, {});
        for (std::size_t loop = 0; loop < executed.loops.size(); ++loop) {
            if (!executed.reached[graph.value().loops[loop].header]) continue;
            ++loops;
            ASSERT_TRUE(executed.loops[loop]) << text;
        }
        for (int run = 0; run < 20; ++run) {
            const LaneRun lane = LaneInterpreter{function, graph.value(), random_source}.run(1'000);
            for (const auto& [loop, counts] : lane.header_counts)
                for (const std::int64_t count : counts) {
                    if (!executed.loops[loop]) continue;
                    ++entries;
                    ASSERT_GE(count, executed.loops[loop]->min) << text;
                    ASSERT_LE(count, executed.loops[loop]->max) << text;
                }
            for (std::size_t edge = 0; edge < lane.edges.size(); ++edge) {
                ASSERT_TRUE(lane.edges[edge] == 0 || executed.taken[edge]) << edge << "\n" << text;
            }
        }
    });
    EXPECT_GT(entries, 5 * cases);
    RecordProperty("loops", loops);
    RecordProperty("entries", entries);
}

} // namespace
} // namespace warpbound::tests
