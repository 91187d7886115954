#pragma once
/// \file
/// What misses of constant operands add to an upper bound (steps S42 and S43 of docs/theory),
/// from listing, description and launch.

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/interference/demand.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// Whether no line of a constant operand that has entered a cache is replaced (S42).
bool all_operands_stay(const TimedCode& code);

/// Lines of constants that the instructions use, each counted once; 0 where constant operands cost
/// nothing. Throws `Finding` where one of them may be replaced.
std::int64_t lines_of_operands(const TimedCode& code);

/// Adds the look-ups of lines that may have been replaced: their waits and their holds (S43).
void add_operand_demand(const TimedCode& code, DemandTables& tables);

/// None where constant operands cost nothing. Throws `Finding` when the description lacks a value,
/// or where an instruction has a constant at an address that the listing does not show. Sound when:
/// every scheduler that has a warp that may issue chooses one, or one of its active set where all
/// lines stay.
std::vector<Term> operand_terms_of(const TimedCode& code);

/// Between the clock reads in two blocks, of one warp that runs alone.
std::vector<Term> operand_terms_between(const TimedCode& code,
                                        const std::pair<std::size_t, std::size_t>& blocks);

} // namespace warpbound::certification::verify
