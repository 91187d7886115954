#pragma once
/// \file
/// One of the launches that a kernel's case states, with data to execute it on.

#include "assembly/support/result.hpp"
#include "certification/verify/evidence.hpp"
#include "harness/execution/prepared_launch.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// How what the launch leaves open is chosen.
struct Choice {
    /// `ComparedNumbers`: those that the code compares with, and their neighbours.
    enum class Data { Zeros, SmallNumbers, ComparedNumbers };
    Data data = Data::Zeros; ///< What buffers and constants hold at the begin.
    /// Two words in a row of which nothing is stated are a pointer; else each is a small number.
    bool pointers = true;
    std::uint64_t round = 0; ///< Others give other numbers.
};

/// The launch with all words of its arguments, and buffers where pointers lead; extents that are
/// not stated lie in x. A pointer leads into the middle of its buffer, so that some negative
/// offsets lie inside. Refuses code that is not executed, more shared memory
/// than any machine has, and stated bits of a pointer that are those of none of these buffers.
/// Refers to `kernel` and `graph`.
Result<harness::execution::LaunchInputs>
chosen_launch(const KernelCase& kernel, const assembly::ControlFlowGraph& graph, Choice choice);

/// Whether the code names two words in a row of which the launch states nothing.
bool has_open_pairs(const KernelCase& kernel);

} // namespace warpbound::certification::verify
