#include "certification/verify/interference/warp_demand.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/divergence/node_executions.hpp"
#include "certification/verify/flow/path_problem.hpp"
#include "certification/verify/flow/warp_execution.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace warpbound::certification::verify {

namespace {

namespace ids = certificate_id;
using models::plus;
using models::times;

/// Throws `Finding` where S85 says nothing of the launch.
void require_launch_by_warp(const TimedCode& code, const ClaimRow& claim) {
    const KernelCase& kernel = code.kernel;
    const auto refuse = [&](const char* why) {
        refuted(claim.id + ": counts warps by the indices of their threads, " + why);
    };
    if (!claim.upper || claim.quantity != "execution-time")
        refuse("which only an upper bound of the launch does");
    if (models::guarantee_of(kernel.policy) != models::PolicyGuarantee::WorkConserving)
        refuse("under a policy that need not conserve work");
    if (is_amd(kernel.function->target)) refuse("whose registers are not followed");
    if (has_simulated_runs(kernel)) refuse("beside simulated runs, which draw guards");
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        if (code.reachable[i] && code.timings[i].value().through_caches)
            refuse("with accesses through the caches");
    if (queues_behind_other_warps(code)) refuse("with instructions in memory queues");
    if (early_ends_of_a_block(code) > 0) refuse("of which one may end before a barrier");
    if (std::cmp_not_equal(claim.warps.size(), code.geometry.warps_per_block))
        refuse("of which a block has another number");
}

/// Instructions of each thread that is executed by itself.
constexpr std::int64_t most_of_a_thread = 4096;

/// The most that a path costs whose counted instructions need not be on it.
std::int64_t most_by_counts(const TimedCode& code, const DemandTable& costs,
                            const std::vector<std::optional<std::int64_t>>& counts) {
    const auto on_path = [&](const models::InstructionTiming&, std::size_t i) { return costs[i]; };
    const auto uncounted = [&](const models::InstructionTiming&, std::size_t i) {
        return counts[i] ? 0 : costs[i];
    };
    std::int64_t counted = 0;
    for (std::size_t i = 0; i < costs.size(); ++i)
        if (costs[i] > 0 && counts[i]) counted = plus(counted, times(*counts[i], costs[i]));
    return std::min(largest_path_demand(code, on_path),
                    plus(counted, largest_path_demand(code, uncounted)));
}

std::int64_t sum_by_counts(const DemandTable& costs, const std::vector<std::int64_t>& counts) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < costs.size(); ++i)
        if (costs[i] > 0) sum = plus(sum, times(counts[i], costs[i]));
    return sum;
}

/// What the threads of the warps of a block execute, and what that demands.
class CountedWarps {
public:
    CountedWarps(const TimedCode& code, const DemandTables& tables)
        : code_{code}, function_{*code.kernel.function}, ports_{tables.at(ids::other_schedulers)},
          drains_{tables.at(ids::upper_drain)}, size_{exact_number(
                                                    code.kernel, code.kernel.architecture.geometry,
                                                    "geometry", "warp-size")},
          extents_{extents_of_blocks(function_, code.kernel.launch)}, graph_{graph_of(code.kernel)},
          execution_{function_, graph_, code.kernel.launch,
                     written_by_some_lanes(code.kernel, code.lower_flow)},
          per_iteration_{most_per_iteration(code.kernel, code.lower_flow, code.upper_flow)} {}

    /// Side: upper. None: the shape of the blocks is not known.
    [[nodiscard]] std::optional<WarpRow> most(std::int64_t warp) const {
        if (!extents_) return std::nullopt;
        auto counts = execution_.most(indices_between(first_of(warp), last_of(warp), *extents_));
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] && per_iteration_[i])
                counts[i] = times(*counts[i], *per_iteration_[i]);
            else
                counts[i].reset();
        }
        return WarpRow{most_by_counts(code_, ports_, counts),
                       most_by_counts(code_, drains_, counts)};
    }
    /// What its threads are sure to execute. Side: lower.
    [[nodiscard]] WarpRow least(std::int64_t warp) const {
        if (!extents_) return {};
        std::vector<std::int64_t> counts(ports_.size(), 0);
        for (std::int64_t number = first_of(warp); number <= last_of(warp); ++number) {
            ThreadIndices thread = indices_between(number, number, *extents_);
            thread.is_one_thread = true;
            const auto of_thread = execution_.least(thread, most_of_a_thread);
            for (std::size_t i = 0; i < counts.size(); ++i)
                counts[i] = std::max(counts[i], of_thread[i]);
        }
        return {sum_by_counts(ports_, counts), sum_by_counts(drains_, counts)};
    }

private:
    static assembly::ControlFlowGraph graph_of(const KernelCase& kernel) {
        auto graph = assembly::build_control_flow_graph(*kernel.function);
        if (!graph) incomplete(kernel.id + ": " + to_string(graph.error()));
        return std::move(graph).value();
    }
    [[nodiscard]] std::int64_t first_of(std::int64_t warp) const { return times(warp, size_); }
    [[nodiscard]] std::int64_t last_of(std::int64_t warp) const {
        return std::min(times(warp + 1, size_), code_.kernel.launch.threads) - 1;
    }

    const TimedCode& code_;
    const assembly::Function& function_;
    const DemandTable& ports_;
    const DemandTable& drains_;
    std::int64_t size_; ///< Threads of a warp.
    std::optional<std::array<std::int64_t, 3>> extents_;
    assembly::ControlFlowGraph graph_;
    WarpExecution execution_;
    std::vector<std::optional<std::int64_t>> per_iteration_; ///< Where lanes diverge (claim 1b).
};

/// The limit in the id of a certificate of barrier intervals beyond it.
std::optional<std::int64_t> limit_of(const std::string& certificate) {
    const std::string_view prefix{ids::intervals_beyond};
    if (!certificate.starts_with(prefix)) return std::nullopt;
    const std::string number = certificate.substr(prefix.size());
    std::int64_t limit = -1;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), limit);
    if (read.ec != std::errc{} || limit < 0 || std::to_string(limit) != number)
        refuted(certificate + ": its id states no limit");
    return limit;
}

/// Paths on which each barrier interval costs what it costs beyond a limit, or nothing. Each block
/// has two nodes: one in an interval that costs nothing, one in an interval that does.
class BeyondLimitTable {
public:
    BeyondLimitTable(const ControlFlow& flow, std::int64_t limit)
        : flow_{flow}, live_{live_blocks(flow, std::nullopt)},
          first_(flow.blocks.size(), 0), limit_{limit} {
        table_.upper = true;
        table_.nodes.push_back({0, std::nullopt});
        for (std::size_t block = 0; block < flow.blocks.size(); ++block)
            if (live_[block]) {
                first_[block] = table_.nodes.size();
                table_.nodes.insert(table_.nodes.end(), 2, {block, std::nullopt});
            }
    }

    /// The way from the block to `to`; none: to the end of the thread. `sums`: of the block on that
    /// way, up to each of its barriers, and from the last one to its end.
    void add(std::size_t block, std::optional<std::size_t> to,
             const std::vector<std::int64_t>& sums) {
        if (!live_[block] || (to && !live_[*to])) return;
        for (const bool from : {false, true})
            for (const bool until : {false, true}) {
                const auto cost = cost_of(sums, from, until);
                if (!cost) continue;
                connect(first_[block] + (from ? 1 : 0), to, until, *cost);
                // The first interval begins at node 0.
                if (block == 0) connect(0, to, until, *cost - (from ? limit_ : 0));
            }
    }

    [[nodiscard]] std::optional<std::int64_t> best() const {
        return PathProblem{flow_, table_}.best();
    }

private:
    /// `from`, `until`: whether the interval at the begin of the block, and at its end, costs.
    [[nodiscard]] std::optional<std::int64_t> cost_of(const std::vector<std::int64_t>& sums,
                                                      bool from, bool until) const {
        if (sums.size() == 1)
            return from == until ? std::optional{from ? sums.front() : 0} : std::nullopt;
        std::int64_t cost = from ? sums.front() : 0;
        for (std::size_t inner = 1; inner + 1 < sums.size(); ++inner)
            cost = plus(cost, std::max<std::int64_t>(0, sums[inner] - limit_));
        return until ? plus(cost, sums.back() - limit_) : cost;
    }
    void connect(std::size_t node, std::optional<std::size_t> to, bool until, std::int64_t cost) {
        if (to) {
            table_.edges.push_back({node, first_[*to] + (until ? 1 : 0), cost});
            return;
        }
        auto& end = table_.nodes[node].end;
        end = end ? std::max(*end, cost) : cost;
    }

    const ControlFlow& flow_;
    std::vector<bool> live_;
    std::vector<std::size_t> first_; ///< Node of each block, where its interval costs nothing.
    std::int64_t limit_;
    Certificate table_;
};

/// The sums of S85, as S13, S14 and S20 have them.
class WarpSums {
public:
    WarpSums(const InterferenceInputs& inputs, const std::vector<WarpRow>& warps)
        : inputs_{inputs}, launch_{inputs.code.geometry}, of_block_{launch_.per_scheduler(
                                                              launch_.warps_per_block)},
          intervals_of_block_{plus(most_barriers_of_a_path(inputs.code), 1)} {
        for (const WarpRow& warp : warps) {
            ports_ = plus(ports_, warp.ports);
            most_ports_ = std::max(most_ports_, warp.ports);
            drain_ = plus(drain_, warp.drain);
        }
    }

    /// `blocks`: of one multiprocessor.
    [[nodiscard]] std::vector<std::vector<Term>> on_one(std::int64_t blocks) const {
        const std::int64_t waves = launch_.waves;
        const std::int64_t intervals = times(intervals_of_block_, waves);
        const std::int64_t warps = times(blocks, launch_.warps_per_block);
        std::vector<Term> terms{
            {waves, 0, ids::guarded_stall}, {blocks, ports_, ""}, {blocks, drain_, ""}};
        if (intervals == 1) {
            terms.push_back({launch_.per_scheduler(warps), 0, ids::beyond_ports});
            return {terms};
        }
        terms.push_back({times(blocks, of_block_), 0, ids::beyond_ports});
        add(terms, change_terms(waves, intervals));
        const bool is_cut = waves > 1 && launch_.block_slots > 1; // S14.
        if (is_cut) add(terms, {{2, most_ports_, ""}, {2, 0, ids::beyond_ports}});
        const std::int64_t others = waves == 1 ? blocks - 1 : is_cut ? blocks : 0;
        const std::int64_t slots = waves == 1 ? others : std::min(others, launch_.block_slots);
        return exposed({terms}, times(slots, intervals - 1), others);
    }

    /// Along the two paths of S20.
    [[nodiscard]] std::vector<std::vector<Term>> on_several() const {
        const std::int64_t before = launch_.blocks_before_last();
        const std::int64_t slots = launch_.block_slots;
        const std::int64_t blocks = plus(before, slots);
        const std::int64_t intervals_before = times(intervals_of_block_, launch_.waves - 1);
        std::vector<Term> terms{{launch_.waves, 0, ids::guarded_stall},
                                {blocks, ports_, ""},
                                {times(blocks, of_block_), 0, ids::beyond_ports}};
        terms.push_back({times(intervals_of_block_, launch_.waves) - 1, carry_in_of(inputs_), ""});
        add(terms, refill_terms_of(inputs_, launch_.waves - 2, drain_)); // S82.
        add(terms, drains_of(blocks));
        auto sums = exposed({terms}, times(slots - 1, intervals_before - 1), before);
        return exposed(sums, times(slots - 1, intervals_of_block_ - 1), slots - 1);
    }

private:
    static void add(std::vector<Term>& terms, const std::vector<Term>& further) {
        terms.insert(terms.end(), further.begin(), further.end());
    }
    [[nodiscard]] std::vector<Term> change_terms(std::int64_t waves, std::int64_t intervals) const {
        return {{intervals - 1, carry_in_of(inputs_), ""}, {waves - 1, launch_.refill.hi, ""}};
    }
    [[nodiscard]] std::vector<Term> drains_of(std::int64_t blocks) const {
        const std::int64_t longest = largest_demand(inputs_.tables, ids::upper_drain);
        if (longest == 0) return {};
        const std::int64_t full_buffer = std::max<std::int64_t>(
            0, times(longest, write_buffer_entries(inputs_.code).hi) - time_hiding_drains(inputs_));
        if (plus(times(drain_, blocks), full_buffer) >= times(drain_, launch_.blocks))
            return {{launch_.blocks, drain_, ""}};
        return {{blocks, drain_, ""}, {1, full_buffer, ""}};
    }
    /// Each sum for each limit of barrier intervals, of which `changes` are exposed to a further
    /// scheduler, in `blocks` blocks.
    [[nodiscard]] std::vector<std::vector<Term>> exposed(const std::vector<std::vector<Term>>& sums,
                                                         std::int64_t changes,
                                                         std::int64_t blocks) const {
        const std::int64_t within = times(changes, of_block_);
        const std::int64_t others = times(blocks, launch_.warps_per_block - of_block_);
        if (within == 0 || others == 0) return sums; // Limits above all intervals, and of 0.
        std::vector<std::vector<Term>> found;
        const auto add_to_each = [&](const std::vector<Term>& further) {
            for (std::vector<Term> terms : sums) {
                add(terms, further);
                found.push_back(std::move(terms));
            }
        };
        for (const Certificate& certificate : inputs_.code.kernel.certificates)
            if (const auto limit = limit_of(certificate.id))
                add_to_each({{within, *limit, ""}, {others, 0, certificate.id}});
        if (found.empty() || find_certificate(inputs_.code.kernel, ids::interval_beyond_ports))
            add_to_each({{within, 0, ids::interval_beyond_ports}});
        return found;
    }

    const InterferenceInputs& inputs_;
    const LaunchGeometry& launch_;
    std::int64_t of_block_; ///< h: warps of a block on one scheduler.
    std::int64_t intervals_of_block_;
    std::int64_t ports_ = 0;      ///< P.
    std::int64_t most_ports_ = 0; ///< Of a warp.
    std::int64_t drain_ = 0;      ///< D'.
};

} // namespace

bool claims_warps(const KernelCase& kernel) {
    return std::any_of(kernel.claims.begin(), kernel.claims.end(),
                       [](const ClaimRow& claim) { return !claim.warps.empty(); });
}

DemandTable demand_beyond_ports(const TimedCode& code, const DemandTables& tables) {
    const DemandTable& own = tables.at(ids::own_scheduler);
    const DemandTable& ports = tables.at(ids::other_schedulers);
    const DemandTable grants = code.kernel.architecture.has_read_ports()
                                   ? cycles_per_grant(code)
                                   : DemandTable(own.size(), 0);
    return demand_table(code, [&](const models::InstructionTiming&, std::size_t i) {
        const std::int64_t beyond = std::max<std::int64_t>(0, own[i] - ports[i]);
        if (!assembly::is_guarded(code.kernel.function->instructions[i])) return beyond;
        return std::max({beyond, code.geometry.issue_slot.hi, grants[i]});
    });
}

std::optional<std::int64_t> most_beyond_limit(const TimedCode& code, const DemandTables& tables,
                                              const std::string& certificate) {
    const auto limit = limit_of(certificate);
    if (!limit) return std::nullopt;
    const auto costs = tables.find(ids::beyond_ports);
    if (costs == tables.end()) refuted(certificate + ": no claim counts warps by their threads");
    const ControlFlow& flow = code.upper_flow;
    BeyondLimitTable table{flow, *limit};
    const auto add = [&](std::size_t block, std::optional<std::size_t> to) {
        table.add(block, to, costs_between_barriers(code, block, to, costs->second));
    };
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        if (flow.blocks[block].exits) add(block, std::nullopt);
        for (const std::size_t to : flow.blocks[block].successors)
            add(block, to);
    }
    return table.best();
}

ShownWarps check_demand_of_warps(const TimedCode& code, const DemandTables& tables,
                                 const ClaimRow& claim) {
    require_launch_by_warp(code, claim);
    const CountedWarps counted{code, tables};
    ShownWarps shown;
    for (std::size_t warp = 0; warp < claim.warps.size(); ++warp) {
        const WarpRow& said = claim.warps[warp];
        const auto number = static_cast<std::int64_t>(warp);
        const WarpRow least = counted.least(number);
        if (said.ports < least.ports || said.drain < least.drain)
            refuted(fmt::format("{}: of warp {} it says ports {} and drains {}, but by the code "
                                "threads of it need {} and {}",
                                claim.id, warp, said.ports, said.drain, least.ports, least.drain));
        const auto most = counted.most(number);
        const bool is_shown = most && most->ports <= said.ports && most->drain <= said.drain;
        ++(is_shown ? shown.shown : shown.unshown);
    }
    return shown;
}

std::vector<std::vector<Term>> sums_of_warps(const InterferenceInputs& inputs,
                                             const CertificateValues& values,
                                             const std::vector<WarpRow>& warps) {
    if (cycles_of(values, {1, 0, ids::guarded_stall}) < cycles_of(values, {1, 0, ids::stall}))
        refuted(values.claim + ": " + ids::guarded_stall + " bounds less than " + ids::stall);
    const LaunchGeometry& launch = inputs.code.geometry;
    const WarpSums sums{inputs, warps};
    if (launch.multiprocessors == 1) return sums.on_one(launch.blocks);
    return launch.waves == 1 ? sums.on_one(launch.block_slots) : sums.on_several();
}

} // namespace warpbound::certification::verify
