#pragma once
/// \file
/// A campaign as a device: replays the recorded runs.

#include "harness/device.hpp"

namespace warpbound::harness {

/// `name`: a campaign file, or its CSV or JSON. If it holds several devices or machines:
/// "FILE#PART", where PART occurs in the name and detail of exactly one of them, or is the end of
/// exactly one. A file with the whole name takes precedence. The device has the recorded identity.
/// A kernel is found by the complete key of its series, a run by its seed, with its anomaly; the
/// conditions are those of the recorded runs. Refuses everything else, listing what is recorded.
Result<std::unique_ptr<Device>> recorded_device(std::string_view name);

} // namespace warpbound::harness
