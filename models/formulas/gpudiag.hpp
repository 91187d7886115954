#pragma once
/// \file
/// GPUDIAG (Kim 2023): time of a kernel of identical blocks from the slots of a multiprocessor and
/// the throughput of its units.
///
/// The model holds for a long kernel of identical warps under a scheduler that keeps units busy,
/// blocks placed greedily and one exposed bottleneck; there are no caches and no memory contention.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/formulas/quantities.hpp"
#include "models/launch/launch.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpbound::models::gpudiag {

/// A functional unit that the period of a warp uses.
struct FunctionalUnit {
    std::string name;
    double inverse_throughput = 0; ///< t_u. `Unit:` cycles.
    double units_per_group = 0;    ///< m_u.
    std::int64_t groups = 0;       ///< s_u: warps are assigned to the groups round robin.
};

/// The instruction mix: units, and the time of one warp in isolation.
struct Mix {
    std::vector<FunctionalUnit> units;
    double period = 0; ///< P_1. `Unit:` cycles.
};

/// Estimate, not a bound. fu(c): time of c warps on a multiprocessor over the time of one warp, for
/// c = 0..most. `Shape:` result[c]. fu(0) is 0; the equation gives 1, which would add a wave when
/// the slots divide the blocks (erratum, inferred). fu(1) is above 1 when the period is below what
/// a unit needs for one warp, which the model does not exclude.
/// Source: Kim 2023, eq. 3.6; definition eq. 3.4. Refuses a mix without units, numbers that are not
/// positive, and most above 2^20.
Result<std::vector<double>> relative_times(const Mix& mix, std::int64_t most);

struct Bottleneck {
    std::string unit;                          ///< With the smallest m s / t.
    Estimate<InstructionsPerCycle> throughput; ///< m s / t of that unit. Side: upper.
};

/// Estimate, not a bound. The unit that limits a mix, and its throughput in warp periods per cycle.
/// Source: Kim 2023, eq. 3.5, 3.7 (eq. 3.5 writes m_bot for m s). Refuses as `relative_times`.
Result<Bottleneck> bottleneck(const Mix& mix);

/// Estimate, not a bound. The highest throughput seen in relative times: max of c / fu(c), over
/// P_1. Source: Kim 2023, eq. 3.7. `Shape:` fu[c] from c = 0. Refuses numbers that are not positive
/// from c = 1, and fewer than two.
Result<Estimate<InstructionsPerCycle>> throughput(std::span<const double> fu, double period);

/// Estimate, not a bound. T(g, b): time of g blocks of b warps on a multiprocessor of `slots`
/// slots, over the time of one warp. `Shape:` fu[c] for c = 0..b slots, computed or measured.
/// Source: Kim 2023, eq. 3.2. Refuses fu(0) other than 0, too few values and no slots.
Result<Estimate<RelativeTime>> waves_time(std::int64_t blocks, std::int64_t warps_per_block,
                                          std::int64_t slots, std::span<const double> fu);

/// A launch on a machine.
struct Execution {
    Launch launch{}; ///< G blocks of B threads.
    std::int64_t warp_size = 32;
    std::int64_t multiprocessors = 0; ///< n_mp.
    std::int64_t slots = 0;           ///< N_slot of this kernel.
    double periods = 0;               ///< N_period: how often a warp repeats the mix.
};

struct KernelTime {
    Estimate<Cycles> time;
    Estimate<RelativeTime> relative;            ///< T(g, b).
    std::int64_t blocks_per_multiprocessor = 0; ///< g.
    std::int64_t warps_per_block = 0;           ///< b.
    std::int64_t full_waves = 0;                ///< floor(g / N_slot).
};

/// Estimate, not a bound. Time of a whole kernel on its most loaded multiprocessor.
/// Unit: core cycles. Source: Kim 2023, eq. 3.2, 3.6; absolute as T(g, b) P_1 N_period.
/// Published deviations: a block scheduler that does not dispatch at once takes longer (T4), the
/// V520 less. Refuses what its parts refuse.
Result<KernelTime> kernel_time(const Execution& execution, const Mix& mix);

/// The symbols of `kernel_time` with their values and sources.
std::vector<ExplainedSymbol> explain(const Execution& execution, const Mix& mix,
                                     const KernelTime& result);

} // namespace warpbound::models::gpudiag
