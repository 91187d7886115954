#pragma once
/// \file
/// How the series of a run is called.

#include "harness/protocol/measure.hpp"

namespace warpbound::harness {

/// What is run.
struct SeriesCode {
    std::string name; ///< Benchmark point or kernel.
    std::string kernel_digest;
    std::string facts_digest;
};

/// By it a campaign finds the series again, whoever measures it.
SeriesKey series_key(SeriesCode code, const models::Launch& launch, Quantity quantity,
                     const DeviceIdentity& device, const Protocol& protocol);

} // namespace warpbound::harness
