#pragma once
/// \file
/// What a drawing of a thread trace shows of each slot, by column.

#include "certification/thread_trace/held_thread_trace.hpp"

#include <vector>

namespace warpbound::certification {

/// Fills in `begin`, `end` and `slots`, in the order of engine, SIMD and slot.
void draw_slots(const std::vector<const harness::trace::ThreadTraceWave*>& waves,
                HeldThreadTrace& held);

} // namespace warpbound::certification
