#pragma once
/// \file
/// A card in use: the state that runs on it share.

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
    std::optional<ClockRate> rate; ///< Empty: its code could not be assembled.
    std::string no_rate;           ///< Why not.
    /// Buffer written before a run that must miss in all caches.
    std::optional<Buffer> evicting;
    double first_rate = 0.0; ///< Clock rate of the first run with times. `Unit:` hertz; 0: none.

    /// Refuses a driver that is not ready, stating its state, an unknown device number, and a
    /// target for which no PTX can be generated. A card of AMD opens without an assembler, and then
    /// has no clock rate.
    static Result<std::shared_ptr<Card>> open(std::shared_ptr<const Driver> driver, int ordinal,
                                              std::chrono::milliseconds time_out);
    ~Card();

    /// Refuses a card whose clock rate cannot be measured.
    [[nodiscard]] Result<void> require_rate() const;
    /// The current clock rate. Requires: as below.
    [[nodiscard]] ClockRate::Rate measured_rate() const;
    /// Allocates the eviction buffer if wanted. Refuses if the driver does not report the size of
    /// the L2. Requires: the caller holds the session lock.
    Result<void> prepare_eviction(bool wanted);
    /// Why a run that just ended, at that clock rate, counts as throttled; empty: it does not.
    /// `Unit:` hertz. Requires: as above.
    std::string slowness(double hertz);
    /// Refuses options that only simulated devices support.
    [[nodiscard]] Result<void> check_options(const RunOptions& options) const;
};

/// "1410.0 MHz"
std::string megahertz(double hertz);

} // namespace warpbound::harness::cuda
