#pragma once
/// \file
/// What a multiprocessor under time division does from a cycle on, as far as its schedulers' order
/// within a cycle leaves no choice (step S30 of docs/theory).

#include "certification/verify/policies/path_states.hpp"
#include "certification/verify/policies/slot_table.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warpbound::certification::verify {

/// A scheduler with its time slots. The fast warp has the first place; the others follow in the
/// order of their time slots.
struct SlottedScheduler {
    struct Warp {
        PathState state = PathStates::ended;
        std::int64_t since = 0; ///< The cycle from which its state counts.
    };
    struct Issue {
        std::int64_t cycle = 0;
        std::size_t warp = 0; ///< Its place.
    };

    std::size_t slots = 0;           ///< Which of the slot tables.
    std::int64_t offset = 0;         ///< Cycle of the slot table in cycle 0.
    std::int64_t free_from = 0;      ///< It has chosen until then.
    std::vector<Warp> warps;         ///< By place.
    std::vector<std::int64_t> ports; ///< By unit.
    /// The first issue that can be; none: all have ended. Where ports are taken after it was found,
    /// it may be later.
    std::optional<Issue> first;
};

/// Of a multiprocessor. Times count from a cycle 0 of their own.
struct SlottedState {
    std::vector<SlottedScheduler> schedulers;
    std::vector<std::int64_t> ports;  ///< By unit.
    std::vector<std::int64_t> drains; ///< Ends of those in the write buffer, in its order.
    std::int64_t completion = 0;      ///< Of what has been issued since cycle 0.
};

/// Steps multiprocessors whose warps have one path.
class SlottedSteps {
public:
    /// `path` must be exact (`PathStates::has_exact_uses`). `tables`: those that schedulers have.
    SlottedSteps(const TimedCode& code, PathStates& path, std::vector<SchedulerSlots> tables);

    /// The start of a launch: the slot table of each scheduler, and the cycle in which it is then.
    [[nodiscard]] SlottedState start(const std::vector<std::size_t>& tables,
                                     const std::vector<std::int64_t>& offsets);
    /// The cycle of the next issue; none: all warps have ended.
    [[nodiscard]] std::optional<std::int64_t> next_cycle(SlottedState& state) const;
    /// Schedulers that can issue in this cycle, by bits. Requires: none can before.
    [[nodiscard]] std::uint64_t issuing_in(std::int64_t cycle, SlottedState& state) const;
    /// Of these schedulers those for which it matters who is first: they want one port of the
    /// multiprocessor, or store while not all fit or with different drains.
    [[nodiscard]] std::uint64_t contending(const SlottedState& state, std::uint64_t schedulers,
                                           std::int64_t cycle) const;
    /// One issues. False: what follows is open.
    [[nodiscard]] bool issue_on(SlottedState& state, std::size_t scheduler, std::int64_t cycle);
    /// What determines the further schedules, seen from a cycle in which nothing has issued yet:
    /// equal for states that differ in names of warp slots and schedulers, or in waits that end in
    /// the same time slot.
    [[nodiscard]] std::vector<std::int64_t> description(const SlottedState& state,
                                                        std::int64_t cycle);
    /// Requires: a description.
    [[nodiscard]] SlottedState described(const std::vector<std::int64_t>& numbers) const;
    /// Issues that lie behind it.
    [[nodiscard]] std::int64_t issues(const SlottedState& state) const;

private:
    [[nodiscard]] std::int64_t next_own(const SlottedScheduler& scheduler, std::size_t place,
                                        std::int64_t cycle) const;
    [[nodiscard]] std::int64_t shared_free_from(const SlottedState& state,
                                                const SlottedScheduler& scheduler,
                                                const SharedUse& use) const;
    [[nodiscard]] std::optional<SlottedScheduler::Issue>
    first_issue(const SlottedState& state, const SlottedScheduler& scheduler) const;
    [[nodiscard]] const SharedUse& wanted(const SlottedState& state, std::size_t scheduler) const;
    [[nodiscard]] PathState seen_in(const SlottedState& state, const SlottedScheduler& scheduler,
                                    std::size_t place, std::int64_t cycle);
    void describe(const SlottedState& state, const SlottedScheduler& scheduler, std::int64_t cycle,
                  std::vector<std::int64_t>& numbers);

    PathStates& path_;
    std::vector<SchedulerSlots> tables_; ///< Whose fast warp slot is the first one.
    std::vector<std::size_t> fast_;      ///< Which warp slot that is in the launch.
    std::size_t units_;
    std::size_t entries_ = 0; ///< Of the write buffer.
    /// Results of `seen_in`; forgotten when there are many.
    std::unordered_map<std::vector<std::int64_t>, PathState, NumbersHash> seen_;
};

} // namespace warpbound::certification::verify
