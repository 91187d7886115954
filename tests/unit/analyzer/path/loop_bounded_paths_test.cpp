#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/microarchitecture/delay_graph.hpp"
#include "analyzer/microarchitecture/state_graph.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <array>
#include <map>
#include <set>

namespace warpbound::analyzer {
namespace {

/// Walks every path of a graph within its loop bounds and computes its cost by stepping the
/// pipeline exactly.
class PathEnumerator {
public:
    PathEnumerator(const Analyzed& context, const PipelineModel& pipeline,
                   const std::vector<BackEdgeBounds>& bounds)
        : context_{context}, pipeline_{pipeline}, bounds_{bounds} {}

    /// None when there are more than `limit` steps.
    std::optional<std::pair<std::int64_t, std::int64_t>> shortest_and_longest(std::size_t limit) {
        steps_left_ = limit;
        executed_.assign(context_.graph.blocks.size(), 0);
        walk(0, pipeline_.start(), 0, std::vector<std::int64_t>(context_.graph.loops.size(), 0));
        if (steps_left_ == 0 || !found_) return std::nullopt;
        return std::pair{least_, most_};
    }

private:
    void walk(std::size_t block, PipelineState state, std::int64_t cost,
              std::vector<std::int64_t> taken) {
        if (steps_left_ == 0 || --steps_left_ == 0) return;
        ++executed_[block];
        step(block, std::move(state), cost, taken);
        --executed_[block];
    }

    void step(std::size_t block, PipelineState state, std::int64_t cost,
              const std::vector<std::int64_t>& taken) {
        const auto& code = context_.graph.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i) {
            cost += pipeline_.advance(state, i).cycles;
            if (i < code.last) pipeline_.leave(state, i, false);
        }
        if (code.exits && may_leave(block, std::nullopt, taken) && satisfies_facts()) {
            const std::int64_t total = cost + pipeline_.completion(state);
            least_ = found_ ? std::min(least_, total) : total;
            most_ = found_ ? std::max(most_, total) : total;
            found_ = true;
        }
        for (const std::size_t index : code.out) {
            const auto& edge = context_.graph.edges[index];
            if (!may_leave(block, edge.to, taken)) continue;
            auto next = taken;
            bool allowed = true;
            for (std::size_t loop = 0; loop < next.size(); ++loop) {
                if (edge.to != context_.graph.loops[loop].header) continue;
                next[loop] = inside(loop, block) ? next[loop] + 1 : 0;
                allowed = next[loop] <= bounds_[loop].max;
            }
            if (!allowed) continue;
            PipelineState entered = state;
            pipeline_.leave(entered, code.last, edge.kind == assembly::EdgeKind::Taken);
            walk(edge.to, std::move(entered), cost, std::move(next));
        }
    }

    [[nodiscard]] bool satisfies_facts() const {
        const auto count = [&](std::int64_t address) {
            std::int64_t sum = 0;
            for (std::size_t block = 0; block < executed_.size(); ++block)
                if (context_.graph.blocks[block].address == address) sum += executed_[block];
            return sum;
        };
        for (const auto& fact : context_.facts.nevers)
            if (count(fact.block) > 0) return false;
        for (const auto& fact : context_.facts.exclusives)
            if (count(fact.first) > 0 && count(fact.second) > 0) return false;
        for (const auto& fact : context_.facts.constraints) {
            std::int64_t sum = 0;
            for (const auto& term : fact.terms)
                sum += term.coefficient * count(term.block);
            if (sum > fact.constant) return false; // the generator writes "at most" only
        }
        return true;
    }

    [[nodiscard]] bool inside(std::size_t loop, std::size_t block) const {
        const auto& blocks = context_.graph.loops[loop].blocks;
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

    const Analyzed& context_;
    const PipelineModel& pipeline_;
    const std::vector<BackEdgeBounds>& bounds_;
    std::vector<std::int64_t> executed_;
    std::size_t steps_left_ = 0;
    bool found_ = false;
    std::int64_t least_ = 0;
    std::int64_t most_ = 0;
};

/// A random kernel within loop bounds alone, ready to be searched.
struct RandomPathCase {
    Analyzed context;
    std::vector<Result<models::InstructionTiming>> timings;
    ResolvedFacts facts;
    std::string text;
};

std::unique_ptr<RandomPathCase> random_case(std::uint64_t seed, bool memory,
                                            const std::string& machine, int sm,
                                            bool further_facts = false) {
    tests::RandomKernelOptions options;
    options.sm = sm;
    options.statements = further_facts ? 8 : 4;
    options.depth = 2;
    options.max_iterations = 2;
    options.memory = memory;
    options.further_facts = further_facts;
    const auto kernel = tests::random_kernel(seed, options);
    auto made = std::make_unique<RandomPathCase>();
    made->text = kernel.text;
    made->context.program = assembly::read_program({"random", kernel.text}).value();
    const auto& function = made->context.program.functions.front();
    made->context.graph = assembly::build_control_flow_graph(function).value();
    made->context.architecture = models::load_architecture(machine).value();
    made->context.architecture.fetch = {};
    made->context.architecture.register_file = {};
    made->context.facts = kernel.facts;
    made->facts = resolve_facts(function, made->context.graph, made->context.facts).value();
    made->timings =
        models::instruction_timings(function, made->context.architecture, made->context.facts, 32);
    return made;
}

PipelineModel pipeline_of(const RandomPathCase& random, Side side) {
    return {random.context.program.functions.front(),
            random.context.architecture,
            random.timings,
            8,
            {1, std::nullopt, 64},
            side};
}

void expect_counts_of_sequence(const BlockPath& path, std::uint64_t seed) {
    const auto sequence = sequence_of(path, 1'000'000);
    ASSERT_TRUE(sequence);
    std::map<BlockIndex, std::int64_t> counted;
    for (const BlockIndex block : *sequence)
        ++counted[block];
    ASSERT_EQ(counted, counts_of(path)) << "seed " << seed;
}

TEST(LoopBoundedPaths, TheShortestPathEqualsTheExhaustiveSearchWhenNoStatesWereJoined) {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto random = random_case(seed, false, "fermi-gtx470", 20);
        const Analyzed& context = random->context;
        const PipelineModel pipeline = pipeline_of(*random, Side::Lower);
        const PathGraph states = build_state_graph(context.graph, pipeline, random->facts.never, 64,
                                                   whole_run(context.graph, pipeline));
        if (!states.exact) continue;
        const auto best = LoopBoundedPaths{context.graph, states, random->facts.loops, Side::Lower}
                              .start_to_end();
        const auto enumerated =
            PathEnumerator{context, pipeline, random->facts.loops}.shortest_and_longest(200'000);
        if (!enumerated) continue;
        ASSERT_TRUE(best) << "seed " << seed;
        ASSERT_EQ(best->cost, enumerated->first) << "seed " << seed << "\n" << random->text;
        expect_counts_of_sequence(*best, seed);
        ++compared;
    }
    EXPECT_GT(compared, 150);
}

// Memory, scoreboards and the write buffer included: delays need no joining.
TEST(LoopBoundedPaths, TheLongestPathOfDelaysEqualsTheExhaustiveSearch) {
    int compared = 0;
    const std::array<std::pair<const char*, int>, 3> machines{
        {{"fermi-gtx470", 20}, {"maxwell-gtx970", 52}, {"hopper-h200", 90}}};
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const auto& [machine, sm] = machines[seed % machines.size()];
        const auto random = random_case(seed, true, machine, sm);
        const Analyzed& context = random->context;
        const PipelineModel lower = pipeline_of(*random, Side::Lower);
        const PipelineModel upper = pipeline_of(*random, Side::Upper);
        const Span span = whole_run(context.graph, upper);
        const PathGraph delays =
            build_delay_graph(context.graph, upper,
                              outstanding(context.graph, lower, upper, random->facts.never, span,
                                          {lower.start(), upper.start()}),
                              random->facts.never, 96, span);
        ASSERT_TRUE(delays.exact) << "seed " << seed;
        const auto best = LoopBoundedPaths{context.graph, delays, random->facts.loops, Side::Upper}
                              .start_to_end();
        const auto enumerated =
            PathEnumerator{context, upper, random->facts.loops}.shortest_and_longest(200'000);
        if (!enumerated) continue;
        ASSERT_TRUE(best) << "seed " << seed;
        ASSERT_EQ(best->cost, enumerated->second) << "seed " << seed << "\n" << random->text;
        expect_counts_of_sequence(*best, seed);
        ++compared;
    }
    EXPECT_GT(compared, 300);
}

// Exclusive blocks by cases, linear facts by contraction and the solver.
TEST(ConstrainedPaths, EqualTheExhaustiveSearchUnderTheFacts) {
    int compared = 0;
    int optimal = 0;
    int solved = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        const auto random = random_case(seed, true, "turing-t4", 75, true);
        Analyzed& context = random->context;
        if (context.facts.exclusives.empty() && context.facts.constraints.empty()) continue;
        const auto enumerated =
            PathEnumerator{context, pipeline_of(*random, Side::Upper), random->facts.loops}
                .shortest_and_longest(200'000);
        if (!enumerated) continue;
        context.request.function = &context.program.functions.front();
        context.request.graph = &context.graph;
        context.request.architecture = &context.architecture;
        context.request.facts = &context.facts;
        const auto analysis = context.run();
        ASSERT_TRUE(analysis) << "seed " << seed << ": " << to_string(analysis.error());
        const auto& upper = analysis.value().execution_time.upper;
        ASSERT_GE(upper.proved.count(), enumerated->second) << "seed " << seed << random->text;
        if (upper.outcome == Outcome::Optimal) {
            ASSERT_EQ(upper.proved.count(), enumerated->second) << "seed " << seed << random->text;
            ++optimal;
        }
        if (!analysis.value().solver.empty()) ++solved;
        ++compared;
    }
    EXPECT_GT(compared, 100);
    EXPECT_GT(solved, 5);
    EXPECT_GE(optimal * 100, compared * 95);
}

// Following fewer components of the pipeline state may only raise the bound.
TEST(LoopBoundedPaths, FewerFollowedComponentsNeverLowerTheBound) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const auto random = random_case(seed, true, "turing-t4", 75);
        const Analyzed& context = random->context;
        const PipelineModel lower = pipeline_of(*random, Side::Lower);
        const PipelineModel upper = pipeline_of(*random, Side::Upper);
        const Span span = whole_run(context.graph, upper);
        const Outstanding known = outstanding(context.graph, lower, upper, random->facts.never,
                                              span, {lower.start(), upper.start()});
        const auto bound = [&](std::size_t components) {
            return LoopBoundedPaths{context.graph,
                                    build_delay_graph(context.graph, upper, known,
                                                      random->facts.never, components, span),
                                    random->facts.loops, Side::Upper}
                .start_to_end()
                .value()
                .cost;
        };
        const std::int64_t exact = bound(96);
        for (const std::size_t components : {0U, 1U, 3U})
            EXPECT_GE(bound(components), exact)
                << "seed " << seed << ", " << components << " components";
    }
}

} // namespace
} // namespace warpbound::analyzer
