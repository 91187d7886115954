#pragma once
/// \file
/// Which values of a description a bound must name among what it assumes.

#include "models/sourced.hpp"

namespace warpbound::models {

/// Why a bound that uses the value must say so, as what such values are: "assumed". A weak grade is
/// one reason (`has_caveat`); the other, that what was measured is a range, or a number that was
/// read off one (it has a reason): the machine's own may be wider. Empty where there is none.
std::string caveat_of(const SourcedValue& value);

} // namespace warpbound::models
