#pragma once
/// \file
/// Blocked slots of the paths of a launch under time division, as terms of a sum (S17, S23 and S50
/// of docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/policies/slot_boundaries.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Blocked slots of one path. Side: upper.
struct BlockedPath {
    BlockedTime by_ports;
    BlockedTime by_stages;
    std::int64_t full_slots = 0; ///< In which the write buffer is full.
    std::int64_t full_slot = 1;  ///< Of how many cycles each.
    /// Where the path changes the multiprocessor: what blocks that do not count have left.
    std::int64_t ports_left = 0;
    std::int64_t stages_left = 0;
};

/// Those of a launch.
struct BlockedPaths {
    /// By the distance of the warp slot, or one for a path that changes it.
    std::map<SlotDistance, BlockedPath> paths;
    std::map<DemandTable, std::string> ports; ///< Ids of certificates.
    std::map<DemandTable, std::string> stages;
};

/// From block to block, or at barriers.
bool path_changes_warp_slot(const TimedCode& code);

/// `distances`: of the warp slots; none: no time slots. Throws `Finding` when a value is missing.
BlockedPaths blocked_paths_of(const TimedCode& code, const std::vector<SlotDistance>& distances);

/// What instructions add to the sum of each certificate.
DemandTables tables_of(const BlockedPaths& blocked);

/// Terms of the path at this distance, or of the one path. `with_stores`: the write buffer, too.
std::vector<Term> blocked_terms(const BlockedPaths& blocked, const SlotDistance& distance,
                                bool with_stores);

} // namespace warpbound::certification::verify
