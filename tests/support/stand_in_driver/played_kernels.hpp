#pragma once
/// \file
/// Writes the results of generated kernels without running them.

#include "tests/support/stand_in_driver/played_machine.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Of the simulated machine.
inline constexpr int multiprocessors = 2;

/// The kernel with the given name in a module's text.
harness::cuda::FunctionTag function_of(const std::string& text, const std::string& name);

/// Writes the buffers of a launch, and advances its time. `shared`: dynamic bytes of a block;
/// `arguments`: those of cuLaunchKernel.
void run_kernel(const harness::cuda::FunctionTag& function, unsigned blocks, unsigned threads,
                unsigned shared, void** arguments);

} // namespace warpbound::tests
