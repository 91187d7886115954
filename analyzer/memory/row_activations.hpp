#pragma once
/// \file
/// How many rows of a bank of DRAM are opened while loads wait (docs/soundness.md, S22, S22c).

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

class AccessEnumeration;
struct AnalysisContext;

/// Side: upper.
struct RowActivations {
    /// While a transfer for a load waits in the queue of its channel: different rows of its bank,
    /// of transfers that stand before it or are being served.
    std::int64_t of_bank = 0;
    /// Once no earlier load waits in the queue: transfers that open a row of its bank, and the one
    /// that does when that begins. The sum over all loads of the launch.
    std::int64_t of_loads = 0;
};

/// None: the description does not say where rows lie. `writes`: what is stored may be written.
std::optional<RowActivations> row_activations(const AnalysisContext& context, const AccessEnumeration& accesses, bool writes);

} // namespace warpbound::analyzer
