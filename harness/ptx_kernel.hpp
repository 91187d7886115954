#pragma once
/// \file
/// A kernel as PTX, for devices that compile it.

#include "assembly/isa/opcode.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness {

/// An instruction that shall be executed between the two clock reads.
struct MeantInstruction {
    assembly::OpcodeClass opcode_class = assembly::OpcodeClass::Nop;
    std::string text; ///< Its PTX.
    /// Of the region's instructions, those whose results it reads; ascending.
    std::vector<std::size_t> producers{};
};

/// What the warp with the number n of the launch (block by block) leaves at n x sizeof in the
/// first buffer.
struct WarpRecord {
    std::uint64_t first_clock = 0;        ///< %clock64. `Unit:` cycles of its SM.
    std::uint64_t last_clock = 0;         ///< As above.
    std::uint64_t nanoseconds_before = 0; ///< %globaltimer, before the first clock read.
    std::uint64_t nanoseconds_after = 0;  ///< Behind the last one.
    std::uint64_t multiprocessor = 0;     ///< %smid.
};

/// What the memory of a warp holds: every `stride` bytes the address of the next such word, the
/// last one of the `footprint` that of the first. `Unit:` bytes.
struct PtxWalk {
    std::int64_t stride = 0;
    std::int64_t footprint = 0;
};

/// How long a block waits for the others of a launch, from its own beginning: long beyond the time
/// in which a card begins all the blocks that fit. `Unit:` cycles of its SM.
inline constexpr std::int64_t semaphore_time_out = 1 << 18;

/// A module with one kernel. Its parameters are four addresses and a number: of the warp records;
/// of a word for each thread, which receives what its results add up to, so that no compiler leaves
/// an instruction out; of `data`; of the memory that its accesses use; and a number that no data
/// add up to, which the compiler cannot know.
struct PtxKernel {
    std::string entry;
    std::string text;
    std::vector<MeantInstruction> region; ///< In order.
    std::vector<std::uint64_t> data;  ///< What registers hold before the region: of each 32 lanes.
    std::int64_t shared_bytes = 0;    ///< Of a block, that its accesses use.
    std::int64_t memory_per_warp = 0; ///< That its accesses use. `Unit:` bytes.
    bool from_dram = false;           ///< Its accesses shall find nothing in a cache.
    std::optional<PtxWalk> walk{};    ///< Nothing: that memory holds zeros.
    /// The region is the body of a loop, which adds to a counter, compares it and branches.
    bool loops = false;
    /// Blocks wait for each other, see `emit_semaphore`: the blocks of its launch are for each SM,
    /// and it tells only how many were on one at once.
    bool semaphore = false;
};

} // namespace warpbound::harness
