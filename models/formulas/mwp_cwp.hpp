#pragma once
/// \file
/// MWP-CWP (Hong and Kim 2009): kernel time from how many warps can overlap their memory waits
/// (MWP) and how much computation fits into one wait (CWP).
///
/// One memory latency, equal warps, no caches, no dependences between instructions. Left out: the
/// KLARAPTOR variants, which round MWP, CWP and the repetitions up and cut the synchronisation cost
/// at the warps of a block.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::models::mwp_cwp {

/// Counts of one warp.
struct Kernel {
    double instructions = 0;     ///< #Total_insts, memory instructions included.
    double coalesced = 0;        ///< #Coal memory instructions.
    double uncoalesced = 0;      ///< #Uncoal memory instructions.
    double transactions = 1;     ///< Uncoal_per_mw: transactions of an uncoalesced instruction.
    double bytes_per_load = 0;   ///< Load_bytes_per_warp: of one memory instruction of the warp.
    double synchronisations = 0; ///< #synch_insts.
};

struct Machine {
    double memory_latency = 0;        ///< Mem_LD, unloaded. `Unit:` core cycles.
    double departure_coalesced = 0;   ///< `Unit:` core cycles between transactions of two warps.
    double departure_uncoalesced = 0; ///< `Unit:` core cycles between transactions of one warp.
    double issue_cycles = 0;          ///< #Issue_cycles. `Unit:` core cycles per instruction.
    double clock = 0;                 ///< Freq. `Unit:` core cycles per second (not GHz).
    double bandwidth = 0;             ///< Mem_Bandwidth. `Unit:` bytes per second (not GB/s).
};

struct Residency {
    std::int64_t blocks = 0;          ///< #Blocks of the grid.
    std::int64_t blocks_per_sm = 0;   ///< #Active_blocks_per_SM.
    std::int64_t multiprocessors = 0; ///< #Active_SMs.
    std::int64_t warps = 0;           ///< N: active warps per SM.
};

/// The three cases of the paper, and the one it leaves out.
enum class Case { TooFewWarps, MemoryBound, ComputeBound, NoMemory };
std::string_view to_string(Case which);

/// Everything about memory waits. `Unit:` core cycles; MWP and CWP in warps.
struct Overlap {
    double memory_latency = 0;  ///< Mem_L
    double departure_delay = 0; ///< Departure_delay
    double memory_cycles = 0;   ///< Mem_cycles
    double mwp_full = 0;        ///< MWP_full
    double mwp_peak = 0;        ///< MWP_peak_BW
    double mwp = 0;             ///< MWP
    double cwp_full = 0;        ///< CWP_full
    double cwp = 0;             ///< CWP
    double too_few_warps = 0;   ///< Time by case 1, without synchronisation.
    double memory_bound = 0;    ///< Time by case 2, likewise.
    double compute_bound = 0;   ///< Time by case 3, likewise.
};

struct KernelTime {
    Estimate<Cycles> time;
    Case which = Case::NoMemory;
    double computation = 0;         ///< Comp_cycles. `Unit:` core cycles.
    double repetitions = 0;         ///< #Rep
    double synchronisation = 0;     ///< Synch_cost. `Unit:` core cycles.
    std::optional<Overlap> overlap; ///< Absent in a kernel without memory instructions.
};

/// Estimate, not a bound. Time of a kernel.
/// Unit: core cycles. Source: Hong and Kim 2009, as four re-implementations agree (reference models
/// 4); case 1 is tried first. Dependences make it err short (Voudouris 2014, 7.2).
/// A kernel without memory instructions takes Comp_cycles N #Rep, and its synchronisation costs
/// nothing, since no memory request departs (our choice: the paper's formulas divide by zero).
/// Refuses MWP < 1, where the cases contradict the model (it is what a clock in GHz with a
/// bandwidth in bytes gives), more places than blocks, and numbers that are missing or out of
/// range.
Result<KernelTime> kernel_time(const Kernel& kernel, const Machine& machine,
                               const Residency& residency);

/// The symbols of `kernel_time` with their values and sources.
std::vector<ExplainedSymbol> explain(const Kernel& kernel, const Machine& machine,
                                     const Residency& residency, const KernelTime& result);

} // namespace warpbound::models::mwp_cwp
