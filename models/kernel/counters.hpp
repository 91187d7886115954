#pragma once
/// \file
/// How many operations may be outstanding on a scoreboard, a counter with a largest value (C85).

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"

#include <cstddef>
#include <vector>

namespace warpbound::models {

/// Instructions `first` .. `last` and the blocks that may follow them.
struct BlockOfCounters {
    std::size_t first = 0;
    std::size_t last = 0;
    std::vector<std::size_t> next{};
};

/// Refuses, where the machine describes `schedulers/counter-delay`, a kernel that may have more
/// than 63 operations outstanding on a scoreboard, naming the instruction that adds the 64th.
/// `blocks`: of a warp; it begins with the first one. Side: counts the most over all paths, every
/// operation until an instruction waits for it.
Result<void> check_counters(const assembly::Function& function, const Architecture& architecture,
                            const std::vector<BlockOfCounters>& blocks);

} // namespace warpbound::models
