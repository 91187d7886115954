#pragma once
/// \file
/// What LOP3 may give for sets of numbers (docs/theory, S76, S88).

#include "certification/verify/flow/number_set.hpp"

#include <array>

namespace warpbound::certification::verify {

/// All results for numbers of the sets a, b and c, and perhaps more. `table`: of 8 bits; bit
/// 4a + 2b + c is the result for these bits. Empty: a set is.
NumberSet bits_by_table(unsigned table, const std::array<NumberSet, 3>& inputs);

} // namespace warpbound::certification::verify
