#pragma once
/// \file
/// The tree of a bound for a reader: which sum was chosen, and what the others gave.

#include "certification/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::certification {

/// A part of a choice.
struct ChoicePart {
    std::string text;
    std::int64_t cycles = 0;
    bool has_evidence = true; ///< Certificates and values of machine and launch show all of it.
};

/// A choice on the way from a bound to the sum whose terms the claim has.
struct BoundChoice {
    bool is_least = true;     ///< The least of its parts; else the largest.
    bool is_of_cases = false; ///< Its parts are cases, of which any may occur; else alternatives.
    ChoicePart chosen;
    std::vector<ChoicePart> others; ///< The nearest first.
    /// Others are tighter, but only re-analysis shows them.
    bool is_best_with_evidence = false;
};

/// From the outermost choice on; none where a bound is one sum.
std::vector<BoundChoice> choices_of(const Claim& claim);

/// "the least of 3 bounds: any order".
std::string choice_text(const BoundChoice& choice);
/// "loose round robin (no certificate)".
std::string part_text(const ChoicePart& part);

} // namespace warpbound::certification
