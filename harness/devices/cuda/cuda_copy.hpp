#pragma once
/// \file
/// Copies between host and card.

#include "harness/devices/cuda/card.hpp"

namespace warpbound::harness::cuda {

/// A copy between page-locked memory of the host and memory of the card. Its execution time is the
/// time between two events recorded before and after it, in core cycles at the clock rate of that
/// run. Refuses a copy that does not fit in either memory. Requires: the session is not locked.
Result<std::unique_ptr<PreparedKernel>> prepare_copy(std::shared_ptr<Card> card, const Copy& copy);

} // namespace warpbound::harness::cuda
