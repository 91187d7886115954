#include "analyzer/memory/queueing_delay.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/launch/slot_table.hpp"
#include "analyzer/memory/fifo_tandem.hpp"
#include "analyzer/memory/mshr_occupancy.hpp"
#include "analyzer/memory/response_link.hpp"
#include "analyzer/memory/service_times.hpp"
#include "analyzer/memory/traffic.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

namespace {

class Waits {
public:
    Waits(const AnalysisContext& context, QueueingRules rules)
        : context_{context}, caches_{*context.caches}, entries_{context}, rules_{rules},
          traffic_{traffic_of(context)} {
        const models::WarpPolicy& policy = context.request.policy;
        others_wait_ = !conserves_work(context.request, context.shape) &&
                       models::guarantee_of(policy) != models::PolicyGuarantee::Slotted;
        slots_ = slots_of_any_warp(policy, context.shape);
    }

    std::vector<BoundTerm> of(models::Cycles unloaded) {
        const std::int64_t own = rules_.hits ? own_misses() : 0;
        // A hit's latency is in the bound without waits.
        const std::int64_t hit = std::min(caches_.first_level_latency, way_of_miss());
        add(terms_, "loads that bring something new to the L1, on their way", own,
            way_of_miss() - hit);
        // While one waits for an entry some other transaction is on its way.
        const std::int64_t limit = (models::Cycles{traffic_.requests} * way() -
                                    models::Cycles{own} * (way_of_miss() - hit))
                                       .count();
        auto services = services_in_order(limit);
        if (rules_.rows != RowDelay::InOrder && !rules_.ports)
            if (auto apart = services_apart(limit); !services || sum_of(apart) <= sum_of(*services))
                services = std::move(apart);
        terms_.insert(terms_.end(), services->begin(), services->end());
        add_transfers();
        add_stores();
        if (slots_) add_drains();
        const std::int64_t to_next_slot = slots_ ? slots_->longest - 1 : 0;
        const std::int64_t waits = to_next_slot > 0 ? waits_of_chain() : 0;
        const models::Cycles between = models::Cycles{to_next_slot} * waits;
        add_refreshes(unloaded + sum_of(terms_) + between, traffic_.transfers + traffic_.writes);
        add(terms_, "waits for the memory system or the write buffer that end between slots", waits,
            to_next_slot);
        return std::move(terms_);
    }

    /// From the L1 to the arrival, of a load of the chain that misses and waits for nothing but
    /// banks, less what serves it meanwhile: that is counted for every transaction and transfer.
    [[nodiscard]] std::int64_t way_of_miss() const {
        const std::int64_t hold =
            by_rows() ? (models::Cycles{caches_.row_hit.hi} * context_.footprint->least_of_transfer)
                            .count()
                      : transfer();
        const bool holds_on_way = hold <= caches_.dram_latency_lo - caches_.transit.hi;
        const std::int64_t link = caches_.link_service.hi;
        const models::Cycles way{
            std::max(caches_.second_latency, caches_.dram_latency - (holds_on_way ? hold : 0)) +
            caches_.transit_spread - (link <= caches_.transit.lo ? link : 0)};
        return (way + models::Cycles{rows_in_the_way()}).count();
    }

    /// Whether transfers come to their channels load by load, and whoever lacks an entry of an L1
    /// goes over to another load.
    [[nodiscard]] bool keeps_order_of_loads() const {
        std::int64_t most_lines = 0;
        for_each_load(context_, [&](std::size_t, const models::InstructionTiming& timing) {
            most_lines = std::max(most_lines, timing.passes.hi);
        });
        return traffic_.writes == 0 && !others_wait_ && slices_follow() &&
               caches_.knows_channels() && caches_.slices.hi == caches_.channels.hi &&
               caches_.link_service.lo > 0 && most_lines <= caches_.dram_queue.lo &&
               traffic_.outstanding_lines <= entries_.places_in_slice() &&
               (traffic_.outstanding_lines <= entries_.holders_in_l1() ||
                entries_.holders_in_l1() >= most_lines);
    }

    /// Whether a load whose lines the L1 has handled, and that is over, holds its port no longer;
    /// and whoever waits for one issues without waiting for a slot of its own.
    [[nodiscard]] bool keeps_order_of_ports() const {
        if (others_wait_ || slots_) return false;
        bool in_order = true;
        for_each_load(context_, [&](std::size_t, const models::InstructionTiming& timing) {
            const models::Interval& passes = timing.passes;
            for (const std::int64_t lines : {passes.lo, passes.hi}) {
                const models::Cycles held = models::Cycles{timing.initiation.hi} * lines;
                const models::Cycles handled =
                    models::Cycles{timing.pass_cost.lo} * (std::max<std::int64_t>(1, lines) - 1) +
                    models::Cycles{caches_.first_level_latency_lo};
                in_order = in_order && held <= handled;
            }
        });
        return in_order;
    }

private:
    [[nodiscard]] bool by_rows() const { return rules_.rows != RowDelay::WholeTransfers; }
    /// For which a transfer for a load waits, while its channel is free and none refreshes.
    [[nodiscard]] std::int64_t rows_in_the_way() const {
        return rules_.rows == RowDelay::InTheWay
                   ? (models::Cycles{row_opening()} * context_.footprint->rows->of_bank).count()
                   : 0;
    }
    /// Slices handle transactions in the order of the one L1 that asks.
    [[nodiscard]] bool slices_follow() const {
        return caches_.transit.is_exact() && context_.shape.multiprocessors == 1;
    }
    static void add(std::vector<BoundTerm>& terms, const char* text, std::int64_t count,
                    std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms.push_back({text, count, cycles});
    }
    /// Those of each server and each full resource one after the other.
    std::vector<BoundTerm> services_apart(std::int64_t limit) {
        std::vector<BoundTerm> terms;
        add_services(terms);
        add(terms, "full miss entries, while the accesses in them go on", 1,
            std::min(limit, in_full_entries()));
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
        add(terms, "full link, while all transactions on it go on", 1,
            (transactions * caches_.transit.hi).count() / caches_.link_queue);
    }
    /// Behind the L1s every transaction of a load, and before them every line access.
    void add_services(std::vector<BoundTerm>& terms) {
        const std::int64_t service = caches_.first_level_service.hi;
        const std::int64_t together =
            most_of_launch(context_, [&](const models::InstructionTiming& timing) {
                return is_cached_load(timing) ? l1_time(caches_, timing) : 0;
            });
        // Lines that the chain waits for are of loads that issued before its own one.
        const std::int64_t arrival = longest_arrival();
        const models::Cycles apart = models::Cycles{traffic_.lines} * service +
                                     models::Cycles{traffic_.loads_of_chain} * 2 * arrival;
        if (issues_before_others() && apart < models::Cycles{together}) {
            add(terms, "services at the L1 for a line access of a load", traffic_.lines, service);
            add(terms, "lines of a load that arrive at the L1 one after another",
                2 * traffic_.loads_of_chain, arrival);
        } else {
            add(terms, "services at the L1 for loads, and the arrival of their lines", 1, together);
        }
        add(terms, "services at links and slices for a transaction of a load", traffic_.requests,
            transaction_time(caches_));
    }

    /// Those that loads pass in one order together. None: several warps are waited for at a time.
    std::optional<std::vector<BoundTerm>> services_in_order(std::int64_t limit) {
        if (others_wait_) return std::nullopt;
        const std::int64_t arrival = longest_arrival();
        FifoTandem loads;
        loads.lines = traffic_.lines;
        loads.requests = traffic_.requests;
        loads.of_chain = traffic_.loads_of_chain;
        loads.arrival = arrival;
        loads.arrival_short = most_of_chain(context_, [&](const models::InstructionTiming& timing) {
            return is_cached_load(timing) ? arrival - arrival_of(timing) : 0;
        });
        loads.least_lines = traffic_.lines == 0 ? 1 : INT64_MAX;
        loads.passes_all = context_.footprint.has_value();
        for_each_load(context_, [&](std::size_t i, const models::InstructionTiming& timing) {
            loads.least_lines = std::min(loads.least_lines, timing.passes.lo);
            loads.pass_cost = std::max(loads.pass_cost, timing.pass_cost.hi);
            if (rules_.ports) loads.occupancy = std::max(loads.occupancy, timing.initiation.hi);
            loads.passes_all = loads.passes_all && context_.footprint->always_misses[i];
        });
        loads.least_lines = std::max<std::int64_t>(1, loads.least_lines);
        loads.further_sectors =
            context_.footprint ? context_.footprint->further_sectors
                               : (models::Cycles{traffic_.lines} *
                                  (static_cast<std::int64_t>(caches_.line / caches_.sector) - 1))
                                     .count();
        if (traffic_.outstanding_lines > entries_.holders_in_l1())
            loads.least_held = entries_.held_in_l1();
        if (!entries_.is_shared_by_few() && traffic_.outstanding_lines > caches_.merges)
            loads.least_sharers = caches_.merges;
        loads.queue_fills = traffic_.outstanding_loads > caches_.load_queue;
        loads.link_fills = link_fills() && traffic_.stores == 0;
        loads.slices_follow = slices_follow();
        loads.passes_all = loads.passes_all && (!loads.slices_follow || caches_.slices.hi == 1);
        loads.way = way();
        loads.response_link = response_link(context_, traffic_);
        loads.limit = limit;
        loads.returns = rules_.rows != RowDelay::InOrder;
        auto terms = waits_in_order(loads, caches_);
        add(terms, "full miss entries of slices, while the accesses in them go on", 1,
            std::min(limit, in_full_slices()));
        if (link_fills() && traffic_.stores > 0) add_full_link(terms);
        return terms;
    }

    /// Whether no load of another warp can take a place in the load queue that one of the chain
    /// waits for.
    [[nodiscard]] bool issues_before_others() const {
        return context_.shape.warps() == 1 ||
               (!others_wait_ && traffic_.outstanding_loads <= caches_.load_queue);
    }
    /// From the arrival of the first line of a load to that of its last one.
    static std::int64_t arrival_of(const models::InstructionTiming& timing) {
        return (models::Cycles{timing.pass_cost.hi} * (timing.passes.hi - 1)).count();
    }
    [[nodiscard]] std::int64_t longest_arrival() const {
        std::int64_t longest = 0;
        for_each_load(context_, [&](std::size_t, const models::InstructionTiming& timing) {
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
        if (rules_.rows == RowDelay::InOrder) {
            add(terms_, "rows that the lines of a load open in one bank",
                std::min(traffic_.transfers, context_.footprint->rows->of_loads), row_opening());
            return;
        }
        // Times in which a full queue of a channel is waited for.
        const models::Cycles queued =
            models::Cycles{caches_.entries.hi} * context_.shape.multiprocessors;
        if (traffic_.writes > 0 ||
            std::min(queued.count(), traffic_.outstanding_lines) > caches_.dram_queue.lo)
            add(terms_, "full queue of a channel, while its banks open rows",
                (models::Cycles{traffic_.transfers} + models::Cycles{traffic_.writes}).count() /
                    caches_.dram_queue.lo,
                rows_in_the_way());
    }

    /// Loads of the chain, which follows one warp from its first to its last instruction or may
    /// change, that do not hit.
    [[nodiscard]] std::int64_t own_misses() const {
        return stays_with_one_warp() ? std::min(traffic_.requests, context_.footprint->new_to_warp)
                                     : traffic_.requests;
    }

    void add_stores() {
        const std::int64_t each = transfer_of_store();
        const std::int64_t replaced = transfers_of_replaced_lines();
        const bool apart = replaced < models::times(traffic_.stores, each);
        add(terms_,
            apart ? "services at links and slices for the stores of a warp, and the cycle of each "
                    "drain"
                  : "services at links, slices and DRAM for the stores of a warp, and the cycle of "
                    "each drain",
            context_.shape.warps(),
            most_of_warp(context_, [&](const models::InstructionTiming& timing) {
                return timing.enters_write_buffer ? store_time(caches_, timing, apart ? 0 : each)
                                                  : 0;
            }));
        if (apart) add(terms_, "lines that an L2 replaces, written to DRAM", 1, replaced);
    }
    /// The largest number where stores may go to DRAM at once.
    [[nodiscard]] std::int64_t transfers_of_replaced_lines() const {
        if (!context_.footprint || !context_.footprint->writebacks) return INT64_MAX;
        const Writebacks& written = *context_.footprint->writebacks;
        if (by_rows()) return models::times(caches_.row_hit.hi, written.sectors);
        return models::times(
            written.transfers,
            std::max(models::times(caches_.row_hit.hi, written.most_sectors), caches_.row_miss));
    }
    /// Where warps are chosen in slots: of waits for the write buffer, and behind the last store.
    void add_drains() {
        add(terms_, "drains of the stores of a warp", context_.shape.warps(),
            most_on_a_path(context_, drain_costs(context_, Side::Upper)));
    }
    /// Waits of the critical chain that may end between two slots: for its loads, and at slots lost
    /// to a full load queue or write buffer, from which something goes before the next one.
    [[nodiscard]] std::int64_t waits_of_chain() const {
        models::Cycles waits{traffic_.loads_of_chain};
        if (traffic_.outstanding_loads > caches_.load_queue)
            waits += models::Cycles{traffic_.loads};
        const models::Cycles stores{
            most_of_launch(context_, [](const models::InstructionTiming& timing) {
                return timing.enters_write_buffer ? 1 : 0;
            })};
        if (stores > models::Cycles{context_.buffer_entries.lo}) waits += stores;
        return waits.count();
    }
    [[nodiscard]] std::int64_t transfer_of_store() const {
        if (!by_rows()) return caches_.transfer;
        return (models::Cycles{caches_.row_hit.hi} * context_.footprint->most_stored_sectors)
            .count();
    }

    /// For how long a transfer holds its channel or bank.
    [[nodiscard]] std::int64_t transfer() const {
        return std::max((models::Cycles{caches_.row_hit.hi} * traffic_.sectors_of_transfer).count(),
                        caches_.row_miss);
    }
    /// For how long a transfer that opens a row keeps its bank longer than its channel.
    [[nodiscard]] std::int64_t row_opening() const {
        const std::int64_t sectors = context_.footprint ? context_.footprint->least_of_transfer : 1;
        return std::max<std::int64_t>(
            0, caches_.row_miss - (models::Cycles{caches_.row_hit.lo} * sectors).count());
    }
    /// From the L1 to the arrival there, of an access that waits for nothing but banks.
    [[nodiscard]] std::int64_t way() const {
        return (models::Cycles{caches_.round_trip} + models::Cycles{rows_in_the_way()}).count();
    }
    /// Cycles in which accesses in full entries go on: all of them, or the last one that is in them
    /// when one begins to wait. None wait while all that can be under way fit.
    [[nodiscard]] std::int64_t in_full_entries() const {
        const std::int64_t places = std::min(entries_.places_in_l1(), entries_.places_in_slice());
        if (!by_rows()) return while_full(places);
        return (models::Cycles{while_full(entries_.places_in_l1())} +
                models::Cycles{in_full_slices()})
            .count();
    }
    [[nodiscard]] std::int64_t in_full_slices() const {
        return while_full(entries_.places_in_slice());
    }
    [[nodiscard]] std::int64_t while_full(std::int64_t places) const {
        if (traffic_.outstanding_lines <= places) return 0;
        const std::int64_t accesses =
            entries_.is_shared_by_few() ? traffic_.requests : traffic_.lines;
        // Traversals are whole, cycles in which all accesses go on need not be.
        return by_rows() ? (models::Cycles{way()} * (accesses / places)).count()
                         : (models::Cycles{way()} * accesses).count() / places;
    }

    /// Whether the critical chain follows one warp from its first to its last instruction.
    [[nodiscard]] bool stays_with_one_warp() const {
        return !others_wait_ && context_.shape.waves() == 1 &&
               first_common_barrier(context_) == nullptr;
    }

    /// A channel that refreshes starts nothing; behind each refresh that something waits for, one
    /// of the transfers starts before the next.
    void add_refreshes(models::Cycles time, std::int64_t transfers) {
        if (caches_.refresh_duration == 0 || transfers == 0) return;
        // Behind it a row that was open is opened again, which else is part of a whole transfer.
        const models::Cycles duration = models::Cycles{caches_.refresh_duration} +
                                        models::Cycles{by_rows() ? row_opening() : 0};
        add(terms_, "refreshes of a DRAM channel",
            refreshes_met(caches_, duration, time, transfers), duration.count());
    }

    const AnalysisContext& context_;
    const MemoryParameters& caches_;
    Entries entries_;
    QueueingRules rules_;
    Traffic traffic_;
    std::optional<SlotDistance> slots_; ///< In which several warps are chosen (S29).
    bool others_wait_ = false;          ///< Others' loads are waited for, too (S29a, S31).
    std::vector<BoundTerm> terms_;
};

} // namespace

std::vector<QueueingRules> queueing_rules(const AnalysisContext& context) {
    const Waits waits{context, {}};
    std::vector<RowDelay> rows{RowDelay::WholeTransfers};
    if (context.footprint && context.footprint->rows) {
        rows.push_back(RowDelay::InTheWay);
        if (waits.keeps_order_of_loads()) rows.push_back(RowDelay::InOrder);
    }
    std::vector<bool> hits{false};
    if (context.footprint && context.footprint->transactions) hits.push_back(true);
    std::vector<bool> ports{false};
    if (waits.keeps_order_of_ports()) ports.push_back(true);
    std::vector<QueueingRules> all;
    for (const bool hit : hits)
        for (const RowDelay way : rows)
            for (const bool port : ports)
                all.push_back({.hits = hit, .rows = way, .ports = port});
    return all;
}

AnalysisContext without_queueing(const AnalysisContext& context, QueueingRules rules) {
    AnalysisContext changed = context;
    const Waits waits{context, rules};
    const std::int64_t miss = waits.way_of_miss();
    for (auto& timing : changed.timings) {
        if (!timing || !is_cached_load(timing.value())) continue;
        models::Interval& latency = timing.value().latency;
        latency.hi = context.caches->first_level_latency;
        if (!rules.hits) latency.hi = std::max(latency.hi, miss);
        latency.lo = std::min(latency.lo, latency.hi);
        if (rules.ports) timing.value().initiation = {0, std::nullopt, 0};
    }
    return changed;
}

std::vector<BoundTerm> queueing_delay(const AnalysisContext& context, QueueingRules rules,
                                      models::Cycles unloaded) {
    return Waits{context, rules}.of(unloaded);
}

} // namespace warpbound::analyzer
