#pragma once
/// \file
/// `measure --limits`.

#include "cli/program/command.hpp"

#include <string>

namespace warpbound::cli {

/// Finds the largest launches and writes them. Refuses a recording, which cannot launch.
Exit show_limits(const std::string& device_name, const std::string& policy,
                 const std::string& format);

} // namespace warpbound::cli
