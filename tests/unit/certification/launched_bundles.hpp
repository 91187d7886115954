#pragma once
/// \file
/// Bundles of launches whose bounds are sums of many terms, for tests that change them.

#include "tests/unit/certification/sample_bundle.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::certification {

struct Launched {
    const char* name;
    const char* launch;
    const char* policy;
    std::int64_t multiprocessors;
    /// Of a DRAM behind small caches, through which the accesses then go.
    std::optional<std::int64_t> refresh_interval{};
    bool meets = false;    ///< Warps of a block meet at barriers.
    bool branches = false; ///< Another kernel, whose paths differ in what they need.
};

/// saxpy's loop, or a convolution with barriers, on a T4 whose blocks follow each other at a
/// made-up cost.
Bundle bundle_of(const Launched& launched);
/// The analysis of the same launch without certificates.
analyzer::Analysis analysis_of(const Launched& launched);

/// Of every way in which bounds of launches are added up.
const std::vector<Launched>& launches();
inline constexpr const char* cached_in_slots = "slots and accesses through caches, several waves";
inline constexpr const char* cached_in_turns =
    "strict turns and accesses through caches, several waves";
inline constexpr const char* blocks_that_meet = "blocks that meet, one wave";
inline constexpr const char* many_waves = "many waves";
inline constexpr const char* active_set_in_one_wave = "active set of one wave";
/// One of `launches()`. Throws `std::out_of_range` for another name.
Bundle bundle_named(std::string_view name);

/// What `verify` says of changed files whose digests were brought in line.
verify::StepResult structure_step(EvidenceFiles files);
verify::Verdict structure_of(EvidenceFiles files);

/// The claims on a side of the execution time so much larger, as are their first terms.
EvidenceFiles with_claim_moved(EvidenceFiles files, const char* side, std::int64_t cycles);
/// Each cost in the table of a path certificate one less, and its bound; whether there is a cost.
bool lower_costs(EvidenceFiles& files, const std::string& path);

inline const std::string certificates_of_kernel = "analysis/K1/execution-time-upper-";
/// Behind `execution-time-upper-`, in the order of the terms.
std::vector<std::string> certificates_of_upper_bound(const Bundle& bundle);

} // namespace warpbound::certification
