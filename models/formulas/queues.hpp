#pragma once
/// \file
/// Queueing delay of requests at a server: textbook formulas.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/units.hpp"

#include <cstdint>

namespace warpbound::models::queues {

/// Requests that arrive at random times, and a server that takes one at a time.
struct Load {
    double rate = 0;    ///< Requests per core cycle.
    double service = 0; ///< Of one request, its mean where it varies. `Unit:` core cycles.
};

/// Utilisation: rate * service. Unit: 1. Refuses numbers that are not positive; the rate may be 0.
Result<double> utilisation(const Load& load);

/// Estimates, not bounds: the mean wait of a request until its service begins. Unit: core cycles.
/// Sound when: never a bound; arrivals are taken to be independent of each other (Poisson).
/// Source: textbook forms from memory of the literature (reference models 12).
/// Refuse a utilisation of 1 and more, for which no wait is finite, and what `utilisation` refuses.
/// Constant service (M/D/1): rho s / (2 (1 - rho)).
Result<Estimate<Cycles>> constant_service_wait(const Load& load);
/// Exponential service (M/M/1): rho s / (1 - rho).
Result<Estimate<Cycles>> exponential_service_wait(const Load& load);
/// Any service (M/G/1) with this mean of its square: rate E[S^2] / (2 (1 - rho)). Refuses a mean
/// square below the square of the mean too.
Result<Estimate<Cycles>> general_service_wait(const Load& load, double mean_square);

/// Queueing delay of a batch of requests that arrive at the same time. Unit: core cycles.
struct BatchWait {
    Estimate<Cycles> mean; ///< n s / 2, the mean position in the batch as GPUMech counts it.
    /// Until the last is served: n s. Sound when: nothing else is served, each in at most s.
    double last = 0;
};
/// Requests may be fractions, averages over warps. Source: reference models 12.
/// Refuses negative numbers, and a service that is not positive.
Result<BatchWait> batch_wait(double requests, double service);

/// Requests in the system: rate * time in it (Little). Unit: requests.
/// Refuses numbers that are not positive; the rate may be 0.
Result<double> requests_in_system(double rate, double time);

} // namespace warpbound::models::queues
