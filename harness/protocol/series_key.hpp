#pragma once
/// \file
/// The key of the series that a run belongs to.

#include "harness/protocol/measure.hpp"

namespace warpbound::harness {

/// The code that is run.
struct SeriesCode {
    std::string name; ///< Benchmark point or kernel.
    std::string kernel_digest;
    std::string facts_digest;
};

/// The key by which a campaign identifies the series, independent of the process that measures it.
SeriesKey series_key(SeriesCode code, const models::Launch& launch, Quantity quantity,
                     const DeviceIdentity& device, const Protocol& protocol);

} // namespace warpbound::harness
