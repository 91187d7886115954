#pragma once
/// \file
/// Times of a profiler as series of a campaign.

#include "harness/campaign/campaign.hpp"
#include "harness/profiles/profile.hpp"

#include <functional>

namespace warpbound::harness::profiles {

/// The digest of the listing of a kernel; empty: none matches.
using KernelDigest = std::function<std::string(const ProfiledSeries&)>;

/// Records every series, in one transaction: quantity `profiled_time`, device
/// "profiled:<name of the GPU>". Refuses a campaign that has series.
Result<void> record_profile(const Profile& profile, Campaign& campaign,
                            const KernelDigest& kernel_digest = {});

} // namespace warpbound::harness::profiles
