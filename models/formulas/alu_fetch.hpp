#pragma once
/// \file
/// ALU:Fetch model of AMD's VLIW generations (Taylor and Li 2010): whether arithmetic, fetching or
/// writing bounds a kernel, and how many wavefronts are resident.
///
/// Left out because nothing gives them: cache hits (observed to fall with more wavefronts), access
/// patterns other than by the observed crossover, and execution times, which the paper only plots.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::models::alu_fetch {

inline constexpr std::int64_t wavefront_size = 64;
inline constexpr std::int64_t thread_processors = 16; ///< Of a SIMD engine.
inline constexpr std::int64_t lanes = 5;              ///< VLIW lanes of a thread processor.
inline constexpr std::int64_t fetch_units = 4;        ///< Of a SIMD engine.
inline constexpr std::int64_t registers = 256;        ///< Per lane: 16k of 128 bit / 64 threads.

/// Counts of one thread.
struct Kernel {
    double bundles = 0;         ///< N_alu: VLIW bundles.
    double fetches = 0;         ///< N_fetch: texture or global fetches.
    double outputs = 0;         ///< N_out.
    std::int64_t registers = 0; ///< General-purpose registers.
};

/// Estimate, not a bound. r = N_alu / (4 N_fetch): 1 when both units are equally busy with scalar
/// fetches. Unit: 1. Source: Taylor and Li 2010, II.B. Refuses a kernel without fetches.
Result<double> ratio(const Kernel& kernel);

/// Bundles that give a kernel of `inputs` fetches the ratio r. Source: Taylor and Li 2010, III.A.
/// Refuses numbers that are not positive.
Result<double> bundles_for(double inputs, double ratio);

/// Wavefronts that the registers of a SIMD engine hold: floor(256 / registers).
/// Side: upper; exact for the register file. Source: Taylor and Li 2010, II.B. Refuses a count
/// below 1 or above 256.
Result<std::int64_t> wavefronts(std::int64_t registers_per_thread);

/// Execution configuration of a kernel.
struct Setting {
    std::int64_t threads = 0; ///< D, of the domain.
    std::int64_t simd_engines = 0;
    double transactions_per_fetch = 0; ///< q: 1 for float, 4 for float4 at full load; or observed.
    std::optional<double> output_cost{}; ///< c_out, measured. `Unit:` cycles. Needed with outputs.
};

enum class Bound { Alu, Fetch, Write };
std::string_view to_string(Bound bound);

struct KernelTime {
    Estimate<Cycles> time;    ///< The longest of the three.
    Bound bound = Bound::Alu; ///< The limiting resource; the first of ALU, fetch, write on a tie.
    double alu = 0;           ///< T_alu. `Unit:` cycles.
    double fetch = 0;         ///< T_fetch. `Unit:` cycles.
    double write = 0;         ///< T_write. `Unit:` cycles.
    double crossover = 0;     ///< r*: the ratio above which arithmetic exceeds fetching.
    std::int64_t wavefronts = 0; ///< Resident on a SIMD engine.
};

/// Estimate, not a bound. Time of a kernel on its SIMD engines when the three resources overlap
/// perfectly.
/// Unit: core cycles. Side: lower for q of 1, the least output cost and more than one resident
/// wavefront, when the counts are exact.
/// Source: Taylor and Li 2010; the times per resource are inferred from the unit counts of II.A,
/// and so is that one resident wavefront doubles T_alu because it fills half of the slots.
/// The crossover is q by this model; observed are 1.25 and 5.0 (RV670, RV770) and 9.0 (RV870,
/// float4), which a caller may give as q.
/// Refuses counts below 0, no work, and outputs without their measured cost.
Result<KernelTime> kernel_time(const Kernel& kernel, const Setting& setting);

/// The symbols of `kernel_time` with their values and sources.
std::vector<ExplainedSymbol> explain(const Kernel& kernel, const Setting& setting,
                                     const KernelTime& result);

} // namespace warpbound::models::alu_fetch
