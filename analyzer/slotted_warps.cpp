#include "analyzer/slotted_warps.hpp"

#include "analyzer/one_warp.hpp"
#include "analyzer/warp_work.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

std::int64_t rounded_up(std::int64_t cycles, std::int64_t period) {
    return (cycles + period - 1) / period;
}

std::string distance_text(const SlotDistance& slots) {
    if (slots.longest == 1) return "path of a warp that has all slots of its scheduler";
    if (slots.shortest == slots.longest)
        return fmt::format("path of a warp with a slot every {} cycles", slots.longest);
    return fmt::format("path of a warp with a slot every {} to {} cycles", slots.shortest,
                       slots.longest);
}

/// Slots that instructions of other warps can take from a warp whose slots are `period` apart, by
/// holding a port of its scheduler or of the multiprocessor: a count.
InstructionCosts slots_taken(const Problem& problem, std::int64_t period, bool same_scheduler) {
    const std::int64_t slot = problem.shape.issue_slot.hi;
    InstructionCosts counts = port_times(problem);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        const bool core = is_shared_by_all(problem, i);
        // A port that is free again one slot later is free at the end of the next one's slot.
        const bool harmless = same_scheduler ? counts[i] <= slot : !core;
        counts[i] = harmless ? 0 : rounded_up(counts[i], period);
    }
    return counts;
}

/// Slots that a store of any warp can take from a warp by filling the write buffer: one because it
/// entered, and those that pass while it is the next to drain.
InstructionCosts slots_of_stores(const Problem& problem, std::int64_t period) {
    InstructionCosts counts = drain_costs(problem, Side::Upper);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = enters_write_buffer(problem, i) ? 1 + counts[i] / period : 0;
    return counts;
}

InstructionCosts stores(const Problem& problem) {
    InstructionCosts counts(problem.timings.size(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = enters_write_buffer(problem, i) ? 1 : 0;
    return counts;
}

/// Bounds the launch when no place's slots are more than `longest` nor less than `shortest` apart.
class SlottedLaunch {
public:
    SlottedLaunch(const Problem& problem, SlotDistance slots)
        : problem_{problem}, shape_{problem.shape}, shortest_{slots.shortest}, longest_{
                                                                                   slots.longest} {}

    /// `path` is the longest one of a warp in its slots.
    std::vector<BoundTerm> terms(std::int64_t path) const {
        std::vector<BoundTerm> terms;
        const auto add = [&](std::string text, std::int64_t count, std::int64_t cycles) {
            if (count > 0 && cycles > 0) terms.push_back({std::move(text), count, cycles});
        };
        add(distance_text({shortest_, longest_}), shape_.waves(), path);
        // Also a warp that has all slots waits for the one of its predecessor to end.
        const std::int64_t first = shape_.waves() > 1 ? shape_.issue_slot.hi : 1;
        add("wait for the first slot", shape_.waves(), std::max(longest_, first) - 1);
        add("replacement and start of a block", shape_.waves() - 1, shape_.refill.hi);
        add("slots of the warp in which a port is taken by another", lost_to_ports(), longest_);
        add("slots of the warp in which the write buffer is full", lost_to_stores(), longest_);
        add("drains behind the last store", 1, last_drains());
        return terms;
    }

private:
    std::int64_t most(const InstructionCosts& counts) const {
        return extreme_sum(problem_, block_costs(problem_, counts), Side::Upper);
    }
    static std::int64_t times(std::int64_t a, std::int64_t b) {
        return (models::Cycles{a} * b).count();
    }

    std::int64_t lost_to_ports() const {
        const InstructionCosts same = slots_taken(problem_, shortest_, true);
        const InstructionCosts other = slots_taken(problem_, shortest_, false);
        if (shape_.waves() == 1) {
            // Of another scheduler's warps there is one more for a warp that has one fewer beside
            // it; and what those beside it do may be harmless.
            const std::int64_t warps = shape_.warps();
            models::Cycles lost{0};
            for (const std::int64_t here :
                 {warps / shape_.schedulers, shape_.on_one_scheduler(warps)})
                if (here > 0)
                    lost = std::max(lost, models::Cycles{most(same)} * (here - 1) +
                                              models::Cycles{most(other)} * (warps - here));
            return lost.count();
        }
        // The critical chain may be on one scheduler in one block and on another in the next.
        InstructionCosts either = same;
        for (std::size_t i = 0; i < either.size(); ++i)
            either[i] = std::max(same[i], other[i]);
        return times(most(either), shape_.warps());
    }

    std::int64_t lost_to_stores() const {
        // Nobody waits while all stores of the launch fit.
        if (times(most(stores(problem_)), shape_.warps()) <= problem_.buffer_entries.lo) return 0;
        return times(most(slots_of_stores(problem_, shortest_)), shape_.warps());
    }

    std::int64_t last_drains() const {
        const InstructionCosts drains = drain_costs(problem_, Side::Upper);
        const std::int64_t longest =
            drains.empty() ? 0 : *std::max_element(drains.begin(), drains.end());
        return std::min(times(most(drains), shape_.warps()),
                        times(longest, problem_.buffer_entries.hi));
    }

    const Problem& problem_;
    const LaunchShape& shape_;
    std::int64_t shortest_;
    std::int64_t longest_;
};

/// A barrier of a block with several warps: its warps wait for each other.
const assembly::Instruction* common_barrier(const Problem& problem) {
    if (problem.shape.warps_per_block == 1) return nullptr;
    for (std::size_t i = 0; i < problem.used.size(); ++i)
        if (problem.used[i] && problem.timings[i] && problem.timings[i].value().is_barrier_wait)
            return &problem.request.function->instructions[i];
    return nullptr;
}

} // namespace

std::vector<SlotDistance> slot_distances(const models::WarpPolicy& policy,
                                         const LaunchShape& shape) {
    const std::int64_t resident = shape.resident * shape.warps_per_block;
    std::vector<SlotDistance> distances;
    const auto add = [&](std::int64_t shortest, std::int64_t longest) {
        const models::Cycles slot{shape.issue_slot.hi};
        distances.push_back({(slot * shortest).count(), (slot * longest).count()});
    };
    for (const std::int64_t places :
         {resident / shape.schedulers, shape.on_one_scheduler(resident)}) {
        if (places == 1) distances.emplace_back();
        if (places < 2) continue;
        // Between two slots of another place all others have theirs, and so has the fast one as
        // often as it comes up among so many.
        const std::int64_t others = places - 1;
        add(policy.every, policy.every);
        add(others + others / (policy.every - 1), others + rounded_up(others, policy.every - 1));
    }
    std::sort(distances.begin(), distances.end());
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    return distances;
}

Result<SideAnswer> bound_slotted_from_above(const Problem& problem, Deadline deadline) {
    if (const auto* barrier = common_barrier(problem))
        return Failure{
            fmt::format("0x{:04x}: barriers of blocks with several warps are not bounded "
                        "under slotted policies in this version",
                        barrier->address),
            problem.request.function->name, barrier->position.line, barrier->position.column};
    const std::vector<SlotDistance> distances =
        slot_distances(problem.request.policy, problem.shape);
    // In several waves warps of all places follow each other.
    SlotDistance any = distances.front();
    for (const SlotDistance& slots : distances)
        any = {std::min(any.shortest, slots.shortest), std::max(any.longest, slots.longest)};
    std::optional<SideAnswer> worst;
    bool optimal = true;
    std::int64_t nodes = 0;
    for (const SlotDistance& slots : distances) {
        // The write buffer counts on its own: here it never delays.
        const SidePair rules = rules_of(problem, 1, {0, 0, 0}, slots);
        auto alone = bound_one_warp(problem, rules, Side::Upper, deadline);
        if (!alone) return alone.as_failure();
        SideAnswer answer = std::move(alone).value();
        nodes += answer.nodes;
        optimal = optimal && answer.execution.outcome == Outcome::Optimal;
        const SlottedLaunch launch{problem, problem.shape.waves() > 1 ? any : slots};
        answer.execution.terms = launch.terms(answer.execution.proved.count());
        answer.execution.proved = sum_of(answer.execution.terms);
        if (!worst || worst->execution.proved < answer.execution.proved) worst = std::move(answer);
    }
    worst->nodes = nodes;
    worst->execution.proof = Proof::ResponseTime;
    worst->execution.outcome = optimal ? Outcome::Optimal : Outcome::LimitReached;
    worst->execution.best_found.reset();
    return std::move(*worst);
}

Result<SideAnswer> bound_slotted_from_below(const Problem& problem, SideAnswer answer,
                                            Deadline deadline) {
    for (const SlotDistance& slots : slot_distances(problem.request.policy, problem.shape)) {
        if (slots.longest == 1) continue;
        const SidePair rules =
            rules_of(problem, problem.buffer_entries.hi, problem.buffer_drain, slots);
        auto alone = bound_one_warp(problem, rules, Side::Lower, deadline);
        if (!alone) return alone.as_failure();
        SideAnswer slotted = std::move(alone).value();
        SideResult& execution = slotted.execution;
        slotted.nodes += answer.nodes;
        // The path counts every distance as the longest.
        const models::Cycles least{(execution.proved * slots.shortest).count() / slots.longest};
        if (!(answer.execution.proved < least)) continue;
        execution.proved = least;
        execution.terms = {{distance_text(slots), 1, least.count()}};
        execution.proof = Proof::ResponseTime;
        execution.best_found.reset();
        answer = std::move(slotted);
    }
    return answer;
}

} // namespace warpbound::analyzer
