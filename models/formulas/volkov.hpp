#pragma once
/// \file
/// Volkov's latency and throughput model as Gajger 2017 uses it: warps leave a multiprocessor at
/// the smaller of occupancy over latency and the throughput of the tightest resource.
///
/// As published: no cache hits, coalesced accesses, equal warps, sustained occupancy, and a sharp
/// knee where a machine reaches about 80 % of its peak. Caches are the caller's: a hit moves no
/// bytes, and its latency is in `latency`. `UnitDemand` and `Machine::knee` fill further gaps.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/formulas/quantities.hpp"
#include "models/launch/launch.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models::volkov {

struct Machine {
    std::int64_t multiprocessors = 0;
    double clock = 0;      ///< f. `Unit:` core cycles per second.
    double cores = 0;      ///< CUDA cores of a multiprocessor.
    double schedulers = 0; ///< Of a multiprocessor.
    double dram_bytes = 0; ///< BW_cycle: DRAM bytes per core cycle of a multiprocessor.
    /// Part of the peak that is reached where latency and throughput bound meet, 0.5 to 1; 1 is the
    /// sharp knee as published, 0.8 what Volkov 2016 observed.
    double knee = 1;
    double warp_size = 32; ///< `Unit:` threads.
};

/// Estimate, not a bound. BW_cycle = memory clock * bus width / 8 * data rate / (SMs * f).
/// Unit: bytes per core cycle of one multiprocessor; clocks in Hz, the bus in bits. Side: upper on
/// what a multiprocessor gets when all are busy. Source: Gajger 2017, eq. 4.7.
/// Refuses numbers that are not positive.
Result<double> dram_bytes_per_cycle(double memory_clock, double bus_bits, double data_rate,
                                    std::int64_t multiprocessors, double clock);

/// Another unit that a warp keeps busy: special functions, double precision, shared memory.
struct UnitDemand {
    std::string name;
    double cycles = 0; ///< Of the unit, per warp, over the number of such units.
};

/// Resource demand of one warp.
struct Warp {
    double cuda_instructions = 0;   ///< INS_cuda: instructions of the CUDA cores.
    double issued_instructions = 0; ///< INS_issued: a dual issue once, a re-issue again.
    double bytes = 0;               ///< DRAM traffic.
    double latency = 0;             ///< latency_bound, as `critical_path`. `Unit:` core cycles.
    /// Further throughput bounds, which Gajger 2017 names as missing; our extension.
    std::vector<UnitDemand> units{};
};

enum class Limit { Latency, Cores, Issue, Memory, Unit };
std::string_view to_string(Limit limit);

struct WarpThroughput {
    Estimate<WarpsPerCycle> throughput; ///< wt, of one multiprocessor.
    Limit limit =
        Limit::Latency; ///< The limiting resource; the first in the order of `Limit` on a tie.
    double latency = 0; ///< latency_bound over occupancy. `Unit:` cycles per warp, as all below.
    double cores = 0;   ///< 32 INS_cuda / cores
    double issue = 0;   ///< INS_issued / schedulers
    double memory = 0;  ///< bytes / BW_cycle
    double units = 0;   ///< The largest of `Warp::units`.
    std::string unit{}; ///< Its name.
};

/// Estimate, not a bound. Warps that one multiprocessor with `occupancy` resident warps finishes.
/// Unit: warps per core cycle. Side: upper on the throughput when the latencies are the least ones
/// and the knee is sharp.
/// Source: Gajger 2017, eq. 4.3, 4.5, 4.6. With a knee k below 1 the throughput approaches its peak
/// gradually: (a^-p + b^-p)^(-1/p) of the two bounds with 2^(-1/p) = k, our extension for what the
/// author names as missing; with the k = 0.8 that Volkov 2016 observed it gives 90 and 93 % of the
/// peak at 4/3 and 23/15 of the warps of the knee, where 90 and 95 % are published (40 and 46 of
/// 30). Refuses numbers that are not positive and a knee outside 0.5..1; a warp may have no DRAM
/// traffic and no instructions of the CUDA cores.
Result<WarpThroughput> warp_throughput(const Warp& warp, std::int64_t occupancy,
                                       const Machine& machine);

struct KernelTime {
    Estimate<Seconds> time;
    double warps = 0; ///< Launched.
    WarpThroughput throughput;
};

/// Estimate, not a bound. Time of a kernel, divided by the calibrated `lambda` of the architecture
/// (`scaling_factor`). Unit: seconds. Side: lower for lambda 1 and least latencies; with another
/// lambda on neither side. Source: Gajger 2017, eq. 4.1, 4.2. Reported errors: memory-bound 1 to
/// 53 %, total time of large data 1.8 %. Refuses what `warp_throughput` refuses, and an empty
/// launch.
Result<KernelTime> kernel_time(const Launch& launch, const Warp& warp, std::int64_t occupancy,
                               const Machine& machine, double lambda);

/// The symbols of `kernel_time` with their values and sources.
std::vector<ExplainedSymbol> explain(const Warp& warp, std::int64_t occupancy,
                                     const Machine& machine, double lambda,
                                     const KernelTime& result);

/// Volkov's own form: memory instructions per cycle of n warps, each with alpha arithmetic
/// instructions per memory instruction.
struct Balance {
    double alpha = 0;             ///< Arithmetic per memory instruction.
    double memory_latency = 0;    ///< mem_lat. `Unit:` core cycles.
    double alu_latency = 0;       ///< alu_lat. `Unit:` core cycles.
    double memory_throughput = 0; ///< mem_thru. `Unit:` instructions per cycle, as all below.
    double alu_throughput = 0;    ///< alu_thru
    double issue_throughput = 0;  ///< issue_thru
};

/// Estimate, not a bound. mem_thr = min(n / (mem_lat + alpha alu_lat), mem_thru, alu_thru / alpha,
/// issue_thru / (alpha + 1)). Unit: memory instructions per cycle of one multiprocessor. Side:
/// upper for least latencies. Source: Volkov 2016, chapter 4. Refuses numbers that are not
/// positive; alpha may be 0.
Result<Estimate<InstructionsPerCycle>> memory_throughput(double warps, const Balance& balance);

/// Estimate, not a bound. Warps that hide a latency at a throughput: their product (Little).
/// Unit: warps. Side: lower on what a machine needs for its peak, because the knee is not sharp.
/// Source: Volkov 2016, chapter 4. Refuses numbers that are not positive.
Result<double> warps_needed(double latency, double throughput);

} // namespace warpbound::models::volkov
