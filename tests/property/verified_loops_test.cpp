/// \file
/// The verifier's own loop bounds, compared with an interpreter that runs the code.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "certification/verify/flow/register_values.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/lane_interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpbound::tests {
namespace {

/// Writes random nested loops: counters that are added to, shifted or masked, limits from numbers,
/// the launch and memory, tests at the top and at the bottom, guards and early exits.
class CountedLoopWriter {
public:
    explicit CountedLoopWriter(RandomSource& random_source) : random_source_{random_source} {}

    std::string write() {
        for (int reg = 2; reg < 8; ++reg)
            if (!one_in(4)) load(reg);
        for (std::int64_t loops = random_source_.whole(1, 2); loops > 0; --loops)
            loop(static_cast<int>(random_source_.whole(1, 2)));
        return "!Arch sm_75\n!Kernel k\n" + text_ + "EXIT;\n!EndKernel\n";
    }

private:
    bool one_in(std::int64_t n) { return random_source_.whole(1, n) == 1; }
    int reg() { return static_cast<int>(random_source_.whole(2, 7)); }
    int predicate() { return static_cast<int>(random_source_.whole(0, 3)); }
    void add(const std::string& line) { text_ += line + ";\n"; }

    std::string number() {
        static constexpr std::array<std::int64_t, 6> corners{0,          0x7ffffff0, 0x7fffffff,
                                                             0xfffffff0, 1,          0x80000000};
        if (one_in(8))
            return fmt::format("0x{:x}",
                               corners.at(static_cast<std::size_t>(random_source_.whole(0, 5))));
        const std::int64_t value = random_source_.whole(-20, 60);
        return value < 0 ? fmt::format("-0x{:x}", -value) : fmt::format("0x{:x}", value);
    }
    std::string operand() {
        if (one_in(3)) return fmt::format("R{}", reg());
        if (one_in(5)) return fmt::format("c[0x0][0x{:x}]", 0x160 + 4 * random_source_.whole(0, 3));
        return number();
    }
    std::string guard(std::int64_t n) {
        if (!one_in(n)) return "";
        return fmt::format("@{}P{} ", one_in(2) ? "!" : "", predicate());
    }

    void load(int into) {
        switch (random_source_.whole(1, 6)) {
        case 1:
            return add(fmt::format("S2R R{}, {}", into, one_in(3) ? "SR_CTAID.X" : "SR_TID.X"));
        case 2:
            return add(fmt::format("LDG.E.U8 R{}, [R8]", into));
        case 3:
            return add(fmt::format("LDG.E R{}, [R8]", into));
        default:
            return add(fmt::format("MOV R{}, {}", into, operand()));
        }
    }

    void compute(int into) {
        const std::string before = guard(10);
        const int from = one_in(3) ? reg() : into;
        switch (random_source_.whole(1, 12)) {
        case 1:
            return add(fmt::format("{}IMAD.SHL.U32 R{}, R{}, 0x2, RZ", before, into, from));
        case 2:
            return add(fmt::format("{}SHF.R.{}.HI R{}, RZ, 0x{:x}, R{}", before,
                                   one_in(2) ? "S32" : "U32", into, random_source_.whole(1, 3),
                                   from));
        case 3:
            return add(fmt::format("{}LOP3.LUT R{}, R{}, 0x{:x}, RZ, 0xc0, !PT", before, into, from,
                                   random_source_.whole(1, 0x3f)));
        case 4:
            return add(fmt::format("{}IMNMX{} R{}, R{}, {}, {}PT", before, one_in(2) ? ".U32" : "",
                                   into, from, operand(), one_in(2) ? "!" : ""));
        case 5:
            return add(
                fmt::format("{}SEL R{}, R{}, {}, P{}", before, into, from, operand(), predicate()));
        case 6:
            return add(fmt::format("{}LEA R{}, R{}, {}, 0x{:x}", before, into, from, operand(),
                                   random_source_.whole(1, 3)));
        case 7:
            return add(fmt::format("{}IADD3 R{}, R{}, -R{}, RZ", before, into, from, reg()));
        case 8:
            return add(
                fmt::format("{}IMAD R{}, R{}, {}, R{}", before, into, from, number(), reg()));
        default:
            return step(into);
        }
    }

    void step(int into) {
        const std::int64_t by = random_source_.whole(-4, 4);
        add(fmt::format("{}IADD3 R{}, R{}, {}, RZ", guard(16), into, into,
                        by < 0 ? fmt::format("-0x{:x}", -by) : fmt::format("0x{:x}", by)));
    }

    void compare(int into, int reg) {
        static const char* const names[] = {"LT", "LE", "EQ", "NE", "GE", "GT"};
        static const char* const combinations[] = {"AND", "AND", "AND", "OR"};
        const std::string with =
            one_in(4) ? fmt::format("{}P{}", one_in(2) ? "!" : "", predicate()) : "PT";
        add(fmt::format("{}ISETP.{}{}.{} P{}, PT, R{}, {}, {}", guard(16),
                        names[random_source_.whole(0, 5)], one_in(3) ? ".U32" : "",
                        combinations[with == "PT" ? 0 : random_source_.whole(0, 3)], into, reg,
                        operand(), with));
        if (one_in(8))
            add(fmt::format("PLOP3.LUT P{}, PT, P{}, P{}, PT, 0x{:x}, 0x0", into, into, predicate(),
                            random_source_.whole(0, 255)));
    }

    /// Leaves to label D of the loop.
    void leave(int label, int counter) {
        const int by = predicate();
        compare(by, counter);
        add(fmt::format("@{}P{} BRA D{}", one_in(2) ? "!" : "", by, label));
    }

    void loop(int depth) {
        const int label = labels_++;
        const int counter = reg();
        load(counter);
        if (one_in(3)) leave(label, counter);
        text_ += fmt::format("L{}:\n", label);
        if (one_in(3)) leave(label, counter);
        if (one_in(3)) compute(reg());
        if (depth > 1) loop(depth - 1);
        if (one_in(5)) {
            add(fmt::format("@P{} BRA M{}", predicate(), label));
            compute(reg());
            text_ += fmt::format("M{}:\n", label);
        }
        one_in(3) ? compute(counter) : step(counter);
        const int by = predicate();
        compare(by, counter);
        if (one_in(4)) compute(reg());
        add(fmt::format("@{}P{} BRA L{}", one_in(2) ? "!" : "", by, label));
        text_ += fmt::format("D{}:\n", label);
        add("NOP");
    }

    RandomSource& random_source_;
    std::string text_;
    int labels_ = 0;
};

TEST(VerifiedLoops, HoldForEveryEntryOfRandomLoops) {
    constexpr std::int64_t most = 200;
    int bounded = 0;
    int narrow = 0; // With a least bound above 1.
    int entries = 0;
    int exact = 0; // Entries that execute the header as often as the bound says.
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 400));
    for_seeds(cases, [&](RandomSource& random_source) {
        const std::string text = CountedLoopWriter{random_source}.write();
        const auto program = assembly::read_program({"random", text});
        ASSERT_TRUE(program) << to_string(program.error()) << text;
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        if (!graph) return; // E.g. a loop without an exit.
        models::Launch launch{3, 64};
        LaneInputs inputs;
        for (std::int64_t offset = 0x160; offset < 0x170; offset += 4) {
            const auto word = static_cast<std::uint32_t>(random_source.whole(-6, 40));
            inputs.constants[offset] = word;
            if (random_source.whole(1, 4) > 1) launch.arguments[offset] = {word, 32};
        }
        namespace check = certification::verify;
        const check::LaunchValues launch_values{function, launch};
        const std::vector<std::int64_t> limits(graph.value().loops.size(), most);
        check::RegisterValues values{function, graph.value(), launch_values, false, limits};
        const std::vector<bool> reached = values.reached_blocks();
        for (std::size_t loop = 0; loop < graph.value().loops.size(); ++loop) {
            bounded += values.iterate(loop).max ? 1 : 0;
            narrow += values.iterate(loop).min > 1 ? 1 : 0;
        }
        for (int run = 0; run < 6; ++run) {
            const LaneRun lane =
                LaneInterpreter{function, graph.value(), random_source, launch, inputs}.run(1'000);
            for (const auto& [loop, counts] : lane.header_counts)
                for (const std::int64_t count : counts) {
                    const check::IteratedLoop& own = values.iterate(loop);
                    ++entries;
                    ASSERT_GE(count, own.min) << loop << "\n" << text;
                    if (!own.max) continue;
                    ASSERT_LE(count, *own.max) << loop << "\n" << text;
                    exact += count == *own.max ? 1 : 0;
                }
            for (const std::size_t block : lane.path)
                ASSERT_TRUE(reached[block]) << block << "\n" << text;
            for (std::size_t edge = 0; edge < lane.edges.size(); ++edge)
                ASSERT_TRUE(lane.edges[edge] == 0 || values.may_take(edge)) << edge << "\n" << text;
        }
    });
    EXPECT_GT(bounded, cases / 2);
    EXPECT_GT(narrow, cases / 8);
    EXPECT_GT(exact, cases / 2);
    RecordProperty("bounded", bounded);
    RecordProperty("narrow", narrow);
    RecordProperty("entries", entries);
    RecordProperty("exact", exact);
}

} // namespace
} // namespace warpbound::tests
