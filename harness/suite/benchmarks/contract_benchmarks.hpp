#pragma once
/// \file
/// The parameters shared by the benchmarks of the suite `contract` and the relations that the rules
/// of the timing contract require of their times.

#include <array>
#include <cstdint>

namespace warpbound::harness {

/// Iterations of the loop around the timed operations, so that what is loaded once is little of the
/// time.
inline constexpr std::int64_t contract_trips = 256;
/// Two lengths of the loop body: the difference of their times is that of the other operations.
struct BodyLengths {
    std::int64_t few = 0;
    std::int64_t many = 0;
};
/// More operations than a warp has scoreboards: each is then waited for in the loop.
inline constexpr BodyLengths chain_lengths{8, 64};
inline constexpr BodyLengths barrier_lengths{2, 16};
/// Bank-conflict degrees of a shared load.
inline constexpr BodyLengths conflict_degrees{1, 32};
/// Warps that contend for a port, the operations of each in an iteration, and the iterations.
inline constexpr std::int64_t contract_warps = 32;
inline constexpr std::int64_t port_operations = 32;
inline constexpr std::int64_t port_trips = 4;
/// Stores of each of `contract_warps` warps.
inline constexpr std::int64_t contract_stores = 8;
/// A pointer chase, twice over its footprint. `Unit:` bytes.
inline constexpr std::int64_t chase_footprint = 4096;
inline constexpr std::int64_t chase_stride = 128;
/// Uses by which few points show registers and shared memory as occupancy limits.
inline constexpr std::array<std::int64_t, 4> contract_registers{32, 64, 72, 128};
inline constexpr std::int64_t contract_register_warps = 5;
inline constexpr std::array<std::int64_t, 5> contract_bytes{1024, 2112, 5056, 12288, 40960};

} // namespace warpbound::harness
