#pragma once
/// \file
/// `inspect` on an execution recorded on a GPU: `.traceg` files and their list.

#include "cli/program/command.hpp"

#include <string>

namespace warpbound::cli {

/// Whether a file name ends in `.traceg` or is that of a list, `kernelslist.g`.
bool is_recorded_trace(const std::string& file);

/// The instructions that each kernel of the file or list executed, as text or JSON. Refuses what
/// the readers refuse and compressed traces.
Result<std::string> inspect_recorded_trace(const std::string& file, const std::string& format);

} // namespace warpbound::cli
