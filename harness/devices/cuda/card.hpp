#pragma once
/// \file
/// A card in use: what a run of anything on it needs and leaves for the runs behind it.

#include "harness/device.hpp"
#include "harness/devices/cuda/clock_rate.hpp"
#include "harness/devices/cuda/device_state.hpp"
#include "harness/devices/cuda/session.hpp"

#include <memory>
#include <optional>
#include <string>

namespace warpbound::harness::cuda {

struct Card {
    std::shared_ptr<Session> session;
    DeviceState state;
    std::optional<ClockRate> rate;
    /// Written before a run that shall find nothing in a cache.
    std::optional<Buffer> evicting;
    double first_rate = 0.0; ///< Clock rate of the first run with times. `Unit:` hertz; 0: none.

    ~Card();

    /// Refuses an L2 whose size the driver does not say. Requires: the session is busy with the
    /// caller.
    Result<void> prepare_eviction(bool wanted);
    /// Why a run at that clock rate, which just ended, counts as throttled; empty: it does not.
    /// `Unit:` hertz. Requires: as above.
    std::string slowness(double hertz);
    /// Refuses what only simulated devices choose.
    [[nodiscard]] Result<void> takes(const RunOptions& options) const;
};

/// "1410.0 MHz"
std::string megahertz(double hertz);

} // namespace warpbound::harness::cuda
