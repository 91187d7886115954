#pragma once
/// \file
/// The only schedule of strict round robin where warps have one path (step S25 of docs/theory).

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::certification::verify {

/// When the last of so many warps of a scheduler completes, which take turns from cycle 0 on, and
/// nothing but these delays one. `Unit:` core cycles. Side: as asked. None where warps may take
/// several paths (upper side: but for the beginnings of one that end with a guarded EXIT), wait at
/// barriers, behind memory queues, may issue twice in a cycle, or take too many turns. Sound when:
/// no access waits in memory, and the machine has no read ports.
std::optional<std::int64_t> time_of_only_schedule(const TimedCode& code, std::int64_t warps,
                                                  bool upper);

} // namespace warpbound::certification::verify
