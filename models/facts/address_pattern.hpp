#pragma once
/// \file
/// Address patterns: the addresses that the lanes of a warp access, as a formula, and the number of
/// memory transactions, bank-conflict passes or replays that an access takes (C21, C22). No times.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace warpbound::models {

/// The address of lane l of warp w of block b at the n-th execution (from 0) of an instruction by
/// its warp is base + (offset mod footprint), with offset = (l mod row) * thread_stride + (l / row)
/// * row_stride + w * warp_stride + b * block_stride + n * iteration_stride. With `random` it is
/// base + a multiple of the access width below the footprint, drawn from (seed, b, w, n, l) the
/// same for every run. `Unit:` bytes. All sums are taken modulo 2^48.
struct AddressPattern {
    std::uint64_t base = 0;
    std::uint64_t thread_stride = 0;
    std::uint64_t row = 64; ///< Lanes in a row, 1..64.
    std::uint64_t row_stride = 0;
    std::uint64_t warp_stride = 0;
    std::uint64_t block_stride = 0;
    std::uint64_t iteration_stride = 0;
    std::uint64_t footprint = std::uint64_t{1} << 48U;
    std::optional<std::uint64_t> random; ///< Seed.
    friend bool operator==(const AddressPattern&, const AddressPattern&) = default;
};

inline constexpr std::size_t most_lanes = 64;

/// One execution of an instruction by a warp.
struct WarpAccess {
    std::uint64_t block = 0;     ///< Of the launch.
    std::uint64_t warp = 0;      ///< Of the block.
    std::uint64_t execution = 0; ///< Of the instruction, by this warp, from 0.
};

/// The active lanes of an access, with their addresses.
struct LaneAddresses {
    std::array<std::uint64_t, most_lanes> address{}; ///< Of lane i, where bit i of `active` is set.
    std::uint64_t active = 0;
    std::uint64_t bytes = 4; ///< Accessed by each lane.
};

/// The lanes 0 .. lanes - 1. Requires: lanes <= 64.
constexpr std::uint64_t all_lanes(std::int64_t lanes) {
    return lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << static_cast<unsigned>(lanes)) - 1;
}

/// How many threads of a block a warp of it has: the last one may have fewer than the others (C21).
/// Requires: 0 <= `warp` < number of the block's warps.
constexpr std::int64_t lanes_of_warp(std::int64_t threads, std::int64_t warp_size,
                                     std::int64_t warp) {
    return std::min(warp_size, threads - warp * warp_size);
}

LaneAddresses addresses_of(const AddressPattern& pattern, const WarpAccess& access,
                           std::uint64_t active, std::uint64_t bytes);

/// A cache line that an access refers to.
struct TouchedLine {
    std::uint64_t address = 0; ///< Of its first byte.
    std::uint64_t sectors = 0; ///< Bit i: its i-th sector is accessed.
    friend bool operator==(const TouchedLine&, const TouchedLine&) = default;
};

/// Whether a line has 1 to 64 of these sectors, both powers of two. `Unit:` bytes.
bool fit_together(std::uint64_t line, std::uint64_t sector);

/// The lines in the order of the first lane that accesses them. Requires: `fit_together(line,
/// sector)`. `Unit:` bytes.
void coalesce(const LaneAddresses& lanes, std::uint64_t line, std::uint64_t sector,
              std::vector<TouchedLine>& lines);

/// How often the most frequent number stands in sorted ones; 0 when there are none.
std::int64_t longest_run(std::span<const std::uint64_t> sorted);

/// Passes of an access, by the rule of its instruction: memory transactions (lines), bank-conflict
/// degree (banks), replays of atomics. At least 1. `Unit:` of sizes, bytes.
std::int64_t line_passes(const LaneAddresses& lanes, std::uint64_t line);
std::int64_t bank_passes(const LaneAddresses& lanes, std::uint64_t banks, std::uint64_t width);
std::int64_t shared_atomic_passes(const LaneAddresses& lanes, std::uint64_t banks,
                                  std::uint64_t width);
std::int64_t global_atomic_passes(const LaneAddresses& lanes, std::uint64_t line);
/// Passes of an access that serves one word at a time: one per distinct address.
std::int64_t word_passes(const LaneAddresses& lanes);

/// Inclusive.
struct PassRange {
    std::int64_t lo = 1;
    std::int64_t hi = 1;
    friend bool operator==(const PassRange&, const PassRange&) = default;
};

/// Smallest and largest number of passes over all blocks, warps and executions of a pattern. Each
/// warp has one of these numbers of lanes, all of them active. Requires: at least one number; of
/// `passes`: it depends on addresses modulo `period` only, as far as the pattern does not wrap
/// around, and is at most two per lane (one where lanes are aligned to their bytes). Side: the
/// range may be too wide, never too narrow.
PassRange pass_range(const AddressPattern& pattern, std::span<const std::int64_t> lanes,
                     std::uint64_t bytes, std::uint64_t period,
                     const std::function<std::int64_t(const LaneAddresses&)>& passes);

} // namespace warpbound::models
