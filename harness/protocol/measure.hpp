#pragma once
/// \file
/// The measurement protocol: warm-up, repetitions until a stopping rule is satisfied, all samples
/// recorded.

#include "harness/protocol/protocol.hpp"

#include <cstdint>
#include <functional>

namespace warpbound::harness {

/// Adds runs to the series of `key` on `device` until the stopping rule is satisfied or
/// `protocol.repetitions` runs are made. Appends to `campaign` in batches; runs that the campaign
/// already has are not repeated. Without a campaign the samples are only returned. Once `stop`
/// returns true (several threads call it), no further run is started. Uses `threads` threads; the
/// result does not depend on their number. Refuses a kernel that the device refuses, and a region
/// quantity where a warp read the clock fewer than two times. Refuses to resume if `key` differs
/// from what would be run (device, protocol, launch, quantity, the digest in the flow facts), or if
/// a recorded run has another seed than this protocol assigns; the failure names the difference.
/// When a run fails or throws, no further run is started, the preceding runs are recorded, and the
/// failure is returned or the exception rethrown. Anomalies of a run are recorded like its times;
/// once the device is lost no further run is started, and the loss is the failure. Whenever runs
/// are added, the conditions of device and code are recorded in the campaign.
Result<Measured> measure(const Device& device, const Kernel& kernel, const SeriesKey& key,
                         const Protocol& protocol, Quantity quantity, Campaign* campaign,
                         unsigned threads = 1, const Progress& progress = {},
                         const std::function<bool()>& stop = {});

} // namespace warpbound::harness
