#pragma once
/// \file
/// The parameters shared by the benchmarks of the calibration suite and the relations that invert
/// them.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// Counts of predicated-off instructions whose times must be linear.
inline constexpr std::array<std::int64_t, 3> line_counts{8, 16, 32};
/// Transactions of an access whose pass cost and port occupancy are measured.
inline constexpr std::int64_t many_passes = 32;
/// Largest number of stores after the slow, blocking store of "store-plug".
inline constexpr std::int64_t most_plugged = 16;
/// Numbers of stores of "store-train".
inline constexpr std::array<std::int64_t, 4> train_counts{24, 36, 48, 64};
/// Predicated-off instructions per warp of the wake-order benchmark.
inline constexpr std::int64_t wake_filler = 128;
/// Operations per warp in the "crowd" benchmarks, in which many warps contend: the difference of
/// the times is that of the additional operations.
struct ContentionCounts {
    std::int64_t few = 0;
    std::int64_t many = 0;
};
/// The contention benchmark that uses no port.
inline constexpr const char* contention_without_port = "crowd-switched-off";
/// Warps of the largest block: the number of warps that contend, start together, and store at once.
inline constexpr std::int64_t contending_warps = 32;
inline constexpr ContentionCounts contention_counts{48, 112};
/// Blocks of the residency benchmarks: no SM holds more, and no SM holds more than
/// `resident_wide_blocks` of three or more warps.
inline constexpr std::int64_t resident_at_most = 66;
inline constexpr std::int64_t resident_wide_blocks = 24;
/// Warps per block in the register benchmark: they fill the partitions unevenly.
inline constexpr std::array<std::int64_t, 4> resident_block_sizes{3, 7, 11, 16};
/// Registers per thread, without the counts that sm_20 and sm_21 allocate in double units (C30).
std::vector<std::int64_t> resident_registers();
/// Shared memory per block: first in steps of 64 or 128 bytes, then in larger ones. `Unit:` bytes.
std::vector<std::int64_t> resident_bytes();

/// An opcode class that has benchmarks: "spacing-float-add", "crowd-float-add".
struct CalibratedClass {
    std::string name;
    std::string
        result_point; ///< The point that shows its latency: "result-float-add"; empty: none does.
    bool has_passes = false;  ///< A memory access: has "port-store-global".
    bool is_buffered = false; ///< Stores that enter the write buffer.
};
std::vector<CalibratedClass> calibrated_classes();
/// These classes and the other ones in the code of the suite.
std::vector<std::string> described_classes();

} // namespace warpbound::harness
