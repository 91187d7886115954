#pragma once
/// \file
/// Uniformity analysis: which predicates and branches are uniform across a warp (S32).

#include "analyzer/value/thread_states.hpp"
#include "assembly/isa/program.hpp"

#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Whether the lanes of a warp agree where a predicate decides: at a branch, at an EXIT, or whether
/// an instruction executes.
enum class Uniformity {
    Uniform,   ///< They agree in every warp, for all inputs of the kernel.
    Divergent, ///< They differ in some warp if all its lanes execute the instruction together.
    Unknown
};

/// `Shape:` [instruction]; nothing where no predicate decides.
using InstructionUniformity = std::vector<std::optional<Uniformity>>;

InstructionUniformity uniformity_of(const ThreadStates& states);

/// No branch diverges: lanes of a warp that have not exited always execute together.
bool branches_are_uniform(const assembly::Function& function,
                          const InstructionUniformity& uniformity);

/// Moreover all lanes of a warp exit together.
bool branches_and_exits_are_uniform(const assembly::Function& function,
                                    const InstructionUniformity& uniformity);

} // namespace warpbound::analyzer
