#pragma once
/// \file
/// Parameters of the described instruction caches of an SM (C66 to C70).

#include "harness/simulator/clock/random.hpp"
#include "models/architecture/architecture.hpp"

#include <optional>

namespace warpbound::harness::simulator {

/// One level of instruction caches: its tags, and what a miss takes. `Unit:` core cycles.
struct InstructionCacheLevel {
    std::size_t sets = 1;
    std::size_t ways = 1;
    Range miss;
};

struct InstructionCacheShape {
    std::uint64_t line = 1; ///< Of both levels. `Unit:` bytes.
    std::size_t stream = 0; ///< Lines of a stream buffer.
    InstructionCacheLevel l0;
    InstructionCacheLevel l1;
    Range service; ///< Between two lines that the L1 looks up. `Unit:` core cycles.
};

/// None where none are described. Refuses values that are absent or out of range.
Result<std::optional<InstructionCacheShape>>
instruction_caches_of(const models::Architecture& architecture);

} // namespace warpbound::harness::simulator
