/// \file
/// Bounds of random loops that data steers and a measure ends (S72), compared with an interpreter
/// that runs the code.

#include "analyzer/flow/abstract_execution.hpp"
#include "assembly/isa/reader.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/lane_interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warpbound::tests {
namespace {

/// Writes bisections, halved lengths, masks that lose bits and pairs of counters, some with a step
/// that is too large or missing.
class ShrinkingLoopWriter {
public:
    explicit ShrinkingLoopWriter(RandomSource& random_source) : random_source_{random_source} {}

    std::string write() {
        text_ = "!Arch sm_75\n!Kernel k\n";
        for (std::int64_t loops = random_source_.whole(1, 2); loops > 0; --loops) {
            switch (random_source_.whole(1, 4)) {
            case 1:
                bisection();
                break;
            case 2:
                length();
                break;
            case 3:
                mask();
                break;
            default:
                counters();
            }
            add("NOP");
        }
        return text_ + "EXIT;\n!EndKernel\n";
    }

private:
    bool one_in(std::int64_t n) { return random_source_.whole(1, n) == 1; }
    void add(const std::string& line) { text_ += line + ";\n"; }
    std::string number(std::int64_t lo, std::int64_t hi) {
        const std::int64_t value = random_source_.whole(lo, hi);
        return value < 0 ? fmt::format("-0x{:x}", -value) : fmt::format("0x{:x}", value);
    }
    int begin() {
        text_ += fmt::format("L{}:\n", labels_);
        return labels_++;
    }

    /// R2 below R3, R4 between them.
    void bisection() {
        add("MOV R2, " + (one_in(3) ? number(0, 50) : "RZ"));
        if (one_in(3))
            add("LDG.E.U8 R3, [R8.64]");
        else
            add("MOV R3, " + number(0, 3000));
        const int label = begin();
        if (one_in(8)) add(fmt::format("@P5 BRA D{}", label));
        switch (random_source_.whole(1, 4)) {
        case 1:
            add("IADD3 R5, R2, R3, RZ");
            add(fmt::format("SHF.R.{}.HI R4, RZ, 0x1, R5", one_in(2) ? "S32" : "U32"));
            break;
        case 2:
            add("IADD3 R5, R2, R3, RZ");
            add("LEA.HI R5, R5, R5, RZ, 0x1");
            add("SHF.R.S32.HI R4, RZ, 0x1, R5");
            break;
        case 3:
            add("IADD3 R5, -R2, R3, RZ");
            add("LEA.HI R5, R5, R5, RZ, 0x1");
            add("LEA.HI.SX32 R4, R5, R2, 0x1f");
            break;
        default:
            add("IMAD.IADD R5, R3, 0x1, -R2");
            add("SHF.R.S32.HI R5, RZ, 0x1, R5");
            add("IADD3 R4, R2, R5, RZ");
        }
        add("LDG.E R6, [R8.64]");
        add("ISETP.GE.AND P0, PT, R6, " + number(0, 12) + ", PT");
        const bool strict = one_in(2);
        const std::string high = strict || one_in(6) ? "R4" : "R7";
        add("IADD3 R7, R4, -0x1, RZ");
        const std::string up = one_in(8) ? number(-1, 2) : one_in(3) ? "RZ" : "0x1";
        if (one_in(2)) {
            add(fmt::format("SEL R3, R3, {}, !P0", high));
            add(fmt::format("@!P0 IADD3 R2, R4, {}, RZ", up));
        } else {
            add(fmt::format("@P0 BRA H{}", label));
            add(fmt::format("IADD3 R2, R4, {}, RZ", up));
            add(fmt::format("BRA T{}", label));
            text_ += fmt::format("H{}:\n", label);
            add(fmt::format("MOV R3, {}", high));
            text_ += fmt::format("T{}:\n", label);
        }
        if (one_in(3)) { // The distance, compared with a number.
            add(one_in(2) ? "IADD3 R10, R3, -R2, RZ" : "IADD3 R10, R3, -R2, -0x1");
            add(fmt::format("ISETP.{}.AND P1, PT, R10, {}, PT", one_in(2) ? "LE" : "LT",
                            number(-1, 3)));
        } else {
            add(fmt::format("ISETP.{}.AND P1, PT, R2, R3, PT", strict ? "GE" : "GT"));
        }
        add(fmt::format("@!P1 BRA L{}", label));
        text_ += fmt::format("D{}:\n", label);
    }

    void length() {
        add("LDG.E.U8 R2, [R8.64]");
        if (!one_in(5)) add("IMNMX.U32 R2, R2, 0x1, !PT");
        const int label = begin();
        add("SHF.R.U32.HI R3, RZ, 0x1, R2");
        add("LOP3.LUT R4, RZ, R3, RZ, 0x33, !PT");
        add("LDG.E R6, [R8.64]");
        add("ISETP.GE.AND P0, PT, R6, " + number(0, 12) + ", PT");
        add(one_in(6) ? "@!P0 IADD3 R3, R4, R2, 0x1" : "@!P0 IMAD.IADD R3, R4, 0x1, R2");
        add("ISETP.NE.AND P1, PT, R3, RZ, PT");
        add("MOV R2, R3");
        add(fmt::format("@P1 BRA L{}", label));
    }

    void mask() {
        add("LDG.E R2, [R8.64]");
        if (one_in(2)) add("IMAD R2, R2, 0x1234567, RZ");
        const int label = begin();
        add("IADD3 R3, R2, -0x1, RZ");
        if (one_in(2))
            add("LOP3.LUT P0, R2, R3, RZ, R2, 0xa0, !PT");
        else
            add("LOP3.LUT R2, R3, R2, RZ, 0xc0, !PT;\nISETP.NE.AND P0, PT, R2, RZ, PT");
        add(fmt::format("@P0 BRA L{}", label));
    }

    /// The predicate on loaded data, of the lane or of the warp.
    std::string choice() {
        if (!one_in(4)) {
            add("ISETP.GE.AND P0, PT, R6, " + number(0, 12) + ", PT");
            return "P0";
        }
        add("R2UR UR4, R6");
        add("UISETP.GE.AND UP0, UPT, UR4, " + number(0, 12) + ", UPT");
        return "UP0";
    }

    /// The register of a limit that the loop computes, in part with numbers that wrap around.
    std::string limit_in_loop() {
        switch (random_source_.whole(1, 4)) {
        case 1:
            add("IADD3 R13, R12, " + number(-20, 20) + ", RZ");
            break;
        case 2:
            add("IADD3 R13, R12, 0x7fffff" + fmt::format("{:02x}", random_source_.whole(0, 255)) +
                ", RZ");
            break;
        case 3:
            add("MOV R13, " + number(0, 300));
            add("IADD3 R13, R13, -0x" + fmt::format("{:x}", random_source_.whole(0, 40)) + ", RZ");
            break;
        default:
            add("MOV R14, 0x" + fmt::format("{:x}", random_source_.whole(0x40000000, 0xffffffff)));
            add("IADD3 R13, R14, R12, RZ");
        }
        return "R13";
    }

    void counters() {
        add("MOV R2, " + number(0, 5));
        add("LDG.E.U8 R3, [R8.64]");
        const std::string limit = number(0, 40);
        add("MOV R12, " + number(0, 300));
        const int label = begin();
        add("LDG.E R6, [R8.64]");
        const std::string which = choice();
        const std::string other = one_in(8) ? "RZ" : number(1, 3);
        add(fmt::format("@{} IADD3 R2, R2, {}, RZ", which, number(1, 2)));
        if (one_in(6)) {
            add(fmt::format("BRA M{}", label)); // A uniform predicate may change here.
            text_ += fmt::format("M{}:\n", label);
        }
        add(fmt::format("@!{} IADD3 R3, R3, {}, RZ", which, other));
        if (one_in(3)) add("@P4 IADD3 R3, R3, 0x1, RZ");
        add(fmt::format("ISETP.LT.AND P1, PT, R2, {}, PT", limit));
        const std::string last = one_in(3) ? limit_in_loop() : "R12";
        add(fmt::format("ISETP.{}.AND P1, PT, R3, {}, P1", one_in(8) ? "NE" : "LT", last));
        add(fmt::format("@P1 BRA L{}", label));
    }

    RandomSource& random_source_;
    std::string text_;
    int labels_ = 0;
};

TEST(ShrinkingLoops, HaveBoundsThatHoldForEveryEntry) {
    const std::set<assembly::Register> shared{{assembly::RegisterFile::Uniform, 4},
                                              {assembly::RegisterFile::UniformPredicate, 0}};
    int loops = 0;
    int bounded = 0;
    int reached = 0;
    int entries = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 50));
    for_seeds(cases, [&](RandomSource& random_source) {
        const std::string text = ShrinkingLoopWriter{random_source}.write();
        const auto program = assembly::read_program({"random", text});
        ASSERT_TRUE(program) << to_string(program.error()) << text;
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << text;
        const auto executed =
            analyzer::execute_abstractly(function, graph.value(), {1, 32}, shared);
        for (const auto& loop : executed.loops) {
            ++loops;
            bounded += loop ? 1 : 0;
        }
        LaneInputs inputs;
        inputs.others_write_predicates = true;
        for (int run = 0; run < 30; ++run) {
            const LaneRun lane =
                LaneInterpreter{function, graph.value(), random_source, {}, inputs}.run(1'000);
            for (const auto& [loop, counts] : lane.header_counts)
                for (const std::int64_t count : counts) {
                    if (!executed.loops[loop]) continue;
                    ++entries;
                    reached += count == executed.loops[loop]->max ? 1 : 0;
                    ASSERT_GE(count, executed.loops[loop]->min) << text;
                    ASSERT_LE(count, executed.loops[loop]->max) << text;
                }
        }
    });
    EXPECT_GT(bounded, loops * 2 / 3);
    EXPECT_LT(bounded, loops) << "some have no measure";
    EXPECT_GT(reached, entries / 50) << "the bounds are tight";
    RecordProperty("loops", loops);
    RecordProperty("bounded", bounded);
    RecordProperty("entries", entries);
    RecordProperty("reached", reached);
}

} // namespace
} // namespace warpbound::tests
