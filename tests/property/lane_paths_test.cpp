/// \file
/// The blocks that a simulated warp executes whose lanes part are a path of the copies that bound
/// it from above, with the loops of these turning as often as they may (docs/soundness.md, S19d).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
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

/// A block that one warp executed, and for which lanes.
struct Executed {
    std::size_t block = 0;
    harness::simulator::LaneMask lanes = 0;
};

/// Follows a warp through the copies, at all of them that it may be at.
class Follower {
public:
    Follower(const analyzer::LanesInTurn& lanes, const analyzer::ResolvedFacts& facts)
        : lanes_{lanes}, facts_{facts} {}

    /// What no path of the copies does; empty: there is one.
    std::string follow(const std::vector<Executed>& executed) {
        harness::simulator::LaneMask later = 0; // that execute something from here on
        std::vector<bool> all(executed.size());
        for (std::size_t i = executed.size(); i-- > 0;) {
            later |= executed[i].lanes;
            all[i] = executed[i].lanes == later;
        }
        for (std::size_t i = 0; i < executed.size(); ++i) {
            enter(executed[i].block);
            if (at_.empty()) return fmt::format("no copy of block {} follows", executed[i].block);
            if (at_.size() > most_places) return {};
            const bool together = std::all_of(
                at_.begin(), at_.end(), [&](const auto& at) { return lanes_.together[at.copy]; });
            if (together && !all[i])
                return fmt::format("lanes are elsewhere in block {}", executed[i].block);
        }
        ++followed;
        const bool ends = std::any_of(at_.begin(), at_.end(), [&](const Place& at) {
            return lanes_.graph.blocks[at.copy].exits && leave(at, std::nullopt);
        });
        return ends ? "" : "no path ends here";
    }
    std::uint64_t followed = 0; ///< To the end.

private:
    static constexpr std::size_t most_places = 5000;

    /// A copy, and how often each loop around it has turned in this stay.
    struct Place {
        std::size_t copy = 0;
        std::map<std::size_t, std::int64_t> turns;
        auto operator<=>(const Place&) const = default;
    };

    /// Where the loops are left that do not contain the copy, if they may be.
    [[nodiscard]] std::optional<Place> leave(Place place, std::optional<std::size_t> to) const {
        for (auto loop = place.turns.begin(); loop != place.turns.end();) {
            const auto& blocks = lanes_.graph.loops[loop->first].blocks;
            if (to && std::binary_search(blocks.begin(), blocks.end(), *to)) {
                ++loop;
                continue;
            }
            if (loop->second < facts_.loops[loop->first].min) return std::nullopt;
            loop = place.turns.erase(loop);
        }
        return place;
    }

    void add(std::set<Place>& next, Place place, std::size_t to) const {
        place.copy = to;
        for (std::size_t loop = 0; loop < lanes_.graph.loops.size(); ++loop) {
            if (lanes_.graph.loops[loop].header != to) continue;
            const auto [turns, enters] = place.turns.emplace(loop, 0);
            if (!enters && ++turns->second > facts_.loops[loop].max) return;
        }
        next.insert(std::move(place));
    }

    void enter(std::size_t block) {
        std::set<Place> next;
        if (std::exchange(starts_, false)) add(next, {}, 0);
        for (const Place& at : at_)
            for (const std::size_t edge : lanes_.graph.blocks[at.copy].out) {
                const std::size_t to = lanes_.graph.edges[edge].to;
                if (lanes_.original[to] != block) continue;
                if (auto left = leave(at, to)) add(next, std::move(*left), to);
            }
        at_ = std::move(next);
    }

    const analyzer::LanesInTurn& lanes_;
    const analyzer::ResolvedFacts& facts_;
    bool starts_ = true;
    std::set<Place> at_;
};

struct Verdict {
    std::string failure;
    bool copied = false; ///< There are more copies than blocks.
    bool leaves = false; ///< As `RandomKernel` has it.
    bool leaves_at_several = false;
    bool breaks_loops = false;
    bool parts_to_several = false;
    std::uint64_t followed = 0;
};

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
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
    options.broken_loops = seed / 2 % 5 == 0;
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
    const auto problem = analyzer::prepare(request);
    if (!problem) return {};
    const auto lanes = seed / 3 % 4 == 0 ? analyzer::lanes_in_turn(problem.value(), 1)
                                         : analyzer::lanes_in_turn(problem.value());
    if (!lanes) return {};
    const analyzer::Request serial = analyzer::in_turn(request, lanes.value());
    const analyzer::AnalysisContext above =
        analyzer::in_turn(problem.value(), serial, lanes.value());
    const auto machine = harness::simulator::Machine::prepare(
        described.architecture, {made.function, &made.graph, &made.facts, request.launch},
        request.policy);
    if (!machine) return {};
    Verdict verdict;
    verdict.copied = lanes.value().graph.blocks.size() > made.graph.blocks.size();
    verdict.leaves = kernel.leaves;
    verdict.leaves_at_several = kernel.leaves_at_several;
    verdict.breaks_loops = kernel.breaks_loops;
    verdict.parts_to_several = kernel.parts_to_several;
    constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes,
                               harness::Draw::Adversarial};
    for (std::uint64_t run = 0; run < 30; ++run) {
        std::vector<Executed> executed;
        const auto hear = [&](const harness::simulator::Event& event) {
            const auto* issued = std::get_if<harness::simulator::Issued>(&event);
            if (issued != nullptr && issued->instruction == made.graph.blocks[issued->block].first)
                executed.push_back({issued->block, issued->lanes});
        };
        const auto seen =
            machine.value()->run({seed * 977 + run, draws[run % draws.size()], {}}, hear);
        if (!seen) break; // Lanes that wait for each other, or facts that are hard to meet.
        Follower follower{lanes.value(), above.facts};
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

TEST(LanePaths, OfSimulatedWarpsAreThoseOfTheCopies) {
    std::uint64_t copied = 0;
    std::uint64_t leaves = 0;
    std::uint64_t leaves_at_several = 0;
    std::uint64_t breaks_loops = 0;
    std::uint64_t parts_to_several = 0;
    std::uint64_t followed = 0;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const Verdict& verdict) {
        followed += verdict.followed;
        if (verdict.followed == 0) return;
        copied += verdict.copied ? 1 : 0;
        leaves += verdict.leaves ? 1 : 0;
        leaves_at_several += verdict.leaves_at_several ? 1 : 0;
        breaks_loops += verdict.breaks_loops ? 1 : 0;
        parts_to_several += verdict.parts_to_several ? 1 : 0;
    });
    RecordProperty("followed", std::to_string(followed));
    RecordProperty("with_copies", std::to_string(copied));
    RecordProperty("leave_points", std::to_string(leaves));
    RecordProperty("leave_loops_at_several_places", std::to_string(leaves_at_several));
    RecordProperty("leave_loops_inside_branches", std::to_string(breaks_loops));
    RecordProperty("part_to_several_ways", std::to_string(parts_to_several));
    EXPECT_GT(followed, cases * 5);
    EXPECT_GT(copied * 5, cases);
    EXPECT_GT(leaves * 40, cases);
    EXPECT_GT(leaves_at_several * 40, cases);
    EXPECT_GT(breaks_loops * 100, cases);
    EXPECT_GT(parts_to_several * 20, cases);
}

} // namespace
} // namespace warpbound
