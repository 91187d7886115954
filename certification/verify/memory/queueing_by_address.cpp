#include "certification/verify/memory/queueing_by_address.hpp"

#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/memory/queueing.hpp"
#include "certification/verify/memory/service_times.hpp"
#include "certification/verify/memory/service_trace.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <limits>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;
using Rows = QueueingArguments::Rows;
using Timing = models::InstructionTiming;

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// S21 (e): accesses that hold so many entries, while one that needs `each` finds fewer free.
std::int64_t holders(std::int64_t entries, std::int64_t each) {
    return (entries - each) / each + 1;
}

/// Of a launch, what S21 counts. Side: upper.
struct Volume {
    std::int64_t path_loads = 0; ///< Loads of the critical path.
    std::int64_t lines = 0;      ///< Line accesses of loads.
    std::int64_t requests = 0;   ///< Transactions of loads.
    std::int64_t stores = 0;     ///< Line accesses of stores.
    std::int64_t transfers = 0;  ///< Of DRAM for loads.
    std::int64_t sectors = 0;    ///< Of these transfers.
    std::int64_t writes = 0;     ///< Transfers of DRAM for stores.
    std::int64_t loads_in_flight = 0;
    std::int64_t lines_in_flight = 0;
};

Volume volume_of(const TimedCode& code, const Footprint& footprint) {
    const std::int64_t warps = code.geometry.warps;
    const auto in_flight = [&](std::optional<std::int64_t> of_warp, std::int64_t all) {
        return of_warp ? std::min(all, times(*of_warp, warps)) : all;
    };
    Volume volume;
    const std::int64_t loads = most_loads(code);
    volume.path_loads = times(loads, code.geometry.waves);
    volume.lines = std::min(times(most_lines(code, true, false), warps), footprint.load_lines);
    volume.stores = times(most_lines(code, false, true), warps);
    volume.requests = volume.lines;
    if (footprint.requests_of_l1)
        volume.requests = std::min(volume.requests,
                                   times(*footprint.requests_of_l1, code.geometry.multiprocessors));
    volume.loads_in_flight = in_flight(outstanding_loads(code), times(loads, warps));
    volume.lines_in_flight = in_flight(outstanding_lines(code), volume.lines);
    volume.transfers = volume.requests;
    if (footprint.fetches)
        volume.transfers = std::min(volume.transfers, footprint.fetches->transfers);
    volume.sectors =
        std::min(times(volume.transfers, footprint.most_l2_sectors), footprint.l2_sectors);
    if (footprint.fetches) volume.sectors = std::min(volume.sectors, footprint.fetches->sectors);
    volume.writes = volume.stores;
    if (footprint.writebacks)
        volume.writes = std::min(volume.writes, footprint.writebacks->transfers);
    return volume;
}

class AddressedDelay {
public:
    AddressedDelay(const AddressedMemory& memory, const TimedCode& code)
        : layout_{memory.layout}, footprint_{memory.footprint},
          arguments_{memory.arguments.value()}, code_{code}, volume_{volume_of(code,
                                                                               memory.footprint)} {}

    void check_arguments() const {
        const auto expect = [&](bool holds, const char* what) {
            if (!holds) refuted(code_.kernel.id + ": queueing by addresses: " + what);
        };
        expect(!arguments_.hits || footprint_.requests_of_l1, "an L1 may replace lines");
        expect(!arguments_.tails() || footprint_.tails, "addresses do not tell the banks");
        expect(arguments_.rows != Rows::OncePerLaunch || keeps_order_of_loads(),
               "transfers do not come in the order of the loads");
        expect(!arguments_.ports || keeps_order_of_ports(),
               "a load may hold its port after its end");
    }

    /// Beyond the terms, of so many cycles, of a bound without queueing.
    std::vector<Term> terms(models::Cycles without_queueing) {
        const std::int64_t missing = arguments_.hits ? path_misses() : 0;
        const std::int64_t beyond_hit =
            latency_of_miss() - std::min(layout_.l1_latency.hi, latency_of_miss());
        add(terms_, missing, beyond_hit);
        // Lemma 1: some transaction proceeds whenever an entry lacks.
        const std::int64_t alone =
            times(volume_.requests, proceeding()) - times(missing, beyond_hit);
        std::vector<Term> services = traced_services(alone);
        if (arguments_.rows != Rows::OncePerLaunch && !arguments_.ports) {
            std::vector<Term> separate = separate_services(alone);
            if (total(separate) <= total(services)) services = std::move(separate);
        }
        terms_.insert(terms_.end(), services.begin(), services.end());
        add_transfers();
        add_stores();
        add_refreshes(plus(without_queueing.count(), total(terms_)));
        return std::move(terms_);
    }

private:
    static void add(std::vector<Term>& terms, std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms.push_back({count, cycles, ""});
    }
    static std::int64_t total(const std::vector<Term>& terms) {
        std::int64_t sum = 0;
        for (const Term& term : terms)
            sum = plus(sum, times(term.count, term.cycles));
        return sum;
    }
    template <class Each> void for_each_load(Each each) const {
        for (std::size_t i = 0; i < code_.timings.size(); ++i)
            if (code_.reachable[i] && is_load_through_caches(code_.timings[i].value()))
                each(i, code_.timings[i].value());
    }

    /// S22, lemma 3: for how long a transfer may hold a bank, but not its channel.
    [[nodiscard]] std::int64_t tail() const {
        return std::max<std::int64_t>(
            0, layout_.row_miss - times(layout_.row_hit.lo, footprint_.least_of_transfer));
    }
    /// Tails that an access waits for while it proceeds.
    [[nodiscard]] std::int64_t tails_of_access() const {
        return arguments_.rows == Rows::PerWaitingAccess
                   ? times(tail(), footprint_.tails->of_access)
                   : 0;
    }
    /// A whole transfer, in which so many sectors come.
    [[nodiscard]] std::int64_t transfer(std::int64_t sectors) const {
        return std::max(times(layout_.row_hit.hi, sectors), layout_.row_miss);
    }
    [[nodiscard]] std::int64_t proceeding() const {
        return plus(layout_.unloaded(), tails_of_access());
    }
    /// S22b: of a load of the critical path, less its own transfer and its response.
    [[nodiscard]] std::int64_t latency_of_miss() const {
        const std::int64_t own = arguments_.tails()
                                     ? times(layout_.row_hit.hi, footprint_.least_of_transfer)
                                     : transfer(footprint_.most_l2_sectors);
        const bool overlaps = own <= layout_.dram_latency.lo - layout_.transit.hi;
        const std::int64_t response = layout_.link_service.hi;
        std::int64_t latency =
            std::max(layout_.l2_latency.hi, layout_.dram_latency.hi - (overlaps ? own : 0));
        latency += layout_.spread();
        if (response <= layout_.transit.lo) latency -= response;
        return plus(latency, tails_of_access());
    }
    /// S22, lemma 1, second bound.
    [[nodiscard]] std::int64_t path_misses() const {
        const bool of_one_warp = code_.geometry.waves == 1 && most_barriers_of_a_path(code_) == 0;
        return of_one_warp ? std::min(volume_.requests, footprint_.most_new_loads)
                           : volume_.requests;
    }

    // Full resources, S21 (e).

    [[nodiscard]] bool always_merges() const {
        return footprint_.most_at_a_line <= layout_.l1_merges;
    }
    [[nodiscard]] std::int64_t transactions_in_full_l1() const {
        return holders(layout_.l1_entries.lo, footprint_.most_sectors);
    }
    [[nodiscard]] std::int64_t lines_in_full_l1() const {
        const std::int64_t in_entries = transactions_in_full_l1();
        return always_merges() ? in_entries : std::min(in_entries, layout_.l1_merges);
    }
    [[nodiscard]] std::int64_t lines_in_full_slice() const {
        const auto ratio = [&](std::uint64_t bytes) {
            return static_cast<std::int64_t>(std::max<std::uint64_t>(1, bytes / layout_.l2_sector));
        };
        const std::int64_t of_sector = ratio(layout_.sector);
        const std::int64_t multiprocessors = code_.geometry.multiprocessors;
        const std::int64_t asked = times(times(layout_.l1_entries.hi, multiprocessors), of_sector);
        const std::int64_t in_entries =
            asked <= layout_.slice_entries
                ? never
                : holders(layout_.slice_entries,
                          std::min(ratio(layout_.line), times(footprint_.most_sectors, of_sector)));
        const bool asks_once =
            layout_.l2_sector <= layout_.sector && multiprocessors <= layout_.slice_merges;
        const bool merges =
            layout_.l2_sector <= layout_.line && footprint_.most_at_a_line <= layout_.slice_merges;
        return asks_once || merges ? in_entries : std::min(in_entries, layout_.slice_merges);
    }
    /// In which so many or more line accesses proceed, while one waits for a full resource.
    [[nodiscard]] std::int64_t while_full(std::int64_t lines) const {
        if (volume_.lines_in_flight <= lines) return 0;
        const std::int64_t all = always_merges() ? volume_.requests : volume_.lines;
        return arguments_.tails() ? times(proceeding(), all / lines)
                                  : times(proceeding(), all) / lines;
    }
    [[nodiscard]] bool link_fills() const {
        return plus(std::min({volume_.requests, volume_.lines_in_flight, layout_.l1_entries.hi}),
                    volume_.stores) > layout_.link_queue;
    }
    void add_full_link(std::vector<Term>& terms) const {
        add(terms, 1,
            times(plus(volume_.requests, volume_.stores), layout_.transit.hi) / layout_.link_queue);
    }

    // Orders of S22a, S22c and S22d.

    [[nodiscard]] bool slices_in_order() const {
        return layout_.transit.is_exact() && code_.geometry.multiprocessors == 1;
    }
    [[nodiscard]] bool keeps_order_of_loads() const {
        std::int64_t of_load = 0;
        for_each_load([&](std::size_t, const Timing& timing) {
            of_load = std::max(of_load, timing.passes.hi);
        });
        const std::int64_t in_l1 = transactions_in_full_l1();
        return volume_.writes == 0 && slices_in_order() && layout_.places_in_channels() &&
               layout_.slices.hi == layout_.channels.hi && layout_.link_service.lo > 0 &&
               of_load <= layout_.channel_queue.lo &&
               volume_.lines_in_flight <= lines_in_full_slice() &&
               (volume_.lines_in_flight <= in_l1 || of_load <= in_l1);
    }
    [[nodiscard]] bool keeps_order_of_ports() const {
        bool keeps = true;
        const auto described =
            models::instruction_timings(*code_.kernel.function, code_.kernel.architecture,
                                        code_.kernel.facts, code_.kernel.launch.threads);
        for_each_load([&](std::size_t i, const Timing& timing) {
            const models::Interval& lines = footprint_.lines_of[i];
            for (const std::int64_t n : {lines.lo, lines.hi}) {
                const std::int64_t handled =
                    plus(times(timing.pass_cost.lo, std::max<std::int64_t>(1, n) - 1),
                         layout_.l1_latency.lo);
                keeps = keeps && port_occupancy(described[i].value(), n) <= handled;
            }
        });
        return keeps;
    }

    [[nodiscard]] static std::int64_t arrival_of(const Timing& timing) {
        return times(timing.pass_cost.hi, timing.passes.hi - 1);
    }
    [[nodiscard]] std::int64_t longest_arrival() const {
        std::int64_t longest = 0;
        for_each_load([&](std::size_t, const Timing& timing) {
            longest = std::max(longest, arrival_of(timing));
        });
        return longest;
    }

    /// S21 (a), (b) and (e), each server by itself.
    [[nodiscard]] std::vector<Term> separate_services(std::int64_t alone) const {
        std::vector<Term> terms;
        const std::int64_t warps = code_.geometry.warps;
        const std::int64_t together =
            times(warps, largest_path_demand(code_, [&](const Timing& timing, std::size_t) {
                      if (!is_load_through_caches(timing)) return std::int64_t{0};
                      const std::int64_t apart = std::max(layout_.l1_service, timing.pass_cost.hi);
                      return plus(layout_.l1_service, times(apart, timing.passes.hi - 1));
                  }));
        const std::int64_t arrival = longest_arrival();
        const std::int64_t arrivals = times(2, volume_.path_loads);
        const std::int64_t by_themselves =
            plus(times(volume_.lines, layout_.l1_service), times(arrivals, arrival));
        const bool queue_is_free = warps == 1 || volume_.loads_in_flight <= layout_.load_queue;
        if (queue_is_free && by_themselves < together) {
            add(terms, volume_.lines, layout_.l1_service);
            add(terms, arrivals, arrival);
        } else {
            add(terms, 1, together);
        }
        add(terms, volume_.requests,
            plus(layout_.slice_service, times(2, layout_.link_service.hi)));
        const std::int64_t full =
            arguments_.tails()
                ? plus(while_full(lines_in_full_l1()), while_full(lines_in_full_slice()))
                : while_full(std::min(lines_in_full_l1(), lines_in_full_slice()));
        add(terms, 1, std::min(alone, full));
        if (link_fills()) add_full_link(terms);
        return terms;
    }

    /// S22a to S22e, S57.
    [[nodiscard]] std::vector<Term> traced_services(std::int64_t alone) const {
        TraceInputs trace;
        trace.lines = volume_.lines;
        trace.requests = volume_.requests;
        trace.path_loads = volume_.path_loads;
        trace.arrival = longest_arrival();
        trace.arrival_missing = times(
            code_.geometry.waves,
            largest_path_demand(code_, [&](const Timing& timing, std::size_t) {
                return is_load_through_caches(timing) ? trace.arrival - arrival_of(timing) : 0;
            }));
        describe_loads(trace);
        trace.further_sectors = footprint_.further_sectors;
        if (volume_.lines_in_flight > transactions_in_full_l1())
            trace.sectors_while_full = layout_.l1_entries.lo - footprint_.most_sectors + 1;
        if (!always_merges() && volume_.lines_in_flight > layout_.l1_merges)
            trace.loads_while_merged = layout_.l1_merges;
        trace.load_queue_fills = volume_.loads_in_flight > layout_.load_queue;
        trace.link_fills = link_fills() && volume_.stores == 0;
        trace.slices_in_order = slices_in_order();
        trace.holders_once = arguments_.rows != Rows::OncePerLaunch;
        trace.one_trace = volume_.stores == 0 && keeps_order_of_loads();
        if (trace.one_trace && layout_.l1_merges > 1) trace.most_waits_to_merge = waits_to_merge();
        trace.path_latency = arguments_.hits ? layout_.l1_latency.hi
                                             : std::max(layout_.l1_latency.hi, latency_of_miss());
        trace.proceeding = proceeding();
        trace.response = response_link();
        trace.transactions_alone = alone;
        std::vector<Term> terms = trace_terms(trace, layout_);
        add(terms, 1, std::min(alone, while_full(lines_in_full_slice())));
        if (link_fills() && volume_.stores > 0) add_full_link(terms);
        return terms;
    }

    void describe_loads(TraceInputs& trace) const {
        std::int64_t least = volume_.lines == 0 ? 1 : never;
        trace.ends_in_order = !slices_in_order() || layout_.slices.hi == 1;
        const auto described =
            models::instruction_timings(*code_.kernel.function, code_.kernel.architecture,
                                        code_.kernel.facts, code_.kernel.launch.threads);
        for_each_load([&](std::size_t i, const Timing& timing) {
            if (footprint_.lines_of[i].hi > 0) least = std::min(least, footprint_.lines_of[i].lo);
            trace.pass_cost = std::max(trace.pass_cost, timing.pass_cost.hi);
            if (arguments_.ports)
                trace.port = std::max(trace.port, port_occupancy(described[i].value(), 1));
            trace.ends_in_order = trace.ends_in_order && footprint_.last_line_alone[i];
        });
        trace.least_lines = std::max<std::int64_t>(1, least);
    }

    /// S58.
    [[nodiscard]] std::optional<std::int64_t> waits_to_merge() const {
        if (footprint_.loads_without.empty()) return std::nullopt;
        std::int64_t most = never;
        std::int64_t sectors = 0;
        for (const std::int64_t loads : footprint_.loads_without)
            most = std::min(most, plus(++sectors, loads / (layout_.l1_merges - 1)));
        return most;
    }

    /// S22e.
    [[nodiscard]] std::optional<TraceInputs::Response> response_link() const {
        if (code_.geometry.multiprocessors > 1 || layout_.l2_sector > layout_.sector ||
            layout_.dram_latency.lo < layout_.l2_latency.hi)
            return std::nullopt;
        const std::int64_t apart = times(layout_.row_hit.lo, footprint_.least_of_transfer);
        const std::int64_t round = times(layout_.link_service.hi, layout_.channels.hi);
        const std::int64_t others = std::min(volume_.requests, footprint_.not_alone);
        if (round > apart || (round == apart && others > 0)) return std::nullopt;
        const std::int64_t width =
            layout_.dram_latency.hi - layout_.dram_latency.lo + layout_.spread();
        TraceInputs::Response response{round - layout_.link_service.hi + width, 0};
        if (others == 0) return response;
        const std::int64_t queued = round + layout_.link_service.hi + width;
        const std::int64_t busy = times(queued, apart);
        const std::int64_t gain = apart - round;
        response.others = times(others, busy / gain + (busy % gain > 0 ? 1 : 0));
        return response;
    }

    void add_transfers() {
        if (!arguments_.tails()) {
            add(terms_, volume_.transfers, transfer(footprint_.most_l2_sectors));
            return;
        }
        add(terms_, volume_.sectors, layout_.row_hit.hi);
        if (arguments_.rows == Rows::OncePerLaunch) {
            add(terms_, std::min(volume_.transfers, footprint_.tails->of_loads), tail());
            return;
        }
        const std::int64_t queued = std::min(
            times(layout_.l1_entries.hi, code_.geometry.multiprocessors), volume_.lines_in_flight);
        if (volume_.writes > 0 || queued > layout_.channel_queue.lo)
            add(terms_, plus(volume_.transfers, volume_.writes) / layout_.channel_queue.lo,
                tails_of_access());
    }

    /// S21 (a, c), S22f.
    void add_stores() {
        const auto all_sectors =
            static_cast<std::int64_t>(std::max<std::uint64_t>(1, layout_.line / layout_.l2_sector));
        const std::int64_t each = arguments_.tails()
                                      ? times(layout_.row_hit.hi, footprint_.most_stored_l2_sectors)
                                      : transfer(all_sectors);
        std::int64_t written = never;
        if (footprint_.writebacks)
            written = arguments_.tails() ? times(layout_.row_hit.hi, footprint_.writebacks->sectors)
                                         : times(footprint_.writebacks->transfers,
                                                 transfer(footprint_.writebacks->most_of_one));
        const bool later = written < times(volume_.stores, each);
        const std::int64_t line =
            plus(plus(layout_.slice_service, layout_.link_service.hi), later ? 0 : each);
        add(terms_, code_.geometry.warps,
            largest_path_demand(code_, [&](const Timing& timing, std::size_t) -> std::int64_t {
                if (!timing.enters_write_buffer) return 0;
                return plus(1, timing.through_caches ? times(line, timing.passes.hi) : 0);
            }));
        if (later) add(terms_, 1, written);
    }

    /// S21 (d): after a refresh a row is activated again.
    void add_refreshes(std::int64_t without) {
        const std::int64_t transfers = plus(volume_.transfers, volume_.writes);
        if (layout_.refresh == 0 || transfers == 0) return;
        const std::int64_t duration = plus(layout_.refresh, arguments_.tails() ? tail() : 0);
        add(terms_,
            refreshes_within(models::Cycles{without},
                             {duration, layout_.refresh_interval, layout_.channels.hi}, transfers),
            duration);
    }

    const MemoryLayout& layout_;
    const Footprint& footprint_;
    QueueingArguments arguments_;
    const TimedCode& code_;
    Volume volume_;
    std::vector<Term> terms_;
};

} // namespace

AddressedMemory read_addressed_memory(TimedCode& code,
                                      const std::optional<QueueingArguments>& arguments) {
    if (arguments && code.geometry.warps > 1 &&
        models::guarantee_of(code.kernel.policy) != models::PolicyGuarantee::WorkConserving)
        refuted(code.kernel.id + ": queueing by addresses: the policy need not conserve work");
    AddressedMemory memory{read_memory_layout(code.kernel), {}, arguments};
    memory.footprint = footprint_of(code, memory.layout, list_accesses(code, memory.layout));
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        const models::Interval& lines = memory.footprint.lines_of[i];
        if (lines.hi == 0) continue;
        Timing& timing = code.timings[i].value();
        timing.passes = {std::max(timing.passes.lo, lines.lo), std::nullopt,
                         std::min(timing.passes.hi, lines.hi)};
        if (arguments && arguments->ports && is_load_through_caches(timing))
            models::free_port(timing);
    }
    if (arguments) AddressedDelay{memory, code}.check_arguments();
    return memory;
}

std::vector<std::vector<Term>> bandwidth_terms(const AddressedMemory& memory,
                                               const TimedCode& code) {
    const MemoryLayout& layout = memory.layout;
    const Footprint& footprint = memory.footprint;
    const LaunchGeometry& launch = code.represented;
    const std::int64_t unloaded = std::min(layout.l2_latency.lo, layout.dram_latency.lo);
    const std::int64_t transits = layout.transit.hi - layout.transit.lo;
    std::vector<std::vector<Term>> sums;
    const auto add = [&](std::int64_t count, std::int64_t cycles, std::int64_t last) {
        if (count > 0)
            sums.push_back({{count, cycles, ""}, {1, std::max<std::int64_t>(0, last), ""}});
    };
    const auto share = [](std::int64_t all, std::int64_t among) {
        return all / among + (all % among > 0 ? 1 : 0);
    };
    // Some L1 has its share of the blocks.
    const std::int64_t warps = times(launch.blocks_before_last() + 1, launch.warps_per_block);
    const std::int64_t lines = least_path_demand(code, [&](const Timing& timing, std::size_t i) {
        const bool always = is_load_through_caches(timing) &&
                            !assembly::is_guarded(code.kernel.function->instructions[i]);
        return always ? timing.passes.lo : 0;
    });
    add(times(lines, warps) - 1, layout.l1_service_lo, std::min(layout.l1_latency.lo, unloaded));
    add(footprint.least_of_channel - footprint.most_l2_sectors, layout.row_hit.lo,
        layout.dram_latency.lo - transits);
    // A store is over in the queue of the link, a load when its data are back.
    const std::int64_t stores = footprint.least_stores;
    add(share(footprint.least_requests + stores, launch.multiprocessors) - 1 -
            (stores == 0 ? 0 : layout.link_queue),
        layout.link_service.lo, stores == 0 ? unloaded : 0);
    add(share(footprint.least_requests, layout.slices.hi) - 1, layout.slice_service_lo,
        unloaded - transits);
    return sums;
}

std::vector<Term> with_addressed_terms(std::vector<Term> terms, const AddressedMemory& memory,
                                       const CertificateValues& values) {
    for (Term& term : AddressedDelay{memory, values.code}.terms(sum_of(values, terms)))
        terms.push_back(std::move(term));
    return terms;
}

} // namespace warpbound::certification::verify
