#pragma once
/// \file
/// Copies between host and card.

#include "harness/devices/cuda/card.hpp"

namespace warpbound::harness::cuda {

/// A copy between page-locked memory of the host and memory of the card, by itself. Its execution
/// time is the time between two events before and behind it, in core cycles at the clock rate of
/// that run. Refuses what does not fit either memory. Requires: the session is not busy.
Result<std::unique_ptr<PreparedKernel>> prepare_copy(std::shared_ptr<Card> card, const Copy& copy);

} // namespace warpbound::harness::cuda
