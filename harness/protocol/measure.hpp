#pragma once
/// \file
/// The measuring protocol: warm-up, repetitions until a rule has enough, all samples recorded.

#include "harness/protocol/protocol.hpp"

#include <cstdint>
#include <functional>

namespace warpbound::harness {

/// Adds runs to the series of `key` on `device` until the stopping rule has enough or there are
/// `protocol.repetitions`, appending to `campaign` in batches (runs that the campaign already has
/// are not repeated). Without a campaign the samples are only returned. Once `stop` says true,
/// which several threads ask, no further run is begun. Uses `threads` threads; the result does not
/// depend on their number. Refuses a kernel that the device refuses, and a region quantity where a
/// warp read the clock fewer than two times. Refuses to resume where `key` says something else than
/// what would be run (device, protocol, launch, quantity, the digest in the flow facts) or a
/// recorded run has another seed than this protocol gives it; the failure names the difference.
/// When a run fails or throws, no further run is begun, the runs before it are recorded, and the
/// failure is returned or the exception thrown here. What happens to a run is recorded like its
/// times; once the device is lost no further run is begun, and that is the failure. Whenever runs
/// are added the conditions of device and code are noted in the campaign.
Result<Measured> measure(const Device& device, const Kernel& kernel, const SeriesKey& key,
                         const Protocol& protocol, Quantity quantity, Campaign* campaign,
                         unsigned threads = 1, const Progress& progress = {},
                         const std::function<bool()>& stop = {});

} // namespace warpbound::harness
