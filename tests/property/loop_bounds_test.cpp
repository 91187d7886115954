/// \file
/// Derived loop bounds, compared with an interpreter that runs the code.

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/flow/execution_by_index.hpp"
#include "analyzer/flow/loop_bounds.hpp"
#include "assembly/isa/reader.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/lane_interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::tests {
namespace {

using assembly::Function;

enum class Counters { FromConstants, FromIndices };

/// Writes random nested loops with counters, some of which are also written elsewhere. From
/// indices: of threads and blocks, and less what is left by unrolled loops.
class LoopWriter {
public:
    LoopWriter(RandomSource& random_source, Counters counters)
        : random_source_{random_source}, counters_{counters} {}

    std::string write() {
        text_ = "!Arch sm_75\n!Kernel k\n";
        for (std::int64_t loops = random_source_.whole(1, 2); loops > 0; --loops)
            loop(static_cast<int>(random_source_.whole(1, 2)));
        return text_ + "EXIT;\n!EndKernel\n";
    }

private:
    bool one_in(std::int64_t n) { return random_source_.whole(1, n) == 1; }
    void add(const std::string& line) { text_ += line + ";\n"; }
    std::string number() {
        const std::int64_t value = random_source_.whole(-40, 40);
        return value < 0 ? fmt::format("-0x{:x}", -value) : fmt::format("0x{:x}", value);
    }

    void load_index(int reg) {
        add(fmt::format("S2R R{}, {}", reg, one_in(3) ? "SR_CTAID.X" : "SR_TID.X"));
        if (one_in(3)) add(fmt::format("IADD3 R{}, R{}, {}, RZ", reg, reg, number()));
        if (one_in(3)) return;
        add(fmt::format("LOP3.LUT R{}, R{}, 0x3, RZ, 0xc0, !PT", reg + 10, reg));
        if (one_in(2)) add(fmt::format("IADD3 R{}, R{}, -R{}, RZ", reg, reg, reg + 10));
    }

    void load(int reg) {
        if (counters_ == Counters::FromIndices && !one_in(3)) return load_index(reg);
        const std::string guard = one_in(12) ? "@P6 " : "";
        switch (random_source_.whole(1, 4)) {
        case 1:
            return add(fmt::format("{}MOV R{}, {}", guard, reg, number()));
        case 2:
            return add(fmt::format("{}IMAD.MOV.U32 R{}, RZ, RZ, {}", guard, reg, number()));
        case 3:
            return add(fmt::format("{}IADD3 R{}, RZ, {}, RZ", guard, reg, number()));
        default:
            return add(fmt::format("{}MOV R{}, R{}", guard, reg, random_source_.whole(2, 9)));
        }
    }

    void step(int reg) {
        const std::string guard = one_in(12) ? "@P6 " : "";
        const std::int64_t most = counters_ == Counters::FromIndices ? 4 : 3;
        const std::int64_t by = random_source_.whole(-most, most);
        const std::string amount = by < 0 ? fmt::format("-0x{:x}", -by) : fmt::format("0x{:x}", by);
        if (one_in(2))
            add(fmt::format("{}IADD3 R{}, R{}, {}, RZ", guard, reg, reg, amount));
        else
            add(fmt::format("{}IMAD.IADD R{}, R{}, 0x1, {}", guard, reg, reg, amount));
    }

    void compare(int predicate, int reg) {
        static const char* const names[] = {"LT", "LE", "EQ", "NE", "GE", "GT"};
        const std::string right =
            one_in(3) ? fmt::format("R{}", random_source_.whole(2, 9)) : number();
        add(fmt::format("ISETP.{}{}.AND P{}, PT, R{}, {}, PT", names[random_source_.whole(0, 5)],
                        one_in(3) ? ".U32" : "", predicate, reg, right));
    }

    /// Rounds of four, as long as there are four left: the counter is a multiple of four.
    void unrolled_loop() {
        const int label = labels_++;
        const int reg = static_cast<int>(random_source_.whole(2, 5));
        add(fmt::format("S2R R{}, {}", reg, one_in(3) ? "SR_CTAID.X" : "SR_TID.X"));
        if (one_in(2)) add(fmt::format("IADD3 R{}, R{}, {}, RZ", reg, reg, number()));
        // What is left of a quotient: only execution by index follows that it is the low bits.
        if (one_in(3)) {
            add(fmt::format("LOP3.LUT R{}, R{}, 0x3, RZ, 0xc0, !PT", reg + 10, reg));
        } else {
            add(fmt::format("SHF.R.U32.HI R{}, RZ, 0x2, R{}", reg + 10, reg));
            add(fmt::format("IMAD R{}, R{}, -0x4, R{}", reg + 10, reg + 10, reg));
        }
        add(fmt::format("ISETP.LT.AND P3, PT, R{}, 0x4, PT", reg));
        add(fmt::format("@P3 BRA D{}", label));
        add(fmt::format("IADD3 R{}, R{}, -R{}, RZ", reg, reg, reg + 10));
        text_ += fmt::format("L{}:\n", label);
        if (one_in(4)) step(static_cast<int>(random_source_.whole(2, 9)));
        add(fmt::format("IADD3 R{}, R{}, -0x4, RZ", reg, reg));
        add(fmt::format("ISETP.NE.AND P{}, PT, R{}, RZ, PT", label % 3, reg));
        add(fmt::format("@P{} BRA L{}", label % 3, label));
        text_ += fmt::format("D{}:\n", label);
        add("NOP");
    }

    void loop(int depth) {
        if (counters_ == Counters::FromIndices && one_in(2)) return unrolled_loop();
        const int label = labels_++;
        const int reg = static_cast<int>(random_source_.whole(2, 5));
        load(reg);
        if (one_in(2)) load(static_cast<int>(random_source_.whole(6, 9)));
        text_ += fmt::format("L{}:\n", label);
        if (one_in(8)) add(fmt::format("@P5 BRA D{}", label));
        if (depth > 1) loop(depth - 1);
        if (one_in(6)) {
            add(fmt::format("@P4 BRA M{}", label));
            step(reg);
            text_ += fmt::format("M{}:\n", label);
        }
        step(reg);
        if (one_in(6)) load(static_cast<int>(random_source_.whole(2, 9)));
        compare(label % 3, reg);
        const char* const negation = one_in(2) ? "!" : "";
        if (one_in(4)) {
            add(fmt::format("@{}P{} BRA D{}", negation, label % 3, label));
            add(fmt::format("BRA L{}", label));
        } else {
            add(fmt::format("@{}P{} BRA L{}", negation, label % 3, label));
        }
        text_ += fmt::format("D{}:\n", label);
        add("NOP");
    }

    RandomSource& random_source_;
    Counters counters_;
    std::string text_;
    int labels_ = 0;
};

TEST(LoopBounds, HoldForEveryEntryOfRandomLoops) {
    int derived_loops = 0;
    int exact_loops = 0;
    int executed_loops = 0;
    int entries = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 150));
    for_seeds(cases, [&](RandomSource& random_source) {
        const std::string text = LoopWriter{random_source, Counters::FromConstants}.write();
        const auto program = assembly::read_program({"random", text});
        ASSERT_TRUE(program) << to_string(program.error()) << text;
        const Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        if (!graph) return; // E.g. a loop without an exit.
        const auto derived =
            analyzer::derive_loops(function, graph.value(), analyzer::Convergence::Converged);
        for (const auto& loop : derived) {
            derived_loops += loop ? 1 : 0;
            exact_loops += loop && loop->min == loop->max ? 1 : 0;
        }
        const analyzer::AbstractRun executed =
            analyzer::execute_abstractly(function, graph.value(), {1, 32}, {});
        for (const auto& loop : executed.loops)
            executed_loops += loop ? 1 : 0;
        for (int run = 0; run < 4; ++run) {
            const LaneRun lane = LaneInterpreter{function, graph.value(), random_source}.run(1'000);
            for (const auto& [loop, counts] : lane.header_counts)
                for (const std::int64_t count : counts)
                    for (const auto& bound : {derived[loop], executed.loops[loop]}) {
                        if (!bound) continue;
                        ++entries;
                        ASSERT_GE(count, bound->min) << text;
                        ASSERT_LE(count, bound->max) << text;
                    }
            for (const std::size_t block : lane.path) {
                ASSERT_TRUE(executed.reached[block]) << block << "\n" << text;
            }
            for (std::size_t edge = 0; edge < lane.edges.size(); ++edge) {
                ASSERT_TRUE(lane.edges[edge] == 0 || executed.taken[edge]) << edge << "\n" << text;
            }
        }
    });
    EXPECT_GT(derived_loops, cases / 4);
    EXPECT_GT(exact_loops, cases / 8);
    EXPECT_GE(executed_loops, derived_loops / 2);
    RecordProperty("executed", executed_loops);
    EXPECT_GT(entries, cases);
    RecordProperty("derived", derived_loops);
    RecordProperty("exact", exact_loops);
    RecordProperty("entries", entries);
}

TEST(LoopBounds, HoldByIndexForEveryEntryOfRandomLoops) {
    const models::Launch launch{3, 64};
    int bounded_loops = 0;
    int bounded_together = 0;
    int entries = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 25));
    for_seeds(cases, [&](RandomSource& random_source) {
        const std::string text = LoopWriter{random_source, Counters::FromIndices}.write();
        const auto program = assembly::read_program({"random", text});
        ASSERT_TRUE(program) << to_string(program.error()) << text;
        const Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        if (!graph) return; // E.g. a loop without an exit.
        const auto together = analyzer::execute_abstractly(function, graph.value(), launch, {});
        auto by_index = together;
        analyzer::bound_loops_by_index(by_index, function, graph.value(), launch, {},
                                       std::vector<bool>(graph.value().loops.size(), false));
        std::vector<std::size_t> bounded;
        for (std::size_t loop = 0; loop < by_index.loops.size(); ++loop) {
            if (by_index.loops[loop]) bounded.push_back(loop);
            bounded_loops += by_index.loops[loop] && !together.loops[loop] ? 1 : 0;
            bounded_together += together.loops[loop] ? 1 : 0;
        }
        for (int run = 0; run < 20 && !bounded.empty(); ++run) {
            const LaneRun lane =
                LaneInterpreter{function, graph.value(), random_source, launch}.run(1'000);
            for (const std::size_t loop : bounded) {
                const auto counts = lane.header_counts.find(loop);
                if (counts == lane.header_counts.end()) continue;
                for (const std::int64_t count : counts->second) {
                    ++entries;
                    ASSERT_GE(count, by_index.loops[loop]->min) << text;
                    ASSERT_LE(count, by_index.loops[loop]->max) << text;
                }
            }
        }
    });
    EXPECT_GT(bounded_loops, cases / 6);
    EXPECT_GT(bounded_together, cases / 6);
    EXPECT_GT(entries, cases);
    RecordProperty("bounded", bounded_loops);
    RecordProperty("entries", entries);
}

} // namespace
} // namespace warpbound::tests
