#pragma once
/// \file
/// The numbers that benchmarks of the caches have in common with who inverts them.

#include <array>
#include <cstdint>
#include <vector>

namespace warpbound::harness {

/// Runs in which it shows which level serves a load.
inline constexpr std::int64_t runs_of_a_level = 20;
/// A load of a line that was loaded before, and of one that nobody has loaded.
inline constexpr const char* loaded_point = "cache-levels/lines=1";
inline constexpr const char* cold_point = "cache-levels/lines=0";
/// Lines this far apart fall on one set of every cache whose size over its ways divides it.
/// `Unit:` bytes.
inline constexpr std::int64_t same_set_stride =
    std::int64_t{9 * 5 * 7 * 11 * 13} * (std::int64_t{1} << 21U);
inline constexpr std::int64_t most_ways = 32;
/// Of each number of ways, up to the most, one is larger and at most twice as large.
inline constexpr std::array<std::int64_t, 6> line_tries{2, 3, 5, 9, 17, 33};
/// Powers of two, and three and five times them, ascending only within each. `Unit:` bytes.
std::vector<std::int64_t> cache_strides();
/// `Unit:` bytes.
inline constexpr std::array<std::int64_t, 8> sector_offsets{8, 16, 32, 64, 128, 256, 512, 1024};
/// Lines that miss the L1 one behind the other, at most, and how far apart they are. `Unit:` bytes.
inline constexpr std::int64_t most_misses = 64;
inline constexpr std::int64_t miss_stride = 128;
/// Bytes that are walked over once so that the first lines are in the L2 only.
inline constexpr std::array<std::int64_t, 2> reload_walks{24 * 1024, 72 * 1024};
/// Of the lines that are to miss: the first one leaves a cache before all others, the last one
/// behind them.
inline constexpr std::array<std::int64_t, 2> reload_lines{0, most_misses - 1};
/// Of lanes next to each other. `Unit:` bytes.
inline constexpr std::array<std::int64_t, 9> lane_distances{0, 4, 8, 16, 32, 64, 128, 256, 512};

} // namespace warpbound::harness
