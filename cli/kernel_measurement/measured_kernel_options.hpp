#pragma once
/// \file
/// Options of `measure --module`.

#include "cli/options/launch_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpbound::cli {

/// A kernel that runs beside the measured one.
struct CoRunnerText {
    std::string code; ///< MODULE or MODULE:KERNEL; empty: none.
    std::string grid;
    std::string block;
    std::optional<std::int64_t> dynamic_shared_memory; ///< `Unit:` bytes.
    std::vector<std::string> arguments;

    [[nodiscard]] bool is_given() const { return !code.empty(); }
    /// Before and behind the last colon; without one, no kernel is named.
    [[nodiscard]] std::string module() const;
    [[nodiscard]] std::string kernel() const;
};

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
    CoRunnerText co_runner;

    /// Those of the command that --module excludes must have been added.
    void add_to(CLI::App& command);
};

} // namespace warpbound::cli
