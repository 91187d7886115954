#pragma once
/// \file
/// Ids of the path certificates that the terms of a launch's upper bound name.

#include "models/launch/counts.hpp"

#include <cstdint>
#include <string>

namespace warpbound::analyzer {

inline constexpr const char* certified_sums[]{
    "stall", "prefix-stall",  "demand-own-scheduler", "demand-other-schedulers", "barrier-interval",
    "drain", "guarded-stall", "demand-beyond-ports",  "interval-beyond-ports"};
/// Id of the certificate that bounds one of these sums.
std::string certificate_id(const char* sum, models::Warps rotation_warps = models::Warps{0});
/// Id of the certificate of what barrier intervals cost beyond a limit (S85). `sum`: the id without
/// the limit.
std::string beyond_limit(const std::string& sum, std::int64_t limit);
/// Whether only sums that count each warp by the indices of its threads rest on it (S85).
bool is_of_counted_warps(const std::string& certificate);

} // namespace warpbound::analyzer
