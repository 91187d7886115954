#pragma once
/// \file
/// The kernels of a bundle, as a plan file lists them.

#include "assembly/support/result.hpp"
#include "cli/launch_options.hpp"
#include "cli/machine_options.hpp"

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
};

/// Reads `<plan> <kernel listing architecture launch [name] [policy] [multiprocessors]
/// [flow-facts] [source] [campaign] [cubin] [trace] [clock] [assume]/> </plan>`; paths are relative
/// to the plan, and `assume` has statements as --assume takes them, apart by spaces.
/// Refuses unknown elements and attributes and a plan without kernels.
Result<std::vector<PlannedKernel>> read_plan(const std::string& path);

} // namespace warpbound::cli
