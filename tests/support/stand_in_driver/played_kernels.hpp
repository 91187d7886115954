#pragma once
/// \file
/// What generated kernels leave behind, without running them.

#include "tests/support/stand_in_driver/played_machine.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Of the machine that is played.
inline constexpr int multiprocessors = 2;

/// The kernel of that name in a module's text.
harness::cuda::FunctionTag function_of(const std::string& text, const std::string& name);

/// Writes what a launch leaves in its buffers, and lets its time pass. `shared`: dynamic bytes of a
/// block; `arguments`: those of cuLaunchKernel.
void run_kernel(const harness::cuda::FunctionTag& function, unsigned blocks, unsigned threads,
                unsigned shared, void** arguments);

} // namespace warpbound::tests
