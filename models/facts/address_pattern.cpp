#include "models/facts/address_pattern.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace warpbound::models {
namespace {

constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48U) - 1;

/// Holds sums of strides times counts, which no 64 bits do.
__extension__ using Sum = unsigned __int128;

/// splitmix64.
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
}

/// The offsets of the lanes from the first one, without a division for each.
class LaneOffsets {
public:
    explicit LaneOffsets(const AddressPattern& pattern) : pattern_{&pattern} {}

    /// Requires: not before the lane of the last call.
    std::uint64_t of(std::uint64_t lane) {
        for (; lane - row_begin_ >= pattern_->row; row_begin_ += pattern_->row)
            row_offset_ += pattern_->row_stride;
        return (lane - row_begin_) * pattern_->thread_stride + row_offset_;
    }

private:
    const AddressPattern* pattern_;
    std::uint64_t row_begin_ = 0; ///< The first lane of the row.
    std::uint64_t row_offset_ = 0;
};

/// Calls with every active lane, the lowest first.
template <typename Visit> void for_each_lane(std::uint64_t active, const Visit& visit) {
    for (; active != 0; active &= active - 1)
        visit(static_cast<std::size_t>(std::countr_zero(active)));
}

/// Sorted numbers of the lanes' words, a lane once for each word it touches.
struct Words {
    std::array<std::uint64_t, most_lanes * 16> words;
    std::size_t count = 0;

    [[nodiscard]] bool is_full() const { return count == words.size(); }
    void add(std::uint64_t word) { words[count++] = word; }
    [[nodiscard]] std::span<const std::uint64_t> sorted() {
        const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
        if (!std::is_sorted(words.begin(), end)) std::sort(words.begin(), end);
        return {words.data(), count};
    }
};

enum class Repeats { Free, Count }; ///< Lanes that share a word.

/// Sum over groups of lanes, each as wide as all banks, of the words on the most loaded bank.
std::int64_t passes_of_banks(const LaneAddresses& lanes, std::uint64_t banks, std::uint64_t width,
                             Repeats repeats) {
    const std::uint64_t group =
        std::clamp<std::uint64_t>(banks * width / std::max<std::uint64_t>(1, lanes.bytes), 1,
                                  std::min<std::uint64_t>(banks, most_lanes));
    std::int64_t passes = 0;
    for (std::uint64_t first = 0; first < most_lanes; first += group) {
        const std::uint64_t members =
            lanes.active & (all_lanes(static_cast<std::int64_t>(group)) << first);
        Words accessed;
        for_each_lane(members, [&](std::size_t lane) {
            const std::uint64_t begin = lanes.address[lane] / width;
            const std::uint64_t end = (lanes.address[lane] + lanes.bytes - 1) / width;
            for (std::uint64_t word = begin; word <= end && !accessed.is_full(); ++word)
                accessed.add(word);
        });
        // Words of one bank side by side.
        const auto sorted = accessed.sorted();
        Words on_bank;
        for (std::size_t index = 0; index < sorted.size(); ++index)
            if (repeats == Repeats::Count || index == 0 || sorted[index] != sorted[index - 1])
                on_bank.add(sorted[index] % banks);
        passes += longest_run(on_bank.sorted());
    }
    return std::max<std::int64_t>(1, passes);
}

} // namespace

std::int64_t longest_run(std::span<const std::uint64_t> sorted) {
    std::int64_t longest = 0;
    std::int64_t run = 0;
    for (std::size_t index = 0; index < sorted.size(); ++index) {
        run = index > 0 && sorted[index] == sorted[index - 1] ? run + 1 : 1;
        longest = std::max(longest, run);
    }
    return longest;
}

LaneAddresses addresses_of(const AddressPattern& pattern, const WarpAccess& access,
                           std::uint64_t active, std::uint64_t bytes) {
    LaneAddresses lanes;
    lanes.active = active;
    lanes.bytes = bytes;
    if (pattern.random) {
        const std::uint64_t words = std::max<std::uint64_t>(1, pattern.footprint / bytes);
        const std::uint64_t warp = mixed(
            mixed(mixed(mixed(*pattern.random) ^ access.block) ^ access.warp) ^ access.execution);
        for_each_lane(active, [&](std::size_t lane) {
            lanes.address[lane] =
                (pattern.base + mixed(warp ^ lane) % words * bytes) & address_mask;
        });
        return lanes;
    }
    const Sum sum = Sum{access.warp} * pattern.warp_stride +
                    Sum{access.block} * pattern.block_stride +
                    Sum{access.execution} * pattern.iteration_stride;
    const bool wraps = pattern.footprint <= address_mask;
    const auto common =
        static_cast<std::uint64_t>(wraps ? sum % pattern.footprint : sum & address_mask);
    LaneOffsets offsets{pattern};
    for_each_lane(active, [&](std::size_t lane) {
        std::uint64_t offset = common + offsets.of(lane);
        if (wraps && offset >= pattern.footprint) offset %= pattern.footprint;
        lanes.address[lane] = (pattern.base + offset) & address_mask;
    });
    return lanes;
}

bool fit_together(std::uint64_t line, std::uint64_t sector) {
    return std::has_single_bit(line) && std::has_single_bit(sector) && sector <= line &&
           line / sector <= 64;
}

void coalesce(const LaneAddresses& lanes, std::uint64_t line, std::uint64_t sector,
              std::vector<TouchedLine>& lines) {
    lines.clear();
    const auto line_shift = static_cast<unsigned>(std::countr_zero(line));
    const auto sector_shift = static_cast<unsigned>(std::countr_zero(sector));
    for_each_lane(lanes.active, [&](std::size_t lane) {
        const std::uint64_t last = (lanes.address[lane] + lanes.bytes - 1) >> sector_shift;
        for (std::uint64_t at = lanes.address[lane] >> sector_shift; at <= last; ++at) {
            const std::uint64_t address = (at << sector_shift) >> line_shift << line_shift;
            const std::uint64_t bit = std::uint64_t{1} << (at - (address >> sector_shift));
            auto found = std::find_if(lines.rbegin(), lines.rend(), [&](const TouchedLine& other) {
                return other.address == address;
            });
            if (found != lines.rend())
                found->sectors |= bit;
            else
                lines.push_back({.address = address, .sectors = bit});
        }
    });
}

std::int64_t line_passes(const LaneAddresses& lanes, std::uint64_t line) {
    std::vector<TouchedLine> lines;
    coalesce(lanes, line, line, lines);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(lines.size()));
}

std::int64_t bank_passes(const LaneAddresses& lanes, std::uint64_t banks, std::uint64_t width) {
    return passes_of_banks(lanes, banks, width, Repeats::Free);
}

std::int64_t shared_atomic_passes(const LaneAddresses& lanes, std::uint64_t banks,
                                  std::uint64_t width) {
    return passes_of_banks(lanes, banks, width, Repeats::Count);
}

std::int64_t global_atomic_passes(const LaneAddresses& lanes, std::uint64_t line) {
    std::vector<std::uint64_t> sorted;
    for_each_lane(lanes.active, [&](std::size_t lane) { sorted.push_back(lanes.address[lane]); });
    std::sort(sorted.begin(), sorted.end());
    std::int64_t passes = 0;
    for (auto rest = std::span<const std::uint64_t>{sorted}; !rest.empty();) {
        const auto other = std::ranges::find_if(
            rest, [&](std::uint64_t address) { return address / line != rest.front() / line; });
        const auto of_line = rest.first(static_cast<std::size_t>(other - rest.begin()));
        passes += longest_run(of_line);
        rest = rest.subspan(of_line.size());
    }
    return std::max<std::int64_t>(1, passes);
}

std::int64_t word_passes(const LaneAddresses& lanes) {
    std::vector<std::uint64_t> sorted;
    for_each_lane(lanes.active, [&](std::size_t lane) { sorted.push_back(lanes.address[lane]); });
    std::sort(sorted.begin(), sorted.end());
    const auto last = std::unique(sorted.begin(), sorted.end());
    return std::max<std::int64_t>(1, last - sorted.begin());
}

PassRange pass_range(const AddressPattern& pattern, std::span<const std::int64_t> lanes,
                     std::uint64_t bytes, std::uint64_t period,
                     const std::function<std::int64_t(const LaneAddresses&)>& passes) {
    bool aligned = pattern.base % bytes == 0;
    if (!pattern.random) // Else multiples of `bytes` are added.
        for (const std::uint64_t stride :
             {pattern.thread_stride, pattern.row_stride, pattern.warp_stride, pattern.block_stride,
              pattern.iteration_stride, pattern.footprint})
            aligned = aligned && stride % bytes == 0;
    const std::int64_t most_lanes_of_warp = std::ranges::max(lanes);
    const PassRange any{.lo = 1, .hi = aligned ? most_lanes_of_warp : 2 * most_lanes_of_warp};
    if (pattern.random) return any;
    // Warps, blocks and executions add multiples of `step` to all addresses.
    const std::uint64_t whole = pattern.footprint <= address_mask ? pattern.footprint : period;
    const std::uint64_t step = std::gcd(std::gcd(pattern.warp_stride, pattern.block_stride),
                                        std::gcd(pattern.iteration_stride, whole));
    constexpr std::uint64_t most_places = 4096;
    if (whole / step > most_places) return any;
    AddressPattern moved = pattern;
    moved.iteration_stride = step;
    moved.warp_stride = 0;
    moved.block_stride = 0;
    std::optional<PassRange> range;
    for (std::uint64_t index = 0; index < whole / step; ++index)
        for (const std::int64_t count : lanes) {
            const std::int64_t found = passes(addresses_of(
                moved, {.block = 0, .warp = 0, .execution = index}, all_lanes(count), bytes));
            range = range ? PassRange{std::min(range->lo, found), std::max(range->hi, found)}
                          : PassRange{found, found};
        }
    return *range;
}

} // namespace warpbound::models
