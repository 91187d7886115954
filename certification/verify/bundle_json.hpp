#pragma once
/// \file
/// JSON as a bundle has it: nested so deep at most, numbers whole and small enough to add.

#include "certification/verify/verdict.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpbound::certification::verify {

/// No number of a bundle is further from 0, so that the sum of two of them has 64 bits.
inline constexpr std::int64_t largest_number = std::int64_t{1} << 62U;

/// The file's value. Throws `Finding` with `otherwise` for text that is no JSON or that nests
/// deeper than 32.
nlohmann::json read_json(const std::string& text, const std::string& path, Verdict otherwise);

/// A whole number within `largest_number`. Throws `Finding` (incomplete) for any other value.
std::int64_t whole_number(const nlohmann::json& value);
/// A place in a list: a whole number from 0. Throws as `whole_number`.
std::size_t index_of(const nlohmann::json& value);
/// Text that becomes part of a line. Throws `Finding` (incomplete, naming `what`) where a control
/// character is in it: a line break would begin another line.
std::string line_text(const nlohmann::json& value, const std::string& what);

} // namespace warpbound::certification::verify
