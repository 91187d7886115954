#include "analyzer/flow_facts.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <map>
#include <set>

namespace warpbound::analyzer {
namespace {

/// Walks every path of a graph within its loop bounds and prices it by stepping the pipeline
/// exactly.
class Enumerator {
public:
    Enumerator(const Analyzed& problem, const Pipeline& pipeline,
               const std::vector<BackEdgeBounds>& bounds)
        : problem_{problem}, pipeline_{pipeline}, bounds_{bounds} {}

    /// Nothing when there are more than `limit` steps.
    std::optional<std::pair<std::int64_t, std::int64_t>> shortest_and_longest(std::size_t limit) {
        left_ = limit;
        walk(0, pipeline_.start(), 0, std::vector<std::int64_t>(problem_.graph.loops.size(), 0));
        if (left_ == 0 || !found_) return std::nullopt;
        return std::pair{least_, most_};
    }

private:
    void walk(std::size_t block, PipelineState state, std::int64_t cost,
              std::vector<std::int64_t> taken) {
        if (left_ == 0 || --left_ == 0) return;
        const auto& code = problem_.graph.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i) {
            cost += pipeline_.advance(state, i).cycles;
            if (i < code.last) pipeline_.leave(state, i, false);
        }
        if (code.exits && may_leave(block, std::nullopt, taken)) {
            const std::int64_t total = cost + pipeline_.completion(state);
            least_ = found_ ? std::min(least_, total) : total;
            most_ = found_ ? std::max(most_, total) : total;
            found_ = true;
        }
        for (const std::size_t index : code.out) {
            const auto& edge = problem_.graph.edges[index];
            if (!may_leave(block, edge.to, taken)) continue;
            auto next = taken;
            bool allowed = true;
            for (std::size_t loop = 0; loop < next.size(); ++loop) {
                if (edge.to != problem_.graph.loops[loop].header) continue;
                next[loop] = inside(loop, block) ? next[loop] + 1 : 0;
                allowed = next[loop] <= bounds_[loop].max;
            }
            if (!allowed) continue;
            PipelineState entered = state;
            pipeline_.leave(entered, code.last, edge.kind == assembly::EdgeKind::Taken);
            walk(edge.to, std::move(entered), cost, std::move(next));
        }
    }

    [[nodiscard]] bool inside(std::size_t loop, std::size_t block) const {
        const auto& blocks = problem_.graph.loops[loop].blocks;
        return std::binary_search(blocks.begin(), blocks.end(), block);
    }

    /// Every loop that is left has taken its least number of back edges.
    [[nodiscard]] bool may_leave(std::size_t from, std::optional<std::size_t> to,
                                 const std::vector<std::int64_t>& taken) const {
        for (std::size_t loop = 0; loop < taken.size(); ++loop)
            if (inside(loop, from) && (!to || !inside(loop, *to)) &&
                taken[loop] < bounds_[loop].min)
                return false;
        return true;
    }

    const Analyzed& problem_;
    const Pipeline& pipeline_;
    const std::vector<BackEdgeBounds>& bounds_;
    std::size_t left_ = 0;
    bool found_ = false;
    std::int64_t least_ = 0;
    std::int64_t most_ = 0;
};

TEST(StructuralPaths, EqualTheExhaustiveSearchWhenNoStatesWereJoined) {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        tests::RandomKernelOptions options;
        options.statements = 4;
        options.depth = 2;
        options.max_iterations = 2;
        options.memory = false;
        options.further_facts = false;
        const auto kernel = tests::random_kernel(seed, options);
        auto program = assembly::read_program({"random", kernel.text});
        ASSERT_TRUE(program) << to_string(program.error());
        Analyzed problem;
        problem.program = std::move(program).value();
        auto graph = assembly::build_control_flow_graph(problem.program.functions.front());
        ASSERT_TRUE(graph) << to_string(graph.error()) << "\n" << kernel.text;
        problem.graph = std::move(graph).value();
        problem.architecture = models::load_architecture("fermi-gtx470").value();
        problem.facts = kernel.facts;
        const auto& function = problem.program.functions.front();
        const auto facts = resolve_facts(function, problem.graph, problem.facts);
        ASSERT_TRUE(facts) << to_string(facts.error());
        const auto timings =
            models::instruction_timings(function, problem.architecture, problem.facts);
        for (const Side side : {Side::Upper, Side::Lower}) {
            const Pipeline pipeline{function, problem.architecture, timings, 0, {0, 0, 0}, side};
            const StateGraph states =
                build_state_graph(problem.graph, pipeline, facts.value().never, 64);
            if (!states.exact) continue;
            const auto best =
                StructuralPaths{problem.graph, states, facts.value().loops, side}.entry_to_end();
            const auto enumerated =
                Enumerator{problem, pipeline, facts.value().loops}.shortest_and_longest(200'000);
            if (!enumerated) continue;
            ASSERT_TRUE(best) << "seed " << seed;
            ASSERT_EQ(best->cost, side == Side::Upper ? enumerated->second : enumerated->first)
                << "seed " << seed << "\n"
                << kernel.text;
            std::map<std::size_t, std::int64_t> counted;
            for (const std::size_t node : best->sequence)
                ++counted[node];
            ASSERT_EQ(counted, best->counts) << "seed " << seed;
            ++compared;
        }
    }
    EXPECT_GT(compared, 300);
}

} // namespace
} // namespace warpbound::analyzer
