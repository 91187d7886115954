#pragma once
/// \file
/// What the analysis and the verifier derive from code, held against the threads of an executed
/// launch.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "analyzer/flow/warp_executions.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/execution/executed_facts.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "certification/verify/flow/register_values.hpp"
#include "certification/verify/flow/warp_execution.hpp"
#include "harness/simulator/machine.hpp"
#include "models/facts/divergence_default.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/support/executed_integer_code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {

/// Without what makes bounds wide, and caches: latencies of loads need not contain refreshes.
inline models::Architecture narrow_machine(const std::string& name) {
    models::Architecture machine = models::load_architecture(name).value();
    machine.fetch = {};
    machine.register_file = {};
    std::erase_if(machine.memories, [](const auto& memory) {
        return memory.name == "constant" || memory.name == "interconnect";
    });
    return machine;
}

/// Blocks that a thread executed, in order; it ended behind the last one.
using ThreadPath = std::vector<std::size_t>;

/// Calls `use(block, lanes)` with each execution of a basic block, in order.
template <class Use>
void for_blocks(const harness::RecordedWarp& warp, const assembly::ControlFlowGraph& graph,
                Use use) {
    for (const auto& stretch : warp.stretches)
        if (stretch.first == graph.blocks[stretch.block].first) use(stretch.block, stretch.lanes);
}

/// `Shape:` [lane]; empty where a lane has no thread.
inline std::vector<ThreadPath> paths_by_lane(const harness::RecordedWarp& warp,
                                             const assembly::ControlFlowGraph& graph) {
    std::vector<ThreadPath> paths(lane_count);
    for_blocks(warp, graph, [&](std::size_t block, harness::RecordedLanes lanes) {
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            if ((lanes >> lane & 1U) != 0) paths[lane].push_back(block);
    });
    return paths;
}

inline std::vector<ThreadPath> paths_of(const harness::RecordedWarp& warp,
                                        const assembly::ControlFlowGraph& graph) {
    std::vector<ThreadPath> paths = paths_by_lane(warp, graph);
    std::erase_if(paths, [](const ThreadPath& path) { return path.empty(); });
    return paths;
}

/// Executions of loop headers per entry. `Shape:` counts[loop].
inline std::vector<std::vector<std::int64_t>>
header_counts(const ThreadPath& path, const assembly::ControlFlowGraph& graph) {
    std::vector<std::vector<std::int64_t>> counts(graph.loops.size());
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        const auto& blocks = graph.loops[loop].blocks;
        bool was_inside = false;
        for (const std::size_t block : path) {
            const bool is_inside = std::ranges::binary_search(blocks, block);
            if (is_inside && !was_inside) counts[loop].push_back(0);
            if (block == graph.loops[loop].header) ++counts[loop].back();
            was_inside = is_inside;
        }
    }
    return counts;
}

/// Of each lane of an access to memory.
inline std::size_t words_of(const assembly::Instruction& access) {
    const auto has = [&](const char* modifier) {
        return std::ranges::find(access.modifiers, modifier) != access.modifiers.end();
    };
    return has("128") ? 4 : has("64") ? 2 : 1;
}

inline std::optional<std::size_t> edge_between(const assembly::ControlFlowGraph& graph,
                                               std::size_t from, std::size_t to) {
    std::optional<std::size_t> found;
    for (const std::size_t edge : graph.blocks[from].out)
        if (graph.edges[edge].to == to) {
            if (found) return std::nullopt; // Both ways lead there.
            found = edge;
        }
    return found;
}

/// What was checked.
struct Counts {
    int launches = 0;
    int loops = 0; ///< With a bound from the code.
    int loops_of_verifier = 0;
    int nevers = 0;
    int edges = 0; ///< That are never taken.
    int uniform = 0;
    int represented = 0;
    int accesses = 0; ///< Whose transactions or bank conflicts are known.
    int ways = 0;     ///< Launches whose warps have ways of their own by the analysis.
    int timed = 0;    ///< Launches whose bounds were held against simulated times.
    int narrow = 0;   ///< Of these, with an upper bound below twice the largest time.
};

/// Which ways warps and single threads may take, and how often they execute instructions without a
/// guard, by their indices.
class WaysOfWarps {
public:
    /// All must outlive this object.
    WaysOfWarps(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                const models::FlowFacts& facts, const models::Launch& launch)
        : function_{function}, graph_{graph}, by_analysis_{analyzer::ways_by_warp(
                                                  function, graph, facts, launch, warp_size)},
          counted_{
              analyzer::executions_by_warp(function, graph, facts, launch, warp_size,
                                           std::vector<bool>(function.instructions.size(), true))} {
        namespace check = certification::verify;
        const auto extents = models::block_shape_of(launch).threads;
        const std::int64_t threads = extents[0] * extents[1] * extents[2];
        const check::WarpExecution execution{function, graph, launch,
                                             models::has_divergent_branch(function, facts)
                                                 ? registers_of_warp(function)
                                                 : std::set<assembly::Register>{}};
        for (std::int64_t first = 0; first < threads; first += warp_size) {
            const auto all =
                check::indices_between(first, std::min(first + warp_size, threads) - 1, extents);
            auto one = check::indices_between(first, first, extents);
            one.is_one_thread = one.is_in_any_block = true;
            by_verifier_.push_back({execution.ways(all), execution.most(all), execution.ways(one),
                                    execution.least(one, longest_thread)});
        }
    }

    [[nodiscard]] bool are_known() const { return !by_analysis_.empty(); }

    /// Of any block of the launch.
    void check(const harness::RecordedBlock& block) const {
        for (std::size_t warp = 0; warp < block.warps.size(); ++warp) {
            SCOPED_TRACE(fmt::format("warp {}", warp));
            const auto paths = paths_by_lane(block.warps[warp], graph_);
            for (const ThreadPath& path : paths)
                check_thread(path, warp);
            check_edges(paths[0], by_verifier_[warp].of_one.edges, by_verifier_[warp].of_one.ends);
            if (are_known()) check_run(paths[0], by_analysis_[warp].of_first);
            for (const std::size_t i : unguarded()) {
                ASSERT_GE(count(paths[0], i), by_verifier_[warp].least[i]) << "verified " << i;
            }
        }
    }

private:
    static constexpr std::int64_t warp_size = lane_count;
    static constexpr std::int64_t longest_thread = 4096; ///< `Unit:` instructions.

    struct Verified {
        certification::verify::PossibleWays of_all;
        std::vector<std::optional<std::int64_t>> most;
        certification::verify::PossibleWays of_one; ///< The first thread.
        std::vector<std::int64_t> least;
    };

    static std::set<assembly::Register> registers_of_warp(const assembly::Function& function) {
        std::set<assembly::Register> found;
        for (const auto& instruction : function.instructions)
            for (const assembly::Register reg : instruction.effects.writes)
                if (reg.file == assembly::RegisterFile::Uniform ||
                    reg.file == assembly::RegisterFile::UniformPredicate)
                    found.insert(reg);
        return found;
    }
    [[nodiscard]] std::vector<std::size_t> unguarded() const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < function_.instructions.size(); ++i)
            if (!assembly::is_guarded(function_.instructions[i])) found.push_back(i);
        return found;
    }
    [[nodiscard]] std::int64_t count(const ThreadPath& path, std::size_t instruction) const {
        return std::ranges::count_if(path, [&](std::size_t block) {
            return graph_.blocks[block].first <= instruction &&
                   instruction <= graph_.blocks[block].last;
        });
    }
    void check_thread(const ThreadPath& path, std::size_t warp) const {
        const Verified& verified = by_verifier_[warp];
        check_edges(path, verified.of_all.edges, verified.of_all.ends);
        if (are_known()) check_run(path, by_analysis_[warp].of_all);
        for (const std::size_t i : unguarded()) {
            const std::int64_t executed = count(path, i);
            const std::int64_t most = verified.most[i].value_or(executed);
            ASSERT_LE(executed, most) << "verified " << i;
            const std::int64_t counted = counted_.empty() ? executed : counted_[warp][i];
            ASSERT_LE(executed, counted) << "instruction " << i;
        }
    }
    void check_run(const ThreadPath& path, const analyzer::AbstractRun& run) const {
        for (const std::size_t block : path)
            ASSERT_TRUE(run.reached[block]) << fmt::format("0x{:x}", graph_.blocks[block].address);
        check_edges(path, run.taken, run.exits);
    }
    void check_edges(const ThreadPath& path, const std::vector<bool>& edges,
                     const std::vector<bool>& ends) const {
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            const auto edge = edge_between(graph_, path[i], path[i + 1]);
            ASSERT_TRUE(!edge || edges[*edge])
                << fmt::format("0x{:x} to 0x{:x}", graph_.blocks[path[i]].address,
                               graph_.blocks[path[i + 1]].address);
        }
        if (path.empty()) return;
        ASSERT_TRUE(ends[path.back()])
            << fmt::format("end 0x{:x}", graph_.blocks[path.back()].address);
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    std::vector<analyzer::WarpWays> by_analysis_;    ///< Per warp; empty: not known.
    std::vector<analyzer::ExecutionCounts> counted_; ///< Likewise.
    std::vector<Verified> by_verifier_;              ///< Per warp.
};

class FactsOfThreads : public testing::Test {
protected:
    void check(Executed& made, const models::Architecture& architecture, Counts& counts) {
        graph_ = &made.data.graph;
        const assembly::Function& function = made.data.function();
        const auto facts = analyzer::facts_in_use(function, *graph_, architecture, made.stated,
                                                  models::FlowFacts{});
        ASSERT_TRUE(facts) << to_string(facts.error()) << made.text;
        of_code_ = facts.value();
        facts_ = nullptr;
        namespace check = certification::verify;
        const check::ExecutedFacts executed{made.run->code(), architecture, made.stated};
        if (breaks_barrier_rule(made, executed) || HasFatalFailure()) return;
        facts_ = &of_code_;
        ++counts.launches;
        counts.loops += static_cast<int>(facts_->loops.size());
        counts.nevers += static_cast<int>(facts_->nevers.size());
        counts.edges += static_cast<int>(facts_->constraints.size());
        counts.uniform += static_cast<int>(facts_->uniforms.size());
        counts.represented += facts_->representative ? 1 : 0;
        check_accesses(made.recorder.accesses, counts);
        const check::LaunchValues launch_values{function, made.stated};
        const std::vector<std::int64_t> limits(graph_->loops.size(), most_iterations);
        check::RegisterValues values{function, *graph_, launch_values,
                                     models::has_divergent_branch(function, *facts_), limits};
        for (std::size_t loop = 0; loop < graph_->loops.size(); ++loop)
            counts.loops_of_verifier += values.iterate(loop).max ? 1 : 0;
        const std::vector<bool> reached = values.reached_blocks();
        const WaysOfWarps ways{function, *graph_, of_code_, made.stated};
        counts.ways += ways.are_known() ? 1 : 0;
        for (std::int64_t number = 0; number < made.stated.blocks; ++number) {
            const auto block = made.run->block(number);
            ASSERT_TRUE(block);
            ASSERT_EQ(executed.contradicted(of_code_, *block.value(), number), "");
            for (const auto& warp : block.value()->warps) {
                check_uniform(warp);
                const auto paths = paths_of(warp, *graph_);
                bool is_represented = false;
                for (const ThreadPath& path : paths) {
                    check_thread(path);
                    check_verified(path, values, reached);
                    is_represented = is_represented || avoids_edges(path);
                }
                if (facts_->representative &&
                    facts_->representative->has(number, made.stated.grid)) {
                    ASSERT_TRUE(is_represented) << "no representative in block " << number;
                }
                if (HasFatalFailure()) return;
            }
            ways.check(*block.value());
            if (HasFatalFailure()) return;
        }
    }

    /// Times of the executed launch lie inside the bounds of the stated one.
    void check_times(const Executed& made, const models::Architecture& architecture,
                     const std::string& policy_name, std::uint64_t seed, Counts& counts) {
        if (facts_ == nullptr || facts_->divergents.size() > most_divergent)
            return; // Many nodes take long.
        const auto policy = models::read_policy(policy_name).value();
        analyzer::Request request;
        request.function = &made.data.function();
        request.graph = graph_;
        request.architecture = &architecture;
        request.facts = facts_;
        request.launch = made.stated;
        request.policy = policy;
        request.follow_branches = seed % 2 == 0; // On even seeds.
        const auto analysis = analyzer::analyze(request);
        if (!analysis) return; // E.g. a loop without a bound.
        const auto bounds = analysis.value().execution_time.bounds();
        const models::FlowFacts none;
        const auto machine = harness::simulator::Machine::prepare(
            architecture, {&made.data.function(), graph_, &none, made.data.launch, made.run.get()},
            policy);
        ASSERT_TRUE(machine) << to_string(machine.error());
        models::Cycles longest{0};
        for (const auto draw : {harness::Draw::Uniform, harness::Draw::AllLow,
                                harness::Draw::AllHigh, harness::Draw::Adversarial}) {
            const auto run = machine.value()->run({seed, draw, {}});
            ASSERT_TRUE(run) << to_string(run.error());
            const models::Cycles time = run.value().execution_time;
            ASSERT_TRUE(bounds.contains(time))
                << time.count() << " outside [" << bounds.lower().count() << ", "
                << bounds.upper().count() << "], " << policy_name << ", " << to_string(draw);
            longest = std::max(longest, time);
        }
        ++counts.timed;
        counts.narrow += bounds.upper().count() < 2 * longest.count() ? 1 : 0;
    }

private:
    static constexpr std::int64_t most_iterations = 300;
    static constexpr std::size_t most_divergent = 6;

    /// Threads may leave a loop with barriers apart and end, which C9a excludes by assumption.
    [[nodiscard]] bool breaks_barrier_rule(const Executed& made,
                                           const certification::verify::ExecutedFacts& executed) {
        models::FlowFacts by_rule;
        std::ranges::copy_if(
            of_code_.uniforms, std::back_inserter(by_rule.uniforms),
            [](const models::UniformFact& fact) { return fact.from == models::by_barrier_rule; });
        for (std::int64_t number = 0; !by_rule.uniforms.empty() && number < made.stated.blocks;
             ++number) {
            const auto block = made.run->block(number);
            EXPECT_TRUE(block);
            if (!block || !executed.contradicted(by_rule, *block.value(), number).empty())
                return true;
        }
        return false;
    }

    [[nodiscard]] std::int64_t address(std::size_t block) const {
        return graph_->blocks[block].address;
    }

    void check_thread(const ThreadPath& path) const {
        std::map<std::int64_t, std::int64_t> executed;
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> taken;
        for (std::size_t i = 0; i < path.size(); ++i) {
            ++executed[address(path[i])];
            if (i > 0) ++taken[{address(path[i - 1]), address(path[i])}];
        }
        for (const auto& [block, count] : executed)
            ASSERT_FALSE(facts_->is_never(block)) << fmt::format("0x{:x} is executed", block);
        for (const auto& pair : facts_->exclusives)
            ASSERT_TRUE(executed.count(pair.first) == 0 || executed.count(pair.second) == 0)
                << fmt::format("0x{:x} and 0x{:x}", pair.first, pair.second);
        for (const auto& fact : facts_->constraints) {
            std::int64_t sum = 0;
            for (const auto& term : fact.terms)
                sum += term.coefficient *
                       (term.from ? taken[{*term.from, term.block}] : executed[term.block]);
            const bool holds = fact.relation == models::Relation::AtMost    ? sum <= fact.constant
                               : fact.relation == models::Relation::AtLeast ? sum >= fact.constant
                                                                            : sum == fact.constant;
            ASSERT_TRUE(holds) << fmt::format("a relation of 0x{:x}: {}", fact.terms[0].block, sum);
        }
        const auto counts = header_counts(path, *graph_);
        for (const auto& fact : facts_->loops)
            for (std::size_t loop = 0; loop < counts.size(); ++loop)
                if (address(graph_->loops[loop].header) == fact.header)
                    for (const std::int64_t count : counts[loop]) {
                        ASSERT_GE(count, fact.min) << fmt::format("loop 0x{:x}", fact.header);
                        ASSERT_LE(count, fact.max) << fmt::format("loop 0x{:x}", fact.header);
                    }
    }

    void check_verified(const ThreadPath& path, certification::verify::RegisterValues& values,
                        const std::vector<bool>& reached) const {
        const auto counts = header_counts(path, *graph_);
        for (std::size_t loop = 0; loop < counts.size(); ++loop)
            for (const std::int64_t count : counts[loop]) {
                const auto& own = values.iterate(loop);
                const auto header = address(graph_->loops[loop].header);
                ASSERT_GE(count, own.min) << fmt::format("verified loop 0x{:x}", header);
                if (own.max) {
                    ASSERT_LE(count, *own.max) << fmt::format("verified loop 0x{:x}", header);
                }
            }
        for (std::size_t i = 0; i < path.size(); ++i) {
            ASSERT_TRUE(reached[path[i]]) << fmt::format("verified 0x{:x}", address(path[i]));
            if (i + 1 == path.size()) {
                ASSERT_TRUE(values.may_exit(path[i]))
                    << fmt::format("end 0x{:x}", address(path[i]));
            } else if (const auto edge = edge_between(*graph_, path[i], path[i + 1])) {
                ASSERT_TRUE(values.may_take(*edge))
                    << fmt::format("0x{:x} to 0x{:x}", address(path[i]), address(path[i + 1]));
            }
        }
    }

    void check_accesses(const std::vector<Access>& accesses, Counts& counts) const {
        for (const Access& access : accesses) {
            const auto at = address_of(access.instruction);
            const auto& instruction = function_->instructions[access.instruction];
            if (instruction.mnemonic.starts_with("ATOM")) continue; // By lanes on one address.
            const auto* fact = facts_->memory_at(at);
            if (fact == nullptr || access.addresses.empty()) continue;
            ++counts.accesses;
            const bool is_shared = fact->conflict_degree.has_value();
            const auto& range = is_shared ? fact->conflict_degree : fact->transactions;
            if (!range) continue;
            const std::int64_t count =
                is_shared ? bank_degree_of(access, words_of(instruction)) : lines_of(access);
            ASSERT_GE(count, range->min) << fmt::format("access 0x{:x}", at);
            ASSERT_LE(count, range->max) << fmt::format("access 0x{:x}", at);
        }
    }

    [[nodiscard]] bool avoids_edges(const ThreadPath& path) const {
        if (!facts_->representative) return true;
        const auto& fact = *facts_->representative;
        const auto has = [](const auto& list, const auto& one) {
            return std::ranges::find(list, one) != list.end();
        };
        if (has(fact.ends, address(path.back()))) return false;
        for (std::size_t i = 1; i < path.size(); ++i)
            if (has(fact.edges, std::pair{address(path[i - 1]), address(path[i])})) return false;
        return true;
    }

    /// At uniform branches all lanes go on to the same block, or end together.
    void check_uniform(const harness::RecordedWarp& warp) const {
        std::array<std::optional<std::pair<std::size_t, std::size_t>>, lane_count>
            last;                                                         // Visit, block.
        std::map<std::size_t, std::set<std::optional<std::size_t>>> next; // By visit.
        std::map<std::size_t, std::size_t> block_of;
        std::size_t visit = 0;
        for_blocks(warp, *graph_, [&](std::size_t block, harness::RecordedLanes lanes) {
            block_of[++visit] = block;
            for (std::size_t lane = 0; lane < lane_count; ++lane) {
                if ((lanes >> lane & 1U) == 0) continue;
                if (last.at(lane)) next[last.at(lane)->first].insert(block);
                last.at(lane) = {visit, block};
            }
        });
        for (const auto& ended : last)
            if (ended) next[ended->first].insert(std::nullopt);
        for (const auto& [number, blocks] : next) {
            const auto& block = graph_->blocks[block_of.at(number)];
            const auto at = address_of(block.last);
            const bool is_uniform = std::ranges::any_of(
                facts_->uniforms, [&](const auto& fact) { return fact.at == at; });
            if (is_uniform) {
                ASSERT_EQ(blocks.size(), 1U) << fmt::format("uniform 0x{:x}", at);
            }
        }
    }
    [[nodiscard]] std::int64_t address_of(std::size_t instruction) const {
        return function_->instructions[instruction].address;
    }

protected:
    const assembly::Function* function_ = nullptr;

private:
    const assembly::ControlFlowGraph* graph_ = nullptr;
    models::FlowFacts of_code_;
    const models::FlowFacts* facts_ = nullptr;
};

} // namespace warpbound::tests
