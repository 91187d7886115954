#pragma once
/// \file
/// The kernels of a bundle, or the points of a campaign, as a plan file lists them.

#include "assembly/support/result.hpp"
#include "cli/options/launch_options.hpp"
#include "cli/options/machine_options.hpp"
#include "harness/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

struct PlannedKernel {
    std::string listing; ///< Path of the code.
    std::string name;    ///< Of the kernel; empty when the listing holds one.
    MachineOptions machine;
    LaunchText launch;
    std::string policy = "unknown";
    std::string multiprocessors = "all";  ///< A number, or "all".
    std::string flow_facts;               ///< Path, or empty.
    std::string source;                   ///< Folder of source files, or empty.
    std::string campaign;                 ///< Path, or empty.
    std::string cubin;                    ///< Path, or empty.
    std::string trace;                    ///< Path, or empty.
    std::string target{};                 ///< As --target; empty: the machine's.
    std::vector<std::string> arguments{}; ///< As --arg.
    std::string clock{};                  ///< Range of the core clock, or empty.
    std::uint64_t seed = 1;               ///< Of simulated runs.
};

struct KernelPlan {
    std::vector<PlannedKernel> kernels; ///< In the order of the kernels, then of the axes.
    std::optional<std::int64_t> runs;   ///< Simulated runs of each; none: not stated.
    harness::Draw draw = harness::Draw::Uniform;
    bool has_runs_or_seeds = false; ///< It states something of simulated runs.
};

/// Reads `<plan [runs] [draw]>` with elements `<kernel listing [architecture] [launch] [name]
/// [policy] [multiprocessors] [flow-facts] [source] [campaign] [cubin] [trace] [clock] [assume]
/// [arguments]/>` and the axes `<machine name [multiprocessors] [assume]/>`, `<launch text/>`,
/// `<policy name/>`, `<seed first/>`. A kernel without one of these stands for all points of that
/// axis. Paths are relative to the plan; `assume` and `arguments` have statements as --assume and
/// --arg take them, apart by spaces. Refuses unknown elements and attributes, a plan without
/// kernels, a kernel without machine or launch, and more than 100,000 points.
Result<KernelPlan> read_plan(const std::string& path);

/// How messages name a point: "saxpy.sass:saxpy on turing-t4, 2x128, lrr".
std::string point_name(const PlannedKernel& point);

} // namespace warpbound::cli
