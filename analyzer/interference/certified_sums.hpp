#pragma once
/// \file
/// Ids of the path certificates that the terms of a launch's upper bound name.

#include "models/launch/counts.hpp"

#include <string>

namespace warpbound::analyzer {

inline constexpr const char* certified_sums[]{
    "stall", "prefix-stall", "demand-own-scheduler", "demand-other-schedulers", "barrier-interval",
    "drain"};
/// Id of the certificate that bounds one of these sums.
std::string certificate_id(const char* sum, models::Warps rotation_warps = models::Warps{0});

} // namespace warpbound::analyzer
