#pragma once
/// \file
/// A value of a description by its path: "geometry/core-clock", "memories/dram/latency",
/// "classes/load-global/initiation".

#include "models/architecture/architecture.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::models {

/// The value at a path; null when the description has none there. An unknown value is found.
const SourcedValue* find_value(const Architecture& architecture, std::string_view path);

/// Every group of values by its path ("geometry", "classes/float-add", "memories/dram",
/// "operand-collectors/alu"), in the order in which a description is shown. None is left out.
std::vector<std::pair<std::string, const ValueGroup*>> value_groups(const Architecture& machine);
std::vector<std::pair<std::string, ValueGroup*>> value_groups(Architecture& machine);

/// Sets the value at a path, replacing an existing one; name and unit are those of the path. Clears
/// the digest of the description, which no longer holds. Refuses a path that no description has,
/// naming the expected ones, numbers outside the value's range, and two numbers for a count.
Result<void> set_value(Architecture& architecture, std::string_view path, SourcedValue value);

/// As `set_value`, with one number, "stated" as its source and grade `assumed`.
Result<void> override_value(Architecture& architecture, std::string_view path, std::int64_t number);

/// Reads PATH=NUMBER or PATH=LO..HI and sets the value, with "stated by the user" as its source and
/// grade `assumed`; GROUP=none as `make_costless`. The digest becomes that of the description so
/// changed.
Result<void> assume_value(Architecture& architecture, std::string_view text);

} // namespace warpbound::models
