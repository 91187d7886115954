#pragma once
/// \file
/// How many rows of one bank of DRAM are opened while a load waits for another one.

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

class AccessList;
struct Problem;

/// While a transfer for a load waits in the queue of its channel, so many of the transfers that
/// stand before it, and of those that are being served, have different rows of its bank, at most
/// (docs/soundness.md, S22). None: the description does not say where rows lie.
std::optional<std::int64_t> rows_of_bank(const Problem& problem, const AccessList& accesses);

} // namespace warpbound::analyzer
