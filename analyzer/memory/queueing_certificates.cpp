#include "analyzer/memory/queueing_certificates.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/slot_table.hpp"
#include "analyzer/memory/service_times.hpp"
#include "analyzer/memory/traffic.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

/// Of what a description says of caches, links and DRAM, no access uses less than it says.
class WaitLemmas {
public:
    explicit WaitLemmas(const AnalysisContext& context)
        : context_{context}, caches_{*context.caches}, lines_under_way_{
                                                           traffic_of(context).outstanding_lines} {}

    std::vector<BoundTerm> terms(models::Cycles unloaded) {
        // Every line goes the whole way.
        const models::Cycles line =
            models::Cycles{transaction_time(caches_)} + models::Cycles{caches_.transfer};
        add("loads",
            "services at the L1, links, slices and DRAM for the loads of a warp, and the arrival "
            "of their lines",
            costs([&](const Timing& timing) {
                return is_cached_load(timing)
                           ? (models::Cycles{l1_time(caches_, timing)} + line * timing.passes.hi)
                                 .count()
                           : 0;
            }));
        add("stores",
            "services at links, slices and DRAM for the stores of a warp, and the cycle of each "
            "drain",
            costs([&](const Timing& timing) {
                return timing.enters_write_buffer ? store_time(caches_, timing, caches_.transfer)
                                                  : 0;
            }));
        add_full_entries();
        add_full_link();
        add_slots();
        add_refreshes(unloaded);
        return std::move(terms_);
    }

private:
    template <class Cost> [[nodiscard]] InstructionCosts costs(Cost cost) const {
        return per_instruction(context_,
                               [&](std::size_t, const Timing& timing) { return cost(timing); });
    }
    [[nodiscard]] InstructionCosts lines(bool of_loads, bool of_stores) const {
        return costs([&](const Timing& timing) {
            return (of_loads && is_cached_load(timing)) || (of_stores && is_cached_store(timing))
                       ? timing.passes.hi
                       : 0;
        });
    }
    /// `shares` of `whole` cycles per line, in which `among` others go on as well.
    [[nodiscard]] static InstructionCosts shared(InstructionCosts lines, std::int64_t whole,
                                                 std::int64_t among) {
        for (std::int64_t& cost : lines) {
            const std::int64_t cycles = (models::Cycles{whole} * cost).count();
            cost = cycles / among + (cycles % among == 0 ? 0 : 1);
        }
        return lines;
    }
    [[nodiscard]] std::int64_t of_launch(const InstructionCosts& costs) const {
        return models::times(most_on_a_path(context_, costs), context_.shape.warps());
    }

    void add(const char* name, const char* text, const InstructionCosts& costs) {
        add(name, text, context_.shape.warps(), costs);
    }
    void add(const char* name, const char* text, std::int64_t count,
             const InstructionCosts& costs) {
        if (std::all_of(costs.begin(), costs.end(), [](auto cost) { return cost == 0; })) return;
        const CertificateName certificate{std::string{"execution-time-upper-"} + name, text};
        const std::int64_t most = certified_most(context_, certificate, costs);
        if (most > 0) terms_.push_back({text, count, most, certificate.id});
    }

    void add_full_entries() {
        const auto sectors = static_cast<std::int64_t>(caches_.line / caches_.sector);
        const std::int64_t held =
            std::min(held_by_l1(caches_, sectors, false),
                     held_by_slice(caches_, context_.shape.multiprocessors, sectors, false));
        // Nobody waits for an entry while all accesses that can be under way fit.
        if (lines_under_way_ > held)
            add("mshr",
                "full miss entries: the way of the loads of a warp, while as many as fill the "
                "entries go on",
                shared(lines(true, false), caches_.round_trip, held));
    }

    void add_full_link() {
        const std::int64_t all = of_launch(lines(true, true));
        const bool stores = of_launch(lines(false, true)) > 0;
        const std::int64_t together =
            stores ? all : std::min({all, lines_under_way_, caches_.entries.hi});
        if (together > caches_.link_queue)
            add("link-queue",
                "full link: the way of the transactions of a warp, while as many as fill the link "
                "go on",
                shared(lines(true, true), caches_.transit.hi, caches_.link_queue));
    }

    /// Drains, and waits that end between two slots: of the loads that the chain passes, and where
    /// a load or store leaves the full queue or buffer before the next slot.
    void add_slots() {
        const auto slots = slots_of_any_warp(context_.request.policy, context_.shape);
        if (!slots) return;
        const auto of_each = [&](auto counts, std::int64_t cycles) {
            return costs([&](const Timing& timing) { return counts(timing) ? cycles : 0; });
        };
        const auto is_store = [](const Timing& timing) { return timing.enters_write_buffer; };
        const LaunchGeometry& shape = context_.shape;
        const bool queue_fills = traffic_of(context_).outstanding_loads > caches_.load_queue;
        add("drain", "drains of the stores of a warp", drain_costs(context_, Side::Upper));
        add("loads-between-slots", "waits for the loads of a warp that end between slots",
            models::plus(shape.waves(), queue_fills ? shape.warps() : 0),
            of_each(is_cached_load, slots->longest - 1));
        if (of_launch(of_each(is_store, 1)) > context_.buffer_entries.lo)
            add("stores-between-slots",
                "waits for the write buffer that end between slots, one for each store of a warp",
                of_each(is_store, slots->longest - 1));
    }

    void add_refreshes(models::Cycles unloaded) {
        if (caches_.refresh_duration == 0) return;
        const InstructionCosts transfers = lines(true, true);
        const std::int64_t met = refreshes_met(caches_, models::Cycles{caches_.refresh_duration},
                                               unloaded + sum_of(terms_), of_launch(transfers));
        // One behind each transfer, or as many as there is time for.
        if (met < of_launch(transfers)) {
            terms_.push_back({"refreshes of a DRAM channel", met, caches_.refresh_duration});
            return;
        }
        add("refreshes", "refreshes, one before each transfer of a warp",
            shared(transfers, caches_.refresh_duration, 1));
    }

    const AnalysisContext& context_;
    const MemoryParameters& caches_;
    std::int64_t lines_under_way_; ///< Line accesses of loads that can be so together.
    std::vector<BoundTerm> terms_;
};

} // namespace

std::vector<BoundTerm> certify_queueing_delay(const AnalysisContext& context,
                                              models::Cycles unloaded) {
    return WaitLemmas{context}.terms(unloaded);
}

} // namespace warpbound::analyzer
