#pragma once
/// \file
/// Parameters of the described instruction caches of an SM (C66 to C70).

#include "harness/simulator/clock/random.hpp"
#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// One level of instruction caches: its tags, and what a miss takes. `Unit:` core cycles.
struct InstructionCacheLevel {
    std::size_t sets = 1;
    Range ways{1, 1}; ///< Drawn once for each cache and run.
    Range miss;
};

struct InstructionCacheShape {
    std::uint64_t line = 1; ///< Of both levels. `Unit:` bytes.
    Range stream;           ///< Lines of a stream buffer; drawn once for each and run.
    InstructionCacheLevel l0;
    InstructionCacheLevel l1;
    Range service; ///< Between two lines that the L1 looks up. `Unit:` core cycles.
    bool is_warm = false;
    /// Where `is_warm`: the lines that have entered all caches before the run, in their order.
    std::vector<std::uint64_t> entered{};
};

/// None where none are described. Refuses values that are absent or out of range.
Result<std::optional<InstructionCacheShape>>
instruction_caches_of(const models::Architecture& architecture);

} // namespace warpbound::harness::simulator
