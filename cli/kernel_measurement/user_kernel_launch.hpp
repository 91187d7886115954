#pragma once
/// \file
/// The launch of a user's kernel on a card, from a file and the options that name it.

#include "cli/kernel_measurement/measured_kernel_options.hpp"
#include "harness/devices/cuda/card.hpp"
#include "harness/protocol/user_kernel_series.hpp"
#include "harness/user_kernel.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpbound::cli {

struct PreparedLaunch {
    harness::UserKernel kernel;
    harness::UserKernelIdentity identity;
    std::vector<std::size_t> checked; ///< Buffers that every run must leave alike.
};

/// A kernel that is to run beside the measured one.
struct PreparedCoRunner {
    harness::UserKernel kernel;
    std::string launch;
    std::string module_digest;
    std::string inputs_digest;
};

/// Chooses the card's code in the file. Refuses listings, parameters that are not stated, and names
/// of buffers that there are not.
Result<PreparedLaunch> prepare_launch(const MeasuredKernelOptions& options,
                                      const harness::cuda::Card& card);
/// Refuses the same, naming the option of the co-runner. Requires: one is given.
Result<PreparedCoRunner> prepare_co_runner(const CoRunnerText& text,
                                           const harness::cuda::Card& card);

} // namespace warpbound::cli
