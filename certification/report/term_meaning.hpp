#pragma once
/// \file
/// What the terms and proofs of a bound mean, in a sentence, and where their theory stands.

#include <string_view>

namespace warpbound::certification {

struct TermMeaning {
    std::string_view sentence; ///< Empty: unknown.
    std::string_view theory;   ///< Section of docs/theory: "S12"
};

/// By the text of the term, as the analyzer writes it.
TermMeaning meaning_of_term(std::string_view text);
/// By the name of the proof: "response-time".
TermMeaning meaning_of_proof(std::string_view proof);

} // namespace warpbound::certification
