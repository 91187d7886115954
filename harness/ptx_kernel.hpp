#pragma once
/// \file
/// A kernel as PTX, for devices that compile it, or as assembly, for cards of AMD.

#include "assembly/isa/opcode.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness {

/// An instruction that is intended to execute between the two clock reads.
struct IntendedInstruction {
    assembly::OpcodeClass opcode_class = assembly::OpcodeClass::Nop;
    std::string text; ///< Its PTX.
    /// Indices into the region: the instructions whose results it reads; ascending.
    std::vector<std::size_t> producers{};
};

/// The record that warp n of the launch (numbered block by block) writes at offset n x sizeof of
/// the first buffer.
struct WarpRecord {
    std::uint64_t first_clock = 0; ///< %clock64, or AMD's clock. `Unit:` cycles of its SM.
    std::uint64_t last_clock = 0;  ///< As above.
    /// %globaltimer, before the first clock read; of AMD, the timer in its steps.
    std::uint64_t nanoseconds_before = 0;
    std::uint64_t nanoseconds_after = 0; ///< %globaltimer, after the last clock read.
    std::uint64_t multiprocessor = 0;    ///< %smid, or the number of its CU.
};

/// Contents of a warp's memory for a pointer chase: every `stride` bytes the address of the next
/// such word; the last word of the `footprint` holds the address of the first. `Unit:` bytes.
struct PtxWalk {
    std::int64_t stride = 0;
    std::int64_t footprint = 0;
};

/// How long a block waits for the other blocks of the launch, from its own start: far longer than a
/// card needs to start all blocks that fit. `Unit:` cycles of its SM.
inline constexpr std::int64_t semaphore_time_out = 1 << 18;

/// A module with one kernel. Its parameters are four addresses and a number. The addresses: the
/// warp records; one word per thread, which receives a checksum of the results, so that no compiler
/// removes an instruction; `data`; and the memory that its accesses use. The number is one that no
/// checksum can equal, which the compiler cannot know.
struct PtxKernel {
    std::string entry;
    std::string text;
    std::vector<IntendedInstruction> region; ///< In program order.
    std::vector<std::uint64_t>
        data; ///< Register contents before the region: 32 lanes per register.
    std::int64_t shared_bytes =
        0; ///< Shared memory per block that its accesses use. `Unit:` bytes.
    std::int64_t memory_per_warp =
        0;                         ///< Global memory per warp that its accesses use. `Unit:` bytes.
    bool from_dram = false;        ///< Its accesses must miss in all caches.
    std::optional<PtxWalk> walk{}; ///< Empty: the memory holds zeros.
    /// The region is the body of a loop; the loop's own instructions add to a counter, compare it
    /// and branch.
    bool loops = false;
    /// Blocks wait for each other, see `emit_semaphore`: the launch states blocks per SM, and the
    /// kernel measures only how many blocks were resident on one SM at once.
    bool semaphore = false;
};

} // namespace warpbound::harness
