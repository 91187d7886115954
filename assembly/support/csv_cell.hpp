#pragma once
/// \file
/// Texts as cells of CSV.

#include <string>
#include <string_view>

namespace warpbound {

/// A text as a cell of CSV (RFC 4180), in quotation marks where it needs them, and never taken for
/// a formula (`without_formula`).
std::string csv_cell(std::string_view text);

} // namespace warpbound
