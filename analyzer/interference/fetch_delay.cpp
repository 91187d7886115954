#include "analyzer/interference/fetch_delay.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/launch/first_use_search.hpp"
#include "analyzer/launch/first_uses.hpp"
#include "analyzer/launch/representative_flow.hpp"
#include "analyzer/launch/slot_table.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using models::times;

bool conserves_by_policy(const ScheduledLaunch& launch) {
    return launch.guarantee() == models::PolicyGuarantee::WorkConserving;
}

} // namespace

Visited all_visited(const LaunchGeometry& shape) {
    Visited visited;
    if (shape.waves() > 1 && shape.multiprocessors > 1) visited.multiprocessors = 2;
    visited.schedulers = times(visited.multiprocessors, shape.schedulers_in_use());
    visited.before_an_end = visited.before_last = visited.from_last = shape.schedulers_in_use();
    return visited;
}

Visited visited_by_critical_path(const ScheduledLaunch& launch, std::int64_t barriers) {
    Visited visited = all_visited(launch.shape);
    const std::int64_t of_block = models::plus(barriers, 1);
    const std::int64_t warps = times(launch.shape.waves(), of_block);
    if (warps != 1 && !conserves_by_policy(launch)) return visited;
    visited.schedulers = std::min(visited.schedulers, warps);
    visited.before_an_end = std::min(visited.before_an_end, of_block);
    visited.before_last = std::min(visited.before_last, times(launch.shape.waves() - 1, of_block));
    visited.from_last = std::min(visited.from_last, of_block);
    return visited;
}

namespace {

/// Under time division a wait that no gap contains may end within a slot of another warp. A gap of
/// at least 1 counts as a whole slot distance in the path of the warp, which covers that (S50).
std::int64_t longest_wait_for_slot(const TimedKernel& kernel, const ScheduledLaunch& launch) {
    const auto slots = slots_of_any_warp(launch.policy, launch.shape);
    if (!slots) return 0;
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        const models::InstructionTiming& timing = kernel.timings[i].value();
        if (timing.gap.lo == 0 || timing.gap_taken.lo == 0) return slots->longest - 1;
    }
    return 0;
}

/// Waits for lines that are persistent in the L0, on the critical path.
struct FirstWaits {
    std::int64_t of_l0 = 0; ///< Each `l0-miss`.
    std::int64_t of_l1 = 0; ///< Each `l1-miss`.
};

Waiting who_waits(const ScheduledLaunch& launch) {
    if (has_scheduler_to_itself(launch.shape)) return Waiting::OnlyWarp;
    // Other policies let a warp wait while another one waits for its line.
    return conserves_by_policy(launch) ? Waiting::OneOf : Waiting::AnyOf;
}

/// Without the edges that stated facts exclude. Of those that lanes never take some may be ways
/// from one group of lanes to another where these wait for each other: linear facts do not hold
/// there.
assembly::ControlFlowGraph flow_of_warp(const TimedKernel& kernel) {
    models::FlowFacts facts = *kernel.stated;
    if (kernel.facts.in_use.constraints.empty()) facts.constraints.clear();
    return possible_flow(*kernel.graph, facts);
}

/// Lemmas 4 and 5 of S36.
SerialMisses misses_of_a_scheduler(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                   const assembly::ControlFlowGraph& graph, const FirstUses& uses) {
    const InstructionLines& lines = kernel.delivery.lines.value();
    const Waiting waiting = who_waits(launch);
    SerialMisses misses = serial_misses(uses, lines.stream, waiting);
    if (waiting != Waiting::OnlyWarp) return misses;
    const auto found = most_misses_of_a_warp(*kernel.function, graph, lines.line, lines.stream);
    if (!found) return misses;
    misses.l0 = std::min(misses.l0, *found);
    misses.requests = std::min(misses.requests, times(*found, models::plus(lines.stream.hi, 1)));
    return misses;
}

/// Of equal ones the first.
FirstWaits least_of(const InstructionLines& lines, const std::vector<FirstWaits>& all) {
    return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        const auto cycles = [&](const FirstWaits& waits) {
            return models::plus(times(waits.of_l0, lines.l0_miss.hi),
                                times(waits.of_l1, lines.l1_miss.hi));
        };
        return cycles(a) < cycles(b);
    });
}

/// Misses of the executed lines, which are persistent in the L0.
struct ExecutedLines {
    std::int64_t count = 0;
    SerialMisses of_scheduler;
    std::int64_t first_requests = 0; ///< Of a multiprocessor.
};

/// The least of what is claimed of misses that overlap.
FirstWaits first_waits(const InstructionLines& lines, const ExecutedLines& executed,
                       const Visited& visited) {
    const std::int64_t groups = times(visited.schedulers, executed.of_scheduler.l0);
    std::vector<FirstWaits> all{{groups, groups}};
    if (lines.persist_in_l1) {
        all.push_back({times(visited.schedulers, executed.count),
                       times(visited.schedulers, executed.of_scheduler.l1)});
        all.push_back({groups, times(visited.multiprocessors, executed.first_requests)});
    }
    return least_of(lines, all);
}

/// Whether a block that has ended leaves its lines in the L0 of each scheduler with warps (S84).
bool fills_all_l0s(const TimedKernel& kernel, const ScheduledLaunch& launch) {
    return kernel.delivery.lines->persist_in_l0 && conserves_by_policy(launch) &&
           launch.shape.warps_per_block.count() >= launch.shape.schedulers_in_use();
}

/// Of a path on so many schedulers of one multiprocessor, on so many before one of its blocks has
/// ended (S96). Schedulers that it visits later wait for avoidable lines alone.
FirstWaits waits_of_one(const InstructionLines& lines, const ExecutedLines& executed,
                        std::int64_t schedulers, std::int64_t before_an_end) {
    const std::int64_t first = std::min(schedulers, before_an_end);
    const auto on_all = [&](std::int64_t misses) {
        return models::plus(times(first, misses),
                            times(schedulers - first, std::min(lines.avoidable, misses)));
    };
    const std::int64_t groups = on_all(executed.of_scheduler.l0);
    std::vector<FirstWaits> all{{groups, groups}};
    if (lines.persist_in_l1) {
        all.push_back({on_all(executed.count), on_all(executed.of_scheduler.l1)});
        all.push_back({groups, executed.first_requests});
    }
    return least_of(lines, all);
}

/// Of both multiprocessors: from the start of the last block on only for lines that a warp of a
/// block that has ended need not have executed (S84).
FirstWaits waits_of_two(const InstructionLines& lines, const ExecutedLines& executed,
                        const Visited& visited) {
    const std::int64_t of_each =
        times(visited.from_last, std::min(lines.avoidable, executed.of_scheduler.l0));
    const FirstWaits first =
        waits_of_one(lines, executed, visited.before_last, visited.before_an_end);
    const FirstWaits second = least_of(
        lines, {waits_of_one(lines, executed, visited.from_last, visited.from_last),
                {of_each, lines.persist_in_l1 ? std::min(lines.avoidable, executed.first_requests)
                                              : of_each}});
    return {models::plus(first.of_l0, second.of_l0), models::plus(first.of_l1, second.of_l1)};
}

FirstWaits waits_of_path(const TimedKernel& kernel, const ScheduledLaunch& launch,
                         const ExecutedLines& executed, const Visited& visited) {
    const InstructionLines& lines = kernel.delivery.lines.value();
    if (!fills_all_l0s(kernel, launch)) return first_waits(lines, executed, visited);
    if (visited.multiprocessors > 1) return waits_of_two(lines, executed, visited);
    return waits_of_one(lines, executed, visited.schedulers, visited.before_an_end);
}

std::vector<BoundTerm> fetch_terms(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                   const Visited& visited) {
    const InstructionLines& lines = kernel.delivery.lines.value();
    const LaunchGeometry& shape = launch.shape;
    const std::int64_t until_slot = longest_wait_for_slot(kernel, launch);
    const assembly::Function& function = *kernel.function;
    const assembly::ControlFlowGraph graph = flow_of_warp(kernel);
    std::vector<BoundTerm> terms;
    const auto add = [&](const char* text, std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms.push_back({text, count, cycles});
    };
    const auto add_l1_misses = [&](std::int64_t count) {
        add("instruction fetch: misses of the L1, one after the other", count, lines.l1_miss.hi);
    };
    if (lines.persist_in_l0) {
        const FirstUses uses = first_uses(function, graph, lines.line);
        const SerialMisses misses = misses_of_a_scheduler(kernel, launch, graph, uses);
        const ExecutedLines executed{uses.lines, misses,
                                     first_requests(uses, lines.stream, shape.schedulers_in_use())};
        const FirstWaits waits = waits_of_path(kernel, launch, executed, visited);
        const bool is_one_waited_on = fills_all_l0s(kernel, launch) && lines.avoidable == 0;
        const std::int64_t waited_on = is_one_waited_on ? 1 : visited.multiprocessors;
        add("instruction fetch: misses of a scheduler's L0, one after the other", waits.of_l0,
            lines.l0_miss.hi);
        add_l1_misses(waits.of_l1);
        add("instruction fetch: wait for a slot after the first use of a line by a scheduler",
            times(visited.schedulers, uses.lines), until_slot);
        add("instruction fetch: requests that the L1 instruction cache serves before",
            times(misses.requests, times(waited_on, shape.schedulers_in_use())), lines.service.hi);
        return terms;
    }
    add("instruction fetch: the first line of a block on the critical path", shape.waves(),
        lines.wait);
    if (!lines.persist_in_l1 || lines.are_warm) return terms;
    const auto executed =
        static_cast<std::int64_t>(executed_lines(function, graph, lines.line).size());
    const std::int64_t each_once = times(visited.multiprocessors, executed);
    add_l1_misses(each_once);
    add("instruction fetch: wait for a slot after the first use of a line by a multiprocessor",
        each_once, until_slot);
    return terms;
}

} // namespace

Result<std::vector<BoundTerm>> fetch_delay(const TimedKernel& kernel,
                                           const ScheduledLaunch& launch) {
    if (kernel.delivery.lines.value().never_miss()) return std::vector<BoundTerm>{};
    const auto barriers = barriers_of_block(kernel, launch.shape);
    if (!barriers) return barriers.as_failure();
    return fetch_terms(kernel, launch, visited_by_critical_path(launch, barriers.value().most));
}

std::int64_t further_fetch_delay(const TimedKernel& kernel, const ScheduledLaunch& launch) {
    if (!kernel.delivery.lines || kernel.delivery.lines->never_miss()) return 0;
    Visited by_chain = all_visited(launch.shape);
    // One part of the chain begins with the launch, and one block is on the path at its end (S96).
    by_chain.before_an_end = by_chain.from_last = 1;
    const models::Cycles all = sum_of(fetch_terms(kernel, launch, by_chain));
    const Visited visited = visited_by_critical_path(launch, 0);
    return (all - sum_of(fetch_terms(kernel, launch, visited))).count();
}

} // namespace warpbound::analyzer
