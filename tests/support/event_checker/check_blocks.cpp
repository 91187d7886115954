#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

/// C1, C20, C30, C31: blocks, slots and places.
class Places {
public:
    explicit Places(RecordedLaunch& run) : run_{run} {}

    void check() {
        collect();
        const auto slots = static_cast<std::int64_t>(stays_.size());
        const std::int64_t room = room_of_an_sm();
        const std::int64_t blocks = run_.kernel.launch.blocks;
        if (slots != std::min(blocks, run_.run.multiprocessors * room))
            run_.say(fmt::format("C31: {} slots are taken by {} blocks on {} SMs of {}", slots,
                                 blocks, run_.run.multiprocessors, room));
        for (auto& [slot, stays] : stays_) {
            std::sort(stays.begin(), stays.end());
            if (slot.first < 0 || slot.first >= run_.run.multiprocessors || slot.second >= room)
                run_.say(fmt::format("C30: SM {} has no slot {}", slot.first, slot.second));
            check_stays(slot.second, stays);
        }
        check_order();
    }

private:
    using Slot = std::pair<int, std::int64_t>; ///< SM and slot on it.
    struct Stay {
        std::int64_t start = 0;
        std::int64_t end = 0;
        std::int64_t block = 0;
        friend auto operator<=>(const Stay&, const Stay&) = default;
    };

    void collect() {
        std::map<std::pair<Slot, std::int64_t>, std::set<std::int64_t>> taken;
        for (std::size_t index = 0; index < run_.warps.size(); ++index) {
            const WarpStarted& started = run_.warps[index].starts.front();
            const auto block = static_cast<std::int64_t>(index) / run_.warps_per_block;
            const std::int64_t on_core =
                std::int64_t{started.place} * run_.schedulers + started.scheduler;
            const auto in_block = static_cast<std::int64_t>(index) % run_.warps_per_block;
            if (on_core % run_.warps_per_block != in_block || started.scheduler >= run_.schedulers)
                run_.say(fmt::format("C1: warp {} has place {} of scheduler {}", index,
                                     started.place, started.scheduler));
            taken[{{started.multiprocessor, on_core / run_.warps_per_block}, block}].insert(
                started.cycle);
        }
        for (const auto& [place, cycles] : taken) {
            const auto [slot, block] = place;
            if (cycles.size() != 1)
                run_.say(fmt::format("C1: the warps of block {} do not start together", block));
            stays_[slot].push_back(Stay{*cycles.begin(), end_of_block(block), block});
        }
        if (static_cast<std::int64_t>(taken.size()) != run_.kernel.launch.blocks)
            run_.say("C1: a block is spread over several slots");
    }

    void check_stays(std::int64_t slot, const std::vector<Stay>& stays) {
        if (stays.front().start != 0) run_.say(fmt::format("C1: slot {} starts late", slot));
        handed_out_.emplace_back(0, stays.front().block);
        for (std::size_t next = 1; next < stays.size(); ++next) {
            const Interval replacement = value_of(run_.machine.blocks, "replacement");
            const Interval start = value_of(run_.machine.blocks, "start");
            if (!within(stays[next].start - stays[next - 1].end, replacement.lo + start.lo,
                        replacement.hi + start.hi))
                run_.say(fmt::format("C1: slot {} is free at {} and taken at {}", slot,
                                     stays[next - 1].end, stays[next].start));
            handed_out_.emplace_back(stays[next - 1].end, stays[next].block);
        }
        left_empty_.push_back(stays.back().end);
    }

    /// Blocks go out by number, and no slot stays empty while one waits.
    void check_order() {
        std::sort(handed_out_.begin(), handed_out_.end(),
                  [](const auto& a, const auto& b) { return a.second < b.second; });
        for (std::size_t block = 1; block < handed_out_.size(); ++block)
            if (handed_out_[block].first < handed_out_[block - 1].first)
                run_.say(
                    fmt::format("C31: block {} is handed out before block {}", block, block - 1));
        for (const std::int64_t end : left_empty_)
            if (end < handed_out_.back().first)
                run_.say(
                    fmt::format("C31: a slot stays empty from {} on although a block waits", end));
    }

    /// Equation 3.3 of GPUDIAG with the rounding of C30.
    std::int64_t room_of_an_sm() const {
        const auto limit = [&](std::string_view name) {
            return value_of(run_.machine.limits, name).lo;
        };
        const auto up = [](std::int64_t amount, std::int64_t unit) {
            return (amount + unit - 1) / unit * unit;
        };
        const harness::Kernel& kernel = run_.kernel;
        const std::int64_t warps = run_.warps_per_block;
        std::int64_t room = limit("max-warps") / warps;
        if (kernel.launch.blocks > 1) room = std::min(room, limit("max-blocks"));
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
            room = std::min(room, limit("registers") / parts / of_warp * parts / warps);
        }
        auto shared_memory = kernel.launch.shared_memory;
        if (!shared_memory && kernel.launch.blocks > 1)
            shared_memory = kernel.function->shared_memory;
        if (shared_memory) {
            const std::int64_t bytes =
                up(*shared_memory + limit("shared-reserved"), limit("shared-granularity"));
            if (bytes > 0) room = std::min(room, limit("shared-memory") / bytes);
        }
        return room;
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
    std::map<Slot, std::vector<Stay>> stays_;
    std::vector<std::pair<std::int64_t, std::int64_t>> handed_out_; ///< Cycle and block.
    std::vector<std::int64_t> left_empty_; ///< From when on slots are free for good.
};

/// C9, by replaying arrivals and ends in the order of time.
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
        std::size_t place = 0; ///< Of the barrier among the issues.
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

    /// From the thread count behind the barrier's number; 0 without.
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
            for (std::size_t place = 0; place < warp.issues.size(); ++place) {
                const Issue& issue = warp.issues[place];
                const bool arrives = issue.event.executed && run_.instruction(issue).opcode_class ==
                                                                 assembly::OpcodeClass::Barrier;
                const bool waits = arrives && run_.timing(issue).is_barrier_wait;
                if (!waits) {
                    if (place + 1 < warp.issues.size() &&
                        warp.issues[place + 1].event.waits[Stall::Barrier] != 0)
                        run_.complain(warp.issues[place + 1], "C9: no barrier before it");
                }
                if (!arrives) continue;
                arrivals.push_back({issue.event.cycle, false, index, place,
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
                    run_.complain(run_.warps[arrival.warp].issues[arrival.place],
                                  "C9: its barrier never opens");
    }

    /// From when on the warp may go on, as its log says; the end of time when it never does.
    std::int64_t goes_on(const Arrival& arrival) const {
        const WarpRecord& warp = run_.warps[arrival.warp];
        return arrival.place + 1 < warp.issues.size()
                   ? warp.issues[arrival.place + 1].event.waits[Stall::Barrier]
                   : std::numeric_limits<std::int64_t>::max();
    }

    /// Who of several warps that arrive in one cycle opens a counted barrier is not determined:
    /// puts them into an order that the log allows, where there is one.
    void settle_ties(std::vector<Arrival>& arrivals) const {
        std::map<std::int64_t, std::vector<Arrival>>
            before; // Since the barrier opened, by barrier.
        for (auto first = arrivals.begin(); first != arrivals.end();) {
            const auto last = std::find_if(first, arrivals.end(), [&](const Arrival& other) {
                return other.cycle != first->cycle;
            });
            // Ends do not count at such barriers, so the order of barriers is of no matter.
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

    using Place = std::vector<Arrival>::iterator;

    /// Orders the arrivals of one cycle at one barrier; `before` is then what has arrived since it
    /// opened.
    bool settle(std::vector<Arrival>& before, Place first, Place last) const {
        if (first == last) return true;
        for (auto next = first; next != last; ++next) {
            std::iter_swap(first, next);
            auto now = before;
            now.push_back(*first);
            bool fits = true;
            if (now.size() == first->counts) {
                fits = leave_together(now);
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

    bool leave_together(const std::vector<Arrival>& warps) const {
        std::set<std::int64_t> times;
        for (const Arrival& arrival : warps)
            if (arrival.waits) times.insert(goes_on(arrival));
        return times.size() < 2;
    }

    void check_release(const std::vector<Arrival>& warps, std::int64_t cycle) {
        std::set<std::int64_t> opened;
        for (const Arrival& arrival : warps) {
            if (!arrival.waits) continue;
            const WarpRecord& warp = run_.warps[arrival.warp];
            if (arrival.place + 1 >= warp.issues.size()) continue; // Its end is found elsewhere.
            const Issue& next = warp.issues[arrival.place + 1];
            const Interval& latency = run_.timing(warp.issues[arrival.place]).latency;
            const std::int64_t at = next.event.waits[Stall::Barrier];
            opened.insert(at);
            if (!within(at - cycle, latency.lo, latency.hi) || next.event.cycle < at)
                run_.complain(next, fmt::format("C9: its barrier completes at {}", cycle));
        }
        if (opened.size() > 1) run_.say("C9: a barrier opens at different times for its warps");
    }

    RecordedLaunch& run_;
};

} // namespace

void check_places(RecordedLaunch& run) {
    Places{run}.check();
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
        run.say(fmt::format("C2: the launch completes at {}, not at {}", completion,
                            run.run.execution_time));
}

} // namespace warpbound::tests
