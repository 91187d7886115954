#pragma once
/// \file
/// Counters and waits of AMD's code as scoreboards.

#include "assembly/isa/program.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::assembly::amd {

/// Scoreboards that stand for the counters of a wavefront.
inline constexpr int vector_scoreboard = 0; ///< vmcnt
inline constexpr int scalar_scoreboard = 1; ///< lgkmcnt
inline constexpr int export_scoreboard = 2; ///< expcnt
inline constexpr int store_scoreboard = 3;  ///< vscnt

/// Scoreboards on which S_WAITCNT_DEPCTR waits for the pipeline, where code has it (C107).
inline constexpr int sources_scoreboard = 4;    ///< Vector memory and LDS that read registers.
inline constexpr int arithmetic_scoreboard = 5; ///< Other vector and scalar instructions.

/// A wait until at most `most` operations of the scoreboard are outstanding.
struct CountedWait {
    int scoreboard = 0;
    int most = 0;

    friend bool operator==(const CountedWait&, const CountedWait&) = default;
};

/// Gives instructions control fields: an operation that a counter counts announces itself on its
/// scoreboard, a wait for zero waits for the scoreboard, and S_NOP stalls for its wait states. In
/// code with S_WAITCNT_DEPCTR its read barrier is the part of the pipeline that it is in. An
/// instruction has none whose effect on counters or on the time of its wavefront is neither that
/// nor counted waits.
/// Source: LLVM, AMDGPUUsage, "Memory Model"; see `WaitCounts`.
void add_counters(Function& function);

/// The waits of an S_WAITCNT for counts above 0, one for a counter. None for other instructions.
/// Requires: a processor that is read.
std::vector<CountedWait> counted_waits(const Instruction& instruction, Target target);

/// Whether the operation is released no earlier than those before it on its scoreboard: those of
/// vector memory and LDS are, scalar loads are not.
bool releases_in_order(const Instruction& instruction);

/// n of S_SLEEP n, of units of 64 cycles, where the sleep has an end. None for other instructions.
std::optional<std::int64_t> units_of_sleep(const Instruction& instruction);

/// Why an instruction of AMD has no control field.
std::string objection_to_counters(const Instruction& instruction);

} // namespace warpbound::assembly::amd
