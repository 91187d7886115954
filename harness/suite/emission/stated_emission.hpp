#pragma once
/// \file
/// The text of a microbenchmark whose control fields are stated: the same for every machine of a
/// target, so that times show values that no description has yet.

#include "assembly/isa/target.hpp"
#include "harness/suite/emission/emission.hpp"

namespace warpbound::harness {

/// First target whose control fields `emit_stated` writes.
inline constexpr int first_stated_target = 70;
/// Stall count of every operation that states none. A consumer issues so many cycles after its
/// producer at the earliest, and so finds its scoreboard set (Huerta et al., MICRO 2025).
/// `Unit:` core cycles.
inline constexpr std::int64_t stated_stall = 2;

/// How results of variable latency are protected.
enum class Protection {
    Accesses, ///< Whoever reads or overwrites one waits for its scoreboard.
    Reads     ///< Whoever reads one does; overwritten ones are not needed.
};

/// Writes a bare listing in which each operation issues `Operation::stall` cycles after the one
/// before it (beyond 11 with NOPs in between), or waits for the scoreboards of the results of
/// variable latency that it accesses. Results of fixed latency are not protected. Operations of
/// Fermi are written as those of the target. Requires: a target from `first_stated_target` on.
EmittedKernel emit_stated(const std::string& kernel, const std::vector<Operation>& operations,
                          assembly::Target target, Protection protection = Protection::Accesses);

/// Whether `emit_stated` protects results of the class by a scoreboard.
bool has_stated_scoreboard(assembly::OpcodeClass opcode_class);

} // namespace warpbound::harness
