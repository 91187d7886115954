#pragma once
/// \file
/// Ids of path certificates, and what they end in (docs/reference/evidence-format.md).

namespace warpbound::certification::verify::certificate_id {

/// Of one warp in isolation: the costliest (cheapest) path.
inline constexpr const char* upper_path = "execution-time-upper";
inline constexpr const char* lower_path = "execution-time-lower";

// Work-conserving policies, upper side (S11 to S15, S74).
inline constexpr const char* stall = "execution-time-upper-stall";
/// Of beginnings of paths, which end at any issue (S74).
inline constexpr const char* prefix_stall = "execution-time-upper-prefix-stall";
inline constexpr const char* own_scheduler = "execution-time-upper-demand-own-scheduler";
inline constexpr const char* other_schedulers = "execution-time-upper-demand-other-schedulers";
inline constexpr const char* barrier_interval = "execution-time-upper-barrier-interval";
inline constexpr const char* upper_drain = "execution-time-upper-drain";

// Each warp by the indices of its threads (S85).
inline constexpr const char* guarded_stall = "execution-time-upper-guarded-stall";
inline constexpr const char* beyond_ports = "execution-time-upper-demand-beyond-ports";
inline constexpr const char* interval_beyond_ports = "execution-time-upper-interval-beyond-ports";
/// Then a limit for each barrier interval.
inline constexpr const char* intervals_beyond = "execution-time-upper-intervals-beyond-";

// Lower side (S15).
inline constexpr const char* lower_residency = "execution-time-lower-residency";
inline constexpr const char* lower_issue_slots = "execution-time-lower-issue-slots";
inline constexpr const char* lower_drain = "execution-time-lower-drain";
inline constexpr const char* lower_port = "execution-time-lower-port-"; ///< Then the unit's name.

inline constexpr const char* lower_read_port =
    "execution-time-lower-read-port-"; ///< Then the number of the register bank (S33).

inline constexpr const char* lower_memory_queue = "execution-time-lower-memory-queue"; ///< S38

// Ports beyond issue slots: strict round robin and two-level (S25a, S31).
inline constexpr const char* residual_occupancy = "execution-time-upper-residual-occupancy";

// Two-level (S31).
inline constexpr const char* within_active_set = "execution-time-upper-within-active-set";

// Strict round robin (S28). The ids of rotations and of stalls end in the length of a rotation.
inline constexpr const char* in_isolation = "execution-time-upper-in-isolation";
inline constexpr const char* upper_issue_slots = "execution-time-upper-issue-slots";
inline constexpr const char* rotations_of = "execution-time-upper-rotations-of-";
inline constexpr const char* stalls_beyond = "execution-time-upper-stalls-beyond-";
/// Suffix: ports of the multiprocessor count with all of their occupancy.
inline constexpr const char* any_scheduler = "-any-scheduler";

// Time division (S23). Those of ports and stages end in a number, or in `in_any_warp_slot`; others
// in a distance of time slots, or in that.
inline constexpr const char* ports = "execution-time-upper-ports";
/// Of the stages in front of the units, by register reads (S50).
inline constexpr const char* stages = "execution-time-upper-stages";
/// Of memory queues without a place (S78).
inline constexpr const char* queue_places = "execution-time-upper-queue-places";
/// Suffix: the warp may be in any warp slot.
inline constexpr const char* in_any_warp_slot = "-in-any-warp-slot";

// Accesses through the caches (S26, S29).
inline constexpr const char* loads = "execution-time-upper-loads";
inline constexpr const char* stores = "execution-time-upper-stores";
inline constexpr const char* mshr = "execution-time-upper-mshr";
inline constexpr const char* link_queue = "execution-time-upper-link-queue";
inline constexpr const char* refreshes = "execution-time-upper-refreshes";
inline constexpr const char* loads_between_slots = "execution-time-upper-loads-between-slots";
inline constexpr const char* stores_between_slots = "execution-time-upper-stores-between-slots";

// Global atomics at slices of the L2 (S34).
inline constexpr const char* atomics = "execution-time-upper-atomics";
inline constexpr const char* atomics_between_slots = "execution-time-upper-atomics-between-slots";

// Constant operands whose lines may have been replaced (S43).
inline constexpr const char* operand_waits = "execution-time-upper-operand-waits";
inline constexpr const char* operand_holds = "execution-time-upper-operand-holds";

// Between two clock reads (S9).
inline constexpr const char* measured_upper = "measured-time-upper";
inline constexpr const char* measured_lower = "measured-time-lower";

} // namespace warpbound::certification::verify::certificate_id
