#include "analyzer/policies/time_division/certified_terms.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/time_division/blocked_slots.hpp"
#include "analyzer/policies/time_division/blocking.hpp"
#include "analyzer/policies/time_division/certified_ports.hpp"
#include "analyzer/policies/time_division/stage_slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::plus;
using models::times;

/// Sum of certified terms for a launch.
class CertifiedTimeDivision {
public:
    /// `slots`: slot distances of the path.
    CertifiedTimeDivision(const TimedKernel& kernel, const ScheduledLaunch& launch,
                          const AnalysisRun& run, const TimeDivisionPath& critical,
                          const QueueSlots& queue, const CertifiedPorts& ports,
                          const std::vector<SlotDistance>& slots)
        : kernel_{kernel}, launch_{launch}, shape_{launch.shape}, run_{run}, critical_{critical},
          queue_{queue}, blocked_by_ports_{ports.terms(slots)},
          distances_{critical.changes_warp_slot ? critical.distances : slots}, any_{hull(
                                                                                   distances_)} {}

    /// `path`: id of the certificate of the longest path in time slots; `bound`: its bound.
    std::vector<BoundTerm> terms(const std::string& path, std::int64_t bound) {
        add("path of a warp in its time slots", shape_.waves(), bound, path);
        // A warp that has all slots, too, waits until the slot of its predecessor ends.
        const std::int64_t first = shape_.waves() > 1 ? shape_.issue_slot.hi : 1;
        add("wait for the first slot", shape_.waves(), std::max(any_.longest, first) - 1);
        add("wait for a slot after a barrier", times(critical_.barriers, shape_.waves()),
            any_.longest - 1);
        add("replacement and start of a block", shape_.waves() - 1, shape_.refill.hi);
        terms_.insert(terms_.end(), blocked_by_ports_.begin(), blocked_by_ports_.end());
        add_stages();
        add_queue();
        // With accesses through the caches, drains are part of the queueing delay (S29).
        if (critical_.queues_drains) return std::move(terms_);
        add_stores();
        add_last_drains();
        return std::move(terms_);
    }

private:
    void add(std::string text, std::int64_t count, std::int64_t cycles,
             std::string certificate = "") {
        if (count > 0 && cycles > 0)
            terms_.push_back({std::move(text), count, cycles, std::move(certificate)});
    }

    [[nodiscard]] std::string id_suffix() const {
        return critical_.changes_warp_slot ? in_any_warp_slot : distance_suffix(distances_.front());
    }

    /// Largest number of other warp slots of a scheduler whose warps may occupy a resource at a
    /// slot boundary of this path. `longest`: an occupancy.
    [[nodiscard]] models::Warps occupants(std::int64_t longest) const {
        models::Warps most{0};
        for (const EquivalentSchedulers& equal : schedulers_of(launch_.policy, shape_)) {
            const SlotTable& table = equal.table;
            const std::int64_t reach = std::max<std::int64_t>(0, longest - 1) / table.slot_length();
            for (std::int64_t warp_slot = 0; warp_slot < equal.warps.count(); ++warp_slot) {
                if (table.distance(warp_slot) != distances_.front()) continue;
                const SlotBoundaries boundaries{table, warp_slot};
                models::Warps count{0};
                for (std::int64_t other = 0; other < equal.warps.count(); ++other)
                    if (other != warp_slot &&
                        std::ranges::any_of(table.slots_of(other), [&](std::int64_t slot) {
                            return boundaries.after(slot, reach) > 0;
                        }))
                        ++count;
                most = std::max(most, count);
            }
        }
        return most;
    }

    void add_stages() {
        const std::int64_t hold = cycles_of_hold(kernel_, shape_);
        if (hold == 0) return;
        const CertificateName held{
            "execution-time-upper-stages" + id_suffix(),
            "slots that a warp blocks by register reads in the stages in front of the units"};
        const std::int64_t cycles =
            certified_most(kernel_, run_, held, time_held_by_reads(kernel_, shape_, any_));
        models::Warps warps = shape_.warps();
        if (!critical_.changes_warp_slot) {
            warps = std::min(shape_.on_one_scheduler(warps) - models::Warps{1},
                             occupants(plus(hold, 2)));
            if (any_.shortest <= hold + 1) ++warps; // By its own reads.
        }
        add("slots in which register reads of a warp hold the stages in front of the units",
            warps.count(), cycles, held.id);
        if (shape_.waves() > 1)
            add("slot that may be blocked again after the start of the last block", 1,
                any_.longest);
    }

    void add_queue() {
        if (!queue_.may_block()) return;
        const CertificateName full{
            "execution-time-upper-queue-places" + id_suffix(),
            "slots that the memory instructions of a warp block by filling the memory queue"};
        add("slots of the warp in which the memory queue of its scheduler is full",
            queue_.warps().count(),
            certified_most(kernel_, run_, full, queue_.blocked_time(distances_)), full.id);
        add("slots that a memory queue may block again after the start of the last block", 1,
            queue_.blocked_at_last_start(distances_));
    }

    void add_stores() {
        InstructionCosts costs = drain_costs(kernel_, Side::Upper);
        InstructionCosts entering(costs.size(), 0);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (!enters_write_buffer(kernel_, i)) continue;
            entering[i] = 1;
            costs[i] = blocking_of_store(costs[i], distances_);
        }
        const std::int64_t stores = most_on_a_path(kernel_, entering);
        // No store waits while all stores of the launch fit in the write buffer.
        if (times(stores, shape_.warps()) <= kernel_.write_buffer.entries.lo) return;
        const CertificateName full{
            "execution-time-upper-write-buffer" + id_suffix(),
            "slots that the stores of a warp block by filling the write buffer"};
        add("slots of the warp in which the write buffer is full", shape_.warps().count(),
            certified_most(kernel_, run_, full, costs), full.id);
    }

    void add_last_drains() {
        const InstructionCosts costs = drain_costs(kernel_, Side::Upper);
        const std::int64_t longest =
            costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
        const std::int64_t buffer = times(longest, kernel_.write_buffer.entries.hi);
        const CertificateName drain{"execution-time-upper-drain", "drains of the stores of a warp"};
        const std::int64_t of_warp = certified_most(kernel_, run_, drain, costs);
        if (times(of_warp, shape_.warps()) <= buffer)
            add("drains of the stores of a warp", shape_.warps().count(), of_warp, drain.id);
        else
            add("drains of the entries after the last store", 1, buffer);
    }

    const TimedKernel& kernel_;
    const ScheduledLaunch& launch_;
    const LaunchGeometry& shape_;
    const AnalysisRun& run_;
    const TimeDivisionPath& critical_;
    const QueueSlots& queue_;
    std::vector<BoundTerm> blocked_by_ports_;
    std::vector<SlotDistance> distances_; ///< Of the slots that may be blocked.
    SlotDistance any_;
    std::vector<BoundTerm> terms_;
};

} // namespace

SideAnswer time_division_with_evidence(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                       const AnalysisRun& run, const TimeDivisionPath& critical,
                                       const QueueSlots& queue,
                                       const std::vector<PathInSlots>& paths) {
    const CertifiedPorts ports{kernel, launch, run, critical};
    return with_terms(
        paths,
        [&](const std::vector<SlotDistance>& slots, std::int64_t path) {
            CertifiedTimeDivision sum{kernel, launch, run, critical, queue, ports, slots};
            return sum.terms("execution-time-upper" + critical.id_suffix(slots), path);
        },
        "blocked slots by path bounds", true);
}

} // namespace warpbound::analyzer
