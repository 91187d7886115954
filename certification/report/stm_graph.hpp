#pragma once
/// \file
/// Upper bounds of kernels as WCETs of runnables in a compute graph of NVIDIA DRIVE's System Task
/// Manager (STM).

#include "certification/report/report.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpbound::certification {

/// A kernel or a copy as a runnable of the GPU, with one of the host that submits it; or a host
/// task.
struct StmRunnable {
    std::string kernel;       ///< Its name, or that of the copy or of the host task.
    models::Nanoseconds wcet; ///< `Side:` upper.
    std::string basis;        ///< What kind of number the WCET is, and of which launch.
    bool on_host = false;
    std::vector<std::size_t> after{}; ///< Runnables of the client that end before it is submitted.
};
/// The upper bound on the execution time of the report's launch. Requires: the report has one, and
/// a clock.
StmRunnable stm_runnable(const Report& report);

/// A process with one epoch, in which each of its runnables runs once through one stream.
struct StmClient {
    std::string name;           ///< Any text.
    models::Nanoseconds period; ///< Of the epoch.
    std::vector<StmRunnable> runnables;
};
struct StmGraph {
    std::string name;               ///< Any text.
    std::string wcet_note;          ///< What the WCETs contain: a sentence.
    models::Nanoseconds submission; ///< WCET of the host code that launches a kernel; stated.
    std::vector<StmClient> clients;
    std::vector<std::string> without_bound; ///< Kernels that are left out, and why.
};

/// The graph as YAML, version 3.0.0 of its form. Each WCET has a comment that says what kind of
/// number it is. Names become identifiers: letters, digits and `_`, each different.
/// Source: NVIDIA DRIVE OS 6.0.10, STM SDK reference 5.22, Compute Graph and Constraints.
std::string render_stm(const StmGraph& graph);

} // namespace warpbound::certification
