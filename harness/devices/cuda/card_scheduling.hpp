#pragma once
/// \file
/// Experiments on scheduling on a card.

#include "harness/device.hpp"
#include "harness/hypotheses/scheduling_device.hpp"

#include <memory>
#include <string_view>

namespace warpbound::harness::cuda {

/// Opens `cuda:<n>` and fills `identity`. Refuses what `open_device` refuses, a card whose driver
/// refuses a call that every experiment needs, and a nanosecond timer too coarse for the blocks.
Result<std::unique_ptr<hypotheses::SchedulingDevice>> card_scheduling(std::string_view name,
                                                                      DeviceIdentity& identity);

} // namespace warpbound::harness::cuda
