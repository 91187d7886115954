#pragma once
/// \file
/// The issue port of a functional unit.

#include <cstdint>

namespace warpbound::harness::simulator {

/// Free again when the initiation interval of its last instruction has passed (C7, C12).
struct Port {
    std::int64_t free_at = 0; ///< Unit: cycles since the start.

    void occupy(std::int64_t now, std::int64_t cycles) { free_at = now + cycles; }
};

} // namespace warpbound::harness::simulator
