#pragma once
/// \file
/// What the key of a series says of the launch and its machine.

#include "harness/campaign/series.hpp"
#include "models/launch/launch_identity.hpp"

namespace warpbound::harness {

/// Machine, policy and number of SMs are known of simulated devices only: a card does not name the
/// description that it is measured against.
models::LaunchIdentity identity_of(const SeriesKey& key);

} // namespace warpbound::harness
