#pragma once
/// \file
/// GPUDIAG (Kim 2023): launch limits, co-resident blocks of a multiprocessor, and how both follow
/// from measured times. Independent of vendors' allocation rules.

#include "assembly/support/result.hpp"
#include "models/formulas/explanation.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpbound::models::gpudiag {

/// Registers of one type (scalar, vector).
struct RegisterFile {
    std::string name;
    std::int64_t capacity = 0;    ///< R_i, of a multiprocessor.
    std::int64_t granularity = 1; ///< r_min: the registers of a warp are allocated in this unit.
    std::optional<std::int64_t> per_thread{}; ///< L(R_i/T).
    std::optional<std::int64_t> per_block{};  ///< L(R_i/B).
};

/// Resources of one multiprocessor and limits of one launch. A limit without a value is not
/// checked.
struct SlotLimits {
    std::int64_t warp_size = 32;
    std::int64_t blocks = 0;             ///< N_1: block (barrier) slots.
    std::int64_t warps = 0;              ///< N_2: warp slots.
    std::int64_t shared_memory = 0;      ///< S. `Unit:` bytes.
    std::int64_t shared_granularity = 1; ///< s_min. `Unit:` bytes.
    std::vector<RegisterFile> registers{};
    std::optional<std::int64_t> threads_per_block{}; ///< L(T/B).
    std::optional<std::int64_t> threads_per_grid{};  ///< L(T/G).
    std::optional<std::int64_t> shared_per_block{};  ///< L(S/B). `Unit:` bytes.
};

/// Resources that a kernel requires.
struct Demand {
    std::int64_t blocks = 1;               ///< G.
    std::int64_t threads = 0;              ///< B, per block.
    std::int64_t shared_memory = 0;        ///< s, per block. `Unit:` bytes.
    std::vector<std::int64_t> registers{}; ///< r_i, per warp. `Shape:` as `SlotLimits::registers`.
};

/// The conditions of eq. 3.1 that a launch breaks, one text each; none when it may be launched.
/// The limit per thread is multiplied by the warp size, because r_i is counted per warp (erratum).
/// Source: Kim 2023, eq. 3.1. Refuses incomplete limits and a demand without threads.
Result<std::vector<std::string>> broken_limits(const Demand& demand, const SlotLimits& limits);

/// N_slot and the terms whose minimum it is. A term is absent when the kernel does not use the
/// resource.
struct Slots {
    std::int64_t slots = 0;                                  ///< N_slot; 0 when no block fits.
    std::int64_t by_blocks = 0;                              ///< Eq. 3.9.
    std::int64_t by_warps = 0;                               ///< Eq. 3.9.
    std::optional<std::int64_t> by_shared_memory{};          ///< Eq. 3.10.
    std::vector<std::optional<std::int64_t>> by_registers{}; ///< Eq. 3.11, one per register file.
};

/// Blocks that one multiprocessor holds at a time.
/// Unit: blocks. Side: upper; exact under the greedy placement that the model assumes.
/// Source: Kim 2023, eq. 3.3 with the register term of eq. 3.11 (eq. 3.3 omits the warps of a
/// block). Refuses as `broken_limits`; it does not check eq. 3.1.
Result<Slots> slots(const Demand& demand, const SlotLimits& limits);

/// The symbols of `slots` with their values and sources.
std::vector<ExplainedSymbol> explain(const Demand& demand, const SlotLimits& limits,
                                     const Slots& result);

/// Multiprocessors of a machine from the times of kernels of 1, 2, 3.. blocks, each so large that a
/// multiprocessor holds one: the first count whose time is at least twice the first time, less 1.
/// `tolerance` is the relative error allowed on the doubling. `Shape:` times[blocks - 1].
/// Source: Kim 2023, eq. 3.8. Refuses times that never double, and times that are not positive.
Result<std::int64_t> multiprocessors_from(std::span<const double> times, double tolerance);

/// N_slot from the times of 1, 2, 3.. blocks on one multiprocessor: the first count after which one
/// more block costs the time of a block in isolation, T(N + 1) = T(N) + T(1). `Shape:` times[blocks
/// - 1]. Source: inferred from Kim 2023, eq. 3.2. It is too small where a single block already
/// saturates the bottleneck unit, because then residency changes no time. Refuses times without
/// such a count, and times that are not positive.
Result<std::int64_t> slots_from(std::span<const double> times, double tolerance);

/// A measured N_slot for one amount of one resource.
struct SlotSample {
    std::int64_t amount = 0; ///< s, or r_i per warp; warps b for `warp_slots_from`.
    std::int64_t warps = 1;  ///< b for registers; 1 for shared memory.
    std::int64_t slots = 0;  ///< N_slot.
};

struct Capacity {
    std::int64_t capacity = 0;
    std::int64_t granularity = 0;
};

/// Block slots N_1 = N_slot(1) and warp slots N_2 = max of b N_slot(b) from samples over b.
/// Source: Kim 2023, eq. 3.12. Refuses samples without b = 1.
struct WarpSlots {
    std::int64_t blocks = 0; ///< N_1.
    std::int64_t warps = 0;  ///< N_2.
};
Result<WarpSlots> warp_slots_from(std::span<const SlotSample> samples);

/// Capacity S or R_i and its allocation granularity from samples over the amount. `other_slots` is
/// what the other resources allow (N_1 and N_2). The granularity is the smallest that agrees with
/// all samples.
/// Source: Kim 2023, eq. 3.13 and the text after it; side lower on the capacity when no sample uses
/// it up. Refuses samples that no granularity explains.
Result<Capacity> capacity_from(std::span<const SlotSample> samples, std::int64_t other_slots);

} // namespace warpbound::models::gpudiag
