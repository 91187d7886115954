#include "tests/support/event_checker.hpp"

#include "assembly/isa/effects.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace warpbound::tests {

namespace {

using namespace harness::simulator;
using models::InstructionTiming;
using models::Interval;

constexpr std::size_t reported_limit = 20;

/// An issue with everything that happened to it later.
struct Issue {
    Issued event;
    std::vector<std::int64_t> completed;
    std::vector<std::int64_t> sources_read;
    std::optional<std::int64_t> drained;
    bool paired = false; ///< Issued in its predecessor's cycle without a choice of its own.
};

struct WarpRecord {
    std::vector<WarpStarted> starts;
    std::vector<Issue> issues;
    std::vector<std::int64_t> ends;
};

/// Whether the guard of a control instruction decides its direction instead of its execution (C10).
bool guard_directs(assembly::ControlFlow flow) {
    using enum assembly::ControlFlow;
    switch (flow) {
    case None:
    case PushReconvergence:
    case PushBreak:
    case PushContinue:
    case PushReturn:
    case ConvergenceSet:
    case ConvergenceBreak:
        return false;
    default:
        return true;
    }
}

bool within(std::int64_t value, std::int64_t lo, std::int64_t hi) {
    return lo <= value && value <= hi;
}

class Checker {
public:
    Checker(const harness::Kernel& kernel, const models::Architecture& machine,
            const models::WarpPolicy& policy, const RecordedRun& run)
        : kernel_{kernel}, machine_{machine}, policy_{policy}, run_{run},
          timings_{models::instruction_timings(*kernel.function, machine, *kernel.facts)},
          warps_per_block_{static_cast<int>(
              kernel.launch.warps_per_block(value(machine.geometry, "warp-size").lo))},
          schedulers_{static_cast<int>(value(machine.schedulers, "count").lo)},
          warps_(static_cast<std::size_t>(kernel.launch.blocks * warps_per_block_)) {
        for (const auto& instruction : kernel.function->instructions)
            effects_.push_back(assembly::effects_of(instruction, kernel.function->target));
    }

    std::vector<std::string> check() {
        if (!collect()) return std::move(found_);
        check_places();
        for (const WarpRecord& warp : warps_)
            check_warp(warp);
        check_barriers();
        check_ports();
        check_buffer();
        check_choices();
        check_end();
        return std::move(found_);
    }

private:
    static Interval value(const models::ValueGroup& group, std::string_view name) {
        return group.find(name)->interval.value();
    }
    const InstructionTiming& timing(const Issue& issue) const {
        return timings_[issue.event.instruction].value();
    }
    const assembly::Instruction& instruction(const Issue& issue) const {
        return kernel_.function->instructions[issue.event.instruction];
    }
    void say(std::string text) {
        if (found_.size() < reported_limit) found_.push_back(std::move(text));
    }
    void complain(const Issue& issue, std::string_view what) {
        const auto colon = what.find(':');
        say(fmt::format("{}: warp {} issue {} (instruction {}) at {}:{}", what.substr(0, colon),
                        issue.event.warp, issue.event.number, issue.event.instruction,
                        issue.event.cycle, what.substr(colon + 1)));
    }

    // -- What was recorded, by warp and issue. False when it cannot be put in order.

    bool collect() {
        std::int64_t last = 0;
        for (const Event& event : run_.events) {
            const std::int64_t cycle =
                std::visit([](const auto& what) { return what.cycle; }, event);
            const int warp = std::visit([](const auto& what) { return what.warp; }, event);
            if (cycle < last) say(fmt::format("order: event of cycle {} after {}", cycle, last));
            last = std::max(last, cycle);
            if (warp < 0 || static_cast<std::size_t>(warp) >= warps_.size()) {
                say(fmt::format("order: there is no warp {}", warp));
                return false;
            }
            std::visit([&](const auto& what) { add(warps_[static_cast<std::size_t>(warp)], what); },
                       event);
        }
        for (const WarpRecord& warp : warps_)
            if (warp.starts.size() != 1 || warp.ends.size() != 1 || warp.issues.empty())
                say(fmt::format("C2: a warp starts {} times, issues {} and ends {} times",
                                warp.starts.size(), warp.issues.size(), warp.ends.size()));
        return found_.empty();
    }
    void add(WarpRecord& warp, const WarpStarted& started) { warp.starts.push_back(started); }
    void add(WarpRecord& warp, const Issued& issued) {
        if (issued.instruction >= timings_.size() || !timings_[issued.instruction] ||
            issued.block >= kernel_.graph->blocks.size()) {
            say("order: an instruction that has no timing or no block issued");
            return;
        }
        Issue issue{issued, {}, {}, {}, false};
        if (!warp.issues.empty()) {
            const Issue& before = warp.issues.back();
            issue.paired = issued.cycle == before.event.cycle && gap_after(before, issue).lo == 0;
        }
        warp.issues.push_back(issue);
        if (issued.executed && timing(issue).enters_write_buffer)
            stores_.emplace_back(issued.cycle, issued.warp, warp.issues.size() - 1);
    }
    template <typename Later> Issue* issue_of(WarpRecord& warp, const Later& later) {
        const auto number = static_cast<std::size_t>(later.number);
        if (later.number >= 0 && number < warp.issues.size() &&
            warp.issues[number].event.instruction == later.instruction)
            return &warp.issues[number];
        say(fmt::format("causal: warp {} has no issue {} of instruction {} at {}", later.warp,
                        later.number, later.instruction, later.cycle));
        return nullptr;
    }
    void add(WarpRecord& warp, const SourcesRead& read) {
        if (Issue* issue = issue_of(warp, read)) issue->sources_read.push_back(read.cycle);
    }
    void add(WarpRecord& warp, const Completed& done) {
        if (Issue* issue = issue_of(warp, done)) issue->completed.push_back(done.cycle);
    }
    void add(WarpRecord& warp, const Drained& drained) {
        const auto oldest = std::find_if(warp.issues.begin(), warp.issues.end(), [&](Issue& issue) {
            return issue.event.executed && timing(issue).enters_write_buffer && !issue.drained;
        });
        if (oldest == warp.issues.end()) {
            say(fmt::format("causal: nothing of warp {} can drain at {}", drained.warp,
                            drained.cycle));
            return;
        }
        oldest->drained = drained.cycle;
        drains_.emplace_back(drained.cycle, drained.warp,
                             static_cast<std::size_t>(oldest - warp.issues.begin()));
    }
    static void add(WarpRecord& warp, const WarpEnded& ended) { warp.ends.push_back(ended.cycle); }

    // -- C1: blocks, slots and places.

    void check_places() {
        std::map<std::int64_t, std::vector<std::int64_t>> free_at; // Ends of blocks by slot.
        std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> taken;
        for (std::size_t index = 0; index < warps_.size(); ++index) {
            const WarpStarted& started = warps_[index].starts.front();
            const auto block = static_cast<std::int64_t>(index) / warps_per_block_;
            const std::int64_t on_core =
                std::int64_t{started.place} * schedulers_ + started.scheduler;
            const auto in_block = static_cast<std::int64_t>(index) % warps_per_block_;
            if (on_core % warps_per_block_ != in_block || started.scheduler >= schedulers_)
                say(fmt::format("C1: warp {} has place {} of scheduler {}", index, started.place,
                                started.scheduler));
            taken[{on_core / warps_per_block_, block}].insert(started.cycle);
        }
        std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>>
            stays; // By slot.
        for (const auto& [place, cycles] : taken) {
            const auto [slot, block] = place;
            if (cycles.size() != 1)
                say(fmt::format("C1: the warps of block {} do not start together", block));
            stays[slot].emplace_back(*cycles.begin(), end_of_block(block));
        }
        if (static_cast<std::int64_t>(taken.size()) != kernel_.launch.blocks)
            say("C1: a block is spread over several slots");
        const auto slots = static_cast<std::int64_t>(stays.size());
        if (slots * warps_per_block_ > value(machine_.limits, "max-warps").lo ||
            (kernel_.launch.blocks > 1 && slots > value(machine_.limits, "max-blocks").lo))
            say(fmt::format("C1: {} blocks are resident together", slots));
        for (auto& [slot, blocks] : stays) {
            std::sort(blocks.begin(), blocks.end());
            if (blocks.front().first != 0) say(fmt::format("C1: slot {} starts late", slot));
            for (std::size_t next = 1; next < blocks.size(); ++next) {
                const Interval replacement = value(machine_.blocks, "replacement");
                const Interval start = value(machine_.blocks, "start");
                if (!within(blocks[next].first - blocks[next - 1].second, replacement.lo + start.lo,
                            replacement.hi + start.hi))
                    say(fmt::format("C1: slot {} is free at {} and taken at {}", slot,
                                    blocks[next - 1].second, blocks[next].first));
            }
        }
    }

    std::int64_t end_of_block(std::int64_t block) const {
        std::int64_t end = 0;
        for (std::int64_t warp = 0; warp < warps_per_block_; ++warp)
            end = std::max(
                end,
                warps_[static_cast<std::size_t>(block * warps_per_block_ + warp)].ends.front());
        return end;
    }

    // -- What concerns one warp: order, C4, C5, C6, C10, C12 to C16.

    /// Of several edges to the block that follows, the widest interval.
    Interval gap_after(const Issue& before, const Issue& issue) const {
        const InstructionTiming& t = timing(before);
        if (!leaves_block(before, issue)) return t.gap;
        std::optional<Interval> gap;
        for (const auto& edge : kernel_.graph->edges) {
            if (edge.from != before.event.block || edge.to != issue.event.block) continue;
            const Interval& of_edge = edge.kind == assembly::EdgeKind::Taken ? t.gap_taken : t.gap;
            if (!gap) gap = of_edge;
            gap->lo = std::min(gap->lo, of_edge.lo);
            gap->hi = std::max(gap->hi, of_edge.hi);
        }
        return gap.value_or(t.gap);
    }
    bool leaves_block(const Issue& before, const Issue& issue) const {
        const auto& block = kernel_.graph->blocks[before.event.block];
        return before.event.instruction == block.last &&
               (issue.event.block != before.event.block ||
                issue.event.instruction != before.event.instruction + 1);
    }

    void check_order(const WarpRecord& warp, std::size_t place) {
        const Issue& issue = warp.issues[place];
        const auto& blocks = kernel_.graph->blocks;
        if (!within(static_cast<std::int64_t>(issue.event.instruction),
                    static_cast<std::int64_t>(blocks[issue.event.block].first),
                    static_cast<std::int64_t>(blocks[issue.event.block].last))) {
            complain(issue, "order: not in its block");
            return;
        }
        if (issue.event.number != static_cast<std::int64_t>(place))
            complain(issue, "order: numbered wrongly");
        const bool last = place + 1 == warp.issues.size();
        if (last && (!blocks[issue.event.block].exits ||
                     issue.event.instruction != blocks[issue.event.block].last ||
                     issue.event.cycle != warp.ends.front()))
            complain(issue, "C2: the warp does not end with it");
        if (place == 0) {
            if (issue.event.block != 0 ||
                issue.event.instruction != blocks[issue.event.block].first)
                complain(issue, "order: not the first instruction");
            return;
        }
        const Issue& before = warp.issues[place - 1];
        const bool follows = issue.event.block == before.event.block &&
                             issue.event.instruction == before.event.instruction + 1;
        const bool jumps =
            before.event.instruction == blocks[before.event.block].last &&
            issue.event.instruction == blocks[issue.event.block].first &&
            std::any_of(kernel_.graph->edges.begin(), kernel_.graph->edges.end(),
                        [&](const assembly::Edge& edge) {
                            return edge.from == before.event.block && edge.to == issue.event.block;
                        });
        if (!follows && !jumps) complain(issue, "order: does not follow the one before");
    }

    void check_execution(const Issue& issue) {
        const auto& code = instruction(issue);
        const auto& event = issue.event;
        const InstructionTiming& t = timing(issue);
        const bool may_be_off =
            code.guard && !code.guard->always() && !guard_directs(code.control_flow);
        if (!event.executed && !may_be_off) complain(issue, "C10: switched off");
        if (event.executed && may_be_off && code.guard->never())
            complain(issue, "C10: executes under @!PT");
        const bool reads = event.executed && code.control && code.control->read_barrier;
        if (issue.completed.size() != (event.executed ? 1U : 0U))
            complain(issue, fmt::format("C13: has {} results", issue.completed.size()));
        if (issue.sources_read.size() != (reads ? 1U : 0U))
            complain(issue,
                     fmt::format("C14: reads its sources {} times", issue.sources_read.size()));
        if (!event.executed) {
            if (event.port_until != event.cycle) complain(issue, "C11: takes a port");
            return;
        }
        if (!within(event.passes, t.passes.lo, t.passes.hi))
            complain(issue, fmt::format("C12: {} passes", event.passes));
        if (!within(event.port_until - event.cycle, t.initiation.lo * event.passes,
                    t.initiation.hi * event.passes))
            complain(issue, fmt::format("C12: takes its port until {}", event.port_until));
        const auto check_after = [&](const std::vector<std::int64_t>& cycles, const Interval& first,
                                     std::string_view what) {
            const std::int64_t further = event.passes - 1;
            for (const std::int64_t cycle : cycles)
                if (!within(cycle - event.cycle, first.lo + further * t.pass_cost.lo,
                            first.hi + further * t.pass_cost.hi))
                    complain(issue, fmt::format("{} at {}", what, cycle));
        };
        check_after(issue.completed, t.latency, "C13: completes");
        check_after(issue.sources_read, t.source_read, "C14: has read its sources");
    }

    /// When the registers are ready that the issue touches (C5).
    std::int64_t registers_ready(const std::map<assembly::Register, std::int64_t>& ready,
                                 const Issue& issue) const {
        std::int64_t at = 0;
        const auto& effects = effects_[issue.event.instruction];
        for (const auto* registers : {&effects.reads, &effects.writes})
            for (const assembly::Register& reg : *registers)
                if (const auto found = ready.find(reg); found != ready.end())
                    at = std::max(at, found->second);
        return at;
    }

    /// When the scoreboards are clear that the issue waits for (C6). `releases`: by scoreboard.
    std::int64_t scoreboards_clear(std::map<int, std::vector<std::int64_t>>& releases,
                                   const Issue& issue) const {
        const auto& code = instruction(issue);
        if (!code.control) return 0;
        std::int64_t at = 0;
        const auto wait = [&](int scoreboard, std::size_t allowed) {
            auto& times = releases[scoreboard];
            std::sort(times.begin(), times.end(), std::greater<>{});
            if (times.size() > allowed) at = std::max(at, times[allowed]);
        };
        for (int scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
            if (((code.control->wait_mask >> scoreboard) & 1) != 0) wait(scoreboard, 0);
        if (code.opcode_class != assembly::OpcodeClass::DependenceBarrier) return at;
        std::optional<int> counted;
        std::size_t allowed = 0;
        for (const assembly::Operand& operand : code.operands) {
            if (const auto* sb = std::get_if<assembly::ScoreboardOperand>(&operand))
                counted = sb->index;
            else if (const auto* limit = std::get_if<assembly::ImmediateOperand>(&operand))
                allowed = static_cast<std::size_t>(limit->integer.value_or(0));
        }
        if (counted) wait(*counted, allowed);
        return at;
    }

    void check_warp(const WarpRecord& warp) {
        std::map<assembly::Register, std::int64_t> ready;
        std::map<int, std::vector<std::int64_t>> releases;
        for (std::size_t place = 0; place < warp.issues.size(); ++place) {
            const Issue& issue = warp.issues[place];
            const Waits& waits = issue.event.waits;
            check_order(warp, place);
            check_execution(issue);
            for (const std::int64_t until : waits.until)
                if (until > issue.event.cycle)
                    complain(issue, fmt::format("waits: issues before {}", until));
            if (place == 0) {
                const std::int64_t start = warp.starts.front().cycle;
                if (issue.event.since != start || waits[Stall::Gap] != start ||
                    issue.event.cycle < start)
                    complain(issue, fmt::format("C1: the warp starts at {}", start));
            } else {
                const std::int64_t before = warp.issues[place - 1].event.cycle;
                const Interval gap = gap_after(warp.issues[place - 1], issue);
                if (issue.event.since != before + 1) complain(issue, "order: since another cycle");
                if (!within(waits[Stall::Gap] - before, gap.lo, gap.hi) ||
                    issue.event.cycle < before + gap.lo)
                    complain(issue, fmt::format("C4: the issue before was at {}", before));
            }
            if (timing(issue).waits_for_registers) {
                const std::int64_t at = registers_ready(ready, issue);
                if (waits[Stall::Register] != at || issue.event.cycle < at)
                    complain(issue, fmt::format("C5: its registers are ready at {}", at));
            }
            const std::int64_t clear = scoreboards_clear(releases, issue);
            if (waits[Stall::Scoreboard] != clear || issue.event.cycle < clear)
                complain(issue, fmt::format("C6: its scoreboards are clear at {}", clear));
            if (!issue.event.executed || issue.completed.empty()) continue;
            for (const assembly::Register& reg : effects_[issue.event.instruction].writes)
                ready[reg] = issue.completed.front();
            const auto& control = instruction(issue).control;
            if (!control) continue;
            if (control->write_barrier)
                releases[*control->write_barrier].push_back(issue.completed.front());
            if (control->read_barrier && !issue.sources_read.empty())
                releases[*control->read_barrier].push_back(issue.sources_read.front());
        }
    }

    // -- C9: barriers, by replaying arrivals and ends in the order of time.

    struct Arrival {
        std::int64_t cycle = 0;
        bool ends = false;
        std::size_t warp = 0;
        std::size_t place = 0; ///< Of the barrier among the issues.
        std::int64_t barrier = 0;
    };

    static std::int64_t barrier_number(const assembly::Instruction& code) {
        for (const assembly::Operand& operand : code.operands)
            if (const auto* number = std::get_if<assembly::ImmediateOperand>(&operand))
                return number->integer.value_or(0);
        return 0;
    }

    void check_barriers() {
        for (std::int64_t block = 0; block < kernel_.launch.blocks; ++block)
            check_barriers_of(block);
    }

    void check_barriers_of(std::int64_t block) {
        std::vector<Arrival> arrivals;
        std::set<std::pair<std::size_t, std::size_t>> behind; // Issues that follow an arrival.
        for (int in_block = 0; in_block < warps_per_block_; ++in_block) {
            const auto index = static_cast<std::size_t>(block * warps_per_block_ + in_block);
            const WarpRecord& warp = warps_[index];
            for (std::size_t place = 0; place < warp.issues.size(); ++place) {
                const Issue& issue = warp.issues[place];
                const bool arrives = issue.event.executed && timing(issue).is_barrier_wait;
                if (!arrives) {
                    if (place + 1 < warp.issues.size() &&
                        warp.issues[place + 1].event.waits[Stall::Barrier] != 0)
                        complain(warp.issues[place + 1], "C9: no barrier before it");
                    continue;
                }
                arrivals.push_back(
                    {issue.event.cycle, false, index, place, barrier_number(instruction(issue))});
            }
            arrivals.push_back({warp.ends.front(), true, index, 0, 0});
        }
        std::stable_sort(arrivals.begin(), arrivals.end(),
                         [](const Arrival& a, const Arrival& b) { return a.cycle < b.cycle; });
        auto live = static_cast<std::size_t>(warps_per_block_);
        std::map<std::int64_t, std::vector<Arrival>> waiting;
        const auto open_complete = [&](std::int64_t cycle) {
            for (auto& [barrier, warps] : waiting) {
                if (warps.empty() || warps.size() != live) continue;
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
                complain(warps_[arrival.warp].issues[arrival.place], "C9: its barrier never opens");
    }

    void check_release(const std::vector<Arrival>& warps, std::int64_t cycle) {
        std::set<std::int64_t> opened;
        for (const Arrival& arrival : warps) {
            const WarpRecord& warp = warps_[arrival.warp];
            if (arrival.place + 1 >= warp.issues.size()) continue; // Its end is found elsewhere.
            const Issue& next = warp.issues[arrival.place + 1];
            const Interval& latency = timing(warp.issues[arrival.place]).latency;
            const std::int64_t at = next.event.waits[Stall::Barrier];
            opened.insert(at);
            if (!within(at - cycle, latency.lo, latency.hi) || next.event.cycle < at)
                complain(next, fmt::format("C9: its barrier completes at {}", cycle));
        }
        if (opened.size() > 1) say("C9: a barrier opens at different times for its warps");
    }

    // -- C7: ports.

    using Port = std::tuple<std::size_t, int, int>;

    Port port_of(const Issue& issue) const {
        const std::size_t unit = timing(issue).unit;
        switch (machine_.units[unit].scope) {
        case models::UnitScope::Warp:
            return {unit, 0, issue.event.warp};
        case models::UnitScope::Partition:
            return {unit, 1, scheduler_of(issue)};
        case models::UnitScope::Core:
            break;
        }
        return {unit, 2, 0};
    }
    int scheduler_of(const Issue& issue) const {
        return warps_[static_cast<std::size_t>(issue.event.warp)].starts.front().scheduler;
    }

    void check_ports() {
        for (const WarpRecord& warp : warps_)
            for (const Issue& issue : warp.issues)
                if (issue.event.executed) users_[port_of(issue)].push_back(&issue);
        for (auto& [port, users] : users_) {
            // A user that leaves the port at once comes first in its cycle.
            std::sort(users.begin(), users.end(), [](const Issue* a, const Issue* b) {
                return std::tuple{a->event.cycle, a->event.port_until, a->event.number} <
                       std::tuple{b->event.cycle, b->event.port_until, b->event.number};
            });
            for (std::size_t place = 1; place < users.size(); ++place)
                if (users[place]->event.cycle < users[place - 1]->event.port_until)
                    complain(*users[place], fmt::format("C7: its port is taken until {}",
                                                        users[place - 1]->event.port_until));
        }
    }

    /// Whether an issue other than `except` occupies the port of this one in a cycle.
    bool is_port_taken(const Issue& issue, std::int64_t cycle, const Issue* except) const {
        const auto found = users_.find(port_of(issue));
        if (found == users_.end()) return false;
        const auto& users = found->second;
        auto after = std::upper_bound(
            users.begin(), users.end(), cycle,
            [](std::int64_t at, const Issue* user) { return at < user->event.cycle; });
        while (after != users.begin())
            if (const Issue* user = *--after; user != except) return user->event.port_until > cycle;
        return false;
    }

    // -- C8 and C15: the write buffer.

    using Entry = std::tuple<std::int64_t, int, std::size_t>; ///< Cycle, warp, place of the issue.

    const Issue& issue_at(const Entry& entry) const {
        return warps_[static_cast<std::size_t>(std::get<1>(entry))].issues[std::get<2>(entry)];
    }

    std::int64_t buffered(std::int64_t cycle) const {
        const auto count = [cycle](const std::vector<Entry>& entries) {
            return std::count_if(entries.begin(), entries.end(), [cycle](const Entry& entry) {
                return std::get<0>(entry) <= cycle;
            });
        };
        return count(stores_) - count(drains_);
    }

    void check_buffer() {
        if (stores_.size() != drains_.size())
            say(fmt::format("C15: {} stores and {} drains", stores_.size(), drains_.size()));
        if (stores_.empty()) return;
        const Interval drain = value(machine_.write_buffer, "drain");
        const Interval entries = value(machine_.write_buffer, "entries");
        for (const Entry& store : stores_)
            if (buffered(std::get<0>(store)) > entries.hi)
                complain(issue_at(store), "C8: the write buffer is over-full");
        std::int64_t before = 0;
        std::int64_t entered_before = 0;
        for (const Entry& entry : drains_) {
            const Issue& issue = issue_at(entry);
            const std::int64_t from = std::max(before, issue.event.cycle);
            if (issue.event.cycle < entered_before) complain(issue, "C15: drains out of order");
            if (!within(std::get<0>(entry) - from, drain.lo * issue.event.passes,
                        drain.hi * issue.event.passes))
                complain(issue, fmt::format("C15: drains at {}", std::get<0>(entry)));
            before = std::get<0>(entry);
            entered_before = issue.event.cycle;
        }
    }

    // -- Issue slots and C19.

    void check_choices() {
        std::map<int, std::vector<const Issue*>> choices;
        std::map<int, std::vector<const WarpRecord*>> members;
        for (const WarpRecord& warp : warps_) {
            members[warp.starts.front().scheduler].push_back(&warp);
            for (const Issue& issue : warp.issues)
                if (!issue.paired) choices[scheduler_of(issue)].push_back(&issue);
        }
        for (auto& [scheduler, chosen] : choices) {
            std::sort(chosen.begin(), chosen.end(), [](const Issue* a, const Issue* b) {
                return a->event.cycle < b->event.cycle;
            });
            const std::int64_t slot = value(machine_.schedulers, "issue-slot").lo;
            for (std::size_t place = 1; place < chosen.size(); ++place)
                if (chosen[place]->event.cycle < chosen[place - 1]->event.cycle + slot)
                    complain(*chosen[place],
                             fmt::format("slot: scheduler {} chose at {}", scheduler,
                                         chosen[place - 1]->event.cycle));
            if (!found_.empty()) continue; // What may issue is not known for certain.
            if (models::guarantee_of(policy_) == models::PolicyGuarantee::WorkConserving)
                check_idle(chosen, members[scheduler]);
            check_policy(chosen, members[scheduler]);
        }
    }

    /// The first cycle that the warp's own conditions allow.
    static std::int64_t own_earliest(const Issue& issue) {
        const Waits& waits = issue.event.waits;
        return std::max({waits[Stall::Gap], waits[Stall::Barrier], waits[Stall::Register],
                         waits[Stall::Scoreboard]});
    }

    /// Whether the issue could have been made in an earlier cycle, choices aside, had `instead` not
    /// been made.
    bool may_issue(const Issue& issue, std::int64_t cycle, const Issue* instead = nullptr) const {
        if (own_earliest(issue) > cycle) return false;
        if (!issue.event.executed) return true;
        if (is_port_taken(issue, cycle, instead)) return false;
        if (!timing(issue).enters_write_buffer) return true;
        const bool stores =
            instead != nullptr && instead->event.executed && timing(*instead).enters_write_buffer;
        return buffered(cycle) - (stores ? 1 : 0) < value(machine_.write_buffer, "entries").lo;
    }

    void check_idle(const std::vector<const Issue*>& chosen,
                    const std::vector<const WarpRecord*>& members) {
        const std::int64_t slot = value(machine_.schedulers, "issue-slot").hi;
        const auto is_choosing = [&](std::int64_t cycle) {
            const auto after = std::upper_bound(
                chosen.begin(), chosen.end(), cycle,
                [](std::int64_t at, const Issue* issue) { return at < issue->event.cycle; });
            return after != chosen.begin() && (*(after - 1))->event.cycle + slot > cycle;
        };
        for (const WarpRecord* warp : members)
            for (const Issue& issue : warp->issues)
                for (std::int64_t cycle = std::max(own_earliest(issue), issue.event.since);
                     cycle < issue.event.cycle; ++cycle)
                    if (!is_choosing(cycle) && may_issue(issue, cycle)) {
                        complain(issue, fmt::format("C19: idle in {}", cycle));
                        return;
                    }
    }

    /// Which of two places comes first after the one chosen last, going round.
    static int round_from(int place, int last) { return place > last ? place : place + (1 << 20); }

    void check_policy(const std::vector<const Issue*>& chosen,
                      const std::vector<const WarpRecord*>& members) {
        using enum models::PolicyKind;
        if (policy_.kind != LooseRoundRobin && policy_.kind != GreedyThenOldest &&
            policy_.kind != OldestFirst)
            return;
        std::map<const WarpRecord*, std::size_t> next;
        const WarpRecord* last = nullptr;
        for (const Issue* issue : chosen) {
            const WarpRecord* const by = &warps_[static_cast<std::size_t>(issue->event.warp)];
            for (const WarpRecord* other : members) {
                std::size_t& place = next[other];
                while (place < other->issues.size() &&
                       (other->issues[place].event.cycle < issue->event.cycle ||
                        (other == by && other->issues[place].event.cycle == issue->event.cycle)))
                    ++place;
                if (other == by || place == other->issues.size()) continue;
                const Issue& waiting = other->issues[place];
                if (waiting.event.since > issue->event.cycle ||
                    !may_issue(waiting, issue->event.cycle, issue))
                    continue;
                if (!comes_first(*by, *other, last))
                    complain(*issue, fmt::format("C19: warp {} comes first", waiting.event.warp));
            }
            last = by;
        }
    }

    /// Whether the policy puts `a` before `b`. `last`: chosen before, if any.
    bool comes_first(const WarpRecord& a, const WarpRecord& b, const WarpRecord* last) const {
        const WarpStarted& first = a.starts.front();
        const WarpStarted& second = b.starts.front();
        if (policy_.kind == models::PolicyKind::LooseRoundRobin) {
            if (last == nullptr) return true; // Where the round begins is not determined.
            const int from = last->starts.front().place;
            return round_from(first.place, from) < round_from(second.place, from);
        }
        if (policy_.kind == models::PolicyKind::GreedyThenOldest && (&a == last || &b == last))
            return &a == last;
        return std::pair{first.cycle, first.place} < std::pair{second.cycle, second.place};
    }

    // -- C2: the end.

    void check_end() {
        std::int64_t completion = 0;
        for (const WarpRecord& warp : warps_) {
            completion = std::max(completion, warp.ends.front() + 1);
            for (const Issue& issue : warp.issues) {
                for (const auto* cycles : {&issue.completed, &issue.sources_read})
                    for (const std::int64_t cycle : *cycles)
                        completion = std::max(completion, cycle);
                completion = std::max(completion, issue.drained.value_or(0));
            }
        }
        if (completion != run_.execution_time)
            say(fmt::format("C2: the launch completes at {}, not at {}", completion,
                            run_.execution_time));
    }

    const harness::Kernel& kernel_;
    const models::Architecture& machine_;
    const models::WarpPolicy& policy_;
    const RecordedRun& run_;
    std::vector<Result<InstructionTiming>> timings_;
    std::vector<assembly::Effects> effects_;
    int warps_per_block_;
    int schedulers_;
    std::vector<WarpRecord> warps_;
    std::map<Port, std::vector<const Issue*>> users_;
    std::vector<Entry> stores_; ///< In the order of time.
    std::vector<Entry> drains_; ///< Drain cycle instead of the issue's.
    std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> violations(const harness::Kernel& kernel,
                                    const models::Architecture& machine,
                                    const models::WarpPolicy& policy, const RecordedRun& run) {
    return Checker{kernel, machine, policy, run}.check();
}

} // namespace warpbound::tests
