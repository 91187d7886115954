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
class HostOperations {
public:
    explicit HostOperations(WorkloadRecord& record) : record_{record} {}

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
            record_.report(fmt::format("C32: operation {} is issued at {}, not in {}..{}", index,
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
            record_.report(fmt::format("C33: operation {} enters its queue at {}, not at {}", index,
                                       at(index).queued, first));
    }

    void check_leave(std::size_t index) {
        std::int64_t leaves = at(index).ended;
        if (at(index).drained)
            leaves = std::max(leaves, *at(index).drained + (record_.has_caches ? 1 : 0));
        if (at(index).left != leaves)
            record_.report(fmt::format("C33: operation {} leaves its stream at {}, not at {}",
                                       index, at(index).left, leaves));
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
            for (std::size_t i = 0; i < copies.size(); ++i) {
                std::int64_t begins = at(copies[i]).queued;
                if (i > 0) {
                    begins = std::max(begins, at(copies[i - 1]).ended);
                    record_.check_fifo("C36", copies[i - 1], copies[i]);
                }
                if (at(copies[i]).started != begins)
                    record_.report(fmt::format("C36: copy {} begins at {}, not at {}", copies[i],
                                               at(copies[i]).started, begins));
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
            record_.report(fmt::format("C36: copy {} takes {} cycles, not {}..{}", index,
                                       at(index).ended - at(index).started, lo, hi));
    }

    WorkloadRecord& record_;
};

/// C34, and C30 and C31 over all launches: replays the blocks in time order.
class Dispatch {
public:
    explicit Dispatch(WorkloadRecord& record)
        : record_{record}, occupancies_(static_cast<std::size_t>(record.run.multiprocessors)) {}

    void check() {
        check_queue();
        replay();
    }

private:
    struct SmOccupancy {
        std::set<std::int64_t> warps; ///< Occupied warp slots.
        std::int64_t blocks = 0;
        std::map<std::int64_t, std::int64_t> registers; ///< Occupied, by partition.
        std::int64_t shared_memory = 0;
    };

    std::int64_t limit(std::string_view name) const {
        return value_of(record_.machine.limits, name).lo;
    }

    /// First in, first out; only blocks of the first launch are dispatched, once it is ready.
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
        std::int64_t queue_left = 0; // When the preceding launch left the queue.
        for (std::size_t i = 0; i < order.size(); ++i) {
            const LaunchRecord& launch = record_.launches[order[i]];
            const OperationRecord& step = record_.steps[launch.operation];
            if (i > 0)
                record_.check_fifo("C34", record_.launches[order[i - 1]].operation,
                                   launch.operation);
            if (launch.first_placed() < queue_left)
                record_.report(
                    fmt::format("C34: launch {} gets an SM at {} before the first in the "
                                "queue has left",
                                order[i], launch.first_placed()));
            if (step.dispatched != launch.last_placed())
                record_.report(fmt::format("C34: launch {} leaves the queue at {}, not at {}",
                                           order[i], step.dispatched, launch.last_placed()));
            check_starts(order[i], queue_left);
            queue_left = launch.last_placed();
        }
    }

    void check_starts(std::size_t index, std::int64_t queue_left) {
        const LaunchRecord& launch = record_.launches[index];
        const std::int64_t queued = record_.steps[launch.operation].queued;
        const Interval cost = record_.run.launch_cost ? *record_.run.launch_cost
                                                      : value_of(record_.machine.blocks, "launch");
        const std::int64_t earliest = std::max(queue_left, queued + cost.lo);
        const std::int64_t latest = std::max(queue_left, queued + cost.hi);
        eligible_.emplace(index, latest);
        if (launch.first_placed() < earliest)
            record_.report(fmt::format("C34: launch {} gets an SM at {}, before {}", index,
                                       launch.first_placed(), earliest));
        std::int64_t before = 0;
        for (const BlockRecord& block : launch.blocks) {
            if (block.placed < before)
                record_.report(
                    fmt::format("C31: blocks of launch {} are dispatched out of order", index));
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
                record_.report(
                    fmt::format("C34: a block of launch {} is dispatched at {} and starts at {}",
                                index, block.placed, block.start));
        }
    }

    /// The ends of a cycle come first: they free resources for blocks dispatched in it. Of the
    /// blocks dispatched to an SM in one cycle the first has the lowest warp slots.
    void replay() {
        struct Change {
            std::int64_t cycle = 0;
            bool is_dispatch = false;
            std::int64_t lowest_slot = 0; ///< The lowest warp slot of the block.
            std::size_t launch = 0;
            std::size_t block = 0;
        };
        std::vector<Change> changes;
        for (std::size_t launch = 0; launch < record_.launches.size(); ++launch)
            for (std::size_t block = 0; block < record_.launches[launch].blocks.size(); ++block) {
                const BlockRecord& of = record_.launches[launch].blocks[block];
                changes.push_back({of.placed, true, of.warp_slots.front(), launch, block});
                changes.push_back({of.end, false, of.warp_slots.front(), launch, block});
            }
        std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
            return std::tie(a.cycle, a.is_dispatch, a.lowest_slot, a.launch, a.block) <
                   std::tie(b.cycle, b.is_dispatch, b.lowest_slot, b.launch, b.block);
        });
        for (auto first = changes.begin(); first != changes.end();) {
            const auto last = std::find_if(first, changes.end(), [&](const Change& other) {
                return other.cycle != first->cycle;
            });
            for (auto change = first; change != last; ++change)
                if (change->is_dispatch) check_not_late(change->launch, change->block);
            const std::vector<SmOccupancy> before = occupancies_;
            for (auto change = first; change != last; ++change)
                if (change->is_dispatch)
                    enter(change->launch, change->block, before);
                else
                    leave(change->launch, change->block);
            first = last;
        }
    }

    /// The block fitted no SM in the preceding cycle, if it could have been dispatched then.
    void check_not_late(std::size_t index, std::size_t number) {
        const LaunchRecord& launch = record_.launches[index];
        const std::int64_t placed = launch.blocks[number].placed;
        const std::int64_t since =
            std::max(eligible_.at(index), number > 0 ? launch.blocks[number - 1].placed : 0);
        if (placed <= since) return;
        for (const SmOccupancy& occupancy : occupancies_)
            if (fits(occupancy, index))
                record_.report(fmt::format("C34: block {} of launch {} waits until {} although it "
                                           "fits an SM",
                                           number, index, placed));
    }

    bool fits(const SmOccupancy& occupancy, std::size_t index) const {
        const BlockDemand demand = demand_of(index);
        std::vector<std::int64_t> warp_slots;
        for (std::int64_t warp_slot = 0;
             static_cast<std::int64_t>(warp_slots.size()) < demand.warps; ++warp_slot)
            if (occupancy.warps.count(warp_slot) == 0) warp_slots.push_back(warp_slot);
        SmOccupancy with = occupancy;
        allocate(with, demand, warp_slots);
        return !is_over(with);
    }

    struct BlockDemand {
        std::int64_t warps = 0;
        std::int64_t registers = 0; ///< Per warp.
        std::int64_t shared_memory = 0;
    };

    BlockDemand demand_of(std::size_t index) const {
        const harness::Kernel& kernel = record_.kernel_of(index);
        const auto up = [](std::int64_t amount, std::int64_t unit) {
            return (amount + unit - 1) / unit * unit;
        };
        const std::int64_t warp_size = value_of(record_.machine.geometry, "warp-size").lo;
        BlockDemand demand;
        demand.warps = up(kernel.launch.threads, warp_size) / warp_size;
        auto registers = kernel.launch.registers;
        if (!registers && record_.blocks > 1 && kernel.function->register_count.value_or(0) > 0)
            registers = kernel.function->register_count;
        if (registers) {
            const std::set<std::int64_t> doubled{21, 22, 29, 30, 37, 38, 45, 46};
            const bool fermi =
                assembly::generation_of(record_.machine.target) == assembly::Generation::Fermi;
            demand.registers =
                up(*registers * warp_size, limit("register-granularity") *
                                               (fermi && doubled.count(*registers) > 0 ? 2 : 1));
        }
        auto shared_memory = kernel.launch.shared_memory;
        if (!shared_memory && record_.blocks > 1) shared_memory = kernel.function->shared_memory;
        if (shared_memory)
            demand.shared_memory =
                up(*shared_memory + limit("shared-reserved"), limit("shared-granularity"));
        return demand;
    }

    void allocate(SmOccupancy& occupancy, const BlockDemand& demand,
                  const std::vector<std::int64_t>& warp_slots) const {
        occupancy.warps.insert(warp_slots.begin(), warp_slots.end());
        ++occupancy.blocks;
        occupancy.shared_memory += demand.shared_memory;
        if (demand.registers == 0) return;
        for (const std::int64_t warp_slot : warp_slots)
            occupancy.registers[warp_slot % limit("register-partitions")] += demand.registers;
    }

    bool is_over(const SmOccupancy& occupancy) const {
        if (!occupancy.warps.empty() && *occupancy.warps.rbegin() >= limit("max-warps"))
            return true;
        if (record_.blocks > 1 && occupancy.blocks > limit("max-blocks")) return true;
        if (occupancy.shared_memory > 0 && occupancy.shared_memory > limit("shared-memory"))
            return true;
        return std::any_of(
            occupancy.registers.begin(), occupancy.registers.end(), [this](const auto& part) {
                return part.second > limit("registers") / limit("register-partitions");
            });
    }

    void enter(std::size_t index, std::size_t number, const std::vector<SmOccupancy>& before) {
        const BlockRecord& block = record_.launches[index].blocks[number];
        const auto sm = static_cast<std::size_t>(block.multiprocessor);
        SmOccupancy& occupancy = occupancies_[sm];
        std::int64_t lowest = 0;
        for (const std::int64_t warp_slot : block.warp_slots) {
            if (occupancy.warps.count(warp_slot) > 0)
                record_.report(fmt::format("C30: warp slot {} of SM {} is occupied twice at {}",
                                           warp_slot, sm, block.placed));
            // A block that ended in this cycle may have ended too late for it.
            for (; lowest < warp_slot; ++lowest)
                if (occupancy.warps.count(lowest) == 0 && before[sm].warps.count(lowest) == 0)
                    record_.report(
                        fmt::format("C30: warp slot {} of SM {} is free at {} and skipped", lowest,
                                    sm, block.placed));
            ++lowest;
        }
        allocate(occupancy, demand_of(index), block.warp_slots);
        if (is_over(occupancy))
            record_.report(
                fmt::format("C30: SM {} exceeds its occupancy limit at {}", sm, block.placed));
    }

    void leave(std::size_t index, std::size_t number) {
        const BlockRecord& block = record_.launches[index].blocks[number];
        SmOccupancy& occupancy = occupancies_[static_cast<std::size_t>(block.multiprocessor)];
        const BlockDemand demand = demand_of(index);
        for (const std::int64_t warp_slot : block.warp_slots) {
            occupancy.warps.erase(warp_slot);
            if (demand.registers > 0)
                occupancy.registers[warp_slot % limit("register-partitions")] -= demand.registers;
        }
        --occupancy.blocks;
        occupancy.shared_memory -= demand.shared_memory;
    }

    WorkloadRecord& record_;
    std::vector<SmOccupancy> occupancies_; ///< By SM.
    std::map<std::size_t, std::int64_t>
        eligible_; ///< By launch: the latest cycle in which it became eligible.
};

/// Resources that the warps of all launches share: ports, the write buffer, the issue slots.
class SharedResources {
public:
    explicit SharedResources(WorkloadRecord& record) : record_{record} {}

    void check() {
        for (const LaunchRecord& launch : record_.launches)
            for (const WarpRecord& warp : launch.recorded->warps)
                for (const Issue& issue : warp.issues)
                    add(*launch.recorded, warp, issue);
        for (auto& [port, uses] : ports_) {
            std::sort(uses.begin(), uses.end());
            for (std::size_t i = 1; i < uses.size(); ++i)
                if (uses[i].first < uses[i - 1].second)
                    record_.report(fmt::format("C7: a port is used at {} and occupied until {}",
                                               uses[i].first, uses[i - 1].second));
        }
        for (auto& [scheduler, choices] : choices_) {
            std::sort(choices.begin(), choices.end());
            const std::int64_t slot = value_of(record_.machine.schedulers, "issue-slot").lo;
            for (std::size_t i = 1; i < choices.size(); ++i)
                if (choices[i] - choices[i - 1] < slot)
                    record_.report(fmt::format("C19: scheduler {} of SM {} chooses twice at {}",
                                               scheduler.second, scheduler.first, choices[i]));
        }
        for (auto& [multiprocessor, changes] : entries_) {
            // In a cycle drains come first; with caches they count from the next cycle on.
            std::sort(changes.begin(), changes.end());
            std::int64_t inside = 0;
            for (const auto& [cycle, change] : changes)
                if ((inside += change) > value_of(record_.machine.write_buffer, "entries").hi)
                    record_.report(
                        fmt::format("C8: the write buffer of SM {} has too many entries at {}",
                                    multiprocessor, cycle));
        }
    }

private:
    void add(const RecordedLaunch& launch, const WarpRecord& warp, const Issue& issue) {
        const WarpStarted& start = warp.starts.front();
        const auto scheduler = std::pair{start.multiprocessor, start.scheduler};
        if (!issue.paired) choices_[scheduler].push_back(issue.event.cycle);
        // With operand collectors units and buffers are entered after the issue (C49).
        if (!issue.event.executed || launch.collects()) return;
        const InstructionTiming& timing = launch.timing(issue);
        const models::UnitScope scope = launch.machine.units[timing.unit].scope;
        if (scope != models::UnitScope::Warp)
            ports_[{timing.unit, start.multiprocessor,
                    scope == models::UnitScope::Partition ? start.scheduler : -1}]
                .emplace_back(issue.event.cycle, issue.event.port_until);
        if (!timing.enters_write_buffer || !issue.drained) return;
        entries_[start.multiprocessor].emplace_back(issue.event.cycle, 1);
        entries_[start.multiprocessor].emplace_back(*issue.drained + (record_.has_caches ? 1 : 0),
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
    HostOperations{record}.check();
    Dispatch{record}.check();
    SharedResources{record}.check();
    std::int64_t makespan = 0;
    for (const OperationRecord& step : record.steps)
        makespan = std::max(makespan, step.ended);
    if (makespan != run.makespan)
        record.report(
            fmt::format("C32: the workload ends at {}, not at {}", makespan, run.makespan));
    for (LaunchRecord& launch : record.launches) {
        check_warps(*launch.recorded);
        check_lanes(*launch.recorded);
        check_barriers(*launch.recorded);
        check_fetches(*launch.recorded);
        check_end(*launch.recorded);
        for (const std::string& wrong : launch.recorded->found)
            record.report(wrong);
    }
    return std::move(record.found);
}

} // namespace warpbound::tests
