#pragma once
/// \file
/// The stalls before an issue, in cycles.

#include "harness/simulator/clock/event.hpp"

#include <optional>
#include <string_view>

namespace warpbound::harness::trace {

/// "gap", "barrier", "fetch", "register", "scoreboard", "port", "collector", "write-buffer",
/// "load-queue", "not-chosen".
std::string_view to_string(simulator::Stall stall);

/// `Unit:` core cycles. `Shape:` one per stall, in the order of time.
using WaitingCycles = std::array<std::int64_t, simulator::stall_count>;

/// The cycles from the later of `since` and `from` up to the issue, each attributed to the first
/// stall that delayed the instruction in that cycle. Stalls follow each other in the order of
/// `Stall`. A port or the write buffer counts until it was last released, also in cycles in which
/// another warp was served first.
WaitingCycles waiting_cycles(const simulator::Issued& issued, std::int64_t from = 0);

/// The stall of the last cycle before the issue; empty if it issued at once.
std::optional<simulator::Stall> last_stall(const simulator::Issued& issued);

} // namespace warpbound::harness::trace
