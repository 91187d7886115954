#pragma once
/// \file
/// Canonical JSON (RFC 8785): keys sorted, no spaces, integers only, so that equal values have
/// equal bytes.

#include "assembly/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace warpbound::certification {

using Json = nlohmann::json;

/// Bytes that are not UTF-8 become U+FFFD. Errors: `std::logic_error` for a number that is not an
/// integer: its text would not be unique.
std::string canonical(const Json& json);

/// The text, or the number as text, at a key. Requires: the key is present.
std::string text(const Json& json, const char* key);
std::string number(const Json& json, const char* key);

/// The value of a file of a bundle. Refuses text that is no JSON or nests deeper than 32.
Result<Json> read_json(const std::string& text, const std::string& path);

} // namespace warpbound::certification
