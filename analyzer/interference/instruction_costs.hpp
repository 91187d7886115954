#pragma once
/// \file
/// Costs of the instructions of a kernel.

#include "analyzer/launch/timed_kernel.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Per instruction of the function. `Unit:` core cycles.
using InstructionCosts = std::vector<std::int64_t>;
/// `cost(index, timing)` for each instruction that is on a path, 0 for the others.
template <class Cost> InstructionCosts per_instruction(const TimedKernel& kernel, Cost cost) {
    InstructionCosts costs(kernel.timings.size(), 0);
    for (std::size_t i = 0; i < costs.size(); ++i)
        if (kernel.used[i] && kernel.timings[i]) costs[i] = cost(i, kernel.timings[i].value());
    return costs;
}

} // namespace warpbound::analyzer
