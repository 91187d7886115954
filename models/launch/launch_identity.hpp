#pragma once
/// \file
/// What was launched on which machine, as far as a file says it; and whether a bound on one launch
/// covers recorded runs of another.

#include "models/launch/launch.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::models {

/// A launch and its machine. Empty and none: the file does not say it.
struct LaunchIdentity {
    std::string kernel_digest; ///< Of the code, which may hold several kernels.
    std::string kernel{};      ///< Name.
    std::optional<Launch> launch{};
    bool says_arguments = true;   ///< False: of `launch` only the numbers of blocks and threads.
    std::string machine_digest{}; ///< Of the description.
    std::string policy{};         ///< Of the warp schedulers, as `read_policy` takes it.
    std::optional<std::int64_t> multiprocessors{};
};

/// How runs stand to a bound.
struct LaunchComparison {
    std::vector<std::string> differences;  ///< The bound does not hold for the runs.
    std::vector<std::string> not_compared; ///< At least one file does not say it.
};

/// A bound covers every grid of its blocks and every argument that it does not state, and all
/// policies without idle slots where its own is one. What only the bound states is not compared:
/// the runs may have had another value.
LaunchComparison compare(const LaunchIdentity& bound, const LaunchIdentity& runs);

} // namespace warpbound::models
