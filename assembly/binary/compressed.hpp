#pragma once
/// \file
/// Inputs compressed with gzip or xz, recognised by their first bytes.

#include "assembly/support/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpbound::assembly {

/// The contents of a .gz or .xz file; other bytes as they are. Refuses what is damaged and what
/// holds more than `limit` bytes.
Result<std::string> decompressed(std::string bytes, std::size_t limit);

} // namespace warpbound::assembly
