#pragma once
/// \file
/// A value of a description by its path: "geometry/core-clock", "memories/dram/latency",
/// "classes/load-global/initiation".

#include "models/architecture/architecture.hpp"

#include <string_view>

namespace warpbound::models {

/// The value at a path; null when the description has none there. An unknown value is found.
const SourcedValue* find_value(const Architecture& architecture, std::string_view path);

/// Gives the value at a path one number, with our word as its source and grade `assumed`. A value
/// that the description leaves out is added. The digest of the description no longer holds and is
/// cleared.
/// Refuses a path that no description has, naming what is expected in its place, and a number
/// outside the value's range.
Result<void> override_value(Architecture& architecture, std::string_view path, std::int64_t number);

} // namespace warpbound::models
