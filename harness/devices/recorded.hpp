#pragma once
/// \file
/// A campaign as a device: answers with what was recorded, and invents nothing.

#include "harness/device.hpp"

namespace warpbound::harness {

/// `name`: a campaign, or its CSV or JSON; with several machines or devices in it "FILE#PART",
/// where PART occurs in the name and detail of one of them, or of several and one ends with it. A
/// file of the whole name comes first. It has the identity of what was recorded. A kernel is found
/// by all of its series' key, a run by its seed, with its trouble; the conditions are those of the
/// recorded runs. Refuses everything else, saying what there is.
Result<std::unique_ptr<Device>> recorded_device(std::string_view name);

} // namespace warpbound::harness
