#pragma once
/// \file
/// Tables as comma-separated values: a heading, then one record a line; a field may be quoted.

#include "assembly/support/result.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::silicon {

/// A record by the names of the heading.
using Record = std::map<std::string, std::string, std::less<>>;

/// Refuses a file that cannot be read, a record with another number of fields than the heading, and
/// a heading that lacks one of `columns`.
Result<std::vector<Record>> read_table(const std::filesystem::path& path,
                                       const std::vector<std::string_view>& columns);

/// The number of a field; none when it is no number.
std::optional<double> number_of(std::string_view text);

} // namespace warpbound::silicon
