#pragma once
/// \file
/// Copies between host and device: a start-up and a share of the link's bandwidth, each direction
/// with its own (Gajger 2017).

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/formulas/quantities.hpp"
#include "models/launch/workload.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpbound::models::transfer {

/// One direction of one host, host to device or back.
struct Direction {
    Seconds start{0};               ///< t_s
    double bandwidth = 0;           ///< bw, of the link. `Unit:` bytes per second.
    double lambda = 0;              ///< Share of the bandwidth that is reached.
    std::optional<Seconds> empty{}; ///< Measured time of a copy of 0 bytes, which is special.
};

/// Estimate, not a bound. T = t_s + n / (bw lambda) of a copy of n bytes.
/// Unit: seconds. Sound when: never a bound; pageable memory, one stream, one copy at a time. Below
/// about 1 KB it errs long. Source: Gajger 2017, eq. 5.5.
/// Refuses a negative size, numbers that are not positive, and 0 bytes without their measured time.
Result<Estimate<Seconds>> time_of(std::int64_t bytes, const Direction& direction);

/// Estimate, not a bound. Start-up of a direction: the mean time of copies of 4 to 512 bytes.
/// Unit: seconds. Source: Gajger 2017, Table 6.2. Refuses no times, and times that are not
/// positive.
Result<Seconds> start_from(std::span<const Seconds> times);

/// Estimate, not a bound. lambda = n / ((T - t_s) bw) of one large copy. Unit: 1.
/// Source: Gajger 2017, eq. 5.4, which is printed inverted.
/// Refuses a time that is not above the start-up, and numbers that are not positive.
Result<double> lambda_from(std::int64_t bytes, Seconds time, Seconds start, double bandwidth);

/// The symbols of `time_of` with their values and sources.
std::vector<ExplainedSymbol> explain(std::int64_t bytes, const Direction& direction,
                                     Estimate<Seconds> result);

} // namespace warpbound::models::transfer
