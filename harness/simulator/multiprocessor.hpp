#pragma once
/// \file
/// The simulated SM put together.

#include "harness/simulator/kernel_code.hpp"
#include "harness/simulator/machine.hpp"

#include <span>

namespace warpbound::harness::simulator {

/// A run that lasts longer is refused. Unit: core cycles.
inline constexpr std::int64_t run_limit = std::int64_t{1} << 40U;

/// Runs the kernel once. `tick_order` is the order in which the components tick, any permutation of
/// 0 .. schedulers + 1; empty: the order of construction. It makes no difference.
Result<models::Observation> run_once(const KernelCode& code, const RunOptions& options,
                                     const Listener& listener = {},
                                     std::span<const std::size_t> tick_order = {});

} // namespace warpbound::harness::simulator
