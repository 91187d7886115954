#pragma once
/// \file
/// Follows the blocks that a simulated warp executes through a serialized control-flow graph (CFG).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/flow/flow_facts.hpp"
#include "harness/simulator/divergence/lanes.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/random_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::tests {

/// A random kernel whose lanes may part in each way that is modelled.
inline RandomKernel divergent_kernel(std::uint64_t seed, int sm) {
    RandomKernelOptions options;
    options.sm = sm;
    options.statements = 2 + static_cast<int>(seed % 9);
    options.depth = 1 + static_cast<int>(seed % 4);
    options.calls = seed / 7 % 4 == 0;
    options.max_iterations = 4;
    options.memory = false;
    options.further_facts = seed % 3 == 0;
    options.clock_reads = false;
    options.divergence = true;
    options.breaks = true;
    options.loop_exits_in_branches = seed / 2 % 5 == 0;
    options.tables = seed / 11 % 3 == 0;
    options.barriers = seed % 2 == 0;
    return random_kernel(seed, options);
}

/// A block that one warp executed, and its active lanes.
struct Executed {
    std::size_t block = 0;
    harness::simulator::LaneMask lanes = 0;
};

/// Follows a warp through the serialized CFG, at all nodes that it may be at.
class PathFollower {
public:
    PathFollower(const analyzer::SerializedCfg& cfg, const analyzer::ResolvedFacts& facts)
        : cfg_{cfg}, facts_{facts} {}

    /// What contradicts every path of the serialized CFG; empty: there is such a path.
    std::string follow(const std::vector<Executed>& executed) {
        harness::simulator::LaneMask later = 0; // that execute something from here on
        std::vector<bool> all(executed.size());
        for (std::size_t i = executed.size(); i-- > 0;) {
            later |= executed[i].lanes;
            all[i] = executed[i].lanes == later;
        }
        for (std::size_t i = 0; i < executed.size(); ++i) {
            enter(executed[i].block);
            if (at_.empty()) return fmt::format("no node of block {} follows", executed[i].block);
            if (at_.size() > max_positions) return {};
            const bool converged = std::all_of(at_.begin(), at_.end(), [&](const auto& at) {
                return cfg_.converged[node_of(at.node)];
            });
            if (converged && !all[i])
                return fmt::format("not all lanes are active in converged block {}",
                                   executed[i].block);
        }
        ++followed;
        const bool ends = std::any_of(at_.begin(), at_.end(), [&](const Position& at) {
            return cfg_.graph.blocks[at.node].exits && leave(at, std::nullopt);
        });
        return ends ? "" : "no path ends here";
    }
    std::uint64_t followed = 0; ///< To the end.

private:
    static constexpr std::size_t max_positions = 5000;

    /// A node, and the iterations of each loop around it in this loop traversal.
    struct Position {
        std::size_t node = 0;
        std::map<std::size_t, std::int64_t> iterations;
        auto operator<=>(const Position&) const = default;
    };

    static analyzer::SerializedNode node_of(std::size_t block_of_graph) {
        return analyzer::node_of_serialized(assembly::BlockIndex{block_of_graph});
    }

    /// The position after leaving the loops that do not contain `to`, if their bounds allow it.
    [[nodiscard]] std::optional<Position> leave(Position position,
                                                std::optional<std::size_t> to) const {
        for (auto loop = position.iterations.begin(); loop != position.iterations.end();) {
            const auto& blocks = cfg_.graph.loops[loop->first].blocks;
            if (to && std::binary_search(blocks.begin(), blocks.end(), *to)) {
                ++loop;
                continue;
            }
            if (loop->second < facts_.loops[loop->first].min) return std::nullopt;
            loop = position.iterations.erase(loop);
        }
        return position;
    }

    void add(std::set<Position>& next, Position position, std::size_t to) const {
        position.node = to;
        for (std::size_t loop = 0; loop < cfg_.graph.loops.size(); ++loop) {
            if (cfg_.graph.loops[loop].header != to) continue;
            const auto [iterations, enters] = position.iterations.emplace(loop, 0);
            if (!enters && ++iterations->second > facts_.loops[loop].max) return;
        }
        next.insert(std::move(position));
    }

    void enter(std::size_t block) {
        std::set<Position> next;
        if (std::exchange(starts_, false)) add(next, {}, 0);
        for (const Position& at : at_)
            for (const std::size_t edge : cfg_.graph.blocks[at.node].out) {
                const std::size_t to = cfg_.graph.edges[edge].to;
                if (cfg_.original[node_of(to)] != assembly::BlockIndex{block}) continue;
                if (auto left = leave(at, to)) add(next, std::move(*left), to);
            }
        at_ = std::move(next);
    }

    const analyzer::SerializedCfg& cfg_;
    const analyzer::ResolvedFacts& facts_;
    bool starts_ = true;
    std::set<Position> at_;
};

/// What became of several runs of a launch of one warp.
struct FollowedRuns {
    std::uint64_t followed = 0;
    std::string wrong; ///< Of the first run that is no path; empty: all are.
};

/// Follows runs of these seeds, from `seed` on, through the CFG, until one is no path or lanes wait
/// for each other.
inline FollowedRuns follow_runs(const harness::simulator::Machine& machine, const ReadKernel& made,
                                const analyzer::SerializedCfg& cfg,
                                const analyzer::ResolvedFacts& facts, std::uint64_t seed,
                                std::uint64_t number) {
    constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes,
                               harness::Draw::Adversarial};
    FollowedRuns runs;
    for (std::uint64_t run = 0; run < number; ++run) {
        std::vector<Executed> executed;
        const auto record = [&](const harness::simulator::Event& event) {
            const auto* issued = std::get_if<harness::simulator::Issued>(&event);
            if (issued != nullptr && issued->instruction == made.graph.blocks[issued->block].first)
                executed.push_back({issued->block, issued->lanes});
        };
        const auto seen = machine.run({seed + run, draws[run % draws.size()], {}}, record);
        if (!seen) break; // Lanes wait for each other, or the facts are hard to satisfy.
        PathFollower follower{cfg, facts};
        runs.wrong = follower.follow(executed);
        runs.followed += follower.followed;
        if (runs.wrong.empty()) continue;
        std::vector<std::size_t> blocks;
        for (const Executed& each : executed)
            blocks.push_back(each.block);
        runs.wrong += fmt::format(" after blocks {}", fmt::join(blocks, " "));
        break;
    }
    return runs;
}

} // namespace warpbound::tests
