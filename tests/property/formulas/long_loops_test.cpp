// Long loops: steps and intervals that skip iterations against the plain rule.
#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"
#include "models/formulas/gpumech_profile.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

namespace warpbound::models {
namespace {

using tests::RandomSource;

/// Straight lines of additions, some guarded, and multiplications over few registers.
std::string random_block(RandomSource& random_source, std::int64_t most) {
    std::string text;
    for (std::int64_t left = random_source.whole(0, most); left > 0; --left)
        text +=
            fmt::format("{}{} R{}, R{}, R{};\n", random_source.whole(0, 3) == 0 ? "@P1 " : "",
                        random_source.whole(0, 1) == 0 ? "FADD" : "FMUL", random_source.whole(0, 7),
                        random_source.whole(0, 7), random_source.whole(0, 7));
    return text;
}

struct Case {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    std::vector<std::size_t> path;
};

/// A loop in a loop, with code before, between and after, and how often each is run.
Case random_case(RandomSource& random_source) {
    const std::string text =
        "!Arch sm_20\n!Kernel loops\n" + random_block(random_source, 6) + "MOV R0, R1;\nouter:\n" +
        random_block(random_source, 6) + "MOV R1, R2;\ninner:\n" + random_block(random_source, 12) +
        "FADD R3, R3, R4;\n@P0 BRA inner;\n" + random_block(random_source, 4) + "@P2 BRA outer;\n" +
        random_block(random_source, 6) + "EXIT;\n!EndKernel\n";
    Case made;
    made.program = assembly::read_program({.name = "loops", .text = text}).value();
    made.graph = assembly::build_control_flow_graph(made.program.functions.front()).value();
    EXPECT_EQ(made.graph.blocks.size(), 5U) << text;
    made.path.push_back(0);
    const std::int64_t inner = random_source.whole(1, 60);
    const bool varies = random_source.whole(0, 2) == 0;
    for (std::int64_t outer = random_source.whole(1, 40); outer > 0; --outer) {
        made.path.push_back(1);
        const std::int64_t turns = varies ? random_source.whole(1, 60) : inner;
        made.path.insert(made.path.end(), static_cast<std::size_t>(turns), 2);
        made.path.push_back(3);
    }
    made.path.push_back(4);
    return made;
}

struct Machine {
    std::int64_t add = 0;
    std::int64_t multiply = 0;
    std::int64_t gap = 0;

    [[nodiscard]] std::int64_t latency(assembly::OpcodeClass opcode_class) const {
        return opcode_class == assembly::OpcodeClass::FloatMultiply ? multiply : add;
    }
};

/// Gaps between the issues along the path: each instruction waits for the last eight writers of a
/// register that no unguarded one hides.
std::vector<std::int64_t> plain_gaps(const Case& made, const Machine& machine) {
    const auto& function = made.program.functions.front();
    std::map<assembly::Register, std::vector<std::int64_t>> ready;
    std::vector<std::int64_t> gaps;
    std::int64_t issue = 0;
    bool first = true;
    for (const std::size_t block : made.path)
        for (std::size_t at = made.graph.blocks[block].first; at <= made.graph.blocks[block].last;
             ++at) {
            const auto& instruction = function.instructions[at];
            const auto& effects = instruction.effects;
            std::int64_t next = first ? 0 : issue + machine.gap;
            for (const auto& reg : effects.reads)
                for (const std::int64_t done : ready[reg])
                    next = std::max(next, done);
            if (!first) gaps.push_back(next - issue);
            first = false;
            issue = next;
            for (const auto& reg : effects.writes) {
                auto& writers = ready[reg];
                if (!instruction.guard) writers.clear();
                if (writers.size() == 8) writers.erase(writers.begin());
                writers.push_back(issue + machine.latency(instruction.opcode_class));
            }
        }
    return gaps;
}

TEST(LongLoops, HaveTheGapsOfTheirIterations) {
    tests::for_seeds(400, [](RandomSource& random_source) {
        const Case made = random_case(random_source);
        const Machine machine{.add = random_source.whole(1, 40),
                              .multiply = random_source.whole(1, 200),
                              .gap = random_source.whole(1, 3)};
        const auto steps =
            steps_along(made.program.functions.front(), made.graph, made.path, {}).value();
        std::vector<gpumech::TracedInstruction> kinds;
        for (const auto& step : steps.kinds())
            kinds.push_back({.latency = Cycles{machine.latency(step.opcode_class)},
                             .distances = step.distances,
                             .gap = Cycles{machine.gap}});
        const auto trace = gpumech::issue_trace(kinds, steps.order()).value();
        std::vector<std::int64_t> gaps;
        for (const auto& gap : trace.gaps)
            gaps.push_back(gap.cycles.count());
        EXPECT_EQ(gaps, plain_gaps(made, machine));

        // Intervals with and without the repetitions amount to the same instructions and stalls.
        gpumech::IssueTrace written_out = trace;
        written_out.repetitions.clear();
        std::vector<gpumech::Interval> intervals;
        const auto repeated = gpumech::intervals_of(trace).value();
        for (const auto& interval : repeated)
            for (std::int64_t turn = 0; turn < interval.times; ++turn)
                intervals.push_back(interval);
        auto plain = gpumech::intervals_of(written_out).value();
        ASSERT_EQ(intervals.size(), plain.size());
        const auto less = [](const gpumech::Interval& a, const gpumech::Interval& b) {
            return std::pair{a.instructions, a.stall} < std::pair{b.instructions, b.stall};
        };
        std::ranges::sort(intervals, less);
        std::ranges::sort(plain, less);
        for (std::size_t k = 0; k < plain.size(); ++k) {
            EXPECT_EQ(intervals[k].instructions, plain[k].instructions);
            EXPECT_EQ(intervals[k].stall, plain[k].stall);
        }
    });
}

// Of 1,000 iterations a few are followed: step kinds and intervals do not grow with their number.
TEST(LongLoops, CostTheirBody) {
    const std::string text = "!Arch sm_20\n!Kernel loop\nMOV R4, R2;\nturn:\nFADD R5, R5, R4;\n"
                             "@P1 FADD R6, R6, R5;\n@P0 BRA turn;\nEXIT;\n!EndKernel\n";
    const auto program = assembly::read_program({.name = "loop", .text = text}).value();
    const auto& function = program.functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    std::vector<std::size_t> path(1000, 1);
    path.front() = 0;
    path.push_back(2);
    const auto steps = steps_along(function, graph, path, {}).value();
    EXPECT_EQ(steps.size(), 1 + 999 * 3 + 1U);
    EXPECT_LT(steps.kinds().size(), 60U);
    std::vector<gpumech::TracedInstruction> kinds;
    for (const auto& step : steps.kinds())
        kinds.push_back({.latency = 18_cycles, .distances = step.distances});
    const auto intervals =
        gpumech::intervals_of(gpumech::issue_trace(kinds, steps.order()).value()).value();
    EXPECT_LT(intervals.size(), 100U);
    EXPECT_EQ(gpumech::performance_of(intervals, 1).value().instructions,
              static_cast<double>(steps.size()));
}

} // namespace
} // namespace warpbound::models
