#pragma once
/// \file
/// The parameters shared by the cache benchmarks and the calibration relations that invert them.

#include <array>
#include <cstdint>
#include <vector>

namespace warpbound::harness {

/// Runs that suffice to identify the level that serves a load.
inline constexpr std::int64_t runs_of_a_level = 20;
/// A load of a line loaded before, and of a line never loaded.
inline constexpr const char* loaded_point = "cache-levels/lines=1";
inline constexpr const char* cold_point = "cache-levels/lines=0";
/// Lines at this distance map to the same set in every cache whose size per way divides it. `Unit:`
/// bytes.
inline constexpr std::int64_t same_set_stride =
    std::int64_t{9 * 5 * 7 * 11 * 13} * (std::int64_t{1} << 21U);
inline constexpr std::int64_t most_ways = 32;
/// Numbers of lines to try: for every number of ways up to the largest, one is larger and at most
/// twice as large.
inline constexpr std::array<std::int64_t, 6> line_tries{2, 3, 5, 9, 17, 33};
/// Powers of two, each with its triple and quintuple, so the list is not sorted. `Unit:` bytes.
std::vector<std::int64_t> cache_strides();
/// `Unit:` bytes.
inline constexpr std::array<std::int64_t, 8> sector_offsets{8, 16, 32, 64, 128, 256, 512, 1024};
/// Largest number of consecutive L1 misses, and the distance of their lines. `Unit:` bytes.
inline constexpr std::int64_t most_misses = 64;
inline constexpr std::int64_t miss_stride = 128;
/// Sizes of walks after which the first lines are in the L2 only. `Unit:` bytes.
inline constexpr std::array<std::int64_t, 2> reload_walks{24 * 1024, 72 * 1024};
/// Probed lines among those that must miss: the first is evicted before all others, the last after
/// them.
inline constexpr std::array<std::int64_t, 2> reload_lines{0, most_misses - 1};
/// Distances of adjacent lanes. `Unit:` bytes.
inline constexpr std::array<std::int64_t, 9> lane_distances{0, 4, 8, 16, 32, 64, 128, 256, 512};

} // namespace warpbound::harness
