#include "analyzer/policies/time_division/certified_terms.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/time_division/blocking_terms.hpp"

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
                          const QueueSlots& queue, const BlockingTerms& blocking,
                          const std::vector<SlotDistance>& slots)
        : kernel_{kernel}, shape_{launch.shape}, run_{run}, critical_{critical}, queue_{queue},
          blocking_{blocking}, slots_{slots},
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
        add(blocking_.by_issues(slots_));
        add_queue();
        // With accesses through the caches, drains are part of the queueing delay (S29).
        if (critical_.queues_drains) return std::move(terms_);
        add(blocking_.by_stores(slots_));
        add_last_drains();
        return std::move(terms_);
    }

private:
    void add(std::string text, std::int64_t count, std::int64_t cycles,
             std::string certificate = "") {
        if (count > 0 && cycles > 0)
            terms_.push_back({std::move(text), count, cycles, std::move(certificate)});
    }

    void add(const std::vector<BoundTerm>& terms) {
        terms_.insert(terms_.end(), terms.begin(), terms.end());
    }

    [[nodiscard]] std::string id_suffix() const {
        return critical_.changes_warp_slot ? in_any_warp_slot : distance_suffix(distances_.front());
    }

    void add_queue() {
        if (!queue_.may_block()) return;
        const CertificateName full{
            "execution-time-upper-queue-places" + id_suffix(),
            "slots that the memory instructions of a warp block by filling the memory queue"};
        const std::int64_t of_warp =
            certified_most(kernel_, run_, full, queue_.blocked_time(distances_));
        const models::Warps between = queue_.warps_between_barriers();
        const std::int64_t at_barriers =
            times(critical_.barriers, queue_.blocked_at_barrier(distances_));
        const bool by_intervals =
            shape_.waves() == 1 && critical_.barriers > 0 &&
            plus(times(of_warp, between), at_barriers) < times(of_warp, queue_.warps());
        add("slots of the warp in which the memory queue of its scheduler is full",
            (by_intervals ? between : queue_.warps()).count(), of_warp, full.id);
        if (by_intervals)
            add("slots that a memory queue may block by what it holds when a barrier opens",
                critical_.barriers, queue_.blocked_at_barrier(distances_));
        add("slots that a memory queue may block again after the start of the last block", 1,
            queue_.blocked_at_last_start(distances_));
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
    const LaunchGeometry& shape_;
    const AnalysisRun& run_;
    const TimeDivisionPath& critical_;
    const QueueSlots& queue_;
    const BlockingTerms& blocking_;
    const std::vector<SlotDistance>& slots_;
    std::vector<SlotDistance> distances_; ///< Of the slots that may be blocked.
    SlotDistance any_;
    std::vector<BoundTerm> terms_;
};

} // namespace

SideAnswer time_division_with_evidence(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                       const AnalysisRun& run, const TimeDivisionPath& critical,
                                       const QueueSlots& queue,
                                       const std::vector<PathInSlots>& paths) {
    const BlockingTerms blocking{kernel, launch, run, critical};
    return with_terms(
        paths,
        [&](const std::vector<SlotDistance>& slots, std::int64_t path) {
            CertifiedTimeDivision sum{kernel, launch, run, critical, queue, blocking, slots};
            return sum.terms("execution-time-upper" + critical.id_suffix(slots), path);
        },
        "blocked slots where they lie", true);
}

} // namespace warpbound::analyzer
