#pragma once
/// \file
/// Options that name a machine: its description, and values stated in place of the description's.

#include "assembly/support/result.hpp"
#include "models/architecture/architecture.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpbound::cli {

/// Options --architecture (--gpu) and --assume.
struct MachineOptions {
    std::string architecture;         ///< Name, target such as sm_75, or file.
    std::vector<std::string> assumed; ///< Each PATH=NUMBER, PATH=LO..HI or GROUP=none.

    void add_to(CLI::App& command, bool is_required = true);
    /// --assume alone.
    void add_assumptions_to(CLI::App& command);
};

/// The description with the stated values, which have grade `assumed`. It counts as modified.
Result<models::Architecture> load_machine(const MachineOptions& options);

} // namespace warpbound::cli
