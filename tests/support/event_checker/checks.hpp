#pragma once
/// \file
/// The checks, by what they look at. Each adds what it finds to the launch.

#include "tests/support/event_checker/recorded_launch.hpp"
#include "tests/support/event_checker/shared_use.hpp"

namespace warpbound::tests {

/// Blocks: slots, places and replacement (C1), barriers (C9), the end (C2).
void check_places(RecordedLaunch& run);
void check_barriers(RecordedLaunch& run);
void check_end(RecordedLaunch& run);

/// What concerns each warp alone: the order of issues, C4 to C6, C10, C12 to C16.
void check_warps(RecordedLaunch& run);

/// Every lane: its path (C18), and where lanes part and meet (C37 to C40).
void check_lanes(RecordedLaunch& run);
/// Blocks that one lane executed, against the facts of loops and blocks (C18).
void check_path(RecordedLaunch& run, const std::vector<std::size_t>& path);
/// The trace that the warps follow (C54 to C56), in its place.
void check_recorded(RecordedLaunch& run);
/// Instruction buffers (C43, C44) and the way through operand collectors (C47 to C50).
void check_fetches(RecordedLaunch& run);
void check_collectors(RecordedLaunch& run);

/// Constants: C51 to C53.
void check_constants(RecordedLaunch& run);

/// Caches, their misses, and DRAM, by replaying their events: C24, C25, C27, C28. Then the result
/// times of loads: C29.
void check_memory(RecordedLaunch& run);

/// Schedulers: issue slots, and C19 as far as event_checker.hpp says.
void check_choices(RecordedLaunch& run, const SharedUse& shared);

} // namespace warpbound::tests
