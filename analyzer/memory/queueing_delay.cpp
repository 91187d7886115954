#include "analyzer/memory/queueing_delay.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/launch/slot_table.hpp"
#include "analyzer/memory/behind_queue.hpp"
#include "analyzer/memory/fifo_tandem.hpp"
#include "analyzer/memory/first_touches.hpp"
#include "analyzer/memory/mshr_occupancy.hpp"
#include "analyzer/memory/response_link.hpp"
#include "analyzer/memory/service_times.hpp"
#include "analyzer/memory/traffic.hpp"
#include "models/architecture/cached_loads.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

namespace {

class QueueingDelay {
public:
    QueueingDelay(const TimedKernel& kernel, const ScheduledLaunch& launch,
                  const MemoryPath& memory, QueueingRules rules)
        : kernel_{kernel}, shape_{launch.shape}, memory_{memory}, caches_{*memory.caches},
          mshrs_{memory, launch.shape.multiprocessors}, rules_{rules}, traffic_{traffic_of(
                                                                           kernel, launch.shape,
                                                                           memory)} {
        others_delay_ =
            !conserves_work(launch) && launch.guarantee() != models::PolicyGuarantee::TimeDivision;
        slots_ = slots_of_any_warp(launch.policy, launch.shape);
    }

    std::vector<BoundTerm> terms(models::Cycles unloaded) {
        const std::int64_t own = rules_.hits ? own_misses() : 0;
        // The unloaded bound contains the latency of a hit.
        const std::int64_t hit = std::min(caches_.first_level_latency, miss_latency());
        add(terms_, "misses of the L1, beyond the latency of a hit", own, miss_latency() - hit);
        // While an access waits for an MSHR entry, some other transaction is outstanding.
        const std::int64_t limit = (models::Cycles{traffic_.requests} * round_trip() -
                                    models::Cycles{own} * (miss_latency() - hit))
                                       .count();
        auto services = tandem_services(limit);
        if (rules_.rows != RowDelay::OncePerLaunch && !rules_.ports)
            if (auto separate = separate_services(limit);
                !services || sum_of(separate) <= sum_of(*services))
                services = std::move(separate);
        terms_.insert(terms_.end(), services->begin(), services->end());
        add_transfers();
        add_stores();
        if (slots_) add_drains();
        const std::int64_t to_next_slot = slots_ ? slots_->longest - 1 : 0;
        const std::int64_t waits = to_next_slot > 0 ? waits_between_slots() : 0;
        const models::Cycles between = models::Cycles{to_next_slot} * waits;
        add_refreshes(unloaded + sum_of(terms_) + between, traffic_.transfers + traffic_.writes);
        add(terms_, "waits for the memory system or the write buffer that end between slots", waits,
            to_next_slot);
        return std::move(terms_);
    }

    /// Latency of a load on the critical path that misses, from the L1 to the arrival of its data.
    /// It contains delays by banks, but not the services that are counted for every transaction and
    /// transfer.
    [[nodiscard]] std::int64_t miss_latency() const {
        const std::int64_t occupied =
            by_rows() ? (models::Cycles{caches_.row_hit.hi} * memory_.footprint->least_of_transfer)
                            .count()
                      : transfer();
        // Behind a memory queue the way to the hand-over is part of the latency (S75).
        const std::int64_t entry = models::entry_of_cached_loads(*kernel_.architecture);
        const bool overlaps_latency =
            occupied <= caches_.dram_latency_lo - caches_.transit.hi - entry;
        const std::int64_t link = caches_.link_service.hi;
        const models::Cycles latency{
            std::max(caches_.second_latency,
                     caches_.dram_latency - (overlaps_latency ? occupied : 0)) +
            caches_.transit_spread - (link <= caches_.transit.lo ? link : 0)};
        return (latency + models::Cycles{interfering_activations()}).count();
    }

    /// Whether transfers arrive at their channels in the order of the loads, and an access that
    /// waits for an L1 entry waits for another load.
    [[nodiscard]] bool keeps_order_of_loads() const {
        std::int64_t most_lines = 0;
        for_each_load(kernel_, [&](std::size_t, const models::InstructionTiming& timing) {
            most_lines = std::max(most_lines, timing.passes.hi);
        });
        return traffic_.writes == 0 && !others_delay_ && slices_in_l1_order() &&
               keeps_order_of_hand_overs() && caches_.knows_channels() &&
               caches_.slices.hi == caches_.channels.hi && caches_.link_service.lo > 0 &&
               most_lines <= caches_.dram_queue.lo &&
               traffic_.outstanding_lines <= mshrs_.accesses_in_full_slice() &&
               (traffic_.outstanding_lines <= mshrs_.transactions_in_full_l1() ||
                mshrs_.transactions_in_full_l1() >= most_lines);
    }

    /// Whether a load that has completed has left its port, and a warp that waits for the port
    /// issues without waiting for its own time slot.
    [[nodiscard]] bool keeps_order_of_ports() const {
        if (others_delay_ || slots_ || kernel_.architecture->has_memory_queue()) return false;
        bool in_order = true;
        for_each_load(kernel_, [&](std::size_t, const models::InstructionTiming& timing) {
            const models::Interval& passes = timing.passes;
            for (const std::int64_t lines : {passes.lo, passes.hi}) {
                const models::Cycles occupied =
                    models::Cycles{models::longest_occupancy_of_port(timing, lines)};
                const models::Cycles handled =
                    models::Cycles{timing.pass_cost.lo} * (std::max<std::int64_t>(1, lines) - 1) +
                    models::Cycles{caches_.first_level_latency_lo};
                in_order = in_order && occupied <= handled;
            }
        });
        return in_order;
    }

private:
    [[nodiscard]] bool keeps_order_of_hand_overs() const {
        return analyzer::keeps_order_of_hand_overs(*kernel_.architecture, caches_, traffic_);
    }
    [[nodiscard]] bool by_rows() const { return rules_.rows != RowDelay::WholeTransfers; }
    /// Longest delay of a transfer for a load by row activations of others, while its channel is
    /// free and does not refresh.
    [[nodiscard]] std::int64_t interfering_activations() const {
        return rules_.rows == RowDelay::PerWaitingAccess
                   ? (models::Cycles{row_activation()} * memory_.footprint->rows->of_bank).count()
                   : 0;
    }
    /// Whether slices serve transactions in the order of the only L1.
    [[nodiscard]] bool slices_in_l1_order() const {
        return caches_.transit.is_exact() && shape_.multiprocessors == 1;
    }
    static void add(std::vector<BoundTerm>& terms, const char* text, std::int64_t count,
                    std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms.push_back({text, count, cycles});
    }
    /// Terms of each server and each full resource, added up separately.
    std::vector<BoundTerm> separate_services(std::int64_t limit) {
        std::vector<BoundTerm> terms;
        add_services(terms);
        add(terms, "full MSHRs, while their accesses are outstanding", 1,
            std::min(limit, in_full_mshrs()));
        if (link_fills()) add_full_link(terms);
        return terms;
    }
    [[nodiscard]] bool link_fills() const {
        const std::int64_t loads =
            std::min({traffic_.requests, traffic_.outstanding_lines, caches_.entries.hi});
        return (models::Cycles{loads} + models::Cycles{traffic_.stores}).count() >
               caches_.link_queue;
    }
    void add_full_link(std::vector<BoundTerm>& terms) {
        const models::Cycles transactions =
            models::Cycles{traffic_.requests} + models::Cycles{traffic_.stores};
        add(terms, "full link, while all transactions on it are in transit", 1,
            (transactions * caches_.transit.hi).count() / caches_.link_queue);
    }
    /// Every line access at the L1s, and every transaction of a load after them.
    void add_services(std::vector<BoundTerm>& terms) {
        const std::int64_t service = caches_.first_level_service.hi;
        const std::int64_t together =
            most_of_launch(kernel_, shape_, [&](const models::InstructionTiming& timing) {
                return is_cached_load(timing) ? l1_time(caches_, timing) : 0;
            });
        // Lines that delay a load of the critical path belong to loads that issued before it.
        const std::int64_t arrival = longest_arrival();
        const models::Cycles separate =
            models::Cycles{traffic_.lines} * service +
            models::Cycles{traffic_.loads_on_critical_path} * 2 * arrival;
        if (issues_before_others() && separate < models::Cycles{together}) {
            add(terms, "services at the L1 for a line access of a load", traffic_.lines, service);
            add(terms, "lines of a load that arrive at the L1 one after another",
                2 * traffic_.loads_on_critical_path, arrival);
        } else {
            add(terms, "services at the L1 for loads, and the arrival of their lines", 1, together);
        }
        add(terms, "services at links and slices for a transaction of a load", traffic_.requests,
            transaction_time(caches_));
    }

    /// Terms of the tandem of first-in-first-out servers. None: several warps at a time may delay
    /// the critical path.
    std::optional<std::vector<BoundTerm>> tandem_services(std::int64_t limit) {
        if (others_delay_ || !keeps_order_of_hand_overs()) return std::nullopt;
        const std::int64_t arrival = longest_arrival();
        FifoTandem loads;
        loads.lines = traffic_.lines;
        loads.requests = traffic_.requests;
        loads.on_critical_path = traffic_.loads_on_critical_path;
        loads.arrival = arrival;
        loads.arrival_short =
            most_on_critical_path(kernel_, shape_, [&](const models::InstructionTiming& timing) {
                return is_cached_load(timing) ? arrival - arrival_of(timing) : 0;
            });
        loads.least_lines = traffic_.lines == 0 ? 1 : INT64_MAX;
        loads.completes_in_order = memory_.footprint.has_value();
        for_each_load(kernel_, [&](std::size_t i, const models::InstructionTiming& timing) {
            loads.least_lines = std::min(loads.least_lines, timing.passes.lo);
            loads.pass_cost = std::max(loads.pass_cost, timing.pass_cost.hi);
            if (rules_.ports)
                loads.occupancy =
                    std::max(loads.occupancy, models::longest_occupancy_of_port(timing, 1));
            loads.completes_in_order =
                loads.completes_in_order && memory_.footprint->always_misses[i];
        });
        loads.least_lines = std::max<std::int64_t>(1, loads.least_lines);
        loads.further_sectors =
            memory_.footprint ? memory_.footprint->further_sectors
                              : (models::Cycles{traffic_.lines} *
                                 (static_cast<std::int64_t>(caches_.line / caches_.sector) - 1))
                                    .count();
        if (traffic_.outstanding_lines > mshrs_.transactions_in_full_l1())
            loads.least_sectors_in_mshr = mshrs_.sectors_in_full_l1();
        if (!mshrs_.merges_always_fit() && traffic_.outstanding_lines > caches_.merges)
            loads.least_merged_loads = caches_.merges;
        loads.queue_fills = traffic_.outstanding_loads > caches_.load_queue;
        loads.link_fills = link_fills() && traffic_.stores == 0;
        loads.slices_in_l1_order = slices_in_l1_order();
        loads.completes_in_order =
            loads.completes_in_order && (!loads.slices_in_l1_order || caches_.slices.hi == 1);
        loads.single_trace =
            memory_.footprint && !slots_ && traffic_.stores == 0 && keeps_order_of_loads();
        if (loads.single_trace && caches_.merges > 1 &&
            !memory_.footprint->loads_without_sectors.empty())
            loads.most_merge_waits = most_waits_for_first_touches(
                memory_.footprint->loads_without_sectors, caches_.merges - 1);
        loads.unloaded = rules_.hits ? caches_.first_level_latency
                                     : std::max(caches_.first_level_latency, miss_latency());
        loads.latency = round_trip();
        loads.response_link = response_link(shape_, memory_, traffic_);
        loads.limit = limit;
        loads.revisits = rules_.rows != RowDelay::OncePerLaunch;
        auto terms = tandem_delay(loads, caches_);
        add(terms, "full MSHRs of slices, while their accesses are outstanding", 1,
            std::min(limit, in_full_slices()));
        if (link_fills() && traffic_.stores > 0) add_full_link(terms);
        return terms;
    }

    /// Whether no load of another warp can take the entry of the load queue that a load of the
    /// critical path waits for.
    [[nodiscard]] bool issues_before_others() const {
        if (!keeps_order_of_hand_overs()) return false;
        return shape_.has_one_warp() ||
               (!others_delay_ && traffic_.outstanding_loads <= caches_.load_queue);
    }
    /// From the arrival of the first line of a load to that of its last one.
    static std::int64_t arrival_of(const models::InstructionTiming& timing) {
        return (models::Cycles{timing.pass_cost.hi} * (timing.passes.hi - 1)).count();
    }
    [[nodiscard]] std::int64_t longest_arrival() const {
        std::int64_t longest = 0;
        for_each_load(kernel_, [&](std::size_t, const models::InstructionTiming& timing) {
            longest = std::max(longest, arrival_of(timing));
        });
        return longest;
    }
    void add_transfers() {
        if (!by_rows()) {
            add(terms_, "transfers of DRAM for loads", traffic_.transfers, transfer());
            return;
        }
        add(terms_, "sectors that DRAM transfers for loads", traffic_.sectors, caches_.row_hit.hi);
        if (rules_.rows == RowDelay::OncePerLaunch) {
            add(terms_, "row activations by the lines of a load in one bank",
                std::min(traffic_.transfers, memory_.footprint->rows->of_loads), row_activation());
            return;
        }
        // Accesses may wait for a full queue of a channel.
        const models::Cycles queued = models::Cycles{caches_.entries.hi} * shape_.multiprocessors;
        if (traffic_.writes > 0 ||
            std::min(queued.count(), traffic_.outstanding_lines) > caches_.dram_queue.lo)
            add(terms_, "full queue of a channel, while its banks activate rows",
                (models::Cycles{traffic_.transfers} + models::Cycles{traffic_.writes}).count() /
                    caches_.dram_queue.lo,
                interfering_activations());
    }

    /// Loads on the critical path that may miss.
    [[nodiscard]] std::int64_t own_misses() const {
        return is_path_of_one_warp() ? std::min(traffic_.requests, memory_.footprint->new_to_warp)
                                     : traffic_.requests;
    }

    void add_stores() {
        const std::int64_t each = transfer_of_store();
        const std::int64_t written = writeback_time();
        const bool separate = written < models::times(traffic_.stores, each);
        add(terms_,
            separate
                ? "services at links and slices for the stores of a warp, and the cycle of each "
                  "drain"
                : "services at links, slices and DRAM for the stores of a warp, and the cycle of "
                  "each drain",
            shape_.warps().count(),
            most_of_warp(kernel_, [&](const models::InstructionTiming& timing) {
                return timing.enters_write_buffer ? store_time(caches_, timing, separate ? 0 : each)
                                                  : 0;
            }));
        if (separate) add(terms_, "writebacks of lines that an L2 replaces", 1, written);
    }
    /// Time of all writebacks. The largest number if stores may be written to DRAM at once.
    [[nodiscard]] std::int64_t writeback_time() const {
        if (!memory_.footprint || !memory_.footprint->writebacks) return INT64_MAX;
        const Writebacks& writebacks = *memory_.footprint->writebacks;
        if (by_rows()) return models::times(caches_.row_hit.hi, writebacks.sectors);
        return models::times(
            writebacks.transfers,
            std::max(models::times(caches_.row_hit.hi, writebacks.most_sectors), caches_.row_miss));
    }
    /// Under time division: drains while a warp waits for the write buffer, and after the last
    /// store.
    void add_drains() {
        add(terms_, "drains of the stores of a warp", shape_.warps().count(),
            most_on_a_path(kernel_, drain_costs(kernel_, Side::Upper)));
    }
    /// Waits of the critical path that may end between two time slots: for its loads, and at slots
    /// blocked by a full load queue or write buffer, which has a free entry before the next slot.
    [[nodiscard]] std::int64_t waits_between_slots() const {
        models::Cycles waits{traffic_.loads_on_critical_path};
        if (traffic_.outstanding_loads > caches_.load_queue)
            waits += models::Cycles{traffic_.loads};
        const models::Cycles stores{
            most_of_launch(kernel_, shape_, [](const models::InstructionTiming& timing) {
                return timing.enters_write_buffer ? 1 : 0;
            })};
        if (stores > models::Cycles{kernel_.write_buffer.entries.lo}) waits += stores;
        return waits.count();
    }
    [[nodiscard]] std::int64_t transfer_of_store() const {
        if (!by_rows()) return caches_.transfer;
        return (models::Cycles{caches_.row_hit.hi} * memory_.footprint->most_stored_sectors)
            .count();
    }

    /// Time for which a transfer occupies its channel or bank.
    [[nodiscard]] std::int64_t transfer() const {
        return std::max((models::Cycles{caches_.row_hit.hi} * traffic_.sectors_of_transfer).count(),
                        caches_.row_miss);
    }
    /// Time for which a transfer with a row activation occupies its bank longer than its channel.
    [[nodiscard]] std::int64_t row_activation() const {
        const std::int64_t sectors = memory_.footprint ? memory_.footprint->least_of_transfer : 1;
        return std::max<std::int64_t>(
            0, caches_.row_miss - (models::Cycles{caches_.row_hit.lo} * sectors).count());
    }
    /// Round trip of an access, from the L1 to the arrival of its data, with delays by banks only.
    [[nodiscard]] std::int64_t round_trip() const {
        return (models::Cycles{caches_.round_trip} + models::Cycles{interfering_activations()})
            .count();
    }
    /// Time in which MSHRs are full and their accesses are outstanding: all of them, or the last
    /// one that is outstanding when an access begins to wait. 0 if all accesses that can be
    /// outstanding fit.
    [[nodiscard]] std::int64_t in_full_mshrs() const {
        const std::int64_t in_full =
            std::min(mshrs_.accesses_in_full_l1(), mshrs_.accesses_in_full_slice());
        if (!by_rows()) return while_full(in_full);
        return (models::Cycles{while_full(mshrs_.accesses_in_full_l1())} +
                models::Cycles{in_full_slices()})
            .count();
    }
    [[nodiscard]] std::int64_t in_full_slices() const {
        return while_full(mshrs_.accesses_in_full_slice());
    }
    [[nodiscard]] std::int64_t while_full(std::int64_t in_full) const {
        if (traffic_.outstanding_lines <= in_full) return 0;
        const std::int64_t accesses =
            mshrs_.merges_always_fit() ? traffic_.requests : traffic_.lines;
        // Round trips are whole numbers; the time in which all accesses are outstanding is divided.
        return by_rows() ? (models::Cycles{round_trip()} * (accesses / in_full)).count()
                         : (models::Cycles{round_trip()} * accesses).count() / in_full;
    }

    /// Whether the critical path stays in one warp from its first to its last instruction.
    [[nodiscard]] bool is_path_of_one_warp() const {
        return !others_delay_ && shape_.waves() == 1 &&
               first_common_barrier(kernel_, shape_) == nullptr;
    }

    /// A channel starts no transfer during a refresh. After each refresh that delays the launch, at
    /// least one transfer starts before the next refresh.
    void add_refreshes(models::Cycles time, std::int64_t transfers) {
        if (caches_.refresh_duration == 0 || transfers == 0) return;
        // After a refresh the open row is activated again; whole transfers contain that.
        const models::Cycles duration = models::Cycles{caches_.refresh_duration} +
                                        models::Cycles{by_rows() ? row_activation() : 0};
        add(terms_, "refreshes of a DRAM channel",
            delaying_refreshes(caches_, duration, time, transfers), duration.count());
    }

    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    const MemoryPath& memory_;
    const MemoryParameters& caches_;
    MshrOccupancy mshrs_;
    QueueingRules rules_;
    Traffic traffic_;
    std::optional<SlotDistance> slots_; ///< Slot distances under time division (S29).
    bool others_delay_ = false;         ///< Loads of other warps delay the path, too (S29a, S31).
    std::vector<BoundTerm> terms_;
};

} // namespace

std::string text_of(QueueingRules rules) {
    std::string text = rules.hits ? "misses of loads as terms" : "each load may miss";
    if (rules.rows == RowDelay::PerWaitingAccess) text += ", rows for each waiting access";
    if (rules.rows == RowDelay::OncePerLaunch) text += ", rows once for the launch";
    if (rules.ports) text += ", ports in the tandem";
    return text;
}

std::vector<QueueingRules> queueing_rules(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                          const MemoryPath& memory) {
    const QueueingDelay delay{kernel, launch, memory, {}};
    std::vector<RowDelay> rows{RowDelay::WholeTransfers};
    if (memory.footprint && memory.footprint->rows) {
        rows.push_back(RowDelay::PerWaitingAccess);
        if (delay.keeps_order_of_loads()) rows.push_back(RowDelay::OncePerLaunch);
    }
    std::vector<bool> hits{false};
    if (memory.footprint && memory.footprint->transactions) hits.push_back(true);
    std::vector<bool> ports{false};
    if (delay.keeps_order_of_ports()) ports.push_back(true);
    std::vector<QueueingRules> all;
    for (const bool hit : hits)
        for (const RowDelay row : rows)
            for (const bool port : ports)
                all.push_back({.hits = hit,
                               .rows = row,
                               .ports = port,
                               .addresses = memory.footprint.has_value()});
    return all;
}

TimedKernel without_queueing(const TimedKernel& kernel, const ScheduledLaunch& launch,
                             const MemoryPath& memory, QueueingRules rules) {
    TimedKernel changed = kernel;
    const QueueingDelay delay{kernel, launch, memory, rules};
    const std::int64_t miss = delay.miss_latency();
    for (auto& timing : changed.timings.own()) {
        if (!timing || !is_cached_load(timing.value())) continue;
        models::Interval& latency = timing.value().latency;
        latency.hi = memory.caches->first_level_latency;
        if (!rules.hits) latency.hi = std::max(latency.hi, miss);
        latency.hi += latest_hand_over(timing.value(), *kernel.architecture);
        latency.lo = std::min(latency.lo, latency.hi);
        if (rules.ports) models::free_port(timing.value());
    }
    return changed;
}

std::vector<BoundTerm> queueing_delay(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                      const MemoryPath& memory, QueueingRules rules,
                                      models::Cycles unloaded) {
    return QueueingDelay{kernel, launch, memory, rules}.terms(unloaded);
}

} // namespace warpbound::analyzer
