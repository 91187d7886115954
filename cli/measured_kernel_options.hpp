#pragma once
/// \file
/// Options of `measure --module`.

#include "cli/launch_options.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpbound::cli {

/// Options that `measure` has only with --module.
struct MeasuredKernelOptions {
    std::string module;
    std::string kernel;
    LaunchText launch;
    std::vector<std::string> arguments;
    std::vector<std::string> releases; ///< Empty: back to back.
    std::string outputs = "all";       ///< Names after commas, "all" or "none".
    std::string gpu;                   ///< Empty: no bound.
    std::string flow_facts;
    std::string clock;

    /// Those of the command that --module excludes must have been added.
    void add_to(CLI::App& command);
};

} // namespace warpbound::cli
