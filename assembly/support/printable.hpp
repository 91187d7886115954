#pragma once
/// \file
/// Text of unknown origin made safe for those who read it: on a terminal, and in a spreadsheet.

#include <string>
#include <string_view>

namespace warpbound {

bool is_utf8(std::string_view text);

/// The text with what a terminal would obey or hide written out: control characters except the end
/// of line and the tab, and characters that turn the direction of writing, as `\u001b`; bytes that
/// are no UTF-8 as `\xff`. In a JSON string the former mean the same characters.
std::string printable(std::string text);

/// A field of CSV that no spreadsheet takes for a formula: with an apostrophe in front if it begins
/// with `= + - @ '`, a tab or a carriage return. For texts only: a number may begin with a sign.
std::string without_formula(std::string_view field);

} // namespace warpbound
