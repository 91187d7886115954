#pragma once
/// \file
/// Files of observed times: one time a line, in run order.

#include "assembly/support/source_text.hpp"
#include "models/time/duration.hpp"

#include <string_view>
#include <vector>

namespace warpbound::models {

/// Reads numbers without a unit, one a line; the first line may be a heading. Blank lines and those
/// that begin with `#` are left out. Refuses, with its line, what is no whole number of ns from 0
/// on, and a file without a time. `unit`: of the numbers, as in "us".
Result<std::vector<Nanoseconds>> read_sample_file(const assembly::SourceText& source,
                                                  std::string_view unit);

} // namespace warpbound::models
