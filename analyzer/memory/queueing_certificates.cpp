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

/// Terms from the described parameters of caches, links and DRAM alone.
class QueueingCertificates {
public:
    QueueingCertificates(const TimedKernel& kernel, const ScheduledLaunch& launch,
                         const MemoryPath& memory, const AnalysisRun& run)
        : kernel_{kernel}, launch_{launch}, run_{run}, caches_{*memory.caches},
          traffic_{traffic_of(kernel, launch.shape, memory)} {}

    std::vector<BoundTerm> terms(models::Cycles unloaded) {
        // Every line is assumed to be fetched from DRAM.
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
        add_full_mshrs();
        add_full_link();
        add_waits_between_slots();
        add_refreshes(unloaded);
        return std::move(terms_);
    }

private:
    template <class Cost> [[nodiscard]] InstructionCosts costs(Cost cost) const {
        return per_instruction(kernel_,
                               [&](std::size_t, const Timing& timing) { return cost(timing); });
    }
    [[nodiscard]] InstructionCosts lines(bool of_loads, bool of_stores) const {
        return costs([&](const Timing& timing) {
            return (of_loads && is_cached_load(timing)) || (of_stores && is_cached_store(timing))
                       ? timing.passes.hi
                       : 0;
        });
    }
    /// Share of each line in `whole` cycles in which `among` accesses are outstanding together.
    [[nodiscard]] static InstructionCosts shared(InstructionCosts lines, std::int64_t whole,
                                                 std::int64_t among) {
        for (std::int64_t& cost : lines) {
            const std::int64_t cycles = (models::Cycles{whole} * cost).count();
            cost = cycles / among + (cycles % among == 0 ? 0 : 1);
        }
        return lines;
    }
    [[nodiscard]] std::int64_t of_launch(const InstructionCosts& costs) const {
        return models::times(most_on_a_path(kernel_, costs), launch_.shape.warps());
    }

    void add(const char* name, const char* text, const InstructionCosts& costs) {
        add(name, text, launch_.shape.warps().count(), costs);
    }
    void add(const char* name, const char* text, std::int64_t count,
             const InstructionCosts& costs) {
        if (std::all_of(costs.begin(), costs.end(), [](auto cost) { return cost == 0; })) return;
        const CertificateName certificate{std::string{"execution-time-upper-"} + name, text};
        const std::int64_t most = certified_most(kernel_, run_, certificate, costs);
        if (most > 0) terms_.push_back({text, count, most, certificate.id});
    }

    void add_full_mshrs() {
        const auto sectors = static_cast<std::int64_t>(caches_.line / caches_.sector);
        const std::int64_t in_full_mshrs =
            std::min(least_in_full_l1(caches_, sectors, false),
                     least_in_full_slice(caches_, launch_.shape.multiprocessors, sectors, false));
        // No access waits for an entry if all accesses that can be outstanding fit.
        if (traffic_.outstanding_lines > in_full_mshrs)
            add("mshr",
                "full MSHRs: round trips of the loads of a warp, while as many accesses as fill "
                "the "
                "entries are outstanding",
                shared(lines(true, false), caches_.round_trip, in_full_mshrs));
    }

    void add_full_link() {
        const std::int64_t all = of_launch(lines(true, true));
        const bool stores = of_launch(lines(false, true)) > 0;
        const std::int64_t together =
            stores ? all : std::min({all, traffic_.outstanding_lines, caches_.entries.hi});
        if (together > caches_.link_queue)
            add("link-queue",
                "full link: transits of the transactions of a warp, while as many as fill the link "
                "are in transit",
                shared(lines(true, true), caches_.transit.hi, caches_.link_queue));
    }

    /// Drains, and waits that end between two time slots: of the loads on the critical path, and
    /// those for a load queue or write buffer that is full at a slot.
    void add_waits_between_slots() {
        const auto slots = slots_of_any_warp(launch_.policy, launch_.shape);
        if (!slots) return;
        const auto of_each = [&](auto counts, std::int64_t cycles) {
            return costs([&](const Timing& timing) { return counts(timing) ? cycles : 0; });
        };
        const auto is_store = [](const Timing& timing) { return timing.enters_write_buffer; };
        const LaunchGeometry& shape = launch_.shape;
        const bool queue_fills = traffic_.outstanding_loads > caches_.load_queue;
        add("drain", "drains of the stores of a warp", drain_costs(kernel_, Side::Upper));
        add("loads-between-slots", "waits for the loads of a warp that end between slots",
            models::plus(shape.waves(), queue_fills ? shape.warps().count() : 0),
            of_each(is_cached_load, slots->longest - 1));
        if (of_launch(of_each(is_store, 1)) > kernel_.write_buffer.entries.lo)
            add("stores-between-slots",
                "waits for the write buffer that end between slots, one for each store of a warp",
                of_each(is_store, slots->longest - 1));
    }

    void add_refreshes(models::Cycles unloaded) {
        if (caches_.refresh_duration == 0) return;
        const InstructionCosts transfers = lines(true, true);
        const std::int64_t met =
            delaying_refreshes(caches_, models::Cycles{caches_.refresh_duration},
                               unloaded + sum_of(terms_), of_launch(transfers));
        // One after each transfer, or as many as the time allows.
        if (met < of_launch(transfers)) {
            terms_.push_back({"refreshes of a DRAM channel", met, caches_.refresh_duration});
            return;
        }
        add("refreshes", "refreshes, one before each transfer of a warp",
            shared(transfers, caches_.refresh_duration, 1));
    }

    const TimedKernel& kernel_;
    const ScheduledLaunch& launch_;
    const AnalysisRun& run_;
    const MemoryParameters& caches_;
    Traffic traffic_;
    std::vector<BoundTerm> terms_;
};

} // namespace

std::vector<BoundTerm> certify_queueing_delay(const TimedKernel& kernel,
                                              const ScheduledLaunch& launch,
                                              const MemoryPath& memory, const AnalysisRun& run,
                                              models::Cycles unloaded) {
    return QueueingCertificates{kernel, launch, memory, run}.terms(unloaded);
}

} // namespace warpbound::analyzer
