#include "analyzer/policies/strict_round_robin/rotation_terms.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/policies/strict_round_robin/dependence_stalls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

using models::Cycles;
using models::plus;

namespace {

std::int64_t longest_after_barriers(const TimedKernel& kernel, const InstructionCosts& stalls) {
    const auto& graph = *kernel.graph;
    std::int64_t longest = 0;
    for (const auto& block : graph.blocks)
        for (std::size_t i = block.first; i <= block.last; ++i) {
            if (!is_barrier(kernel, i)) continue;
            if (i < block.last) {
                longest = std::max(longest, stalls[i + 1]);
                continue;
            }
            for (const std::size_t edge : block.out)
                longest = std::max(longest, stalls[graph.blocks[graph.edges[edge].to].first]);
        }
    return longest;
}

std::string upper(const std::string& kind) {
    return "execution-time-upper" + kind;
}

/// Behind memory queues each holds by itself: the largest lag, or what of it the backlog does not
/// count (docs/theory, S78).
LongestStalls stalls_of(const TimedKernel& kernel, const RoundRobinDelay::Warps& warps) {
    LongestStalls longest = longest_stalls(kernel, warps.pipelines);
    if (!warps.without_backlog) return longest;
    const LongestStalls others = longest_stalls(kernel, *warps.without_backlog, Remaining::AsBegun);
    longest.completion = std::min(longest.completion, others.completion);
    for (std::size_t i = 0; i < longest.instructions.size(); ++i)
        longest.instructions[i] = std::min(longest.instructions[i], others.instructions[i]);
    return longest;
}

/// Suffix of certificate ids where ports of warps of other schedulers count.
std::string any_scheduler_suffix(const RotationPath& path) {
    return path.changes_scheduler ? "-any-scheduler" : "";
}

} // namespace

RoundRobinDelay::RoundRobinDelay(const TimedKernel& kernel, const LaunchGeometry& shape,
                                 const AnalysisRun& run, const Warps& warps)
    : kernel_{kernel}, shape_{shape}, run_{run}, has_queueing_{warps.has_queueing},
      has_memory_queue_{uses_memory_queue(kernel)}, ports_{port_times(kernel)},
      isolated_{warps.isolated.count()} {
    LongestStalls longest = stalls_of(kernel, warps);
    stalls_ = std::move(longest.instructions);
    completion_ = longest.completion;
    turns_ = most_on_a_path(kernel, InstructionCosts(ports_.size(), 1));
    for (std::size_t i = 0; i < stalls_.size(); ++i)
        if (kernel.used[i]) longest_stall_ = std::max(longest_stall_, stalls_[i]);
    longest_after_barriers_ = longest_after_barriers(kernel, stalls_);
    refill_ =
        models::plus(shape.refill.hi, kernel.delivery.lines ? kernel.delivery.lines->wait : 0);
}

Cycles RoundRobinDelay::rotation_without_stalls(const RotationPath& path) const {
    return Cycles{shape_.issue_slot.hi} * path.warp_slots;
}

BoundTerm RoundRobinDelay::term(std::string text, std::int64_t count,
                                const CertificateName& certificate,
                                const InstructionCosts& costs) const {
    return {std::move(text), count, certified_most(kernel_, run_, certificate, costs),
            certificate.id};
}

InstructionCosts RoundRobinDelay::residual_occupancy(const RotationPath& path) const {
    const InstructionCosts others = cost_to_other_schedulers(kernel_);
    const InstructionCosts grants = grant_distances(kernel_, shape_);
    const InstructionCosts queued = backlog_costs(kernel_);
    InstructionCosts residual_occupancy(ports_.size(), 0);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        if (queued[i] > 0) {
            residual_occupancy[i] =
                plus(queued[i], path.changes_scheduler
                                    ? plus(others[i], std::max<std::int64_t>(0, grants[i] - 1))
                                    : std::max<std::int64_t>(0, grants[i] - shape_.issue_slot.lo));
            continue;
        }
        const std::int64_t longest = std::max(ports_[i], grants[i]);
        residual_occupancy[i] = std::max<std::int64_t>(0, longest - shape_.issue_slot.lo);
        // A path that changes its scheduler may wait for the port on one and in the stages of
        // another.
        if (path.changes_scheduler && others[i] > 0)
            residual_occupancy[i] =
                std::max(residual_occupancy[i],
                         models::plus(others[i], std::max<std::int64_t>(0, grants[i] - 1)));
    }
    return residual_occupancy;
}

BoundTerm RoundRobinDelay::residual_occupancy_of(const RotationPath& path,
                                                 models::Warps warps) const {
    const std::string text = "port occupancy of a warp beyond its issue slots";
    return term(text, warps.count(),
                {upper("-residual-occupancy") + any_scheduler_suffix(path), text},
                residual_occupancy(path));
}

std::vector<BoundTerm> RoundRobinDelay::rotation_terms(const RotationPath& path,
                                                       std::int64_t rotation) const {
    const std::int64_t slot = shape_.issue_slot.hi;
    const std::int64_t more = (Cycles{turns_} * path.blocks - Cycles{path.rotations}).count();
    return {
        term("rotations, one for each instruction of a warp, with a turn of every other warp "
             "and its stall",
             path.blocks,
             {upper(fmt::format("-rotations-of-{}", rotation)),
              fmt::format("{} cycles for each instruction of a warp", rotation)},
             per_instruction(kernel_, [&](auto, const auto&) { return rotation; })),
        {"turns before the first one of the critical path, less the rotations that it does not "
         "traverse in full",
         1,
         (Cycles{slot} * (path.warp_slots - models::Warps{1}) - Cycles{rotation} * more).count()}};
}

std::vector<BoundTerm> RoundRobinDelay::by_rotations(const RotationPath& path,
                                                     std::int64_t rotation) const {
    const models::Interval& slot = shape_.issue_slot;
    const auto beyond = [&](std::int64_t stall) {
        return std::max<std::int64_t>(0, stall - rotation);
    };
    InstructionCosts both = residual_occupancy(path);
    for (std::size_t i = 0; i < both.size(); ++i)
        both[i] = models::plus(both[i], beyond(stalls_[i]));
    std::vector<BoundTerm> terms = rotation_terms(path, rotation);
    terms.push_back({"time from the last EXIT to completion", 1, completion_});
    const bool stalls_longer = rotation_without_stalls(path) < Cycles{rotation};
    terms.push_back(term(
        stalls_longer
            ? "longer stalls of rotations by a warp, and its port occupancy beyond issue slots"
            : "stalls of rotations by a warp, and its port occupancy beyond issue slots",
        path.warps.count(),
        {upper(fmt::format("-stalls-beyond-{}", rotation)) + any_scheduler_suffix(path),
         fmt::format("stalls of a warp beyond {} cycles, and port occupancy beyond issue slots",
                     rotation)},
        both));
    if (path.further_warps > models::Warps{0})
        terms.push_back(residual_occupancy_of(path, path.further_warps));
    terms.push_back(
        {"stall of a rotation by a block that starts", path.single_warp_starts, beyond(refill_)});
    // A warp that re-enters the rotation may stall it, and its turns add to those of the rotation.
    const models::Warps of_block = shape_.on_one_scheduler(shape_.warps_per_block);
    const auto with_turns = [&](std::int64_t stall) {
        return (Cycles{stall} + Cycles{slot.hi} * (path.warp_slots - models::Warps{1} + of_block))
            .count();
    };
    terms.push_back({"stall of the critical path after a barrier or at the start of a block",
                     path.reentries, with_turns(std::max({longest_stall_, refill_, slot.hi}))});
    terms.push_back({"stall by warps of another block after a barrier", path.barrier_openings,
                     with_turns(longest_after_barriers_)});
    terms.push_back(
        {"stall by warps of another block that starts", path.block_starts, with_turns(refill_)});
    if (path.single_warp_starts > 0)
        terms.push_back({"shorter turns before the start of the last block",
                         2 * (path.warp_slots.count() - 1),
                         // Cycles of a slot may be among those that memory queues delay.
                         slot.hi - (has_memory_queue_ ? 0 : slot.lo)});
    add_other_ports(path, terms);
    return terms;
}

std::vector<BoundTerm> RoundRobinDelay::by_rotations(const RotationPath& path) const {
    const std::int64_t shortest = rotation_without_stalls(path).count();
    std::vector<std::int64_t> levels = stalls_;
    levels.push_back(shortest);
    levels.push_back(refill_);
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    levels.erase(levels.begin(), std::find(levels.begin(), levels.end(), shortest));
    const auto sum = [&](std::size_t level) { return by_rotations(path, levels[level]); };
    // The sum is convex in the length of a rotation.
    std::size_t first = 0;
    std::size_t last = levels.size() - 1;
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (sum_of(sum(middle)) <= sum_of(sum(middle + 1)))
            last = middle;
        else
            first = middle + 1;
    }
    return sum(first);
}

std::vector<BoundTerm> RoundRobinDelay::by_warps(const RotationPath& path) const {
    const std::int64_t slot = shape_.issue_slot.hi;
    const std::int64_t next_block = path.blocks > 1 ? 1 : 0;
    // For blocks with one warp, the starts of the path's own blocks are among those of the
    // scheduler.
    const std::int64_t starts =
        path.single_warp_starts > 0 ? path.single_warp_starts : path.block_starts + path.blocks - 1;
    const std::string isolated = upper(in_isolation);
    std::vector<BoundTerm> terms{
        {"one warp in isolation, in each block of the critical path", path.blocks, isolated_,
         isolated},
        term("issue slots of another warp of the scheduler, one before each turn",
             models::times(path.blocks, path.warp_slots - models::Warps{1}),
             {upper("-issue-slots"), "issue slots of a warp"},
             per_instruction(kernel_, [&](auto, const auto&) { return slot; })),
        {"issue slots that run when the critical path changes to a warp",
         path.reentries + next_block, slot},
        {"stalls of another warp at its turn", path.blocking_warps.count(), isolated_, isolated},
        {"replacement and start of a block", starts, refill_},
        residual_occupancy_of(path, path.warps + path.further_warps)};
    add_other_ports(path, terms);
    return terms;
}

std::vector<BoundTerm> RoundRobinDelay::terms(const RotationPath& path) const {
    std::vector<BoundTerm> warps = by_warps(path);
    // A rotation may stall by loads of several warps, each with queueing delay at the caches
    // (S29a).
    if (has_queueing_) return warps;
    std::vector<BoundTerm> rotations = by_rotations(path);
    return sum_of(warps) < sum_of(rotations) ? warps : rotations;
}

void RoundRobinDelay::add_other_ports(const RotationPath& path,
                                      std::vector<BoundTerm>& terms) const {
    terms.push_back(demand_of_other_schedulers(path));
    if (path.has_carry_in)
        terms.push_back(
            {"an instruction that issued before the critical path changed to another block", 1,
             plus(std::max(*std::max_element(ports_.begin(), ports_.end()),
                           longest_read_lag(kernel_, shape_)),
                  queue_carry_in(kernel_, shape_))});
}

BoundTerm RoundRobinDelay::demand_of_other_schedulers(const RotationPath& path) const {
    const std::string text = "demand of a warp on other schedulers: ports of the multiprocessor";
    return term(text, path.other_schedulers_warps.count(),
                {upper("-demand-other-schedulers"), text}, cost_to_other_schedulers(kernel_));
}

} // namespace warpbound::analyzer
