#pragma once
/// \file
/// Times from the files that profilers write.

#include "assembly/support/result.hpp"
#include "harness/profiles/profile.hpp"

#include <optional>
#include <string>

namespace warpbound::harness::profiles {

/// Recognises a file by its content; none: it is none of these.
std::optional<ProfileFormat> format_of(const std::string& path);

/// Refuses a damaged file with line and column, record or entry; a run that ends before it starts;
/// and a file without a time of a single run.
Result<Profile> read_profile(const std::string& path, ProfileFormat format);

} // namespace warpbound::harness::profiles
