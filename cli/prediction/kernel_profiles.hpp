#pragma once
/// \file
/// Kernel profiles for the published formulas: of a listing's shortest, typical and longest path,
/// or read from files.

#include "cli/program/command.hpp"
#include "models/formulas/prediction/prediction.hpp"
#include "models/kernel/kernel_profile.hpp"

namespace warpbound::cli {

/// One warp's profile for each variant, or why there is none.
struct KernelProfiles {
    Result<models::NamedProfile> best;
    Result<models::NamedProfile> typical;
    Result<models::NamedProfile> worst;
    std::string origin; ///< Origin of the profiles, one line.

    [[nodiscard]] const Result<models::NamedProfile>& of(models::prediction::Variant variant) const;
};

/// One file: the same profile for every variant. Several files: each is one warp of the kernel, and
/// for each variant one warp represents all (`prediction::representative_of`). Refuses profiles of
/// different kernels.
Result<KernelProfiles> read_profiles(const std::vector<std::string>& files,
                                     const models::prediction::Setting& setting);

/// Best and worst are the steps along the shortest and the longest path that the analyzer finds for
/// one warp; typical has the median number of executed instructions among nine paths that the
/// simulated device would draw from the seed. Refuses when none of the three exists.
Result<KernelProfiles> profiles_of_listing(const LoadedKernel& kernel,
                                           const models::Architecture& architecture,
                                           std::uint64_t seed);

} // namespace warpbound::cli
