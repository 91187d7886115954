#include "analyzer/policies/two_level.hpp"

#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/pending_times.hpp"
#include "analyzer/policies/work_conserving.hpp"
#include "models/launch/active_set.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

/// Per instruction: longest stall of a warp before it that does not make the warp leave the active
/// set (C19). It counts from the end of the issue slot of the previous instruction, after a barrier
/// from its opening. Holds for any interference by others. Cycles in which memory queues delay are
/// not counted: they are demand (docs/theory, S78). `Unit:` core cycles. Side: upper.
class ActiveSetStalls {
public:
    ActiveSetStalls(const TimedKernel& kernel, const LaunchGeometry& shape)
        : kernel_{kernel}, issue_slot_{shape.issue_slot}, uses_{kernel}, graph_{*kernel.graph},
          entries_(graph_.blocks.size()), stalls_(kernel.timings.size(), 0) {}

    InstructionCosts stalls() {
        entries_.front().emplace();
        std::vector<std::size_t> changed{0};
        while (!changed.empty()) {
            const std::size_t block = changed.back();
            changed.pop_back();
            const PendingTimes after = follow(block);
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                const std::size_t last = graph_.blocks[block].last;
                const std::size_t next = graph_.blocks[to].first;
                if (!kernel_.used[next]) continue;
                raise_stall(next, last, true, after);
                if (join(to, after.after(least_gap(last, true)))) changed.push_back(to);
            }
        }
        return std::move(stalls_);
    }

private:
    [[nodiscard]] const Timing& timing(std::size_t i) const { return uses_.timing(i); }
    [[nodiscard]] std::int64_t least_gap(std::size_t i, bool may_transfer) const {
        return may_transfer ? std::min(timing(i).gap.lo, timing(i).gap_taken.lo) : timing(i).gap.lo;
    }

    /// Issues the instructions of a block. Returns the pending times as seen from the last issue.
    PendingTimes follow(std::size_t block) {
        const assembly::BasicBlock& code = graph_.blocks[block];
        PendingTimes pending = *entries_[block];
        issue(code.first, pending);
        for (std::size_t i = code.first + 1; i <= code.last; ++i) {
            raise_stall(i, i - 1, false, pending);
            pending = pending.after(least_gap(i - 1, false));
            issue(i, pending);
        }
        return pending;
    }

    /// Whether the entry state changed.
    bool join(std::size_t block, const PendingTimes& other) {
        auto& entry = entries_[block];
        if (entry) return entry->join(other);
        entry = other;
        return true;
    }

    /// Whether the occupancy of a port has ended when the registers and scoreboards of an
    /// instruction are available.
    [[nodiscard]] bool has_ended(const OwnResource& use, std::size_t i) const {
        return outlasts_port(use.user) && waits_for_result(i, use.user);
    }
    /// Whether an instruction always waits for the result of another one, whenever that issued.
    [[nodiscard]] bool waits_for_result(std::size_t i, std::size_t of) const {
        bool found = false;
        const auto& writes = uses_.instruction(of).effects.writes;
        const auto& control = uses_.instruction(of).control;
        uses_.for_each_awaited(i, [&](const OwnResource& resource) {
            found = found ||
                    (resource.kind == OwnResource::Kind::Register
                         ? std::ranges::count(writes, resource.reg) > 0
                         : control && control->write_barrier == static_cast<int>(resource.index));
        });
        return found;
    }
    /// Whether an instruction leaves its port before its result is available.
    [[nodiscard]] bool outlasts_port(std::size_t i) const {
        const auto ends_first = [&](std::int64_t passes) {
            return models::longest_occupancy_of_port(timing(i), passes) <=
                   models::plus(timing(i).latency.lo,
                                models::times(timing(i).pass_cost.lo, passes - 1));
        };
        return ends_first(timing(i).passes.lo) && ends_first(timing(i).passes.hi);
    }

    /// At issue the awaited resources are available; each resource that the instruction occupies
    /// may last its longest time.
    void issue(std::size_t i, PendingTimes& pending) const {
        pending.release_if([&](const OwnResource& resource) {
            return resource.kind == OwnResource::Kind::Port && has_ended(resource, i);
        });
        uses_.for_each_awaited(i, [&](const OwnResource& resource) { pending.release(resource); });
        uses_.occupy_sources(i, pending);
        if (!models::leaves_active_set(uses_.instruction(i).opcode_class))
            uses_.occupy_results(i, pending);
    }

    /// `pending`: seen from the issue of `before`, which `i` may follow.
    void raise_stall(std::size_t i, std::size_t before, bool may_transfer,
                     const PendingTimes& pending) {
        std::int64_t stall = timing(before).gap.hi;
        if (may_transfer) stall = std::max(stall, timing(before).gap_taken.hi);
        stall = std::max(stall, uses_.wait(i, pending, [&](const OwnResource& port) {
            return has_ended(port, i);
        }));
        // When a barrier opens later than its warp arrived, no issue slot of that warp runs.
        if (timing(before).is_barrier_wait)
            stall = std::max(stall, uses_.result(before));
        else
            stall -= issue_slot_.lo;
        // The queue may have delayed during that issue slot.
        stalls_[i] = std::max({stalls_[i], stall, uses_.wait_behind_queue(i, pending)});
    }

    const TimedKernel& kernel_;
    models::Interval issue_slot_; ///< `Unit:` core cycles.
    OwnUses uses_;
    const assembly::ControlFlowGraph& graph_;
    /// Seen from the first cycle in which the gap allows the first instruction of the block to
    /// issue.
    std::vector<std::optional<PendingTimes>> entries_;
    InstructionCosts stalls_; ///< The first instruction of a warp does not stall.
};

class TwoLevel final : public WorkConserving {
public:
    [[nodiscard]] Demand demand(const TimedKernel& kernel,
                                const LaunchGeometry& shape) const override {
        Demand demand = WorkConserving::demand(kernel, shape);
        const TimedKernel lagging = with_queue_lags(kernel, lags_without_backlog(kernel));
        demand.within_active_set = ActiveSetStalls{lagging, shape}.stalls();
        demand.residual_occupancy = port_times(lagging);
        for (std::int64_t& occupancy : demand.residual_occupancy)
            occupancy = std::max<std::int64_t>(0, occupancy - shape.issue_slot.lo);
        return demand;
    }
};

} // namespace

const Policy& two_level() {
    static const TwoLevel policy;
    return policy;
}

} // namespace warpbound::analyzer
