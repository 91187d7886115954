#pragma once
/// \file
/// Quantities of an `Estimate` other than `Cycles`.

#include <chrono>

namespace warpbound::models {

using Seconds = std::chrono::duration<double>;
struct RelativeTime;         ///< Time over the time of one warp alone, without unit.
struct InstructionsPerCycle; ///< Warp instructions per core cycle of one multiprocessor.
struct WarpsPerCycle;        ///< Whole warps finished per core cycle of one multiprocessor.
struct CyclesPerInstruction; ///< Core cycles per warp instruction of one multiprocessor.

} // namespace warpbound::models
