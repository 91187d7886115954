#pragma once
/// \file
/// The numbers that benchmarks of the calibration suite have in common with who inverts them.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// Counts of switched-off instructions whose times must lie on a line.
inline constexpr std::array<std::int64_t, 3> line_counts{8, 16, 32};
/// Passes of an access when their cost is looked for, and how long it keeps its port.
inline constexpr std::int64_t many_passes = 32;
/// Stores behind the slow one of the store plug, at most.
inline constexpr std::int64_t most_plugged = 16;
/// Stores of the store train.
inline constexpr std::array<std::int64_t, 4> train_counts{24, 36, 48, 64};
/// Switched-off instructions of each warp of the wake-order benchmark.
inline constexpr std::int64_t wake_filler = 128;
/// Operations of a warp in the crowd benchmarks: the difference of the times is that of the rest.
struct CrowdCounts {
    std::int64_t few = 0;
    std::int64_t many = 0;
};
/// The crowd that uses no port.
inline constexpr const char* crowd_of_none = "crowd-switched-off";
/// Warps of the largest block: so many crowd, start together and store at once.
inline constexpr std::int64_t crowd_warps = 32;
inline constexpr CrowdCounts crowd_counts{48, 112};
/// Blocks of the residence benchmarks: more are on no SM, nor of three warps or more.
inline constexpr std::int64_t resident_at_most = 66;
inline constexpr std::int64_t resident_wide_blocks = 24;
/// Warps of the blocks that use registers: they fill partitions unevenly.
inline constexpr std::array<std::int64_t, 4> resident_block_sizes{3, 7, 11, 16};
/// Registers of a thread, without those that sm_20 and sm_21 allocate in double units (C30).
std::vector<std::int64_t> resident_registers();
/// Shared memory of a block: every 64 or 128 bytes at first, then further apart. `Unit:` bytes.
std::vector<std::int64_t> resident_bytes();

/// A class that has benchmarks: "spacing-float-add", "crowd-float-add".
struct CalibratedClass {
    std::string name;
    std::string result_point; ///< That shows its latency: "result-float-add"; empty: none does.
    bool has_passes = false;  ///< An access: "port-store-global".
    bool is_buffered = false; ///< Enters the write buffer.
};
std::vector<CalibratedClass> calibrated_classes();
/// Those and what else the suite's code consists of.
std::vector<std::string> described_classes();

} // namespace warpbound::harness
