#pragma once
/// \file
/// What is stated of lanes that diverge.

#include "analyzer/launch/timed_kernel.hpp"
#include "assembly/support/result.hpp"

namespace warpbound::analyzer {

/// Refuses, with the place, facts that lanes diverge where nothing is decided, and guarded barriers
/// of threads.
Result<void> check_divergent_facts(const TimedKernel& kernel);

} // namespace warpbound::analyzer
