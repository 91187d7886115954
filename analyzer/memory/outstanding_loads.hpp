#pragma once
/// \file
/// How many loads through the caches a warp can have under way, between issue and result.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct AnalysisContext;

/// Whether the instruction, a load, waits for its own last execution by the warp: for the register
/// that both write (C5), or for the scoreboard that announces both (C6). Side: false when unknown.
bool is_outstanding_once(const AnalysisContext& context, std::size_t load);

/// Line accesses of a warp's loads that are under way together, at most; none: not bounded by what
/// they wait for.
std::optional<std::int64_t> outstanding_lines(const AnalysisContext& context);
/// The same of its loads.
std::optional<std::int64_t> outstanding_loads(const AnalysisContext& context);

} // namespace warpbound::analyzer
