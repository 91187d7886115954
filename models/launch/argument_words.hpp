#pragma once
/// \file
/// What is stated of a kernel's arguments: 32-bit words of constant bank 0.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::models {

/// A word that equals `value` in its lowest `bits` bits; 32: it is `value`.
struct ArgumentWord {
    std::uint32_t value = 0;
    unsigned bits = 32;
    /// The low word of a pointer to a buffer that is disjoint from those of other such words; the
    /// kernel accesses nothing else through it.
    bool is_disjoint = false;
    friend bool operator==(const ArgumentWord&, const ArgumentWord&) = default;
};

/// Keyed by the offset in constant bank 0, in bytes; a multiple of 4.
using ArgumentWords = std::map<std::int64_t, ArgumentWord>;

/// Adds `OFFSET=VALUE`, `OFFSET=multiple:N` (a power of two) or `OFFSET=disjoint:N` (a pointer to a
/// disjoint buffer that begins at such a multiple, of at least 256), decimal or after 0x. Refuses
/// other forms and a word that is there already.
Result<void> add_argument_word(std::string_view text, ArgumentWords& words);

/// "0x160=512,0x168=multiple:256,0x170=disjoint:256".
std::string to_string(const ArgumentWords& words);

/// The whole text as a number without sign, decimal or after 0x.
std::optional<std::uint64_t> read_number(std::string_view text);

/// The lowest bits that are 0 in multiples of a power of two from 2 to 2^31, written
/// `multiple:N`.
std::optional<unsigned> read_multiple(std::string_view text);

} // namespace warpbound::models
