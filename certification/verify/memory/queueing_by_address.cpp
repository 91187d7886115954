#include "certification/verify/memory/queueing_by_address.hpp"

#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/memory/bandwidth.hpp"
#include "certification/verify/memory/queueing.hpp"
#include "certification/verify/memory/service_orders.hpp"
#include "certification/verify/memory/service_times.hpp"
#include "certification/verify/memory/service_trace.hpp"
#include "certification/verify/memory/unlisted_accesses.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;
using RowRule = QueueingArguments::Rows;
using Timing = models::InstructionTiming;

/// For how long accesses proceed and transfers hold their channel, as the rows of a claim are
/// counted. Side: upper.
class AccessTimes {
public:
    AccessTimes(const MemoryLayout& layout, const Footprint& footprint, RowRule rows)
        : layout_{layout}, footprint_{footprint}, rows_{rows} {}

    /// Whether the time in which a transfer holds its bank, but not its channel, counts apart.
    [[nodiscard]] bool has_tails() const { return rows_ != RowRule::WholeTransfers; }
    /// S22, lemma 3; 0 where tails do not count apart.
    [[nodiscard]] std::int64_t tail() const {
        return has_tails() ? std::max<std::int64_t>(layout_.row_miss - shortest_transfer(), 0) : 0;
    }
    /// The tails that a transfer waits for between refreshes, all of them.
    [[nodiscard]] std::int64_t tails_of_a_wait() const {
        return rows_ == RowRule::PerWaitingAccess ? times(footprint_.tails->of_access, tail()) : 0;
    }
    /// For which a transfer of so many sectors counts.
    [[nodiscard]] std::int64_t transfer(std::int64_t sectors) const {
        const std::int64_t on_channel = times(sectors, layout_.row_hit.hi);
        return has_tails() ? on_channel : std::max(layout_.row_miss, on_channel);
    }
    /// Between two transfers of a channel. Side: lower.
    [[nodiscard]] std::int64_t shortest_transfer() const {
        return times(footprint_.least_of_transfer, layout_.row_hit.lo);
    }
    /// Of an access that waits for no service: its unloaded time, and tails.
    [[nodiscard]] std::int64_t proceeding() const {
        return plus(tails_of_a_wait(), layout_.unloaded());
    }
    /// S22b: the same of a load of the critical path that misses, less what counts for its own
    /// transaction.
    [[nodiscard]] std::int64_t miss_of_path() const {
        const std::int64_t own_transfer =
            transfer(has_tails() ? footprint_.least_of_transfer : footprint_.most_l2_sectors);
        const std::int64_t own_response = layout_.link_service.hi;
        // T is over before its data are at the L1.
        const bool is_inside = plus(own_transfer, layout_.transit.hi) <=
                               layout_.dram_latency.lo - layout_.to_hand_over;
        const std::int64_t from_dram = layout_.dram_latency.hi - (is_inside ? own_transfer : 0);
        const std::int64_t from_any =
            plus(std::max(from_dram, layout_.l2_latency.hi), layout_.spread());
        return plus(tails_of_a_wait(),
                    from_any - (own_response > layout_.transit.lo ? 0 : own_response));
    }

private:
    const MemoryLayout& layout_;
    const Footprint& footprint_;
    RowRule rows_;
};

/// The cycles of S21 in a launch whose addresses are known, as a claim counts them.
class CountedCycles {
public:
    CountedCycles(const AddressedMemory& memory, const TimedCode& code)
        : layout_{memory.layout}, footprint_{memory.footprint},
          arguments_{memory.arguments.value()}, order_{memory.order}, code_{code},
          volume_{launch_volume(code, memory.footprint)}, loads_{loads_of_code(code, memory.layout,
                                                                               memory.footprint)},
          full_{layout_, footprint_, volume_}, time_{layout_, footprint_, arguments_.rows},
          not_in_order_{missing_for_transfers_in_order(layout_, volume_, full_, loads_)} {}

    /// Throws `Finding` where the claim counts in a way that needs more than holds.
    void require_assumptions() const {
        const auto require = [&](bool holds, std::string_view what) {
            if (!holds)
                refuted(fmt::format("{}: queueing by addresses: {}", code_.kernel.id, what));
        };
        require(!arguments_.hits || footprint_.requests_of_l1, "an L1 may replace lines");
        require(!time_.has_tails() || footprint_.tails, "addresses do not tell the banks");
        require(footprint_.is_listed || arguments_.rows != RowRule::OncePerLaunch,
                "accesses that are not listed have no order");
        require(!order_.several_wait || (arguments_.rows != RowRule::OncePerLaunch),
                "loads of several warps at a time may delay the critical path");
        require(!arguments_.ports || (!order_.several_wait && !order_.slot_distance),
                "the policy need not conserve work");
        if (arguments_.rows == RowRule::OncePerLaunch)
            require(
                not_in_order_.empty(),
                fmt::format("transfers do not come in the order of the loads: {}", not_in_order_));
        require(!arguments_.ports ||
                    std::all_of(loads_.begin(), loads_.end(),
                                [](const CodeLoad& load) { return load.leaves_port_in_time; }),
                "a load may hold its port after its end");
    }

    /// Beyond a bound without queueing, of so many cycles.
    [[nodiscard]] Charges beyond(models::Cycles without_queueing) const {
        Charges all;
        const std::int64_t beyond_hit =
            std::max<std::int64_t>(0, time_.miss_of_path() - layout_.l1_latency.hi);
        const std::int64_t misses = arguments_.hits ? misses_of_path() : 0;
        all.charge(misses, beyond_hit);
        // S22, lemma 1, step 5: some transaction proceeds. Of these cycles misses count already.
        const std::int64_t one_by_one =
            times(time_.proceeding(), volume_.transactions) - times(beyond_hit, misses);
        std::vector<Charges> between_l1_and_slices;
        if (arguments_.rows != RowRule::OncePerLaunch && !arguments_.ports)
            between_l1_and_slices.push_back(each_at_each_server(one_by_one));
        if (!order_.several_wait && follows_hand_overs(layout_, volume_))
            between_l1_and_slices.push_back(each_at_one_server(one_by_one));
        all.append(least_of(between_l1_and_slices));
        all.append(of_fetches());
        all.append(of_stores());
        all.append(between_slots());
        all.append(of_refreshes(plus(without_queueing.count(), all.sum())));
        return all;
    }

private:
    /// S22, lemma 1: of the loads of the path.
    [[nodiscard]] std::int64_t misses_of_path() const {
        const bool stays_in_a_warp = !order_.several_wait && code_.geometry.waves == 1 &&
                                     most_barriers_of_a_path(code_) == 0;
        return stays_in_a_warp ? std::min(footprint_.most_new_loads, volume_.transactions)
                               : volume_.transactions;
    }
    [[nodiscard]] std::int64_t latest_line() const {
        std::int64_t latest = 0;
        for (const CodeLoad& load : loads_)
            latest = std::max(latest, load.arrival());
        return latest;
    }
    [[nodiscard]] Charges full_link() const {
        Charges link;
        if (full_.link_may_fill()) link.charge(1, full_.cycles_of_full_link());
        return link;
    }

    /// S21 (a) and (b): line accesses of loads at the L1s, one of two counts.
    [[nodiscard]] Charges at_l1s() const {
        // Together: in a load the L1 handles a line no later than the longer of both after the
        // one before.
        Charges together;
        together.charge(
            1,
            times(volume_.warps, largest_path_demand(code_, [&](const Timing& timing, std::size_t) {
                      if (!is_load_through_caches(timing)) return std::int64_t{0};
                      const std::int64_t further = timing.passes.hi - 1;
                      return plus(times(std::max(timing.pass_cost.hi, layout_.l1_service), further),
                                  layout_.l1_service);
                  })));
        const bool no_other_takes_the_entry =
            (volume_.warps == 1 && !layout_.behind_queues) ||
            (!order_.several_wait && volume_.loads_in_flight <= layout_.load_queue);
        if (!no_other_takes_the_entry) return together;
        Charges separately;
        separately.charge(volume_.lines, layout_.l1_service);
        separately.charge(times(volume_.loads_of_path, 2), latest_line());
        return least_of({together, separately});
    }

    /// S21: each service at each server, and each full resource by itself.
    [[nodiscard]] Charges each_at_each_server(std::int64_t one_by_one) const {
        Charges all = at_l1s();
        const std::int64_t both_links = times(layout_.link_service.hi, 2);
        all.charge(volume_.transactions, plus(both_links, layout_.slice_service));
        const LeastHolders& least = full_.least();
        // S22, lemma 3: with tails each kind has blocking intervals of its own.
        const std::int64_t waiting =
            time_.has_tails()
                ? times(time_.proceeding(), plus(full_.blocking_intervals(least.of_l1()),
                                                 full_.blocking_intervals(least.of_slice())))
                : full_.waiting_cycles(std::min(least.of_l1(), least.of_slice()),
                                       time_.proceeding());
        all.charge(1, std::min(waiting, one_by_one));
        all.append(full_link());
        return all;
    }

    /// S22a to S22e, S57: a line access counts at one of the servers of the trace.
    [[nodiscard]] Charges each_at_one_server(std::int64_t one_by_one) const {
        Charges all = trace_charges(trace_inputs(one_by_one), layout_);
        const std::int64_t of_slice = full_.least().of_slice();
        const std::int64_t waiting =
            time_.has_tails() ? times(time_.proceeding(), full_.blocking_intervals(of_slice))
                              : full_.waiting_cycles(of_slice, time_.proceeding());
        all.charge(1, std::min(waiting, one_by_one));
        // Without stores the trace goes through the queue of the link.
        if (volume_.stored_lines > 0) all.append(full_link());
        return all;
    }

    [[nodiscard]] TraceInputs trace_inputs(std::int64_t one_by_one) const {
        TraceInputs trace;
        trace.lines = volume_.lines;
        trace.requests = volume_.transactions;
        trace.path_loads = volume_.loads_of_path;
        trace.transactions_alone = one_by_one;
        trace.proceeding = time_.proceeding();
        trace.path_latency =
            std::max(layout_.l1_latency.hi, arguments_.hits ? 0 : time_.miss_of_path());
        add_loads(trace);
        add_orders(trace);
        add_capacities(trace);
        trace.response = waits_for_response();
        return trace;
    }
    void add_loads(TraceInputs& trace) const {
        trace.arrival = latest_line();
        trace.arrival_missing =
            times(code_.geometry.waves,
                  largest_path_demand(code_, [&](const Timing& timing, std::size_t) {
                      return is_load_through_caches(timing)
                                 ? trace.arrival - times(timing.passes.hi - 1, timing.pass_cost.hi)
                                 : 0;
                  }));
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const CodeLoad& load : loads_) {
            if (load.least_lines_listed > 0) least = std::min(least, load.least_lines_listed);
            trace.pass_cost = std::max(trace.pass_cost, load.apart);
            if (arguments_.ports) trace.port = std::max(trace.port, load.port);
        }
        trace.least_lines = volume_.lines == 0 ? 1 : least;
        trace.further_sectors = footprint_.further_sectors;
    }
    void add_orders(TraceInputs& trace) const {
        trace.slices_in_order = are_slices_in_order(layout_, volume_);
        const bool one_order =
            footprint_.is_listed && (!trace.slices_in_order || layout_.slices.hi == 1);
        trace.ends_in_order =
            one_order && std::all_of(loads_.begin(), loads_.end(),
                                     [](const CodeLoad& load) { return load.brings_last_line; });
        trace.holders_once = arguments_.rows != RowRule::OncePerLaunch;
        trace.one_trace = footprint_.is_listed && not_in_order_.empty() &&
                          volume_.stored_lines == 0 && !order_.slot_distance;
        // S58: what waits to merge, waits for as many accesses as its entry serves; but the first
        // of these, each is of another load.
        const std::int64_t others = layout_.l1_merges - 1;
        std::int64_t sectors = 1;
        if (trace.one_trace && others > 0)
            for (const std::int64_t loads : footprint_.loads_without) {
                const std::int64_t waits = plus(loads / others, sectors++);
                trace.most_waits_to_merge =
                    std::min(trace.most_waits_to_merge.value_or(waits), waits);
            }
    }
    void add_capacities(TraceInputs& trace) const {
        const LeastHolders& least = full_.least();
        if (full_.may_lack(least.of_l1_entries))
            trace.sectors_while_full = layout_.l1_entries.lo - (footprint_.most_sectors - 1);
        if (full_.may_lack(least.of_l1_merges)) trace.loads_while_merged = least.of_l1_merges;
        trace.load_queue_fills = volume_.loads_in_flight > layout_.load_queue;
        trace.link_fills = volume_.stored_lines == 0 && full_.link_may_fill();
    }

    /// S22e, with its symbols; none where it assumes what does not hold.
    [[nodiscard]] std::optional<TraceInputs::Response> waits_for_response() const {
        const std::int64_t s = layout_.link_service.hi;
        const std::int64_t n = layout_.channels.hi;
        const std::int64_t d = time_.shortest_transfer();
        const std::int64_t w =
            plus(layout_.dram_latency.hi - layout_.dram_latency.lo, layout_.spread());
        const std::int64_t h = std::min(footprint_.not_alone, volume_.transactions);
        const std::int64_t gap = d - times(n, s);
        if (!footprint_.is_listed || volume_.multiprocessors != 1 ||
            layout_.sector < layout_.l2_sector || layout_.l2_latency.hi > layout_.dram_latency.lo ||
            gap < (h > 0 ? 1 : 0))
            return std::nullopt;
        TraceInputs::Response response{plus(times(s, n - 1), w), 0};
        if (h > 0) {
            const std::int64_t cycles = times(plus(times(s, n + 1), w), d);
            response.others = times(h, cycles / gap + (cycles % gap > 0 ? 1 : 0));
        }
        return response;
    }

    /// S21 (a) at DRAM for loads; S22, lemma 3; S22c.
    [[nodiscard]] Charges of_fetches() const {
        Charges all;
        if (!time_.has_tails()) {
            all.charge(volume_.fetches, time_.transfer(footprint_.most_l2_sectors));
            return all;
        }
        all.charge(volume_.fetched_sectors, time_.transfer(1));
        if (arguments_.rows == RowRule::OncePerLaunch) {
            all.charge(std::min(footprint_.tails->of_loads, volume_.fetches), time_.tail());
            return all;
        }
        const std::int64_t entries = layout_.channel_queue.lo;
        const std::int64_t asked = std::min(volume_.lines_in_flight,
                                            times(volume_.multiprocessors, layout_.l1_entries.hi));
        // The queue of a channel, held by its first transfers: only their tails count.
        if (asked > entries || volume_.writes > 0)
            all.charge(plus(volume_.writes, volume_.fetches) / entries, time_.tails_of_a_wait());
        return all;
    }

    /// S21 (a) and (c), S22f: what is written later counts once, if that is less.
    [[nodiscard]] Charges of_stores() const {
        const std::int64_t at_once =
            time_.transfer(time_.has_tails() ? footprint_.most_stored_l2_sectors
                                             : std::max<std::int64_t>(1, l2_sectors_of_line()));
        Charges later;
        const auto& writebacks = footprint_.writebacks;
        if (writebacks && time_.has_tails())
            later.charge(1, times(writebacks->sectors, time_.transfer(1)));
        else if (writebacks)
            later.charge(1, times(writebacks->transfers, time_.transfer(writebacks->most_of_one)));
        const bool is_later = writebacks && later.sum() < times(at_once, volume_.stored_lines);
        const std::int64_t of_line =
            plus(is_later ? 0 : at_once, plus(layout_.link_service.hi, layout_.slice_service));
        Charges all;
        all.charge(volume_.warps,
                   largest_path_demand(code_, [&](const Timing& timing, std::size_t) {
                       if (!timing.enters_write_buffer) return std::int64_t{0};
                       const std::int64_t lines = timing.through_caches ? timing.passes.hi : 0;
                       return plus(times(lines, of_line), 1);
                   }));
        if (is_later) all.append(later);
        return all;
    }
    [[nodiscard]] std::int64_t l2_sectors_of_line() const {
        return static_cast<std::int64_t>(layout_.line / layout_.l2_sector);
    }

    /// S29: drains of all warps, and waits that end between two slots.
    [[nodiscard]] Charges between_slots() const {
        Charges all;
        if (!order_.slot_distance) return all;
        all.charge(volume_.warps,
                   largest_path_demand(code_, [&](const Timing& timing, std::size_t) {
                       return drain_time(code_, timing, true);
                   }));
        std::int64_t waits = volume_.loads_of_path;
        if (volume_.loads_in_flight > layout_.load_queue)
            waits = plus(waits, times(most_loads(code_), volume_.warps));
        if (stores_exceed_write_buffer(code_))
            waits = plus(waits, times(most_stores(code_), volume_.warps));
        all.charge(waits, *order_.slot_distance - 1);
        return all;
    }

    /// S21 (d): each with the row that it closes.
    [[nodiscard]] Charges of_refreshes(std::int64_t rest) const {
        Charges all;
        const std::int64_t transfers = plus(volume_.writes, volume_.fetches);
        if (layout_.refresh == 0 || transfers == 0) return all;
        const std::int64_t duration = plus(time_.tail(), layout_.refresh);
        all.charge(refreshes_within(models::Cycles{rest},
                                    {duration, layout_.refresh_interval, layout_.channels.hi},
                                    transfers),
                   duration);
        return all;
    }

    const MemoryLayout& layout_;
    const Footprint& footprint_;
    QueueingArguments arguments_;
    IssueOrder order_;
    const TimedCode& code_;
    LaunchVolume volume_;
    std::vector<CodeLoad> loads_;
    FullResources full_;
    AccessTimes time_;
    std::string_view not_in_order_; ///< What S22c assumes and does not hold.
};

} // namespace

AddressedMemory read_addressed_memory(TimedCode& code,
                                      const std::optional<QueueingArguments>& arguments,
                                      const IssueOrder& order) {
    AddressedMemory memory{read_memory_layout(code.kernel), {}, arguments, order};
    const bool is_listed = !arguments || arguments->addresses;
    memory.footprint =
        is_listed ? count_footprint(code, memory.layout, list_accesses(code, memory.layout))
                  : footprint_at_any_addresses(code, memory.layout);
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        const models::Interval& lines = memory.footprint.lines_of[i];
        if (lines.hi == 0) continue;
        Timing& timing = code.timings[i].value();
        timing.passes = {std::max(timing.passes.lo, lines.lo), std::nullopt,
                         std::min(timing.passes.hi, lines.hi)};
        if (arguments && arguments->ports && is_load_through_caches(timing))
            models::free_port(timing);
        // S22, lemma 4: nothing else brings the last line of such a load.
        if (!arguments && memory.footprint.last_line_alone[i] && is_load_through_caches(timing))
            timing.latency.lo = std::max(timing.latency.lo, memory.layout.dram_latency.lo);
    }
    if (arguments) CountedCycles{memory, code}.require_assumptions();
    return memory;
}

std::vector<std::vector<Term>> bandwidth_terms(const AddressedMemory& memory,
                                               const TimedCode& code) {
    return bandwidth_sums(code, memory.layout, memory.footprint);
}

std::vector<Term> with_addressed_terms(std::vector<Term> terms, const AddressedMemory& memory,
                                       const CertificateValues& values) {
    const Charges further = CountedCycles{memory, values.code}.beyond(sum_of(values, terms));
    terms.insert(terms.end(), further.terms().begin(), further.terms().end());
    return terms;
}

} // namespace warpbound::certification::verify
