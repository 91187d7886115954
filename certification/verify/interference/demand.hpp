#pragma once
/// \file
/// What the blocks of a kernel cost in the sums that lemmas bound, from listing and description.

#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/memory/memory_parameters.hpp"
#include "certification/verify/policies/slot_table.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Costs per instruction (0 where it cannot be reached), by the lemma that sums them. `Unit:` core
/// cycles.
class WarpCosts {
public:
    /// `slots`: of a slotted policy. Throws `Finding` when the description lacks a value.
    WarpCosts(const KernelCase& kernel, const SideFlows& flows, const LaunchGeometry& shape,
              const std::vector<SlotRange>& slots);

    /// Whether a lemma bounds a sum of block costs; times to completion are no sums.
    [[nodiscard]] bool sums(const std::string& certificate) const {
        return costs_.count(certificate) != 0;
    }
    /// Of one instruction, until a chain that goes over to another warp may be delayed by what
    /// issues there. `kind`: "" or `by_turns()`. Requires: such sums are.
    [[nodiscard]] std::int64_t straddle(const std::string& kind) const;
    /// Requires: `sums`.
    [[nodiscard]] std::vector<std::int64_t> per_block(const std::string& certificate) const;
    [[nodiscard]] std::int64_t largest(const std::string& certificate) const;
    /// The most that a warp costs between two barriers, where the lemma bounds that; else none.
    [[nodiscard]] std::optional<std::int64_t> most_of_a_part(const std::string& certificate) const;
    /// Barriers at which each warp of a block meets the others. Throws `Finding` when paths pass
    /// them unequally often.
    [[nodiscard]] std::int64_t barriers() const;

    /// Behind `same`, `other` and `upper_drain`: of loose round robin, each with the turns that
    /// follow, and so many warps that take them. Empty: no turns are counted on.
    [[nodiscard]] const std::string& by_turns() const { return by_turns_; }
    /// For how long a warp is not ready behind the turn before, whatever it executed. `Unit:` core
    /// cycles.
    struct TurnWaits {
        std::vector<std::int64_t> instructions; ///< `Shape:` [instruction].
        std::int64_t longest = 0;
        std::int64_t behind_barriers = 0;
        std::int64_t completion = 1; ///< From the last EXIT on.
    };
    /// What a round of strict turns takes by the lemmas of the kernel, beyond which waits count;
    /// none: they count no rounds.
    [[nodiscard]] std::optional<std::int64_t> round() const { return round_; }
    [[nodiscard]] const TurnWaits& turn_waits() const { return turn_waits_; }
    /// For how long an instruction holds a port that several warps share.
    [[nodiscard]] std::int64_t longest_port() const;
    /// Names of the lemmas about rounds. Requires: `round`.
    [[nodiscard]] std::string rotations_certificate() const;
    [[nodiscard]] std::string queueing_certificate() const;

    /// Of a warp, on any path.
    [[nodiscard]] std::int64_t most_stores() const;
    /// Of the write buffer. Throws `Finding` when the description lacks the value.
    [[nodiscard]] models::Interval buffer_entries() const;
    /// Whether not all stores of the launch fit.
    [[nodiscard]] bool stores_fill_buffer() const;
    [[nodiscard]] std::vector<const models::InstructionTiming*>
    clock_reads(std::size_t block) const;

    /// None where no access goes through the caches.
    [[nodiscard]] const std::optional<MemoryParameters>& memory() const { return memory_; }
    /// Line accesses of a warp through the caches, on any path; and its loads there.
    [[nodiscard]] std::int64_t most_lines(bool of_loads, bool of_stores) const;
    [[nodiscard]] std::int64_t most_loads() const;
    /// Of a warp's loads, together; none: nothing that they wait for says so.
    [[nodiscard]] std::optional<std::int64_t> outstanding_lines() const;
    [[nodiscard]] std::optional<std::int64_t> outstanding_loads() const;

    static constexpr const char* same = "execution-time-upper-demand-own-scheduler";
    static constexpr const char* other = "execution-time-upper-demand-other-schedulers";
    static constexpr const char* part = "execution-time-upper-barrier-interval";
    static constexpr const char* inside = "execution-time-upper-within-active-set";
    static constexpr const char* upper_drain = "execution-time-upper-drain";
    static constexpr const char* loads = "execution-time-upper-loads";
    static constexpr const char* stores = "execution-time-upper-stores";
    static constexpr const char* entries = "execution-time-upper-mshr";
    static constexpr const char* link = "execution-time-upper-link-queue";
    static constexpr const char* refreshes = "execution-time-upper-refreshes";
    static constexpr const char* loads_between = "execution-time-upper-loads-between-slots";
    static constexpr const char* stores_between = "execution-time-upper-stores-between-slots";
    static constexpr const char* issue_slots = "execution-time-lower-issue-slots";
    static constexpr const char* lower_drain = "execution-time-lower-drain";
    static constexpr const char* port = "execution-time-lower-port-"; ///< and the unit's name
    // Of a slotted policy, and `kind_of` its slots or `in_any_warp_slot`.
    static constexpr const char* ports_same = "execution-time-upper-ports-own-scheduler";
    static constexpr const char* ports_other = "execution-time-upper-ports-other-schedulers";
    static constexpr const char* ports = "execution-time-upper-ports";
    static constexpr const char* buffer = "execution-time-upper-write-buffer";

    // Ports beyond issue slots, in strict turns and with an active set.
    static constexpr const char* held = "execution-time-upper-residual-occupancy";
    // Of strict turns; the ports behind `anywhere` are also those of other schedulers.
    static constexpr const char* in_isolation = "execution-time-upper-in-isolation";
    static constexpr const char* slots_in_turns = "execution-time-upper-issue-slots";
    static constexpr const char* anywhere = "-any-scheduler";

private:
    using Cost = std::function<std::int64_t(const models::InstructionTiming&, std::size_t)>;
    void add_all();
    void add_by_turns();
    void add_strict_turns();
    void find_turn_waits();
    /// For how long an instruction holds a port that warps share, beyond its issue slot.
    [[nodiscard]] std::int64_t held_beyond_slot(const models::InstructionTiming& timing) const;
    void add_active_set();
    /// Of a warp whose slots are as far apart as one of `places` says.
    void add_slotted(const std::string& kind, const std::vector<SlotRange>& places);
    void add_accesses(const MemoryParameters& memory);
    /// `slots`: from the shortest to the longest.
    void add_ends_between(const SlotRange& slots);
    /// The most of what loads count that can be under way together.
    [[nodiscard]] std::optional<std::int64_t> under_way(const Cost& count) const;
    [[nodiscard]] std::int64_t drain_of(const models::InstructionTiming& timing, bool upper) const;
    void add(const std::string& certificate, const Cost& cost);
    static std::vector<std::int64_t> sums_of(const std::vector<std::int64_t>& costs,
                                             const ControlFlow& flow);
    /// The largest sum over a path of what each instruction counts.
    [[nodiscard]] std::int64_t most_of(const Cost& count) const;

    const KernelCase& kernel_;
    const ControlFlow& flow_;  ///< Upper side.
    const ControlFlow& below_; ///< Lower side.
    const LaunchGeometry& shape_;
    std::vector<Result<models::InstructionTiming>> timings_;
    std::vector<bool> live_; ///< Per instruction.
    std::optional<MemoryParameters> memory_;
    std::string by_turns_;
    std::optional<std::int64_t> round_;
    TurnWaits turn_waits_;
    std::map<std::string, std::vector<std::int64_t>> costs_;
};

} // namespace warpbound::certification::verify
