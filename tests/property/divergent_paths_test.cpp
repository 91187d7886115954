/// \file
/// The blocks that a simulated warp with divergent lanes executes are a path of the serialized
/// control-flow graph (CFG) of the upper bound, under its loop bounds (docs/theory, S19d).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
#include "analyzer/preparation.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/random_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpbound {
namespace {

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
            const bool converged = std::all_of(
                at_.begin(), at_.end(), [&](const auto& at) { return cfg_.converged[at.node]; });
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
                if (cfg_.original[to] != block) continue;
                if (auto left = leave(at, to)) add(next, std::move(*left), to);
            }
        at_ = std::move(next);
    }

    const analyzer::SerializedCfg& cfg_;
    const analyzer::ResolvedFacts& facts_;
    bool starts_ = true;
    std::set<Position> at_;
};

struct PathVerdict {
    std::string failure;
    bool duplicated = false; ///< There are more nodes than blocks.
    bool leaves = false;     ///< As `RandomKernel` has it.
    bool has_several_loop_exits = false;
    bool has_loop_exits_in_branches = false;
    bool diverges_at_multiway_branches = false;
    std::uint64_t followed = 0;
};

PathVerdict check_paths(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomKernelOptions options;
    options.sm = described.sm;
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
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto loaded = tests::read(kernel);
    if (!loaded) return {.failure = "not read: " + to_string(loaded.error())};
    const tests::ReadKernel& made = *loaded.value();
    if (made.facts.divergents.empty()) return {};
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &described.architecture;
    request.facts = &made.facts;
    constexpr std::array<std::int64_t, 4> threads{2, 3, 5, 32};
    request.launch = {1, threads[seed / 5 % threads.size()]};
    const auto context = analyzer::prepare(request);
    if (!context) return {};
    const auto cfg = seed / 3 % 4 == 0 ? analyzer::serialized_cfg(context.value(), 1)
                                       : analyzer::serialized_cfg(context.value());
    if (!cfg) return {};
    const analyzer::Request serialized = analyzer::serialized_request(request, cfg.value());
    const analyzer::AnalysisContext upper =
        analyzer::serialized_context(context.value(), serialized, cfg.value());
    const auto machine = harness::simulator::Machine::prepare(
        described.architecture, {made.function, &made.graph, &made.facts, request.launch},
        request.policy);
    if (!machine) return {};
    PathVerdict verdict;
    verdict.duplicated = cfg.value().graph.blocks.size() > made.graph.blocks.size();
    verdict.leaves = kernel.leaves;
    verdict.has_several_loop_exits = kernel.has_several_loop_exits;
    verdict.has_loop_exits_in_branches = kernel.has_loop_exits_in_branches;
    verdict.diverges_at_multiway_branches = kernel.diverges_at_multiway_branches;
    constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes,
                               harness::Draw::Adversarial};
    for (std::uint64_t run = 0; run < 30; ++run) {
        std::vector<Executed> executed;
        const auto record = [&](const harness::simulator::Event& event) {
            const auto* issued = std::get_if<harness::simulator::Issued>(&event);
            if (issued != nullptr && issued->instruction == made.graph.blocks[issued->block].first)
                executed.push_back({issued->block, issued->lanes});
        };
        const auto seen =
            machine.value()->run({seed * 977 + run, draws[run % draws.size()], {}}, record);
        if (!seen) break; // Lanes wait for each other, or the facts are hard to satisfy.
        PathFollower follower{cfg.value(), upper.facts};
        const std::string wrong = follower.follow(executed);
        verdict.followed += follower.followed;
        if (wrong.empty()) continue;
        std::vector<std::size_t> blocks;
        for (const Executed& each : executed)
            blocks.push_back(each.block);
        verdict.failure =
            fmt::format("{}, seed {} on {}, {} threads, after blocks {}\n{}{}", wrong, seed,
                        described.architecture.name, request.launch.threads, fmt::join(blocks, " "),
                        kernel.text, models::write_flow_facts(made.facts));
        break;
    }
    return verdict;
}

TEST(DivergentPaths, OfSimulatedWarpsArePathsOfTheSerializedCfg) {
    std::uint64_t duplicated = 0;
    std::uint64_t leaves = 0;
    std::uint64_t has_several_loop_exits = 0;
    std::uint64_t has_loop_exits_in_branches = 0;
    std::uint64_t diverges_at_multiway_branches = 0;
    std::uint64_t followed = 0;
    const std::uint64_t cases = tests::run_campaign(check_paths, [&](const PathVerdict& verdict) {
        followed += verdict.followed;
        if (verdict.followed == 0) return;
        duplicated += verdict.duplicated ? 1 : 0;
        leaves += verdict.leaves ? 1 : 0;
        has_several_loop_exits += verdict.has_several_loop_exits ? 1 : 0;
        has_loop_exits_in_branches += verdict.has_loop_exits_in_branches ? 1 : 0;
        diverges_at_multiway_branches += verdict.diverges_at_multiway_branches ? 1 : 0;
    });
    RecordProperty("followed", std::to_string(followed));
    RecordProperty("with_duplicates", std::to_string(duplicated));
    RecordProperty("leave_points_by_break", std::to_string(leaves));
    RecordProperty("several_loop_exits", std::to_string(has_several_loop_exits));
    RecordProperty("loop_exits_inside_branches", std::to_string(has_loop_exits_in_branches));
    RecordProperty("multiway_branches", std::to_string(diverges_at_multiway_branches));
    EXPECT_GT(followed, cases * 5);
    EXPECT_GT(duplicated * 5, cases);
    EXPECT_GT(leaves * 40, cases);
    EXPECT_GT(has_several_loop_exits * 40, cases);
    EXPECT_GT(has_loop_exits_in_branches * 100, cases);
    EXPECT_GT(diverges_at_multiway_branches * 20, cases);
}

} // namespace
} // namespace warpbound
