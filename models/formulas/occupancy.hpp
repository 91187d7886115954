#pragma once
/// \file
/// Occupancy of a multiprocessor: co-resident blocks of a kernel, and the limiting resource. Of
/// NVIDIA by compute capability; of others with the limits of a description.

#include "assembly/support/result.hpp"
#include "models/formulas/explanation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models::occupancy {

/// Resources of one multiprocessor.
struct Limits {
    std::string name;        ///< "CC 8.6"
    std::int64_t blocks = 0; ///< Resident blocks.
    std::int64_t warps = 0;  ///< Resident warps.
    std::int64_t threads_per_block = 1024;
    std::int64_t registers = 0; ///< 32-bit registers of the multiprocessor.
    std::int64_t registers_per_block = 0;
    std::int64_t registers_per_thread = 0;
    std::int64_t register_unit = 0;       ///< Registers of a warp are allocated in this unit.
    std::int64_t register_partitions = 0; ///< Equal parts of the register file.
    std::int64_t shared_memory = 0;       ///< `Unit:` bytes, of the chosen carve-out.
    std::int64_t shared_per_block = 0; ///< `Unit:` bytes a block may ask for (opted in from 7.0).
    std::int64_t shared_unit = 0;      ///< `Unit:` bytes.
    std::int64_t shared_reserved = 0;  ///< `Unit:` bytes taken by the system for each block.
    /// Named barriers of the multiprocessor; none where no rule is known (2.x, 3.x, 8.7, 10.0).
    std::optional<std::int64_t> barriers;
    std::int64_t warp_size = 32;      ///< `Unit:` threads.
    bool fermi_register_rule = false; ///< Some register counts are allocated in units of 128.
};

/// The limits of a compute capability "8.6", with the largest carve-out of shared memory.
/// Refuses capabilities that the table does not have, 1.x among them: it allocates per block.
/// Source: cuda_occupancy.h (granularities, blocks, barriers); CUDA C Programming Guide, from
/// memory (totals); reference models 8.1. The shared memory that a block of 8.6, 8.7, 10.0 and 12.x
/// may have is inferred: the total less what is reserved, as printed for 8.0, 8.9 and 9.0.
Result<Limits> limits_of(std::string_view compute_capability);

/// The sizes that the shared memory of a multiprocessor can be set to, increasing; the rest of the
/// same memory is L1. One size where nothing can be set. `Unit:` bytes.
/// Source: cuda_occupancy.h (reference models 8.1); 2.x, 3.x and 7.2, whose sizes are not in the
/// reference, and unknown capabilities are refused.
Result<std::vector<std::int64_t>> carve_outs(std::string_view compute_capability);

/// `limits_of` with this carve-out instead of the largest. Refuses what `carve_outs` does not list.
Result<Limits> limits_with_carve_out(std::string_view compute_capability, std::int64_t bytes);

/// Resources that one block requires.
struct Block {
    std::int64_t threads = 0;
    std::int64_t registers_per_thread = 0;
    std::int64_t shared_memory = 0;  ///< `Unit:` bytes, static and dynamic together.
    std::int64_t named_barriers = 0; ///< 0 or 1 never limits anything.
};

enum class Resource { Warps, Blocks, Registers, SharedMemory, Barriers };
std::string_view to_string(Resource resource);

/// Blocks that one resource allows.
struct ResourceLimit {
    Resource resource = Resource::Warps;
    std::int64_t blocks = 0; ///< 0: the block can never be launched.
};

struct Occupancy {
    std::int64_t blocks = 0; ///< Resident blocks; 0 when the block can never be launched.
    std::int64_t warps = 0;  ///< Resident warps.
    double fraction = 0;     ///< Resident warps over the most that the multiprocessor holds.
    std::int64_t registers_of_block = 0; ///< As allocated.
    std::int64_t shared_of_block = 0;    ///< As allocated. `Unit:` bytes.
    std::vector<ResourceLimit> limits;   ///< One per resource that the block uses.
    /// Those of `limits` that allow no more than `blocks`: the limiting resources.
    [[nodiscard]] std::vector<Resource> limiting() const;
};

/// Blocks of `warps` warps that the register file allows; 0 when such a block can never be
/// launched. Requires: all amounts are at least 1, warps and their size at most 2^20.
/// Unit: blocks. Side and source: those of `resident`.
std::int64_t blocks_by_registers(std::int64_t registers_per_thread, std::int64_t warps,
                                 std::int64_t threads_per_warp, const Limits& limits);
/// Blocks that the shared memory allows; nothing when a block takes none of it, so that it does not
/// limit. Unit: bytes, static and dynamic together. Side and source: those of `resident`.
std::optional<std::int64_t> blocks_by_shared_memory(std::int64_t bytes, const Limits& limits);

/// Resident blocks of one multiprocessor.
/// Unit: blocks and warps. Side: upper; exact for the vendor's allocation rules, and what a run
/// achieves can only be lower. Sound when: the limits are those of the device and its carve-out.
/// Source: cuda_occupancy.h (CUDA 13); reference models 8.1.
/// Refuses a block without threads, negative amounts, incomplete limits, and more than one named
/// barrier where the machine's number of barriers is not known.
Result<Occupancy> resident(const Block& block, const Limits& limits);

/// The symbols of `resident` with their values and sources.
std::vector<ExplainedSymbol> explain(const Block& block, const Limits& limits,
                                     const Occupancy& result);

} // namespace warpbound::models::occupancy
