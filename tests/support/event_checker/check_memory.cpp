#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <list>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

using harness::simulator::CacheLevel;
using harness::simulator::DramServed;
using harness::simulator::LineAccessed;
using harness::simulator::LineFilled;

using Line = std::pair<std::uint64_t, std::uint64_t>; ///< Address and sectors.

auto is(std::uint64_t address) {
    return [address](const Line& line) { return line.first == address; };
}

/// A cache as lists of lines, the least recently used first, and its outstanding sectors.
class ReferenceCache {
public:
    struct Config {
        std::uint64_t sets = 1; ///< Indexed by line number divided by `interleave`.
        std::uint64_t ways = 1;
        std::uint64_t line = 1;
        std::uint64_t interleave = 1;
        std::size_t entries = 1;
        std::size_t merges = 1;
        std::int64_t service = 1;
    };
    explicit ReferenceCache(const Config& config) : config_{config} {}

    /// The violation of the access; empty: none.
    std::string read(const LineAccessed& access) {
        std::string wrong = keep_service(access.cycle);
        const std::uint64_t present = sectors(access.address);
        for (unsigned bit = 0; bit < 64; ++bit) {
            const std::uint64_t sector = std::uint64_t{1} << bit;
            const auto key = std::pair{access.address, bit};
            const auto entry = outstanding_.find(key);
            if ((access.hit & sector) != 0 && (present & sector) == 0)
                wrong = "hits a sector that is absent";
            if (((access.merged | access.missed) & sector) != 0 && (present & sector) != 0)
                wrong = "misses a sector that is present";
            if ((access.merged & sector) != 0 &&
                (entry == outstanding_.end() || ++entry->second > config_.merges))
                wrong = "merges without an entry, or too often";
            if ((access.missed & sector) != 0) {
                if (entry != outstanding_.end()) wrong = "requests an outstanding sector";
                outstanding_[key] = 1;
            }
        }
        if (outstanding_.size() > config_.entries) wrong = "has more misses than MSHR entries";
        if (access.hit != 0) touch(access.address);
        return wrong;
    }
    /// Whether the free MSHR entries and merges suffice for these sectors of a line (C25).
    [[nodiscard]] bool has_entries_for(std::uint64_t address, std::uint64_t requested) {
        const std::uint64_t absent = requested & ~sectors(address);
        std::size_t entries = outstanding_.size();
        for (unsigned bit = 0; bit < 64; ++bit) {
            if ((absent >> bit & 1U) == 0) continue;
            const auto entry = outstanding_.find(std::pair{address, bit});
            if (entry == outstanding_.end())
                ++entries;
            else if (entry->second >= config_.merges)
                return false;
        }
        return entries <= config_.entries;
    }
    /// Whether a load would request some of these sectors.
    [[nodiscard]] bool lacks(std::uint64_t address, std::uint64_t requested) {
        const std::uint64_t absent = requested & ~sectors(address);
        for (unsigned bit = 0; bit < 64; ++bit)
            if ((absent >> bit & 1U) != 0 && !outstanding_.contains(std::pair{address, bit}))
                return true;
        return false;
    }
    std::string fill(const LineFilled& filled) {
        std::string wrong;
        for (unsigned bit = 0; bit < 64; ++bit)
            if (((filled.sectors >> bit) & 1U) != 0 &&
                outstanding_.erase(std::pair{filled.address, bit}) == 0)
                wrong = "is filled with a sector that was not outstanding";
        put(filled.address, filled.sectors);
        return wrong;
    }
    void drop(std::uint64_t address) { set_of(address).remove_if(is(address)); }
    void put(std::uint64_t address, std::uint64_t sectors) {
        auto& set = set_of(address);
        const auto found = std::find_if(set.begin(), set.end(), is(address));
        if (found != set.end()) {
            found->second |= sectors;
            set.splice(set.end(), set, found);
            return;
        }
        if (set.size() == config_.ways) set.pop_front();
        set.emplace_back(address, sectors);
    }
    [[nodiscard]] std::uint64_t sectors(std::uint64_t address) {
        auto& set = set_of(address);
        const auto found = std::find_if(set.begin(), set.end(), is(address));
        return found == set.end() ? 0 : found->second;
    }
    std::string keep_service(std::int64_t cycle) {
        const bool early = last_ && cycle < *last_ + config_.service;
        last_ = cycle;
        return early ? "looks up two lines within its service time" : "";
    }
    [[nodiscard]] bool is_quiet() const { return outstanding_.empty(); }

private:
    std::list<Line>& set_of(std::uint64_t address) {
        return lines_[address / config_.line / config_.interleave % config_.sets];
    }
    void touch(std::uint64_t address) {
        auto& set = set_of(address);
        set.splice(set.end(), set, std::find_if(set.begin(), set.end(), is(address)));
    }

    Config config_;
    std::map<std::uint64_t, std::list<Line>> lines_; ///< By set.
    std::map<std::pair<std::uint64_t, unsigned>, std::size_t>
        outstanding_; ///< Number of waiting accesses.
    std::optional<std::int64_t> last_;
};

class MemoryChecker {
public:
    explicit MemoryChecker(RecordedLaunch& run) : run_{run} {}

    void check() {
        if (!run_.load_lines.empty()) {
            l1_service_ = memory_value(run_.machine, "l1", "service").hi;
            link_queue_ = number("interconnect", "queue");
        }
        for (const LoadLine& line : run_.load_lines)
            l1_loads_[run_.multiprocessor_of(line.access->warp)].order.push_back(line);
        std::int64_t now = 0;
        for (const Event& event : run_.run.events) {
            const std::int64_t cycle =
                std::visit([](const auto& what) { return what.cycle; }, event);
            if (cycle > now) find_idle(cycle);
            now = cycle;
            if (is_of_schedulers(event)) continue; // check_lines, check_operands
            if (const auto* filled = std::get_if<LineFilled>(&event)) {
                report(*filled, cache(filled->level, filled->unit).fill(*filled));
                if (filled->level == CacheLevel::L1) record_arrival(*filled);
            } else if (const auto* accessed = std::get_if<LineAccessed>(&event))
                check(*accessed);
            else if (const auto* served = std::get_if<DramServed>(&event))
                check(*served);
        }
        for (const auto& [key, cache] : caches_)
            if (!cache.is_quiet())
                run_.report(
                    fmt::format("C25: cache {} {} waits forever", name_of(key.first), key.second));
        for (const Entry& load : run_.loads)
            check_result(run_.issue_at(load));
    }

private:
    /// Of caches that other checks are about.
    static bool is_of_schedulers(const Event& event) {
        const auto is_one = [](const auto* of) {
            return of != nullptr &&
                   (of->level == CacheLevel::InstructionL0 ||
                    of->level == CacheLevel::InstructionL1 || of->level == CacheLevel::Operand);
        };
        return is_one(std::get_if<LineFilled>(&event)) || is_one(std::get_if<LineAccessed>(&event));
    }
    static std::string_view name_of(CacheLevel level) {
        if (level == CacheLevel::Constant) return "constant";
        return level == CacheLevel::L1 ? "l1" : "l2";
    }
    void record_arrival(const LineFilled& filled) {
        for (unsigned bit = 0; bit < 64; ++bit)
            if (((filled.sectors >> bit) & 1U) != 0)
                arrivals_[{filled.unit, filled.address, bit}].push_back(filled.cycle);
    }
    /// The arrival of the last sector that was absent at an access; its cycle when none was.
    [[nodiscard]] std::int64_t last_arrival(const LineAccessed& access) const {
        std::int64_t last = access.cycle;
        for (unsigned bit = 0; bit < 64; ++bit) {
            if ((((access.merged | access.missed) >> bit) & 1U) == 0) continue;
            const auto found = arrivals_.find({access.unit, access.address, bit});
            if (found == arrivals_.end()) continue; // Never filled, which is reported elsewhere.
            const auto next =
                std::upper_bound(found->second.begin(), found->second.end(), access.cycle);
            if (next != found->second.end()) last = std::max(last, *next);
        }
        return last;
    }
    /// A load has its result with the latest of its lines (C24, C25, C29); with operand collectors
    /// a write-back later (C50).
    void check_result(const Issue& load) {
        if (load.completed.empty() || load.lines.empty()) return;
        Interval latency = memory_value(run_.machine, "l1", "latency");
        latency.lo -= run_.entry_of_loads();
        latency.hi -= run_.entry_of_loads();
        Interval result{0, {}, 0};
        for (const LineAccessed& line : load.lines) {
            const bool present = (line.hit | line.merged) != 0;
            const std::int64_t arrival = last_arrival(line);
            result.lo = std::max({result.lo, arrival, present ? line.cycle + latency.lo : 0});
            result.hi = std::max({result.hi, arrival, present ? line.cycle + latency.hi : 0});
        }
        const std::int64_t write_back =
            run_.collects() ? value_of(run_.machine.register_file, "write-back").lo : 0;
        if (!within(load.due.front() - write_back, result.lo, result.hi))
            run_.report_issue(load, fmt::format("C29: completes at {}", load.completed.front()));
    }
    std::int64_t number(std::string_view memory, std::string_view name) const {
        return memory_value(run_.machine, memory, name).lo;
    }
    ReferenceCache& cache(CacheLevel level, int unit) {
        const auto found = caches_.find({level, unit});
        if (found != caches_.end()) return found->second;
        const std::string_view name = name_of(level);
        const auto value = [&](std::string_view of) {
            return static_cast<std::uint64_t>(number(name, of));
        };
        if (level == CacheLevel::Constant) {
            constexpr auto any = std::numeric_limits<std::size_t>::max();
            const ReferenceCache::Config perfect{.sets = value("sets"),
                                                 .ways = value("ways"),
                                                 .line = value("line"),
                                                 .interleave = 1,
                                                 .entries = any,
                                                 .merges = any,
                                                 .service = 0};
            return caches_.emplace(std::pair{level, unit}, ReferenceCache{perfect}).first->second;
        }
        const ReferenceCache::Config config{.sets = value("sets"),
                                            .ways = value("ways"),
                                            .line = value("line"),
                                            .interleave =
                                                level == CacheLevel::L1 ? 1 : value("slices"),
                                            .entries = value("mshr-entries"),
                                            .merges = value("mshr-merges"),
                                            .service = number(name, "service")};
        return caches_.emplace(std::pair{level, unit}, ReferenceCache{config}).first->second;
    }
    template <typename CacheEvent> void report(const CacheEvent& event, const std::string& wrong) {
        if (!wrong.empty())
            run_.report(fmt::format("{}: {} {} at {} {} (line 0x{:x})",
                                    event.level == CacheLevel::Constant ? "C52" : "C24",
                                    name_of(event.level), event.unit, event.cycle, wrong,
                                    event.address));
    }
    void check(const LineAccessed& access) {
        ReferenceCache& accessed_cache = cache(access.level, access.unit);
        if (access.level == CacheLevel::L2)
            --l1_loads_[run_.multiprocessor_of(access.warp)].in_flight;
        else if (access.write || access.missed != 0)
            ++l1_loads_[run_.multiprocessor_of(access.warp)].in_flight;
        if (access.level == CacheLevel::L1 && !access.write) handle_line(access);
        if (!access.write) return report(access, accessed_cache.read(access));
        if (access.level == CacheLevel::L1) {
            if (number("l1", "write-evict") == 1) accessed_cache.drop(access.address);
            return;
        }
        const std::uint64_t requested = access.hit | access.missed;
        std::string wrong = accessed_cache.keep_service(access.cycle);
        if (access.hit != (requested & accessed_cache.sectors(access.address)))
            wrong = "reports the wrong hits of a store";
        report(access, wrong);
        if (number("l2", "write-allocate") == 1 || access.missed == 0)
            accessed_cache.put(access.address, requested);
    }
    /// The loads of one SM at its L1, line by line.
    struct L1Loads {
        std::vector<LoadLine> order;
        std::size_t next = 0;
        std::optional<std::int64_t> last;  ///< When a line was handled.
        std::int64_t in_flight = 0;        ///< Transactions that no slice has handled (C27).
        std::int64_t previous_arrival = 0; ///< Of the load of that line (C24, C49).
    };
    [[nodiscard]] const Issue& load_of(const LoadLine& line) const {
        return run_.warps[static_cast<std::size_t>(line.access->warp)].issues[line.index];
    }
    void report_issue(const LoadLine& line, std::string_view wrong) {
        run_.report(fmt::format("C24: line {} of warp {} issue {} is handled at {} {}", line.line,
                                line.access->warp, load_of(line).event.number, line.access->cycle,
                                wrong));
    }
    /// Finds L1s that delay their next line without a reason. `until`: no event happens before this
    /// cycle.
    void find_idle(std::int64_t until) {
        for (auto& [sm, loads] : l1_loads_) {
            if (loads.next == loads.order.size()) continue;
            const LoadLine& line = loads.order[loads.next];
            const LineAccessed& access = *line.access;
            const Issue& load = load_of(line);
            std::int64_t due = run_.arrival_of(load) + line.line * run_.timing(load).pass_cost.hi;
            if (loads.last) due = std::max(due, *loads.last + l1_service_);
            const std::uint64_t requested = access.hit | access.merged | access.missed;
            if (due >= until) continue;
            ReferenceCache& l1 = cache(CacheLevel::L1, sm);
            if (l1.has_entries_for(access.address, requested) &&
                (loads.in_flight < link_queue_ || !l1.lacks(access.address, requested)))
                report_issue(line, fmt::format("although nothing delays it from {} on", until - 1));
        }
    }
    void handle_line(const LineAccessed& access) {
        L1Loads& loads = l1_loads_[run_.multiprocessor_of(access.warp)];
        const LoadLine& line = loads.order[loads.next++];
        const Issue& load = load_of(line);
        const std::int64_t arrival = run_.arrival_of(load);
        if (access.cycle < arrival + line.line * run_.timing(load).pass_cost.lo)
            report_issue(line, fmt::format("but the load arrived at {}", arrival));
        if (arrival < loads.previous_arrival)
            report_issue(line, "after those of a load that arrived later");
        loads.previous_arrival = arrival;
        loads.last = access.cycle;
    }
    void check(const DramServed& served) {
        Channel& channel = channels_[served.channel];
        Bank& bank = channel.banks[served.bank];
        const auto report_bank = [&](std::string_view wrong) {
            run_.report(fmt::format("C28: channel {} bank {} at {} {}", served.channel, served.bank,
                                    served.cycle, wrong));
        };
        if (served.cycle < channel.free_at) report_bank("is booked twice");
        if (served.cycle < bank.free_at) report_bank("opens its row too soon");
        if (served.row_hit && bank.row != served.row) report_bank("hits a row that is not open");
        // A refresh, whose phase is not known, closes rows.
        if (!served.row_hit && bank.row == served.row && number("dram", "refresh-duration") == 0)
            report_bank("misses the open row");
        channel.free_at = served.until;
        bank.row = served.row;
        bank.free_at = served.row_hit ? served.until : served.cycle + number("dram", "row-miss");
    }

    struct Bank {
        std::optional<std::uint64_t> row;
        std::int64_t free_at = 0;
    };
    struct Channel {
        std::int64_t free_at = 0;
        std::map<int, Bank> banks;
    };

    RecordedLaunch& run_;
    std::map<std::pair<CacheLevel, int>, ReferenceCache> caches_;
    std::map<int, Channel> channels_;
    /// Cycles in which sectors were filled into an L1, by SM, line and index in the line.
    std::map<std::tuple<int, std::uint64_t, unsigned>, std::vector<std::int64_t>> arrivals_;
    std::map<int, L1Loads> l1_loads_; ///< By SM.
    std::int64_t l1_service_ = 0;     ///< At most.
    std::int64_t link_queue_ = 0;
};

} // namespace

void check_memory(RecordedLaunch& run) {
    MemoryChecker{run}.check();
}

} // namespace warpbound::tests
