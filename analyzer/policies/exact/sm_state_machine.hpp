#pragma once
/// \file
/// State machine of a multiprocessor under time division. It steps from cycle to cycle as long as
/// the order of issue within a cycle does not matter.

#include "analyzer/policies/exact/exact_demand.hpp"
#include "analyzer/policies/time_division/blocked_slots.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Cycles since time 0, which all schedulers of a launch share.
using Time = std::int64_t;

/// One TDMA period of a scheduler.
class SlotPeriod {
public:
    /// `warps`: in the first warp slots; the others are empty. `every`: slots after which the table
    /// repeats up to a permutation of warp slots.
    SlotPeriod(const SlotTable& order, std::int64_t every, models::Warps warps);

    [[nodiscard]] std::size_t warp_slots() const { return warp_slots_; }
    [[nodiscard]] std::size_t warps() const { return warps_; }
    /// Cycles between two choices.
    [[nodiscard]] Time slot() const { return slot_; }
    /// Cycles after which the table repeats up to a permutation of warp slots.
    [[nodiscard]] Time period() const { return period_; }
    /// Number of start cycles that differ in more than a permutation of warp slots.
    [[nodiscard]] Time starts() const {
        return warps_ == warp_slots_ ? period_ : static_cast<Time>(owners_.size()) * slot_;
    }
    [[nodiscard]] std::size_t owner(Time cycle) const { return owners_[slot_of(cycle)]; }
    /// The first cycle, from `cycle` on, that lies in a time slot of the warp slot.
    [[nodiscard]] Time own(std::size_t warp_slot, Time cycle) const;
    /// Warp slots in the order of their next time slots, from that of `cycle` on. Two cycles with
    /// the distance of a period differ in nothing else.
    [[nodiscard]] const std::vector<std::size_t>& upcoming(Time cycle) const {
        return upcoming_[slot_of(cycle)];
    }

private:
    [[nodiscard]] std::size_t slot_of(Time cycle) const {
        return static_cast<std::size_t>(cycle / slot_) % owners_.size();
    }

    Time slot_;
    std::size_t warp_slots_;
    std::size_t warps_;
    Time period_ = 1;
    std::vector<std::size_t> owners_;
    std::vector<std::vector<Time>>
        until_; ///< `Shape:` until_[slot][warp slot], slots to its next one.
    std::vector<std::vector<std::size_t>> upcoming_; ///< `Shape:` upcoming_[slot], in order.
};

struct WarpState {
    std::size_t next = 0; ///< Next step of the path.
    Time last = 0;        ///< Cycle of the last issue.
    Time ready = 0;       ///< When the next instruction may issue, shared resources aside.
    PipelineState state;
};

struct SchedulerState {
    std::size_t period = 0; ///< Index of its slot table.
    Time phase = 0;         ///< Cycle of the period at time 0.
    Time next_choice = 0;
    std::size_t left = 0;         ///< Warps that have not ended.
    std::vector<Time> ports;      ///< When each is free, by unit.
    std::vector<WarpState> warps; ///< By warp slot; the warp of an empty one has ended.
};

struct SmState {
    std::vector<SchedulerState> schedulers;
    std::vector<Time> ports;  ///< Of the multiprocessor: when each is free, by unit.
    std::vector<Time> drains; ///< When the entries of the write buffer are free, in order.
    Time completion = 0;      ///< Of all instructions issued so far.
};

/// A set of schedulers, by bits.
using Schedulers = std::uint64_t;

/// Rules C4 to C15 and C19 for all warps of a multiprocessor; only the phase of the slots and the
/// order of issue within a cycle are not determined.
class SmStateMachine {
public:
    /// None when a relevant value is an interval, or when `explored_times` does not cover the
    /// launch.
    static std::optional<SmStateMachine> of(const TimedKernel& kernel,
                                            const ScheduledLaunch& launch);

    [[nodiscard]] const std::vector<SlotPeriod>& periods() const { return periods_; }
    /// Index of the slot table of each scheduler.
    [[nodiscard]] const std::vector<std::size_t>& schedulers() const { return period_of_; }

    /// Initial state; the slots of each scheduler begin `starts` cycles before the launch.
    [[nodiscard]] SmState begin(const std::vector<Time>& starts) const;
    /// Schedulers that may issue in cycle `at` and have not issued.
    [[nodiscard]] Schedulers able(const SmState& launch, Time at) const;
    /// Those of `able` whose order of issue matters.
    [[nodiscard]] Schedulers rivals(const SmState& launch, Schedulers able, Time at) const;
    /// False when the cycle of the next issue is not determined.
    [[nodiscard]] bool issue(SmState& launch, std::size_t scheduler, Time at) const;
    /// The first cycle after `at` in which the dependences of some warp allow an issue.
    [[nodiscard]] Time next_issue(const SmState& launch, Time at) const;

    /// The state that determines the further schedule, seen from a cycle in which nothing has
    /// issued yet; equal up to permutations of warp slots and schedulers.
    [[nodiscard]] std::vector<Time> packed(const SmState& launch, Time now) const;
    [[nodiscard]] SmState unpacked(const std::vector<Time>& state) const;

private:
    SmStateMachine(PipelinePair pipelines, std::vector<ExactDemand> steps)
        : pipelines_{std::move(pipelines)}, steps_{std::move(steps)} {}

    [[nodiscard]] Time free_from(const SmState& launch, const SchedulerState& scheduler,
                                 const WarpState& warp) const;
    [[nodiscard]] const ExactDemand& step_of(const SmState& launch, std::size_t scheduler,
                                             Time at) const;
    [[nodiscard]] std::vector<Time> packed(const SmState& launch, const SchedulerState& scheduler,
                                           Time now) const;

    PipelinePair pipelines_;
    std::vector<ExactDemand> steps_;
    std::vector<SlotPeriod> periods_;
    std::vector<std::size_t> period_of_;
    std::vector<std::size_t> components_; ///< State components of the pipeline that may be awaited.
    std::size_t units_ = 0;
    std::size_t entries_ = 0; ///< Relevant entries of the write buffer.
    /// Releases in any order (C99): the sides agree only as far as their states are equal.
    bool has_any_order_ = false;
};

} // namespace warpbound::analyzer
