#include "analyzer/memory/footprint_analysis.hpp"

#include "analyzer/memory/access_enumeration.hpp"
#include "analyzer/memory/first_touches.hpp"
#include "analyzer/memory/outstanding_loads.hpp"
#include "analyzer/memory/row_activations.hpp"
#include "analyzer/memory/writebacks.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

std::int64_t size_of(std::uint64_t bits) {
    return std::popcount(bits);
}

/// A line of the L1 and its uses by all accesses.
struct LineUse {
    std::uint64_t sectors = 0; ///< Sectors that loads access.
    bool same_sectors = true;  ///< Every load of this line accesses the same sectors.
    bool certainly_loaded = false;
    std::int64_t stores = 0;
    std::int64_t sharers = 0; ///< Largest number of line accesses outstanding together.
    std::int64_t warp = -1;   ///< The last warp that loaded from it.
    std::size_t instruction = 0;
    std::uint64_t sectors_of_warp = 0;
    bool same_sectors_of_warp = true;
    std::uint64_t sectors_of_load = 0; ///< Loaded by the same warp and instruction.

    /// Number of requests that fetch the line once.
    [[nodiscard]] std::int64_t requests() const { return same_sectors ? 1 : size_of(sectors); }
};

/// A sector of the L2.
struct SectorUse {
    bool loaded = false;
    bool certainly_loaded = false;
    bool stored = false;
};

class FootprintAnalysis {
public:
    FootprintAnalysis(const TimedKernel& kernel, const LaunchGeometry& shape,
                      const MemoryParameters& caches, const AccessEnumeration& accesses)
        : kernel_{kernel}, shape_{shape}, caches_{caches}, accesses_{accesses} {
        for (std::size_t i = 0; i < kernel.timings.size(); ++i)
            once_.push_back(accesses.executions(i) > 0 && accesses.is_load(i) &&
                            is_outstanding_once(kernel, i));
    }

    Footprint find() {
        footprint_.passes.assign(kernel_.timings.size(), {0, std::nullopt, 0});
        accesses_.for_each([&](const Access& access) { add(access); });
        footprint_.transactions = transactions();
        if (footprint_.transactions && footprint_.sharers > caches_.merges)
            footprint_.loads_without_sectors = loads_without_sectors(accesses_, caches_.sector)
                                                   .value_or(std::vector<std::int64_t>{});
        footprint_.fetched = fetched();
        footprint_.writebacks = writebacks(accesses_, caches_, shape_.multiprocessors,
                                           footprint_.transactions.has_value());
        writes_ = !footprint_.writebacks || footprint_.writebacks->transfers > 0;
        footprint_.new_to_warp = new_to_warp();
        footprint_.least_of_transfer = least_of_transfer();
        footprint_.always_misses.assign(kernel_.timings.size(), false);
        for (std::size_t i = 0; i < kernel_.timings.size(); ++i)
            footprint_.always_misses[i] = accesses_.executions(i) > 0 && accesses_.is_load(i);
        accesses_.for_each([&](const Access& access) {
            if (!has_private_sector(access.lines->back()))
                footprint_.always_misses[access.instruction] = false;
            if (access.load)
                footprint_.shared_lines +=
                    std::ranges::count_if(*access.lines, [&](const models::TouchedLine& line) {
                        return !has_private_sector(line);
                    });
        });
        count_least();
        footprint_.rows = row_activations(kernel_, caches_, accesses_, writes_);
        return std::move(footprint_);
    }

private:
    /// Calls `each(number)` for every aligned chunk of `size` bytes that the access touches, in
    /// order.
    template <class Each>
    void for_each_chunk(const models::TouchedLine& line, std::uint64_t size, Each each) const {
        std::uint64_t next = 0; // First chunk that is not visited yet.
        for (std::uint64_t rest = line.sectors; rest != 0; rest &= rest - 1) {
            const auto sector = static_cast<std::uint64_t>(std::countr_zero(rest));
            const std::uint64_t begin = line.address + sector * caches_.sector;
            const std::uint64_t last = (begin + caches_.sector - 1) / size;
            for (next = std::max(next, begin / size); next <= last; ++next)
                each(next);
        }
    }
    /// Largest unit that a cache fetches: a sector of either level.
    [[nodiscard]] std::uint64_t largest_sector() const {
        return std::max(caches_.sector, caches_.second_sector);
    }

    void add(const Access& access) {
        ++access_;
        const auto lines = static_cast<std::int64_t>(access.lines->size());
        models::Interval& passes = footprint_.passes[access.instruction];
        passes.lo = passes.hi == 0 ? lines : std::min(passes.lo, lines);
        passes.hi = std::max(passes.hi, lines);
        if (access.load) footprint_.load_lines += lines;
        check_stop("the footprint");
        for (const models::TouchedLine& line : *access.lines) {
            LineUse& use = uses_[line.address];
            if (access.load)
                add_load(access, line, use);
            else
                add_store(access, use);
            std::int64_t second_sectors = 0;
            for_each_chunk(line, caches_.second_sector, [&](std::uint64_t number) {
                SectorUse& sector = sectors_[number];
                sector.loaded = sector.loaded || access.load;
                sector.certainly_loaded =
                    sector.certainly_loaded || (access.load && access.certain);
                sector.stored = sector.stored || !access.load;
                ++second_sectors;
            });
            std::int64_t& most =
                access.load ? footprint_.most_second_sectors : footprint_.most_stored_sectors;
            most = std::max(most, second_sectors);
            if (access.load) footprint_.second_sectors += second_sectors;
            for_each_chunk(line, largest_sector(), [&](std::uint64_t chunk) {
                // Lines of one access may share a sector of the L2.
                auto& [accesses, last] = chunks_[chunk];
                if (last != access_) ++accesses;
                last = access_;
            });
        }
    }

    void add_load(const Access& access, const models::TouchedLine& line, LineUse& use) {
        use.same_sectors = use.same_sectors && (use.sectors == 0 || use.sectors == line.sectors);
        use.sectors |= line.sectors;
        use.certainly_loaded = use.certainly_loaded || access.certain;
        footprint_.most_sectors = std::max(footprint_.most_sectors, size_of(line.sectors));
        footprint_.further_sectors += size_of(line.sectors) - 1;
        const bool same_warp = use.warp == access.warp;
        const bool same_load = same_warp && use.instruction == access.instruction;
        if (!same_load || !once_[access.instruction]) {
            ++use.sharers;
            use.sectors_of_load = 0;
        }
        footprint_.sharers = std::max(footprint_.sharers, use.sharers);
        if (warps_.empty() || warps_.back().warp != access.warp) warps_.push_back({access.warp});
        Warp& warp = warps_.back();
        // Data that an execution fetches are present for the next one, which waits for it.
        const bool fresh = (line.sectors & ~use.sectors_of_load) != 0;
        if (fresh && warp.fresh_access != access_) {
            ++warp.loads;
            warp.fresh_access = access_;
        }
        if (warp.access != access_) ++warp.all_loads;
        warp.access = access_;
        warp.requests += requests_of_warp(same_warp, line.sectors, use);
        use.sectors_of_load |= line.sectors;
        use.warp = access.warp;
        use.instruction = access.instruction;
    }
    /// Additional requests by which a warp can fetch the line to the L1, now that it accesses these
    /// sectors.
    static std::int64_t requests_of_warp(bool same_warp, std::uint64_t sectors, LineUse& use) {
        if (!same_warp) {
            use.sectors_of_warp = sectors;
            use.same_sectors_of_warp = true;
            return 1;
        }
        const std::int64_t before = use.same_sectors_of_warp ? 1 : size_of(use.sectors_of_warp);
        use.same_sectors_of_warp = use.same_sectors_of_warp && use.sectors_of_warp == sectors;
        use.sectors_of_warp |= sectors;
        return (use.same_sectors_of_warp ? 1 : size_of(use.sectors_of_warp)) - before;
    }
    void add_store(const Access& access, LineUse& use) {
        ++use.stores;
        if (access.certain) ++footprint_.least_store_transactions;
    }

    /// Whether the line access touches a sector that no other access touches.
    [[nodiscard]] bool has_private_sector(const models::TouchedLine& line) const {
        bool is_private = false;
        for_each_chunk(line, largest_sector(), [&](std::uint64_t chunk) {
            is_private = is_private || chunks_.at(chunk).first == 1;
        });
        // Another line of the same access may have requested a sector that both share.
        return is_private && caches_.second_sector <= caches_.line;
    }

    [[nodiscard]] std::optional<std::int64_t> transactions() const {
        if (caches_.sets == 0) return std::nullopt;
        std::unordered_map<std::uint64_t, std::int64_t> lines_of_set;
        std::int64_t sum = 0;
        for (const auto& [address, use] : uses_) {
            if (use.sectors == 0) continue;
            if (++lines_of_set[address / caches_.line % caches_.sets] > caches_.ways)
                return std::nullopt;
            sum += use.requests() * (1 + (caches_.write_evict ? use.stores : 0));
        }
        return sum;
    }

    /// A sector that a load of the warp has fetched is present for its later loads, unless a store
    /// may have evicted it.
    [[nodiscard]] std::int64_t new_to_warp() const {
        const bool may_evict =
            caches_.write_evict && std::any_of(uses_.begin(), uses_.end(), [](const auto& use) {
                return use.second.stores > 0 && use.second.sectors != 0;
            });
        std::int64_t most = 0;
        for (const Warp& warp : warps_)
            most = std::max(most, may_evict ? warp.all_loads : std::min(warp.loads, warp.requests));
        return most;
    }

    [[nodiscard]] std::int64_t second_sectors_of(std::uint64_t line, const LineUse& use) const {
        std::int64_t sectors = 0;
        for_each_chunk({line, use.sectors}, caches_.second_sector,
                       [&](std::uint64_t) { ++sectors; });
        return sectors;
    }
    /// Whether all sectors of the line that loads access are always fetched together.
    [[nodiscard]] bool is_fetched_whole(const LineUse& use) const {
        return use.same_sectors && use.stores == 0 && caches_.second_sector <= caches_.line;
    }
    [[nodiscard]] std::int64_t least_of_transfer() const {
        std::int64_t least = footprint_.most_second_sectors;
        for (const auto& [address, use] : uses_)
            if (use.sectors != 0)
                least =
                    is_fetched_whole(use) ? std::min(least, second_sectors_of(address, use)) : 1;
            else if (writes_)
                least = 1; // Only stored: a writeback may contain a single sector.
        return std::max<std::int64_t>(1, least);
    }

    [[nodiscard]] std::optional<Footprint::Fetched> fetched() const {
        if (!caches_.knows_second_sets()) return std::nullopt;
        std::unordered_set<std::uint64_t> lines; // Of the L2.
        std::unordered_map<std::uint64_t, std::int64_t> lines_of_set;
        Footprint::Fetched sum;
        for (const auto& [address, use] : uses_) {
            const std::uint64_t line = address / caches_.second_line;
            if (lines.insert(line).second &&
                ++lines_of_set[caches_.second_set_of(line)] > caches_.second_ways)
                return std::nullopt;
            const std::int64_t second_sectors = second_sectors_of(address, use);
            sum.transfers +=
                is_fetched_whole(use) ? std::min<std::int64_t>(1, second_sectors) : second_sectors;
        }
        sum.sectors = std::count_if(sectors_.begin(), sectors_.end(),
                                    [](const auto& use) { return use.second.loaded; });
        sum.transfers = std::min(sum.transfers, sum.sectors);
        return sum;
    }

    void count_least() {
        for (const auto& [address, use] : uses_)
            if (use.certainly_loaded) ++footprint_.least_load_transactions;
        const bool known = caches_.knows_channels();
        std::unordered_map<std::uint64_t, std::int64_t> of_channel;
        for (const auto& [number, use] : sectors_) {
            if (!use.certainly_loaded || use.stored) continue;
            std::int64_t& sectors =
                of_channel[known ? caches_.channel_of(number * caches_.second_sector) : 0];
            footprint_.least_sectors = std::max(footprint_.least_sectors, ++sectors);
        }
        if (!known)
            footprint_.least_sectors =
                models::divide_up(footprint_.least_sectors, caches_.channels.hi);
    }
    /// Loads of one warp.
    struct Warp {
        std::int64_t warp = 0;
        std::int64_t access = 0;       ///< The last access.
        std::int64_t fresh_access = 0; ///< The last access that counts in `loads`.
        std::int64_t all_loads = 0;
        std::int64_t loads = 0; ///< Loads with sectors that the instruction has not loaded before.
        std::int64_t requests = 0; ///< Loads that miss if nothing is replaced.
    };

    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    const MemoryParameters& caches_;
    const AccessEnumeration& accesses_;
    std::vector<bool>
        once_; ///< Per instruction: a load of which a warp has at most one outstanding.
    std::unordered_map<std::uint64_t, LineUse> uses_;
    std::unordered_map<std::uint64_t, SectorUse> sectors_;
    std::vector<Warp> warps_;
    /// Number of accesses that touch a chunk, and the last of them.
    std::unordered_map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> chunks_;
    std::int64_t access_ = 0;
    bool writes_ = true; ///< Stored data may be written to DRAM.
    Footprint footprint_;
};

} // namespace

std::optional<Footprint> footprint_of(const TimedKernel& kernel, const LaunchGeometry& shape,
                                      const MemoryParameters& caches) {
    const auto accesses = AccessEnumeration::of(kernel, shape, caches);
    if (!accesses) return std::nullopt;
    return FootprintAnalysis{kernel, shape, caches, *accesses}.find();
}

} // namespace warpbound::analyzer
