#pragma once
/// \file
/// Barriers that the warps of a block have in common, and what a warp demands between two of them
/// (steps S12 and S13 of docs/soundness.md).

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::certification::verify {

/// Barriers that every path of a warp passes; 0 for blocks of one warp. Throws `Finding` when a
/// barrier is guarded, or when paths pass its block unequally often.
std::int64_t barriers_on_each_path(const TimedCode& code);

/// The largest W - W' of a barrier interval (S13): by which the demand on the own scheduler exceeds
/// that on others, from a barrier or the start to the next barrier or the end. None where the
/// certificate of this id does not bound that.
std::optional<std::int64_t> costliest_barrier_interval(const TimedCode& code,
                                                       const DemandTables& tables,
                                                       const std::string& certificate);

} // namespace warpbound::certification::verify
