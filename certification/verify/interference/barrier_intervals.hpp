#pragma once
/// \file
/// Barriers that the warps of a block have in common, and what a warp demands between two of them
/// (steps S12 and S13 of docs/theory).

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// The most barriers that a path of a warp passes (S12); 0 for blocks of one warp. Throws `Finding`
/// when a barrier is guarded.
std::int64_t most_barriers_of_a_path(const TimedCode& code);

/// How often a warp of a block may end as the last one that a barrier waits for (S12a).
std::int64_t early_ends_of_a_block(const TimedCode& code);
/// `most_barriers_of_a_path`, for policies about which S12a says nothing. Throws `Finding` where a
/// warp may end early.
std::int64_t most_barriers_if_none_ends_early(const TimedCode& code);

/// The largest W - W' of a barrier interval (S13): by which the demand on the own scheduler exceeds
/// that on others, from a barrier or the start to the next barrier or the end. None where the
/// certificate of this id does not bound that.
std::optional<std::int64_t> costliest_barrier_interval(const TimedCode& code,
                                                       const DemandTables& tables,
                                                       const std::string& certificate);

/// What a block costs on the way to another one, or to the end of a thread, between its barriers:
/// up to each of them, and from the last one on. `costs`: per instruction.
std::vector<std::int64_t> costs_between_barriers(const TimedCode& code, std::size_t block,
                                                 std::optional<std::size_t> to,
                                                 const DemandTable& costs);

} // namespace warpbound::certification::verify
