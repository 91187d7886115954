#include "analyzer/memory/footprint_analysis.hpp"

#include "analyzer/launch/context.hpp"
#include "analyzer/memory/access_enumeration.hpp"
#include "analyzer/memory/outstanding_loads.hpp"
#include "analyzer/memory/row_activations.hpp"
#include "analyzer/memory/writebacks.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace warpbound::analyzer {

namespace {

std::int64_t size_of(std::uint64_t bits) {
    return std::popcount(bits);
}

/// A line of the L1, as all accesses together use it.
struct LineUse {
    std::uint64_t sectors = 0; ///< Footprint by loads.
    bool alike = true;         ///< Every load that touches it touches these sectors.
    bool surely_loaded = false;
    std::int64_t stores = 0;
    std::int64_t sharers = 0; ///< Line accesses that are under way together, at most.
    std::int64_t warp = -1;   ///< The last one that loaded from it.
    std::size_t instruction = 0;
    std::uint64_t sectors_of_warp = 0;
    bool alike_for_warp = true;
    std::uint64_t sectors_of_load = 0; ///< By the same warp and instruction.

    /// Requests that bring it to a cache once.
    [[nodiscard]] std::int64_t at_once() const { return alike ? 1 : size_of(sectors); }
};

/// A sector of the L2.
struct SectorUse {
    bool loaded = false;
    bool surely_loaded = false;
    bool stored = false;
};

class Lists {
public:
    Lists(const AnalysisContext& context, const AccessEnumeration& accesses)
        : context_{context}, caches_{*context.caches}, accesses_{accesses} {
        for (std::size_t i = 0; i < context.timings.size(); ++i)
            once_.push_back(accesses.executions(i) > 0 && accesses.is_load(i) &&
                            is_outstanding_once(context, i));
    }

    Footprint find() {
        touched_.passes.assign(context_.timings.size(), {0, std::nullopt, 0});
        accesses_.for_each([&](const Access& access) { keep(access); });
        touched_.transactions = transactions();
        touched_.fetched = fetched();
        touched_.writebacks = writebacks(context_, accesses_, touched_.transactions.has_value());
        writes_ = !touched_.writebacks || touched_.writebacks->transfers > 0;
        touched_.new_to_warp = new_to_warp();
        touched_.least_of_transfer = least_of_transfer();
        touched_.always_misses.assign(context_.timings.size(), false);
        for (std::size_t i = 0; i < context_.timings.size(); ++i)
            touched_.always_misses[i] = accesses_.executions(i) > 0 && accesses_.is_load(i);
        accesses_.for_each([&](const Access& access) {
            if (!touches_alone(access.lines->back()))
                touched_.always_misses[access.instruction] = false;
            if (access.load)
                touched_.shared_lines +=
                    std::ranges::count_if(*access.lines, [&](const models::TouchedLine& line) {
                        return !touches_alone(line);
                    });
        });
        count_least();
        touched_.rows = row_activations(context_, accesses_, writes_);
        return std::move(touched_);
    }

private:
    /// Calls `each(number)` for every piece of memory of that size, in order.
    template <class Each>
    void for_each_piece(const models::TouchedLine& line, std::uint64_t size, Each each) const {
        std::uint64_t next = 0; // The first one not looked at.
        for (std::uint64_t rest = line.sectors; rest != 0; rest &= rest - 1) {
            const auto sector = static_cast<std::uint64_t>(std::countr_zero(rest));
            const std::uint64_t begin = line.address + sector * caches_.sector;
            const std::uint64_t last = (begin + caches_.sector - 1) / size;
            for (next = std::max(next, begin / size); next <= last; ++next)
                each(next);
        }
    }
    /// That comes into a cache together at most: a sector of either level.
    [[nodiscard]] std::uint64_t largest_sector() const {
        return std::max(caches_.sector, caches_.second_sector);
    }

    void keep(const Access& access) {
        ++access_;
        const auto lines = static_cast<std::int64_t>(access.lines->size());
        models::Interval& passes = touched_.passes[access.instruction];
        passes.lo = passes.hi == 0 ? lines : std::min(passes.lo, lines);
        passes.hi = std::max(passes.hi, lines);
        if (access.load) touched_.load_lines += lines;
        for (const models::TouchedLine& line : *access.lines) {
            LineUse& use = uses_[line.address];
            if (access.load)
                keep_load(access, line, use);
            else
                keep_store(access, use);
            std::int64_t second_sectors = 0;
            for_each_piece(line, caches_.second_sector, [&](std::uint64_t number) {
                SectorUse& sector = sectors_[number];
                sector.loaded = sector.loaded || access.load;
                sector.surely_loaded = sector.surely_loaded || (access.load && access.sure);
                sector.stored = sector.stored || !access.load;
                ++second_sectors;
            });
            std::int64_t& most =
                access.load ? touched_.most_second_sectors : touched_.most_stored_sectors;
            most = std::max(most, second_sectors);
            if (access.load) touched_.second_sectors += second_sectors;
            for_each_piece(line, largest_sector(), [&](std::uint64_t piece) {
                // Lines of one access may share a sector of the L2.
                auto& [accesses, last] = pieces_[piece];
                if (last != access_) ++accesses;
                last = access_;
            });
        }
    }

    void keep_load(const Access& access, const models::TouchedLine& line, LineUse& use) {
        use.alike = use.alike && (use.sectors == 0 || use.sectors == line.sectors);
        use.sectors |= line.sectors;
        use.surely_loaded = use.surely_loaded || access.sure;
        touched_.most_sectors = std::max(touched_.most_sectors, size_of(line.sectors));
        touched_.further_sectors += size_of(line.sectors) - 1;
        const bool same_warp = use.warp == access.warp;
        const bool same_load = same_warp && use.instruction == access.instruction;
        if (!same_load || !once_[access.instruction]) {
            ++use.sharers;
            use.sectors_of_load = 0;
        }
        touched_.sharers = std::max(touched_.sharers, use.sharers);
        if (warps_.empty() || warps_.back().warp != access.warp) warps_.push_back({access.warp});
        Warp& warp = warps_.back();
        // What an execution brings is there for the next one, which waits for it.
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
    /// By how many more loads a warp can bring the line to the L1 now that it touches these
    /// sectors.
    static std::int64_t requests_of_warp(bool again, std::uint64_t sectors, LineUse& use) {
        if (!again) {
            use.sectors_of_warp = sectors;
            use.alike_for_warp = true;
            return 1;
        }
        const std::int64_t before = use.alike_for_warp ? 1 : size_of(use.sectors_of_warp);
        use.alike_for_warp = use.alike_for_warp && use.sectors_of_warp == sectors;
        use.sectors_of_warp |= sectors;
        return (use.alike_for_warp ? 1 : size_of(use.sectors_of_warp)) - before;
    }
    void keep_store(const Access& access, LineUse& use) {
        ++use.stores;
        if (access.sure) ++touched_.least_store_transactions;
    }

    /// Whether the line access touches a sector that no other access touches.
    [[nodiscard]] bool touches_alone(const models::TouchedLine& line) const {
        bool alone = false;
        for_each_piece(line, largest_sector(),
                       [&](std::uint64_t piece) { alone = alone || pieces_.at(piece).first == 1; });
        // Another line of the same access may have asked for a sector that both share.
        return alone && caches_.second_sector <= caches_.line;
    }

    [[nodiscard]] std::optional<std::int64_t> transactions() const {
        if (caches_.sets == 0) return std::nullopt;
        std::unordered_map<std::uint64_t, std::int64_t> lines_of_set;
        std::int64_t sum = 0;
        for (const auto& [address, use] : uses_) {
            if (use.sectors == 0) continue;
            if (++lines_of_set[address / caches_.line % caches_.sets] > caches_.ways)
                return std::nullopt;
            sum += use.at_once() * (1 + (caches_.write_evict ? use.stores : 0));
        }
        return sum;
    }

    /// A sector that a load of the warp has brought is there for its next loads, unless a store may
    /// have put it out.
    [[nodiscard]] std::int64_t new_to_warp() const {
        const bool put_out =
            caches_.write_evict && std::any_of(uses_.begin(), uses_.end(), [](const auto& use) {
                return use.second.stores > 0 && use.second.sectors != 0;
            });
        std::int64_t most = 0;
        for (const Warp& warp : warps_)
            most = std::max(most, put_out ? warp.all_loads : std::min(warp.loads, warp.requests));
        return most;
    }

    [[nodiscard]] std::int64_t second_sectors_of(std::uint64_t line, const LineUse& use) const {
        std::int64_t sectors = 0;
        for_each_piece({line, use.sectors}, caches_.second_sector,
                       [&](std::uint64_t) { ++sectors; });
        return sectors;
    }
    /// Whether what loads touch of the line is in a cache, or on its way to it, all or not at all.
    [[nodiscard]] bool comes_as_one(const LineUse& use) const {
        return use.alike && use.stores == 0 && caches_.second_sector <= caches_.line;
    }
    [[nodiscard]] std::int64_t least_of_transfer() const {
        std::int64_t least = touched_.most_second_sectors;
        for (const auto& [address, use] : uses_)
            if (use.sectors != 0)
                least = comes_as_one(use) ? std::min(least, second_sectors_of(address, use)) : 1;
            else if (writes_)
                least = 1; // Stored only: as few as one are written back together.
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
                comes_as_one(use) ? std::min<std::int64_t>(1, second_sectors) : second_sectors;
        }
        sum.sectors = std::count_if(sectors_.begin(), sectors_.end(),
                                    [](const auto& use) { return use.second.loaded; });
        sum.transfers = std::min(sum.transfers, sum.sectors);
        return sum;
    }

    void count_least() {
        for (const auto& [address, use] : uses_)
            if (use.surely_loaded) ++touched_.least_load_transactions;
        const bool known = caches_.knows_channels();
        std::unordered_map<std::uint64_t, std::int64_t> of_channel;
        for (const auto& [number, use] : sectors_) {
            if (!use.surely_loaded || use.stored) continue;
            std::int64_t& sectors =
                of_channel[known ? caches_.channel_of(number * caches_.second_sector) : 0];
            touched_.least_sectors = std::max(touched_.least_sectors, ++sectors);
        }
        if (!known)
            touched_.least_sectors = models::divide_up(touched_.least_sectors, caches_.channels.hi);
    }
    /// What the loads of a warp touch.
    struct Warp {
        std::int64_t warp = 0;
        std::int64_t access = 0;       ///< The last one.
        std::int64_t fresh_access = 0; ///< The last one that counts in `loads`.
        std::int64_t all_loads = 0;
        std::int64_t loads = 0;    ///< With sectors that the instruction has not loaded before.
        std::int64_t requests = 0; ///< That find sectors absent, when nothing is replaced.
    };

    const AnalysisContext& context_;
    const MemoryParameters& caches_;
    const AccessEnumeration& accesses_;
    std::vector<bool> once_; ///< Per instruction: a load that a warp has under way once.
    std::unordered_map<std::uint64_t, LineUse> uses_;
    std::unordered_map<std::uint64_t, SectorUse> sectors_;
    std::vector<Warp> warps_;
    /// Accesses that touch a piece, and the last of them.
    std::unordered_map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> pieces_;
    std::int64_t access_ = 0;
    bool writes_ = true; ///< What is stored may be written to DRAM.
    Footprint touched_;
};

} // namespace

std::optional<Footprint> footprint_of(const AnalysisContext& context) {
    const auto accesses = AccessEnumeration::of(context);
    if (!accesses) return std::nullopt;
    return Lists{context, *accesses}.find();
}

} // namespace warpbound::analyzer
