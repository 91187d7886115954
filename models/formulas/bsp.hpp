#pragma once
/// \file
/// BSP model (Amaris et al. 2015): total work of all threads over the throughput of all cores.
///
/// It has no latency hiding, occupancy, block waves or synchronisation step: the factor lambda, of
/// one kernel and optimisation on one board, absorbs them.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/formulas/quantities.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::models::bsp {

/// Costs and accesses of one thread. `Unit:` core cycles, accesses.
struct Work {
    double computation = 0;   ///< comp. `Unit:` core cycles.
    double shared_loads = 0;  ///< ld0
    double shared_stores = 0; ///< st0
    double global_loads = 0;  ///< ld1, hits included.
    double global_stores = 0; ///< st1
    double l1_hits = 0;       ///< L1
    double l2_hits = 0;       ///< L2
};

/// Latency of each level. `Unit:` core cycles per access; needed where there are accesses.
struct Latencies {
    double shared = 0; ///< g_SM
    double global = 0; ///< g_GM
    double l1 = 0;     ///< g_L1
    double l2 = 0;     ///< g_L2
};

struct Machine {
    double clock = 0;       ///< R. `Unit:` core cycles per second.
    std::int64_t cores = 0; ///< P, of the whole GPU.
    Latencies latencies{};
};

struct KernelTime {
    Estimate<Seconds> time;
    double shared = 0; ///< comm_SM. `Unit:` core cycles per thread.
    double global = 0; ///< comm_GM. `Unit:` core cycles per thread.
};

/// Estimate, not a bound. Time of a kernel of `threads` threads.
/// Unit: seconds. Source: Amaris et al. 2015, as eq. 3.1 of Gajger 2017; comm_SM and comm_GM from
/// memory of the paper (reference models 6). No worked number is published; within 10 % is claimed
/// on the board that lambda was calibrated on.
/// Refuses no threads, no work, more hits than accesses, a level that is used without a latency,
/// and numbers that are not positive.
Result<KernelTime> kernel_time(std::int64_t threads, const Work& work, const Machine& machine,
                               double lambda);

/// The symbols of `kernel_time` with their values and sources.
std::vector<ExplainedSymbol> explain(std::int64_t threads, const Work& work, const Machine& machine,
                                     double lambda, const KernelTime& result);

} // namespace warpbound::models::bsp
