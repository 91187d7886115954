#pragma once
/// \file
/// For how long data wait for the link from the slices to an L1 (docs/soundness.md, S22e).

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct AnalysisContext;
struct Traffic;

/// Side: upper. `Unit:` core cycles.
struct ResponseLink {
    std::int64_t wait = 0;   ///< Of each transaction.
    std::int64_t busier = 0; ///< Of all of them besides, for those that DRAM brings nothing for.
};

/// None: what comes from DRAM may come faster than a link back sends it.
std::optional<ResponseLink> response_link(const AnalysisContext& context, const Traffic& traffic);

} // namespace warpbound::analyzer
