#pragma once
/// \file
/// GPUMech (Huang et al. 2014): how long requests wait for a miss register (MSHR) and for DRAM.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/units.hpp"

#include <cstdint>

namespace warpbound::models::gpumech {

/// Estimate, not a bound. Mean number of rounds after which one of `requests` simultaneous misses
/// is served by `registers` miss registers: the mean of ceil(j / registers) over j = 1..requests.
/// Unit: rounds; 1 when all fit, and also for no requests. Source: Huang et al. 2014, slides 21 and
/// 22; the ceiling is in the picture and in re-implementations, not in the formula.
/// Refuses no registers and a negative number of requests.
Result<double> mshr_occupancy(std::int64_t requests, std::int64_t registers);

/// Rounds until the last of simultaneous misses is served: ceil(requests / registers).
/// Unit: rounds. Side: upper. Sound when: a register is free again one miss latency after it was
/// taken. Source: reference models 5.4. Refuses as `mshr_occupancy`.
Result<std::int64_t> mshr_rounds(std::int64_t requests, std::int64_t registers);

/// Estimate, not a bound. Mean wait for a miss register: miss latency * (occupancy - 1).
/// Unit: core cycles. Source: Huang et al. 2014, exp_queuing_delay. Refuses as `mshr_occupancy`,
/// and a latency that is not positive.
Result<Estimate<Cycles>> mshr_delay(std::int64_t requests, std::int64_t registers,
                                    double miss_latency);

/// Estimate, not a bound. Average latency of an L1 miss: L2 + m DRAM. Unit: core cycles.
/// Source: reference models 5.4. Refuses latencies that are not positive and m outside 0..1.
Result<double> miss_latency(double l2_latency, double l2_miss_rate, double dram_latency);

struct Dram {
    double clock = 0;      ///< f_core. `Unit:` core cycles per second.
    double line_bytes = 0; ///< Of one request.
    double bandwidth = 0;  ///< `Unit:` bytes per second, of the whole DRAM.
};

/// Estimate, not a bound. Mean wait of one of `requests` that reach DRAM within a miss latency, all
/// cores together: M/D/1 below saturation, the mean position in a bulk n s / 2 from there on, and
/// never more than that (M/D/1 grows without limit towards saturation). Unit: core cycles. Source:
/// re-implementations of GPUMech (reference models 5.5); the smaller of the two below saturation is
/// our choice. Refuses numbers that are not positive; requests may be 0.
Result<Estimate<Cycles>> dram_delay(double requests, double miss_latency, const Dram& dram);

} // namespace warpbound::models::gpumech
