#pragma once
/// \file
/// The checks, by topic. Each adds the violations that it finds to the launch.

#include "tests/support/event_checker/recorded_launch.hpp"
#include "tests/support/event_checker/shared_use.hpp"

#include <algorithm>

namespace warpbound::tests {

/// For how long an access of so many transactions uses its port (C12, C95).
inline Interval port_use(const InstructionTiming& timing, std::int64_t transactions) {
    Interval use = timing.initiation;
    if (timing.line_interval) {
        use.lo = std::max(use.lo, timing.line_interval->lo * transactions);
        use.hi = std::max(use.hi, timing.line_interval->hi * transactions);
    } else {
        use.lo *= transactions;
        use.hi *= transactions;
    }
    return use;
}

/// Blocks: block slots, warp slots and replacement (C1), barriers (C9), the end (C2).
void check_residency(RecordedLaunch& run);
void check_barriers(RecordedLaunch& run);
void check_end(RecordedLaunch& run);

/// Each warp by itself: the order of issues, C4 to C6, C10, C12 to C16.
void check_warps(RecordedLaunch& run);

/// Values of forms, and fences: C89, C90.
void check_forms(RecordedLaunch& run);

/// Every lane: its path (C18), divergence and reconvergence (C37 to C40).
void check_lanes(RecordedLaunch& run);
/// The blocks that one lane executed, against the facts about loops and blocks (C18).
void check_path(RecordedLaunch& run, const std::vector<std::size_t>& path);
/// The warps against the trace that they follow (C54 to C56); replaces `check_lanes`.
void check_recorded(RecordedLaunch& run);
/// Instruction buffers (C43, C44) and the stages of operand collectors (C47 to C50).
void check_fetches(RecordedLaunch& run);
void check_collectors(RecordedLaunch& run);

/// Control, Allocate and the read ports of the banks: C60 to C62. Before `check_choices`.
void check_read_ports(RecordedLaunch& run);

/// Reads of variable latency through the ports of the banks: C111.
void check_queued_reads(RecordedLaunch& run);

/// Write ports of the banks: C108.
void check_write_ports(RecordedLaunch& run);

/// Memory queues and the memory path: C71 to C74. Before `check_choices`.
void check_memory_queues(RecordedLaunch& run);

/// Instruction caches: C66 to C70.
void check_lines(RecordedLaunch& run);

/// Constants: C51 to C53.
void check_constants(RecordedLaunch& run);

/// Constant operands: C81 and C82. Before `check_choices`.
void check_operands(RecordedLaunch& run);

/// Caches, their MSHR, and DRAM, by replaying their events: C24, C25, C27, C28. Then the result
/// times of loads: C29.
void check_memory(RecordedLaunch& run);

/// Global atomics at the slices of the L2: C57.
void check_atomics(RecordedLaunch& run);

/// Schedulers: issue slots, and C19 as far as event_checker.hpp states.
void check_choices(RecordedLaunch& run, const SharedUse& shared);

} // namespace warpbound::tests
