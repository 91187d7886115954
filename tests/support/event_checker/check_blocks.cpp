#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

/// C1: blocks, slots and places.
class Places {
public:
    explicit Places(RecordedLaunch& run) : run_{run} {}

    void check() {
        std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> taken;
        for (std::size_t index = 0; index < run_.warps.size(); ++index) {
            const WarpStarted& started = run_.warps[index].starts.front();
            const auto block = static_cast<std::int64_t>(index) / run_.warps_per_block;
            const std::int64_t on_core =
                std::int64_t{started.place} * run_.schedulers + started.scheduler;
            const auto in_block = static_cast<std::int64_t>(index) % run_.warps_per_block;
            if (on_core % run_.warps_per_block != in_block || started.scheduler >= run_.schedulers)
                run_.say(fmt::format("C1: warp {} has place {} of scheduler {}", index,
                                     started.place, started.scheduler));
            taken[{on_core / run_.warps_per_block, block}].insert(started.cycle);
        }
        std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>>
            stays; // By slot.
        for (const auto& [place, cycles] : taken) {
            const auto [slot, block] = place;
            if (cycles.size() != 1)
                run_.say(fmt::format("C1: the warps of block {} do not start together", block));
            stays[slot].emplace_back(*cycles.begin(), end_of_block(block));
        }
        if (static_cast<std::int64_t>(taken.size()) != run_.kernel.launch.blocks)
            run_.say("C1: a block is spread over several slots");
        const auto slots = static_cast<std::int64_t>(stays.size());
        if (slots * run_.warps_per_block > value_of(run_.machine.limits, "max-warps").lo ||
            (run_.kernel.launch.blocks > 1 &&
             slots > value_of(run_.machine.limits, "max-blocks").lo))
            run_.say(fmt::format("C1: {} blocks are resident together", slots));
        for (auto& [slot, blocks] : stays) {
            std::sort(blocks.begin(), blocks.end());
            if (blocks.front().first != 0) run_.say(fmt::format("C1: slot {} starts late", slot));
            for (std::size_t next = 1; next < blocks.size(); ++next) {
                const Interval replacement = value_of(run_.machine.blocks, "replacement");
                const Interval start = value_of(run_.machine.blocks, "start");
                if (!within(blocks[next].first - blocks[next - 1].second, replacement.lo + start.lo,
                            replacement.hi + start.hi))
                    run_.say(fmt::format("C1: slot {} is free at {} and taken at {}", slot,
                                         blocks[next - 1].second, blocks[next].first));
            }
        }
    }

private:
    std::int64_t end_of_block(std::int64_t block) const {
        std::int64_t end = 0;
        for (std::int64_t warp = 0; warp < run_.warps_per_block; ++warp)
            end = std::max(end,
                           run_.warps[static_cast<std::size_t>(block * run_.warps_per_block + warp)]
                               .ends.front());
        return end;
    }

    RecordedLaunch& run_;
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
