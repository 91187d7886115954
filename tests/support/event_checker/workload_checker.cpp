#include "tests/support/event_checker/workload_checker.hpp"

#include "tests/support/event_checker/checks.hpp"
#include "tests/support/event_checker/workload_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace warpbound::tests {

namespace {

__extension__ using Wide = unsigned __int128;

/// a b / c, rounded up.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
    const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
    const Wide quotient = product / static_cast<Wide>(c);
    return static_cast<std::int64_t>(quotient) + (product % static_cast<Wide>(c) == 0 ? 0 : 1);
}

/// C32, C33 and C36: the host, the streams and the copies.
class Operations {
public:
    explicit Operations(WorkloadRecord& record) : record_{record} {}

    void check() {
        for (std::size_t index = 0; index < record_.steps.size(); ++index) {
            check_issue(index);
            check_entry(index);
            check_leave(index);
        }
        check_copies();
    }

private:
    const OperationRecord& at(std::size_t index) const { return record_.steps[index]; }
    const models::HostOperation& operation(std::size_t index) const {
        return record_.workload.operations[index];
    }
    Interval clock() const { return value_of(record_.machine.geometry, "core-clock"); }

    Interval call() const {
        const auto* value = record_.machine.transfers.find("call");
        if (value == nullptr || !value->interval) return Interval{0, std::nullopt, 0};
        return {scaled(value->interval->lo, clock().lo, 1'000'000), std::nullopt,
                scaled(value->interval->hi, clock().hi, 1'000'000)};
    }

    void check_issue(std::size_t index) {
        const std::int64_t stated = operation(index).at;
        std::int64_t lo = stated;
        std::int64_t hi = stated;
        if (index > 0) {
            lo = std::max(lo, at(index - 1).issued + call().lo);
            hi = std::max(hi, at(index - 1).issued + call().hi);
        }
        if (!within(at(index).issued, lo, hi))
            record_.say(fmt::format("C32: operation {} is issued at {}, not in {}..{}", index,
                                    at(index).issued, lo, hi));
    }

    void check_entry(std::size_t index) {
        std::int64_t first = at(index).issued;
        for (std::size_t before = 0; before < index; ++before) {
            const auto& other = operation(before).stream;
            const auto& own = operation(index).stream;
            if (other == own || !other || !own) first = std::max(first, at(before).left);
        }
        if (at(index).queued != first)
            record_.say(fmt::format("C33: operation {} enters its queue at {}, not at {}", index,
                                    at(index).queued, first));
    }

    void check_leave(std::size_t index) {
        std::int64_t leaves = at(index).ended;
        if (at(index).drained)
            leaves = std::max(leaves, *at(index).drained + (record_.has_caches ? 1 : 0));
        if (at(index).left != leaves)
            record_.say(fmt::format("C33: operation {} leaves its stream at {}, not at {}", index,
                                    at(index).left, leaves));
    }

    void check_copies() {
        std::map<std::int64_t, std::vector<std::size_t>> by_engine;
        const auto* engines = record_.machine.transfers.find("engines");
        const bool two = engines != nullptr && engines->interval && engines->interval->lo == 2;
        for (std::size_t index = 0; index < record_.steps.size(); ++index) {
            const auto kind = operation(index).kind;
            if (kind == models::HostOperationKind::Launch) continue;
            check_duration(index);
            by_engine[two && kind == models::HostOperationKind::CopyToHost ? 1 : 0].push_back(
                index);
        }
        for (auto& [engine, copies] : by_engine) {
            std::sort(copies.begin(), copies.end(), [this](std::size_t a, std::size_t b) {
                return std::pair{at(a).started, a} < std::pair{at(b).started, b};
            });
            for (std::size_t place = 0; place < copies.size(); ++place) {
                std::int64_t begins = at(copies[place]).queued;
                if (place > 0) {
                    begins = std::max(begins, at(copies[place - 1]).ended);
                    record_.check_fifo("C36", copies[place - 1], copies[place]);
                }
                if (at(copies[place]).started != begins)
                    record_.say(fmt::format("C36: copy {} begins at {}, not at {}", copies[place],
                                            at(copies[place]).started, begins));
            }
        }
    }

    void check_duration(std::size_t index) {
        const std::string direction{to_string(operation(index).kind)};
        const Interval start = value_of(record_.machine.transfers, direction + "-start");
        const Interval width = value_of(record_.machine.transfers, direction + "-bandwidth");
        const auto cycles = [&](std::int64_t nanoseconds, std::int64_t kilohertz,
                                std::int64_t bandwidth) {
            return scaled(nanoseconds, kilohertz, 1'000'000) +
                   scaled(operation(index).bytes, kilohertz, bandwidth);
        };
        const std::int64_t lo = cycles(start.lo, clock().lo, width.hi);
        const std::int64_t hi = cycles(start.hi, clock().hi, width.lo);
        if (!within(at(index).ended - at(index).started, lo, hi))
            record_.say(fmt::format("C36: copy {} takes {} cycles, not {}..{}", index,
                                    at(index).ended - at(index).started, lo, hi));
    }

    WorkloadRecord& record_;
};

/// C34, and C30 and C31 over all launches: replays blocks in the order of time.
class Dispatch {
public:
    explicit Dispatch(WorkloadRecord& record)
        : record_{record}, rooms_(static_cast<std::size_t>(record.run.multiprocessors)) {}

    void check() {
        check_queue();
        replay();
    }

private:
    struct Room {
        std::set<std::int64_t> warps; ///< Indices that are taken.
        std::int64_t blocks = 0;
        std::map<std::int64_t, std::int64_t> registers; ///< Taken, by partition.
        std::int64_t shared_memory = 0;
    };

    std::int64_t limit(std::string_view name) const {
        return value_of(record_.machine.limits, name).lo;
    }

    /// First in, first out; only blocks of the first launch go out, when it is ready.
    void check_queue() {
        std::vector<std::size_t> order(record_.launches.size());
        for (std::size_t launch = 0; launch < order.size(); ++launch)
            order[launch] = launch;
        std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            const auto key = [this](std::size_t launch) {
                const LaunchRecord& of = record_.launches[launch];
                return std::tuple{of.first_placed(), of.last_placed(),
                                  record_.steps[of.operation].queued, launch};
            };
            return key(a) < key(b);
        });
        std::int64_t gone = 0; // When the launch before left the queue.
        for (std::size_t place = 0; place < order.size(); ++place) {
            const LaunchRecord& launch = record_.launches[order[place]];
            const OperationRecord& step = record_.steps[launch.operation];
            if (place > 0)
                record_.check_fifo("C34", record_.launches[order[place - 1]].operation,
                                   launch.operation);
            if (launch.first_placed() < gone)
                record_.say(fmt::format("C34: launch {} gets an SM at {} before the first in the "
                                        "queue has gone",
                                        order[place], launch.first_placed()));
            if (step.dispatched != launch.last_placed())
                record_.say(fmt::format("C34: launch {} leaves the queue at {}, not at {}",
                                        order[place], step.dispatched, launch.last_placed()));
            check_starts(order[place], gone);
            gone = launch.last_placed();
        }
    }

    void check_starts(std::size_t index, std::int64_t gone) {
        const LaunchRecord& launch = record_.launches[index];
        const std::int64_t queued = record_.steps[launch.operation].queued;
        const Interval cost = record_.run.launch_cost ? *record_.run.launch_cost
                                                      : value_of(record_.machine.blocks, "launch");
        const std::int64_t earliest = std::max(gone, queued + cost.lo);
        const std::int64_t latest = std::max(gone, queued + cost.hi);
        eligible_.emplace(index, latest);
        if (launch.first_placed() < earliest)
            record_.say(fmt::format("C34: launch {} gets an SM at {}, before {}", index,
                                    launch.first_placed(), earliest));
        std::int64_t before = 0;
        for (const BlockRecord& block : launch.blocks) {
            if (block.placed < before)
                record_.say(fmt::format("C31: blocks of launch {} go out of order", index));
            before = block.placed;
            const bool first =
                block.placed == launch.first_placed() && within(block.placed, earliest, latest);
            if (first && block.start == block.placed) {
                eligible_[index] = block.placed;
                continue;
            }
            const auto* replacement = record_.machine.blocks.find("replacement");
            const auto* start = record_.machine.blocks.find("start");
            if (replacement == nullptr || start == nullptr || !replacement->interval ||
                !start->interval ||
                !within(block.start - block.placed, replacement->interval->lo + start->interval->lo,
                        replacement->interval->hi + start->interval->hi))
                record_.say(fmt::format("C34: a block of launch {} goes out at {} and starts at {}",
                                        index, block.placed, block.start));
        }
    }

    /// Ends of a cycle come first: they make room for what goes out in it. Of blocks that go to an
    /// SM in one cycle the first one has the lowest places.
    void replay() {
        struct Change {
            std::int64_t cycle = 0;
            bool goes_out = false;
            std::int64_t place = 0; ///< The lowest that the block takes.
            std::size_t launch = 0;
            std::size_t block = 0;
        };
        std::vector<Change> changes;
        for (std::size_t launch = 0; launch < record_.launches.size(); ++launch)
            for (std::size_t block = 0; block < record_.launches[launch].blocks.size(); ++block) {
                const BlockRecord& of = record_.launches[launch].blocks[block];
                changes.push_back({of.placed, true, of.places.front(), launch, block});
                changes.push_back({of.end, false, of.places.front(), launch, block});
            }
        std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
            return std::tie(a.cycle, a.goes_out, a.place, a.launch, a.block) <
                   std::tie(b.cycle, b.goes_out, b.place, b.launch, b.block);
        });
        for (auto first = changes.begin(); first != changes.end();) {
            const auto last = std::find_if(first, changes.end(), [&](const Change& other) {
                return other.cycle != first->cycle;
            });
            for (auto change = first; change != last; ++change)
                if (change->goes_out) check_not_late(change->launch, change->block);
            const std::vector<Room> before = rooms_;
            for (auto change = first; change != last; ++change)
                if (change->goes_out)
                    enter(change->launch, change->block, before);
                else
                    leave(change->launch, change->block);
            first = last;
        }
    }

    /// No SM had room for the block in the cycle before, if it could have gone out then.
    void check_not_late(std::size_t index, std::size_t number) {
        const LaunchRecord& launch = record_.launches[index];
        const std::int64_t placed = launch.blocks[number].placed;
        const std::int64_t since =
            std::max(eligible_.at(index), number > 0 ? launch.blocks[number - 1].placed : 0);
        if (placed <= since) return;
        for (const Room& room : rooms_)
            if (fits(room, index))
                record_.say(fmt::format("C34: block {} of launch {} waits until {} although an SM "
                                        "has room",
                                        number, index, placed));
    }

    bool fits(const Room& room, std::size_t index) const {
        const Need need = need_of(index);
        std::vector<std::int64_t> places;
        for (std::int64_t place = 0; static_cast<std::int64_t>(places.size()) < need.warps; ++place)
            if (room.warps.count(place) == 0) places.push_back(place);
        Room with = room;
        take(with, need, places);
        return !is_over(with);
    }

    struct Need {
        std::int64_t warps = 0;
        std::int64_t registers = 0; ///< Of a warp.
        std::int64_t shared_memory = 0;
    };

    Need need_of(std::size_t index) const {
        const harness::Kernel& kernel = record_.kernel_of(index);
        const auto up = [](std::int64_t amount, std::int64_t unit) {
            return (amount + unit - 1) / unit * unit;
        };
        const std::int64_t warp_size = value_of(record_.machine.geometry, "warp-size").lo;
        Need need;
        need.warps = up(kernel.launch.threads, warp_size) / warp_size;
        auto registers = kernel.launch.registers;
        if (!registers && record_.blocks > 1 && kernel.function->register_count.value_or(0) > 0)
            registers = kernel.function->register_count;
        if (registers) {
            const std::set<std::int64_t> doubled{21, 22, 29, 30, 37, 38, 45, 46};
            const bool fermi =
                assembly::generation_of(record_.machine.target) == assembly::Generation::Fermi;
            need.registers =
                up(*registers * warp_size, limit("register-granularity") *
                                               (fermi && doubled.count(*registers) > 0 ? 2 : 1));
        }
        auto shared_memory = kernel.launch.shared_memory;
        if (!shared_memory && record_.blocks > 1) shared_memory = kernel.function->shared_memory;
        if (shared_memory)
            need.shared_memory =
                up(*shared_memory + limit("shared-reserved"), limit("shared-granularity"));
        return need;
    }

    void take(Room& room, const Need& need, const std::vector<std::int64_t>& places) const {
        room.warps.insert(places.begin(), places.end());
        ++room.blocks;
        room.shared_memory += need.shared_memory;
        if (need.registers == 0) return;
        for (const std::int64_t place : places)
            room.registers[place % limit("register-partitions")] += need.registers;
    }

    bool is_over(const Room& room) const {
        if (!room.warps.empty() && *room.warps.rbegin() >= limit("max-warps")) return true;
        if (record_.blocks > 1 && room.blocks > limit("max-blocks")) return true;
        if (room.shared_memory > 0 && room.shared_memory > limit("shared-memory")) return true;
        return std::any_of(room.registers.begin(), room.registers.end(), [this](const auto& part) {
            return part.second > limit("registers") / limit("register-partitions");
        });
    }

    void enter(std::size_t index, std::size_t number, const std::vector<Room>& before) {
        const BlockRecord& block = record_.launches[index].blocks[number];
        const auto sm = static_cast<std::size_t>(block.multiprocessor);
        Room& room = rooms_[sm];
        std::int64_t lowest = 0;
        for (const std::int64_t place : block.places) {
            if (room.warps.count(place) > 0)
                record_.say(fmt::format("C30: place {} of SM {} is taken twice at {}", place, sm,
                                        block.placed));
            // What ended in this very cycle may have ended too late for it.
            for (; lowest < place; ++lowest)
                if (room.warps.count(lowest) == 0 && before[sm].warps.count(lowest) == 0)
                    record_.say(fmt::format("C30: place {} of SM {} is free at {} and left out",
                                            lowest, sm, block.placed));
            ++lowest;
        }
        take(room, need_of(index), block.places);
        if (is_over(room))
            record_.say(
                fmt::format("C30: SM {} holds more than it has room for at {}", sm, block.placed));
    }

    void leave(std::size_t index, std::size_t number) {
        const BlockRecord& block = record_.launches[index].blocks[number];
        Room& room = rooms_[static_cast<std::size_t>(block.multiprocessor)];
        const Need need = need_of(index);
        for (const std::int64_t place : block.places) {
            room.warps.erase(place);
            if (need.registers > 0)
                room.registers[place % limit("register-partitions")] -= need.registers;
        }
        --room.blocks;
        room.shared_memory -= need.shared_memory;
    }

    WorkloadRecord& record_;
    std::vector<Room> rooms_; ///< By SM.
    std::map<std::size_t, std::int64_t>
        eligible_; ///< By launch: the latest cycle in which it became eligible.
};

/// What warps of all launches share: ports, the write buffer, the choices of a scheduler.
class Sharing {
public:
    explicit Sharing(WorkloadRecord& record) : record_{record} {}

    void check() {
        for (const LaunchRecord& launch : record_.launches)
            for (const WarpRecord& warp : launch.recorded->warps)
                for (const Issue& issue : warp.issues)
                    add(*launch.recorded, warp, issue);
        for (auto& [port, uses] : ports_) {
            std::sort(uses.begin(), uses.end());
            for (std::size_t place = 1; place < uses.size(); ++place)
                if (uses[place].first < uses[place - 1].second)
                    record_.say(fmt::format("C7: a port is used at {} and taken until {}",
                                            uses[place].first, uses[place - 1].second));
        }
        for (auto& [scheduler, choices] : choices_) {
            std::sort(choices.begin(), choices.end());
            const std::int64_t slot = value_of(record_.machine.schedulers, "issue-slot").lo;
            for (std::size_t place = 1; place < choices.size(); ++place)
                if (choices[place] - choices[place - 1] < slot)
                    record_.say(fmt::format("C19: scheduler {} of SM {} chooses twice at {}",
                                            scheduler.second, scheduler.first, choices[place]));
        }
        for (auto& [multiprocessor, changes] : entries_) {
            // Of one cycle, drains come first; beside caches they count from the next one on.
            std::sort(changes.begin(), changes.end());
            std::int64_t inside = 0;
            for (const auto& [cycle, change] : changes)
                if ((inside += change) > value_of(record_.machine.write_buffer, "entries").hi)
                    record_.say(fmt::format("C8: the write buffer of SM {} is over-full at {}",
                                            multiprocessor, cycle));
        }
    }

private:
    void add(const RecordedLaunch& launch, const WarpRecord& warp, const Issue& issue) {
        const WarpStarted& place = warp.starts.front();
        const auto scheduler = std::pair{place.multiprocessor, place.scheduler};
        if (!issue.paired) choices_[scheduler].push_back(issue.event.cycle);
        // Through operand collectors units and buffers are entered later (C49).
        if (!issue.event.executed || launch.collects()) return;
        const InstructionTiming& timing = launch.timing(issue);
        const models::UnitScope scope = launch.machine.units[timing.unit].scope;
        if (scope != models::UnitScope::Warp)
            ports_[{timing.unit, place.multiprocessor,
                    scope == models::UnitScope::Partition ? place.scheduler : -1}]
                .emplace_back(issue.event.cycle, issue.event.port_until);
        if (!timing.enters_write_buffer || !issue.drained) return;
        entries_[place.multiprocessor].emplace_back(issue.event.cycle, 1);
        entries_[place.multiprocessor].emplace_back(*issue.drained + (record_.has_caches ? 1 : 0),
                                                    -1);
    }

    WorkloadRecord& record_;
    std::map<std::tuple<std::size_t, int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>>
        ports_;
    std::map<std::pair<int, int>, std::vector<std::int64_t>> choices_;
    std::map<int, std::vector<std::pair<std::int64_t, int>>> entries_;
};

} // namespace

std::vector<std::string> violations(const harness::Workload& workload,
                                    const models::Architecture& machine,
                                    const models::WarpPolicy& policy, const RecordedWorkload& run) {
    WorkloadRecord record{workload, machine, policy, run};
    if (!record.collect()) return std::move(record.found);
    Operations{record}.check();
    Dispatch{record}.check();
    Sharing{record}.check();
    std::int64_t makespan = 0;
    for (const OperationRecord& step : record.steps)
        makespan = std::max(makespan, step.ended);
    if (makespan != run.makespan)
        record.say(fmt::format("C32: the workload ends at {}, not at {}", makespan, run.makespan));
    for (LaunchRecord& launch : record.launches) {
        check_warps(*launch.recorded);
        check_lanes(*launch.recorded);
        check_barriers(*launch.recorded);
        check_fetches(*launch.recorded);
        check_end(*launch.recorded);
        for (const std::string& wrong : launch.recorded->found)
            record.say(wrong);
    }
    return std::move(record.found);
}

} // namespace warpbound::tests
