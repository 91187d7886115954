#include "certification/verify/memory/footprint.hpp"

#include "certification/verify/memory/avoided_sectors.hpp"
#include "certification/verify/memory/service_times.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace warpbound::certification::verify {

namespace {

std::int64_t number_of(std::uint64_t sectors) {
    return std::popcount(sectors);
}

/// Aligned pieces of memory of so many bytes with a byte in the sectors, by number.
std::set<std::uint64_t> pieces_of(const MemoryLayout& layout, std::uint64_t line,
                                  std::uint64_t sectors, std::uint64_t size) {
    std::set<std::uint64_t> pieces;
    for (std::uint64_t i = 0; i < layout.line / layout.sector; ++i) {
        if ((sectors >> i & 1U) == 0) continue;
        const std::uint64_t begin = line + i * layout.sector;
        for (std::uint64_t piece = begin / size; piece * size < begin + layout.sector; ++piece)
            pieces.insert(piece);
    }
    return pieces;
}

/// Of several accesses to a line, how many requests bring what they access: one where all of them
/// access the same sectors.
struct Needs {
    std::uint64_t sectors = 0;
    bool same = true;

    void add(std::uint64_t accessed) {
        same = same && (sectors == 0 || sectors == accessed);
        sectors |= accessed;
    }
    [[nodiscard]] std::int64_t requests() const { return same ? 1 : number_of(sectors); }
};

/// A line of the L1 in the whole launch.
struct LineUse {
    Needs loaded;
    std::int64_t loads = 0;
    std::int64_t stores = 0;
    /// By warp and instruction: executions that load it.
    std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> loads_by;
};

class FootprintCount {
public:
    FootprintCount(const TimedCode& code, const MemoryLayout& layout,
                   const std::vector<LineAccess>& accesses)
        : code_{code}, layout_{layout}, accesses_{accesses} {
        for (const LineAccess& access : accesses) {
            LineUse& use = lines_[access.address];
            if (!access.is_load) {
                ++use.stores;
                continue;
            }
            use.loaded.add(access.sectors);
            ++use.loads;
            ++use.loads_by[{access.warp, access.instruction}];
        }
        for (std::size_t i = 0; i < code.timings.size(); ++i)
            one_at_a_time_.push_back(code.reachable[i] && waits_for_itself(code, i));
    }

    Footprint count() {
        count_lines();
        count_alone();
        count_l1();
        count_new_loads();
        count_l2();
        count_writebacks();
        find_least_transfer();
        count_in_every_run();
        found_.tails = tails_of(code_, layout_, accesses_, found_.writes_to_dram());
        if (found_.requests_of_l1 && found_.most_at_a_line > layout_.l1_merges)
            found_.loads_without = most_loads_avoiding(layout_, accesses_);
        return std::move(found_);
    }

private:
    [[nodiscard]] std::set<std::uint64_t> l2_sectors_of(std::uint64_t line,
                                                        std::uint64_t sectors) const {
        return pieces_of(layout_, line, sectors, layout_.l2_sector);
    }
    /// Whether one transfer brings all that loads access of a line.
    [[nodiscard]] bool comes_at_once(const LineUse& use) const {
        return use.loaded.same && use.stores == 0 && layout_.l2_sector <= layout_.line;
    }

    void count_lines() {
        std::map<std::int64_t, std::pair<std::size_t, std::int64_t>> of_execution;
        for (const LineAccess& access : accesses_) {
            auto& [instruction, lines] = of_execution[access.execution];
            instruction = access.instruction;
            ++lines;
            const auto in_l2 =
                static_cast<std::int64_t>(l2_sectors_of(access.address, access.sectors).size());
            std::int64_t& most =
                access.is_load ? found_.most_l2_sectors : found_.most_stored_l2_sectors;
            most = std::max(most, in_l2);
            if (!access.is_load) continue;
            ++found_.load_lines;
            found_.l2_sectors += in_l2;
            found_.most_sectors = std::max(found_.most_sectors, number_of(access.sectors));
            found_.further_sectors += number_of(access.sectors) - 1;
        }
        found_.lines_of.assign(code_.timings.size(), {0, std::nullopt, 0});
        for (const auto& [execution, counted] : of_execution) {
            const auto& [instruction, lines] = counted;
            models::Interval& range = found_.lines_of[instruction];
            range.lo = range.hi == 0 ? lines : std::min(range.lo, lines);
            range.hi = std::max(range.hi, lines);
        }
        for (const auto& [address, use] : lines_) {
            std::int64_t outstanding = 0;
            for (const auto& [load, executions] : use.loads_by)
                outstanding += one_at_a_time_[load.second] ? 1 : executions;
            found_.most_at_a_line = std::max(found_.most_at_a_line, outstanding);
        }
    }

    /// S22, lemma 4: a sector of the larger of both levels' sizes that one execution alone
    /// accesses.
    void count_alone() {
        const std::uint64_t size = std::max(layout_.sector, layout_.l2_sector);
        struct Piece {
            std::int64_t execution = 0;
            bool alone = true;
        };
        std::map<std::uint64_t, Piece> pieces;
        for (const LineAccess& access : accesses_)
            for (const std::uint64_t number :
                 pieces_of(layout_, access.address, access.sectors, size)) {
                const auto [at, added] = pieces.try_emplace(number, Piece{access.execution});
                if (!added && at->second.execution != access.execution) at->second.alone = false;
            }
        found_.last_line_alone.assign(code_.timings.size(), false);
        for (const LineAccess& access : accesses_)
            if (access.is_load) found_.last_line_alone[access.instruction] = true;
        for (const LineAccess& access : accesses_) {
            if (!access.is_load) continue;
            const auto touched = pieces_of(layout_, access.address, access.sectors, size);
            const bool alone =
                layout_.l2_sector <= layout_.line &&
                std::any_of(touched.begin(), touched.end(),
                            [&](std::uint64_t number) { return pieces.at(number).alone; });
            if (alone) continue;
            ++found_.not_alone;
            if (access.is_last) found_.last_line_alone[access.instruction] = false;
        }
    }

    /// Lemma 1: no set has to hold more lines than it has ways.
    void count_l1() {
        if (!layout_.l1_sets.is_exact()) return;
        std::map<std::uint64_t, std::int64_t> lines_of_set;
        std::int64_t requests = 0;
        for (const auto& [address, use] : lines_) {
            if (use.loads == 0) continue;
            const std::uint64_t set =
                address / layout_.line % static_cast<std::uint64_t>(layout_.l1_sets.lo);
            if (++lines_of_set[set] > layout_.l1_ways) return;
            requests =
                models::plus(requests, models::times(use.loaded.requests(),
                                                     layout_.stores_evict ? use.stores + 1 : 1));
        }
        found_.requests_of_l1 = requests;
    }

    /// Lemma 1, second bound: loads of a warp that bring something that the warp has not brought
    /// yet. Where a store may invalidate a line, any load may.
    void count_new_loads() {
        struct OfWarp {
            std::set<std::int64_t> all;
            std::set<std::int64_t> fresh; ///< Beyond what earlier executions of the load brought.
            std::map<std::uint64_t, Needs> lines;
        };
        std::map<std::int64_t, OfWarp> warps;
        std::map<std::tuple<std::int64_t, std::size_t, std::uint64_t>, std::uint64_t> brought;
        for (const LineAccess& access : accesses_) {
            if (!access.is_load) continue;
            OfWarp& warp = warps[access.warp];
            warp.all.insert(access.execution);
            warp.lines[access.address].add(access.sectors);
            std::uint64_t& before = brought[{access.warp, access.instruction, access.address}];
            if ((access.sectors & ~before) != 0 || !one_at_a_time_[access.instruction])
                warp.fresh.insert(access.execution);
            before |= access.sectors;
        }
        const bool invalidates =
            layout_.stores_evict && std::any_of(lines_.begin(), lines_.end(), [](const auto& line) {
                return line.second.loads > 0 && line.second.stores > 0;
            });
        for (const auto& [index, warp] : warps) {
            std::int64_t requests = 0;
            for (const auto& [address, needs] : warp.lines)
                requests += needs.requests();
            const auto all = static_cast<std::int64_t>(warp.all.size());
            const auto fresh = static_cast<std::int64_t>(warp.fresh.size());
            found_.most_new_loads =
                std::max(found_.most_new_loads, invalidates ? all : std::min(fresh, requests));
        }
    }

    /// Lemma 2.
    void count_l2() {
        if (!layout_.places_in_l2()) return;
        std::map<std::uint64_t, std::set<std::uint64_t>> lines_of_set;
        std::set<std::uint64_t> loaded;
        Footprint::Fetches fetches;
        for (const auto& [address, use] : lines_) {
            auto& lines = lines_of_set[layout_.l2_set(address)];
            lines.insert(address / layout_.l2_line);
            if (static_cast<std::int64_t>(lines.size()) > layout_.l2_ways) return;
            const auto sectors = l2_sectors_of(address, use.loaded.sectors);
            loaded.insert(sectors.begin(), sectors.end());
            const auto number = static_cast<std::int64_t>(sectors.size());
            fetches.transfers += comes_at_once(use) ? std::min<std::int64_t>(1, number) : number;
        }
        fetches.sectors = static_cast<std::int64_t>(loaded.size());
        fetches.transfers = std::min(fetches.transfers, fetches.sectors);
        found_.fetches = fetches;
    }

    /// S22f: sets in which no more lines are accessed than they have ways write nothing.
    void count_writebacks() {
        if (!layout_.l2_keeps_stores || !layout_.places_in_l2()) return;
        struct Set {
            std::set<std::uint64_t> lines;
            std::int64_t allocations = 0; ///< By loads and stores.
            std::int64_t stores = 0;
        };
        std::map<std::uint64_t, Set> sets;
        std::map<std::uint64_t, std::set<std::uint64_t>> stored; ///< Sectors by line of the L2.
        std::int64_t stored_sectors = 0;
        for (const LineAccess& access : accesses_) {
            Set& set = sets[layout_.l2_set(access.address)];
            set.lines.insert(access.address / layout_.l2_line);
            if (access.is_load) continue;
            ++set.stores;
            ++set.allocations;
            const auto sectors = l2_sectors_of(access.address, access.sectors);
            stored[access.address / layout_.l2_line].insert(sectors.begin(), sectors.end());
            stored_sectors += static_cast<std::int64_t>(sectors.size());
        }
        for (const auto& [address, use] : lines_) {
            const std::int64_t asked =
                models::times(models::times(number_of(use.loaded.sectors),
                                            layout_.stores_evict ? use.stores + 1 : 1),
                              code_.geometry.multiprocessors);
            sets[layout_.l2_set(address)].allocations +=
                found_.requests_of_l1 ? std::min(use.loads, asked) : use.loads;
        }
        Footprint::Writebacks written;
        for (const auto& [line, sectors] : stored)
            written.most_of_one =
                std::max(written.most_of_one, static_cast<std::int64_t>(sectors.size()));
        for (const auto& [number, set] : sets)
            if (static_cast<std::int64_t>(set.lines.size()) > layout_.l2_ways)
                written.transfers += std::min(set.stores, set.allocations - layout_.l2_ways);
        written.sectors =
            std::min(stored_sectors, models::times(written.transfers, written.most_of_one));
        found_.writebacks = written;
    }

    void find_least_transfer() {
        std::int64_t least = found_.most_l2_sectors;
        for (const auto& [address, use] : lines_) {
            if (use.loads == 0) {
                if (found_.writes_to_dram()) least = 1;
                continue;
            }
            const auto sectors =
                static_cast<std::int64_t>(l2_sectors_of(address, use.loaded.sectors).size());
            least = comes_at_once(use) ? std::min(least, sectors) : 1;
        }
        found_.least_of_transfer = std::max<std::int64_t>(1, least);
    }

    /// Lemma 4.
    void count_in_every_run() {
        std::set<std::uint64_t> lines;
        std::set<std::uint64_t> loaded;
        std::set<std::uint64_t> stored;
        for (const LineAccess& access : accesses_) {
            const auto sectors = l2_sectors_of(access.address, access.sectors);
            if (!access.is_load) {
                stored.insert(sectors.begin(), sectors.end());
                if (access.is_certain) ++found_.least_stores;
            } else if (access.is_certain) {
                lines.insert(access.address);
                loaded.insert(sectors.begin(), sectors.end());
            }
        }
        found_.least_requests = static_cast<std::int64_t>(lines.size());
        std::map<std::uint64_t, std::int64_t> of_channel;
        const bool knows = layout_.places_in_channels();
        for (const std::uint64_t sector : loaded)
            if (stored.count(sector) == 0)
                ++of_channel[knows ? layout_.channel(sector * layout_.l2_sector) : 0];
        for (const auto& [channel, sectors] : of_channel)
            found_.least_of_channel = std::max(found_.least_of_channel, sectors);
        // Where addresses do not tell the channel, some channel has its share.
        if (!knows)
            found_.least_of_channel =
                (found_.least_of_channel + layout_.channels.hi - 1) / layout_.channels.hi;
    }

    const TimedCode& code_;
    const MemoryLayout& layout_;
    const std::vector<LineAccess>& accesses_;
    std::vector<bool>
        one_at_a_time_; ///< Per instruction: a load that waits for its last execution.
    std::map<std::uint64_t, LineUse> lines_;
    Footprint found_;
};

} // namespace

Footprint count_footprint(const TimedCode& code, const MemoryLayout& layout,
                          const std::vector<LineAccess>& accesses) {
    return FootprintCount{code, layout, accesses}.count();
}

} // namespace warpbound::certification::verify
