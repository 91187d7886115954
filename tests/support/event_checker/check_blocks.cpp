#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

/// C1, C20, C30, C31, C98: blocks, block slots and warp slots.
class BlockSlots {
public:
    explicit BlockSlots(RecordedLaunch& run) : run_{run} {}

    void check() {
        collect();
        const auto slots = static_cast<std::int64_t>(residences_.size());
        const std::int64_t limit_of_sm = block_slots_of_an_sm();
        const std::int64_t blocks = run_.kernel.launch.blocks;
        if (slots != std::min(blocks, run_.run.multiprocessors * limit_of_sm))
            run_.report(fmt::format("C31: {} block slots are occupied by {} blocks on {} SMs of {}",
                                    slots, blocks, run_.run.multiprocessors, limit_of_sm));
        for (auto& [slot, residences] : residences_) {
            std::sort(residences.begin(), residences.end());
            if (slot.first < 0 || slot.first >= run_.run.multiprocessors ||
                slot.second >= limit_of_sm)
                run_.report(
                    fmt::format("C30: SM {} has no block slot {}", slot.first, slot.second));
            check_residences(slot.second, residences);
        }
        check_order();
    }

private:
    using Slot = std::pair<int, std::int64_t>; ///< SM and block slot.
    struct Residence {
        std::int64_t start = 0;
        std::int64_t end = 0;
        std::int64_t block = 0;
        friend auto operator<=>(const Residence&, const Residence&) = default;
    };

    void collect() {
        std::map<std::pair<Slot, std::int64_t>, std::set<std::int64_t>> starts_by_slot;
        for (std::size_t index = 0; index < run_.warps.size(); ++index) {
            const WarpStarted& started = run_.warps[index].starts.front();
            const auto block = static_cast<std::int64_t>(index) / run_.warps_per_block;
            const std::int64_t warp_slot_on_sm =
                std::int64_t{started.warp_slot} * run_.schedulers + started.scheduler;
            const auto in_block = static_cast<std::int64_t>(index) % run_.warps_per_block;
            if (warp_slot_on_sm % run_.warps_per_block != in_block ||
                started.scheduler >= run_.schedulers)
                run_.report(fmt::format("C1: warp {} has warp slot {} of scheduler {}", index,
                                        started.warp_slot, started.scheduler));
            starts_by_slot[{{started.multiprocessor, warp_slot_on_sm / run_.warps_per_block},
                            block}]
                .insert(started.cycle);
        }
        for (const auto& [key, cycles] : starts_by_slot) {
            const auto [slot, block] = key;
            if (cycles.size() != 1)
                run_.report(
                    fmt::format("C1: the warps of block {} do not start in the same cycle", block));
            residences_[slot].push_back(Residence{*cycles.begin(), end_of_block(block), block});
        }
        if (static_cast<std::int64_t>(starts_by_slot.size()) != run_.kernel.launch.blocks)
            run_.report("C1: a block occupies several block slots");
    }

    void check_residences(std::int64_t slot, const std::vector<Residence>& residences) {
        if (residences.front().start != 0)
            run_.report(fmt::format("C1: block slot {} starts late", slot));
        dispatched_.emplace_back(0, residences.front().block);
        for (std::size_t next = 1; next < residences.size(); ++next) {
            const Interval replacement = value_of(run_.machine.blocks, "replacement");
            const Interval start = value_of(run_.machine.blocks, "start");
            if (!within(residences[next].start - residences[next - 1].end,
                        replacement.lo + start.lo, replacement.hi + start.hi))
                run_.report(fmt::format("C1: block slot {} is free at {} and occupied at {}", slot,
                                        residences[next - 1].end, residences[next].start));
            dispatched_.emplace_back(residences[next - 1].end, residences[next].block);
        }
        last_ends_.push_back(residences.back().end);
    }

    /// Blocks are dispatched by number, and no block slot is empty while a block waits.
    void check_order() {
        std::sort(dispatched_.begin(), dispatched_.end(),
                  [](const auto& a, const auto& b) { return a.second < b.second; });
        for (std::size_t block = 1; block < dispatched_.size(); ++block)
            if (dispatched_[block].first < dispatched_[block - 1].first)
                run_.report(
                    fmt::format("C31: block {} is dispatched before block {}", block, block - 1));
        const auto* most_room = run_.machine.blocks.find("most-room");
        if (most_room != nullptr && most_room->interval->lo == 1) check_room();
        for (const std::int64_t end : last_ends_)
            if (end < dispatched_.back().first)
                run_.report(fmt::format(
                    "C31: a block slot is empty from {} on although a block waits", end));
    }

    /// C98: of one kernel the SM with the most room is the one with the fewest blocks.
    void check_room() {
        struct Stay {
            std::int64_t from = 0;
            std::int64_t to = 0;
            std::size_t sm = 0;
        };
        std::vector<Stay> stays(dispatched_.size());
        for (const auto& [slot, residences] : residences_)
            for (std::size_t i = 0; i < residences.size(); ++i)
                stays[static_cast<std::size_t>(residences[i].block)] = {
                    i == 0 ? 0 : residences[i - 1].end, residences[i].end,
                    static_cast<std::size_t>(slot.first)};
        for (std::size_t block = 0; block < stays.size(); ++block) {
            // A block that ends in the cycle of the dispatch may have left or not.
            std::vector<std::int64_t> least(static_cast<std::size_t>(run_.run.multiprocessors), 0);
            std::vector<std::int64_t> most = least;
            for (std::size_t earlier = 0; earlier < block; ++earlier) {
                least[stays[earlier].sm] += stays[earlier].to > stays[block].from;
                most[stays[earlier].sm] += stays[earlier].to >= stays[block].from;
            }
            const std::int64_t fewest = *std::min_element(most.begin(), most.end());
            if (least[stays[block].sm] > fewest)
                run_.report(fmt::format("C98: block {} goes to SM {} of {} blocks although one has "
                                        "only {}",
                                        block, stays[block].sm, least[stays[block].sm], fewest));
        }
    }

    /// Block slots of an SM by equation 3.3 of GPUDIAG, with the rounding of C30.
    std::int64_t block_slots_of_an_sm() const {
        const auto limit = [&](std::string_view name) {
            return value_of(run_.machine.limits, name).lo;
        };
        const auto up = [](std::int64_t amount, std::int64_t unit) {
            return (amount + unit - 1) / unit * unit;
        };
        const harness::Kernel& kernel = run_.kernel;
        const std::int64_t warps = run_.warps_per_block;
        std::int64_t limit_of_sm = limit("max-warps") / warps;
        // A work-group of one wavefront of AMD needs none of the barriers (C104).
        const bool needs_barrier = !assembly::is_amd(run_.machine.target) || warps > 1;
        if (kernel.launch.blocks > 1 && needs_barrier)
            limit_of_sm = std::min(limit_of_sm, limit("max-blocks"));
        auto registers = kernel.launch.registers;
        if (!registers && kernel.launch.blocks > 1) registers = kernel.function->register_count;
        if (registers) {
            const std::set<std::int64_t> doubled{21, 22, 29, 30, 37, 38, 45, 46};
            const bool fermi =
                assembly::generation_of(run_.machine.target) == assembly::Generation::Fermi;
            const std::int64_t unit =
                limit("register-granularity") * (fermi && doubled.count(*registers) > 0 ? 2 : 1);
            const std::int64_t parts = limit("register-partitions");
            const std::int64_t of_warp =
                up(*registers * value_of(run_.machine.geometry, "warp-size").lo, unit);
            limit_of_sm =
                std::min(limit_of_sm, limit("registers") / parts / of_warp * parts / warps);
        }
        auto shared_memory = kernel.launch.shared_memory;
        if (!shared_memory && kernel.launch.blocks > 1)
            shared_memory = kernel.function->shared_memory;
        if (shared_memory) {
            const std::int64_t bytes =
                up(*shared_memory + limit("shared-reserved"), limit("shared-granularity"));
            if (bytes > 0) limit_of_sm = std::min(limit_of_sm, limit("shared-memory") / bytes);
        }
        return limit_of_sm;
    }

    std::int64_t end_of_block(std::int64_t block) const {
        std::int64_t end = 0;
        for (std::int64_t warp = 0; warp < run_.warps_per_block; ++warp)
            end = std::max(end,
                           run_.warps[static_cast<std::size_t>(block * run_.warps_per_block + warp)]
                               .ends.front());
        return end;
    }

    RecordedLaunch& run_;
    std::map<Slot, std::vector<Residence>> residences_;
    std::vector<std::pair<std::int64_t, std::int64_t>> dispatched_; ///< Cycle and block.
    std::vector<std::int64_t> last_ends_; ///< End of the last block in each block slot.
};

/// C9, by replaying arrivals and ends in time order.
class Barriers {
public:
    explicit Barriers(RecordedLaunch& run) : run_{run} {}

    void check() {
        for (std::int64_t block = 0; block < run_.kernel.launch.blocks; ++block)
            check_barriers_of(block);
    }

private:
    struct Arrival {
        std::int64_t cycle = 0;
        bool ends = false;
        std::size_t warp = 0;
        std::size_t index = 0; ///< Of the barrier among the issues.
        std::int64_t barrier = 0;
        std::size_t counts = 0; ///< Warps that open it; 0: all that have not ended.
        bool waits = true;
    };

    static std::int64_t barrier_number(const assembly::Instruction& code) {
        for (const assembly::Operand& operand : code.operands)
            if (const auto* number = std::get_if<assembly::ImmediateOperand>(&operand))
                return number->integer.value_or(0);
        return 0;
    }

    /// From the thread count after the barrier's number; 0 without one.
    [[nodiscard]] std::size_t counted_warps(const assembly::Instruction& code) const {
        std::vector<std::int64_t> numbers;
        for (const assembly::Operand& operand : code.operands)
            if (const auto* number = std::get_if<assembly::ImmediateOperand>(&operand))
                numbers.push_back(number->integer.value_or(0));
        if (numbers.size() < 2) return 0;
        return static_cast<std::size_t>(numbers[1] /
                                        value_of(run_.machine.geometry, "warp-size").lo);
    }

    void check_barriers_of(std::int64_t block) {
        std::vector<Arrival> arrivals;
        for (int in_block = 0; in_block < run_.warps_per_block; ++in_block) {
            const auto index = static_cast<std::size_t>(block * run_.warps_per_block + in_block);
            const WarpRecord& warp = run_.warps[index];
            for (std::size_t i = 0; i < warp.issues.size(); ++i) {
                const Issue& issue = warp.issues[i];
                const bool arrives = issue.event.executed && run_.instruction(issue).opcode_class ==
                                                                 assembly::OpcodeClass::Barrier;
                const bool waits = arrives && run_.timing(issue).is_barrier_wait;
                if (!waits) {
                    if (i + 1 < warp.issues.size() &&
                        warp.issues[i + 1].event.stalls[Stall::Barrier] != 0)
                        run_.report_issue(warp.issues[i + 1], "C9: no barrier before it");
                }
                if (!arrives) continue;
                arrivals.push_back({issue.event.cycle, false, index, i,
                                    barrier_number(run_.instruction(issue)),
                                    counted_warps(run_.instruction(issue)), waits});
            }
            arrivals.push_back({warp.ends.front(), true, index, 0, 0, 0, false});
        }
        std::stable_sort(arrivals.begin(), arrivals.end(),
                         [](const Arrival& a, const Arrival& b) { return a.cycle < b.cycle; });
        settle_ties(arrivals);
        auto live = static_cast<std::size_t>(run_.warps_per_block);
        std::map<std::int64_t, std::vector<Arrival>> waiting;
        const auto open_complete = [&](std::int64_t cycle) {
            for (auto& [barrier, warps] : waiting) {
                if (warps.empty() ||
                    warps.size() != (warps.front().counts != 0 ? warps.front().counts : live))
                    continue;
                check_release(warps, cycle);
                warps.clear();
            }
        };
        for (const Arrival& arrival : arrivals) {
            if (arrival.ends)
                --live;
            else
                waiting[arrival.barrier].push_back(arrival);
            open_complete(arrival.cycle);
        }
        for (const auto& [barrier, warps] : waiting)
            for (const Arrival& arrival : warps)
                if (arrival.waits)
                    run_.report_issue(run_.warps[arrival.warp].issues[arrival.index],
                                      "C9: its barrier never opens");
    }

    /// When the barrier lets the warp continue according to the log; the largest value if never.
    std::int64_t released_at(const Arrival& arrival) const {
        const WarpRecord& warp = run_.warps[arrival.warp];
        return arrival.index + 1 < warp.issues.size()
                   ? warp.issues[arrival.index + 1].event.stalls[Stall::Barrier]
                   : std::numeric_limits<std::int64_t>::max();
    }

    /// The order in which warps of one cycle arrive at a barrier with a thread count is not
    /// determined. Puts them into an order that agrees with the log, if there is one.
    void settle_ties(std::vector<Arrival>& arrivals) const {
        std::map<std::int64_t, std::vector<Arrival>>
            before; // Since the barrier opened, by barrier.
        for (auto first = arrivals.begin(); first != arrivals.end();) {
            const auto last = std::find_if(first, arrivals.end(), [&](const Arrival& other) {
                return other.cycle != first->cycle;
            });
            // Ends do not count at such barriers, so the order of the barriers does not matter.
            std::stable_sort(first, last, [](const Arrival& a, const Arrival& b) {
                return std::pair{a.counts != 0, a.barrier} < std::pair{b.counts != 0, b.barrier};
            });
            for (auto of_one = first; of_one != last;) {
                const auto next = std::find_if(of_one, last, [&](const Arrival& other) {
                    return other.counts != of_one->counts || other.barrier != of_one->barrier;
                });
                if (of_one->counts != 0) settle(before[of_one->barrier], of_one, next);
                of_one = next;
            }
            first = last;
        }
    }

    using ArrivalIterator = std::vector<Arrival>::iterator;

    /// Orders the arrivals of one cycle at one barrier. `before`: the arrivals since it opened,
    /// updated.
    bool settle(std::vector<Arrival>& before, ArrivalIterator first, ArrivalIterator last) const {
        if (first == last) return true;
        for (auto next = first; next != last; ++next) {
            std::iter_swap(first, next);
            auto now = before;
            now.push_back(*first);
            bool fits = true;
            if (now.size() == first->counts) {
                fits = leave_in_same_cycle(now);
                now.clear();
            }
            if (fits && settle(now, first + 1, last)) {
                before = now;
                return true;
            }
            std::iter_swap(first, next);
        }
        return false;
    }

    bool leave_in_same_cycle(const std::vector<Arrival>& warps) const {
        std::set<std::int64_t> times;
        for (const Arrival& arrival : warps)
            if (arrival.waits) times.insert(released_at(arrival));
        return times.size() < 2;
    }

    void check_release(const std::vector<Arrival>& warps, std::int64_t cycle) {
        std::set<std::int64_t> opened;
        for (const Arrival& arrival : warps) {
            if (!arrival.waits) continue;
            const WarpRecord& warp = run_.warps[arrival.warp];
            if (arrival.index + 1 >= warp.issues.size()) continue; // Another check covers its end.
            const Issue& next = warp.issues[arrival.index + 1];
            const Interval& latency = run_.timing(warp.issues[arrival.index]).latency;
            const std::int64_t at = next.event.stalls[Stall::Barrier];
            opened.insert(at);
            if (!within(at - cycle, latency.lo, latency.hi) || next.event.cycle < at)
                run_.report_issue(next, fmt::format("C9: its barrier completes at {}", cycle));
        }
        if (opened.size() > 1) run_.report("C9: a barrier opens at different times for its warps");
    }

    RecordedLaunch& run_;
};

} // namespace

void check_residency(RecordedLaunch& run) {
    BlockSlots{run}.check();
}

void check_barriers(RecordedLaunch& run) {
    Barriers{run}.check();
}

void check_end(RecordedLaunch& run) {
    std::int64_t completion = 0;
    for (const WarpRecord& warp : run.warps) {
        completion = std::max(completion, warp.ends.front() + 1);
        for (const Issue& issue : warp.issues) {
            for (const auto* cycles : {&issue.completed, &issue.sources_read})
                for (const std::int64_t cycle : *cycles)
                    completion = std::max(completion, cycle);
            completion = std::max(completion, issue.drained.value_or(0));
        }
    }
    if (completion != run.run.execution_time)
        run.report(fmt::format("C2: the launch completes at {}, not at {}", completion,
                               run.run.execution_time));
}

} // namespace warpbound::tests
