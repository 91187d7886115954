#pragma once
/// \file
/// A multiprocessor whose schedulers are bound to slots, stepped from cycle to cycle as long as the
/// order of issues within a cycle does not matter.

#include "analyzer/policies/exact/exact_demand.hpp"
#include "analyzer/policies/time_division/blocked_slots.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Cycles from one that all parts of a launch have in common.
using Time = std::int64_t;

/// The slots of a scheduler, for stepping.
class SlotRound {
public:
    /// `warps`: in the first places; the others stay empty.
    SlotRound(const SlotTable& order, std::int64_t every, std::int64_t warps);

    [[nodiscard]] std::size_t places() const { return places_; }
    [[nodiscard]] std::size_t warps() const { return warps_; }
    /// Between two choices.
    [[nodiscard]] Time slot() const { return slot_; }
    /// Cycles after which the order of slots is the same again but for the names of places.
    [[nodiscard]] Time period() const { return period_; }
    /// Cycles of a round in which a run may start that differ in more than names.
    [[nodiscard]] Time starts() const {
        return warps_ == places_ ? period_ : static_cast<Time>(owners_.size()) * slot_;
    }
    [[nodiscard]] std::size_t owner(Time cycle) const { return owners_[slot_of(cycle)]; }
    /// The first cycle from one on that lies in a slot of the place.
    [[nodiscard]] Time own(std::size_t place, Time cycle) const;
    /// Places in the order of their next slots, from that of a cycle on. Two cycles a period apart
    /// differ in nothing else.
    [[nodiscard]] const std::vector<std::size_t>& upcoming(Time cycle) const {
        return upcoming_[slot_of(cycle)];
    }

private:
    [[nodiscard]] std::size_t slot_of(Time cycle) const {
        return static_cast<std::size_t>(cycle / slot_) % owners_.size();
    }

    Time slot_;
    std::size_t places_;
    std::size_t warps_;
    Time period_ = 1;
    std::vector<std::size_t> owners_;
    std::vector<std::vector<Time>> until_; ///< `Shape:` until_[slot][place], slots to its next one.
    std::vector<std::vector<std::size_t>> upcoming_; ///< `Shape:` upcoming_[slot], in order.
};

struct WarpState {
    std::size_t next = 0; ///< Of the path.
    Time last = 0;        ///< Issue.
    Time ready = 0;       ///< When the next instruction may issue but for shared things.
    PipelineState state;
};

struct SchedulerState {
    std::size_t round = 0; ///< Its order of slots.
    Time phase = 0;        ///< Cycle of the round at time 0.
    Time next_choice = 0;
    std::size_t left = 0;         ///< Warps that have not ended.
    std::vector<Time> ports;      ///< When each is free, by unit.
    std::vector<WarpState> warps; ///< By place; one that is empty has ended.
};

struct SmState {
    std::vector<SchedulerState> schedulers;
    std::vector<Time> ports;  ///< Of the multiprocessor.
    std::vector<Time> drains; ///< Of as many stores as the write buffer has entries, in order.
    Time completion = 0;      ///< Of what was issued so far.
};

/// A set of schedulers, by bits.
using Schedulers = std::uint64_t;

/// The rules C4 to C15 and C19 for all warps of a multiprocessor, where only the beginning of slots
/// and the order of issues within a cycle are open.
class SmStateMachine {
public:
    /// Nothing when a value that counts is an interval, or `explored_times` does not cover the
    /// launch.
    static std::optional<SmStateMachine> of(const AnalysisContext& context);

    [[nodiscard]] const std::vector<SlotRound>& rounds() const { return rounds_; }
    /// Round of each scheduler.
    [[nodiscard]] const std::vector<std::size_t>& schedulers() const { return round_of_; }

    /// Slots of each scheduler begin so many cycles before the launch.
    [[nodiscard]] SmState begin(const std::vector<Time>& starts) const;
    /// Those that may issue in a cycle and have not.
    [[nodiscard]] Schedulers able(const SmState& launch, Time at) const;
    /// Those of `able` for which it matters who is first.
    [[nodiscard]] Schedulers rivals(const SmState& launch, Schedulers able, Time at) const;
    /// False when the cycle of the next issue is open.
    [[nodiscard]] bool issue(SmState& launch, std::size_t scheduler, Time at) const;
    /// The first cycle behind `at` in which an issue is not excluded by what warps wait for.
    [[nodiscard]] Time next_issue(const SmState& launch, Time at) const;

    /// All that what comes depends on, seen from a cycle in which nothing has issued yet. Launches
    /// that differ in names only are the same.
    [[nodiscard]] std::vector<Time> packed(const SmState& launch, Time now) const;
    [[nodiscard]] SmState unpacked(const std::vector<Time>& state) const;

private:
    SmStateMachine(PipelinePair rules, std::vector<ExactDemand> steps)
        : rules_{std::move(rules)}, steps_{std::move(steps)} {}

    [[nodiscard]] Time free_from(const SmState& launch, const SchedulerState& scheduler,
                                 const WarpState& warp) const;
    [[nodiscard]] const ExactDemand& step_of(const SmState& launch, std::size_t scheduler,
                                             Time at) const;
    [[nodiscard]] std::vector<Time> packed(const SmState& launch, const SchedulerState& scheduler,
                                           Time now) const;

    PipelinePair rules_;
    std::vector<ExactDemand> steps_;
    std::vector<SlotRound> rounds_;
    std::vector<std::size_t> round_of_;
    std::vector<std::size_t> slots_; ///< Of the pipeline that may be waited for.
    std::size_t units_ = 0;
    std::size_t entries_ = 0; ///< Of the write buffer that matter.
};

} // namespace warpbound::analyzer
