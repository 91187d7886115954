#include "analyzer/policies/time_division/certified_terms.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/time_division/blocked_slots.hpp"
#include "analyzer/policies/time_division/blocking.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::times;

/// The sum for a launch.
class SlottedSum {
public:
    /// `slots`: how far apart those of the path are.
    SlottedSum(const AnalysisContext& context, const TimeDivisionPath& chain,
               const std::vector<SlotDistance>& slots)
        : context_{context}, shape_{context.shape}, chain_{chain},
          places_{chain.changes_place ? chain.places : slots}, any_{hull(places_)} {}

    /// `path`: the lemma of the longest path in slots, and its bound.
    std::vector<BoundTerm> terms(const std::string& path, std::int64_t bound) {
        add("path of a warp in its slots", shape_.waves(), bound, path);
        // Also a warp that has all slots waits for the one of its predecessor to end.
        const std::int64_t first = shape_.waves() > 1 ? shape_.issue_slot.hi : 1;
        add("wait for the first slot", shape_.waves(), std::max(any_.longest, first) - 1);
        add("wait for a slot behind a barrier", times(chain_.barriers, shape_.waves()),
            any_.longest - 1);
        add("replacement and start of a block", shape_.waves() - 1, shape_.refill.hi);
        add_ports();
        // Through the caches drains are waits for the memory system (S29).
        if (context_.caches) return std::move(terms_);
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

    [[nodiscard]] std::string kind() const {
        return chain_.changes_place ? in_any_warp_slot : kind_of(places_.front());
    }

    /// Time that a use of a port takes from a warp at most, in slots that it loses.
    [[nodiscard]] InstructionCosts cost_of_ports(bool to_same, bool to_others) const {
        InstructionCosts costs = port_times(context_);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (costs[i] == 0) continue;
            // A port that is free again one slot later is free at the end of the next one's slot.
            const bool counts = (to_same && costs[i] > shape_.issue_slot.hi) ||
                                (to_others && is_shared_by_all(context_, i));
            std::int64_t most_lost = 0;
            for (const SlotDistance& slots : places_)
                most_lost =
                    std::max(most_lost, times((costs[i] - 1) / slots.shortest + 1, slots.longest));
            costs[i] = counts ? most_lost : 0;
        }
        return costs;
    }

    /// Of the other places of a scheduler the most that hold a port at a point of such slots.
    [[nodiscard]] std::int64_t holders() const {
        const InstructionCosts ports = port_times(context_);
        const std::int64_t longest = ports.empty() ? 0 : *std::ranges::max_element(ports);
        std::int64_t most = 0;
        for (const EquivalentSchedulers& alike : schedulers_of(context_.request.policy, shape_)) {
            const SlotTable& order = alike.order;
            const std::int64_t reach = std::max<std::int64_t>(0, longest - 1) / order.slot();
            for (std::int64_t place = 0; place < alike.warps; ++place) {
                if (order.distance(place) != places_.front()) continue;
                const SlotBoundaries points{order, place};
                std::int64_t count = 0;
                for (std::int64_t other = 0; other < alike.warps; ++other)
                    if (other != place &&
                        std::ranges::any_of(order.slots_of(other), [&](std::int64_t slot) {
                            return points.behind(slot, reach) > 0;
                        }))
                        ++count;
                most = std::max(most, count);
            }
        }
        return most;
    }

    void add_ports() {
        const std::string ports = "execution-time-upper-ports";
        const std::int64_t warps = shape_.warps();
        if (chain_.changes_place) {
            const CertificateName any{ports + kind(),
                                      "slots that a warp's use of ports takes from any other"};
            add("slots of the critical chain in which a port is taken", warps,
                certified_most(context_, any, cost_of_ports(true, true)), any.id);
            return;
        }
        const CertificateName same{
            ports + "-own-scheduler" + kind(),
            "slots that a warp's use of ports takes from one of its scheduler"};
        const CertificateName other{ports + "-other-schedulers" + kind(),
                                    "slots that a warp's use of ports takes from one of another"};
        const std::int64_t to_same = certified_most(context_, same, cost_of_ports(true, false));
        const std::int64_t to_others = certified_most(context_, other, cost_of_ports(false, true));
        // A warp that has one fewer beside it has one more on the other schedulers.
        std::int64_t beside = shape_.on_one_scheduler(warps) - 1;
        const std::int64_t fewer = warps / shape_.schedulers - 1;
        const std::int64_t most_holders = holders();
        const auto sum = [&](std::int64_t count) {
            return models::plus(times(to_same, std::min(count, most_holders)),
                                times(to_others, warps - 1 - count));
        };
        if (fewer >= 0 && sum(fewer) > sum(beside)) beside = fewer;
        add("slots of the warp in which one of its scheduler holds a port",
            std::min(beside, most_holders), to_same, same.id);
        add("slots of the warp in which one of another scheduler holds a port", warps - 1 - beside,
            to_others, other.id);
    }

    void add_stores() {
        InstructionCosts costs = drain_costs(context_, Side::Upper);
        InstructionCosts entering(costs.size(), 0);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (!enters_write_buffer(context_, i)) continue;
            entering[i] = 1;
            costs[i] = blocking_of_store(costs[i], places_);
        }
        const std::int64_t stores = most_on_a_path(context_, entering);
        // Nobody waits while all stores of the launch fit.
        if (times(stores, shape_.warps()) <= context_.buffer_entries.lo) return;
        const CertificateName full{
            "execution-time-upper-write-buffer" + kind(),
            "slots that a warp's stores take from any by filling the buffer"};
        add("slots of the warp in which the write buffer is full", shape_.warps(),
            certified_most(context_, full, costs), full.id);
    }

    void add_last_drains() {
        const InstructionCosts costs = drain_costs(context_, Side::Upper);
        const std::int64_t longest =
            costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
        const std::int64_t buffer = times(longest, context_.buffer_entries.hi);
        const CertificateName drain{"execution-time-upper-drain", "drains of the stores of a warp"};
        const std::int64_t of_warp = certified_most(context_, drain, costs);
        if (times(of_warp, shape_.warps()) <= buffer)
            add("drains of the stores of a warp", shape_.warps(), of_warp, drain.id);
        else
            add("drains of the entries behind the last store", 1, buffer);
    }

    const AnalysisContext& context_;
    const LaunchGeometry& shape_;
    const TimeDivisionPath& chain_;
    std::vector<SlotDistance> places_; ///< That slots are lost in.
    SlotDistance any_;
    std::vector<BoundTerm> terms_;
};

} // namespace

Result<SideAnswer> certify_time_division_from_above(const AnalysisContext& launched,
                                                    Deadline deadline) {
    const AnalysisContext context = as_delayed(launched);
    const auto chain = time_division_path(context);
    if (!chain) return chain.as_failure();
    return longest_in_slots(context, chain.value(), deadline,
                            [&](const std::vector<SlotDistance>& slots, std::int64_t path) {
                                SlottedSum sum{context, chain.value(), slots};
                                return sum.terms("execution-time-upper" + chain.value().kind(slots),
                                                 path);
                            });
}

} // namespace warpbound::analyzer
