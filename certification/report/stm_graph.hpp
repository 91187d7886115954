#pragma once
/// \file
/// Upper bounds of kernels as WCETs of runnables in a compute graph of NVIDIA DRIVE's System Task
/// Manager (STM).

#include "certification/report/report.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// A kernel as a runnable of the GPU.
struct StmRunnable {
    std::string kernel;
    models::Nanoseconds wcet; ///< `Side:` upper.
    std::string basis;        ///< What kind of number the WCET is, and of which launch.
};
/// The upper bound on the execution time of the report's launch. Requires: the report has one, and
/// a clock.
StmRunnable stm_runnable(const Report& report);

/// One epoch of one client (a process), which launches every kernel once through one stream.
struct StmGraph {
    std::string name;               ///< Also of the client; any text.
    models::Nanoseconds period;     ///< Of the epoch.
    models::Nanoseconds submission; ///< WCET of the host code that launches a kernel; stated.
    std::vector<StmRunnable> runnables;
    std::vector<std::string> without_bound; ///< Kernels that are left out, and why.
};

/// The graph as YAML, version 3.0.0 of its form. Each WCET has a comment that says what kind of
/// number it is. Names become identifiers: letters, digits and `_`, each different.
/// Source: NVIDIA DRIVE OS 6.0.10, STM SDK reference 5.22, Compute Graph and Constraints.
std::string render_stm(const StmGraph& graph);

} // namespace warpbound::certification
