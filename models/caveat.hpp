#pragma once
/// \file
/// Caveats of description values: values that a bound must list among its assumptions.

#include "models/sourced.hpp"

namespace warpbound::models {

/// The caveat of a value, for example "assumed"; empty without a caveat. One cause is the grade
/// (`has_caveat`). The other is a measured range, or a measured number derived from a range (it has
/// a reason): the range of the machine may be wider than that of the samples.
std::string caveat_of(const SourcedValue& value);

} // namespace warpbound::models
