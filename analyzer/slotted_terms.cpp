#include "analyzer/slotted_terms.hpp"

#include "analyzer/common_barriers.hpp"
#include "analyzer/proof.hpp"
#include "analyzer/slotted_path.hpp"
#include "analyzer/warp_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

std::int64_t product(std::int64_t a, std::int64_t b) {
    return (models::Cycles{a} * b).count();
}

/// The sum for a launch in which slots are between `shortest` and `longest` cycles apart.
class SlottedSum {
public:
    SlottedSum(const Problem& problem, SlotDistance slots)
        : problem_{problem}, shape_{problem.shape}, slots_{slots} {}

    /// `path`: the lemma of the longest path in slots, and its bound.
    std::vector<BoundTerm> terms(const std::string& path, std::int64_t bound) {
        add("path of a warp in its slots", shape_.waves(), bound, path);
        // Also a warp that has all slots waits for the one of its predecessor to end.
        const std::int64_t first = shape_.waves() > 1 ? shape_.issue_slot.hi : 1;
        add("wait for the first slot", shape_.waves(), std::max(slots_.longest, first) - 1);
        add("replacement and start of a block", shape_.waves() - 1, shape_.refill.hi);
        add_ports();
        add_stores();
        add_last_drains();
        return std::move(terms_);
    }

private:
    void add(std::string text, std::int64_t count, std::int64_t cycles, std::string lemma = "") {
        if (count > 0 && cycles > 0)
            terms_.push_back({std::move(text), count, cycles, std::move(lemma)});
    }

    /// Time that a use of a port takes from a warp at most, in slots that it loses.
    InstructionCosts cost_of_ports(bool to_same, bool to_others) const {
        InstructionCosts costs = port_times(problem_);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (costs[i] == 0) continue;
            // A port that is free again one slot later is free at the end of the next one's slot.
            const bool counts = (to_same && costs[i] > shape_.issue_slot.hi) ||
                                (to_others && is_shared_by_all(problem_, i));
            const std::int64_t lost = (costs[i] - 1) / slots_.shortest + 1;
            costs[i] = counts ? product(lost, slots_.longest) : 0;
        }
        return costs;
    }

    /// Records a lemma on a sum of costs. Returns its bound.
    std::int64_t most(const LemmaName& name, const InstructionCosts& costs) const {
        const auto sums = block_costs(problem_, costs);
        const auto& lemmas = problem_.request.proofs->lemmas;
        if (std::none_of(lemmas.begin(), lemmas.end(),
                         [&](const PathLemma& lemma) { return lemma.id == name.id; }))
            record_sum(problem_, name, sums, Side::Upper);
        return extreme_sum(problem_, sums, Side::Upper);
    }

    void add_ports() {
        const std::string ports = "execution-time-upper-ports-";
        const std::int64_t warps = shape_.warps();
        if (shape_.waves() > 1) {
            // The critical chain may be on one scheduler in one block and on another in the next.
            const LemmaName any{ports + "any" + kind_of(slots_),
                                "slots that a warp's use of ports takes from any other"};
            add("slots of the critical chain in which a port is taken", warps,
                most(any, cost_of_ports(true, true)), any.id);
            return;
        }
        const LemmaName same{ports + "same" + kind_of(slots_),
                             "slots that a warp's use of ports takes from one of its scheduler"};
        const LemmaName other{ports + "other" + kind_of(slots_),
                              "slots that a warp's use of ports takes from one of another"};
        const std::int64_t to_same = most(same, cost_of_ports(true, false));
        const std::int64_t to_others = most(other, cost_of_ports(false, true));
        // A warp that has one fewer beside it has one more on the other schedulers.
        std::int64_t beside = shape_.on_one_scheduler(warps) - 1;
        const std::int64_t fewer = warps / shape_.schedulers - 1;
        const auto sum = [&](std::int64_t count) {
            return product(to_same, count) + product(to_others, warps - 1 - count);
        };
        if (fewer >= 0 && sum(fewer) > sum(beside)) beside = fewer;
        add("slots of the warp in which one of its scheduler holds a port", beside, to_same,
            same.id);
        add("slots of the warp in which one of another scheduler holds a port", warps - 1 - beside,
            to_others, other.id);
    }

    void add_stores() {
        InstructionCosts costs = drain_costs(problem_, Side::Upper);
        InstructionCosts entering(costs.size(), 0);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (!enters_write_buffer(problem_, i)) continue;
            entering[i] = 1;
            costs[i] = product(1 + costs[i] / slots_.shortest, slots_.longest);
        }
        const std::int64_t stores =
            extreme_sum(problem_, block_costs(problem_, entering), Side::Upper);
        // Nobody waits while all stores of the launch fit.
        if (product(stores, shape_.warps()) <= problem_.buffer_entries.lo) return;
        const LemmaName full{"execution-time-upper-buffer" + kind_of(slots_),
                             "slots that a warp's stores take from any by filling the buffer"};
        add("slots of the warp in which the write buffer is full", shape_.warps(),
            most(full, costs), full.id);
    }

    void add_last_drains() {
        const InstructionCosts costs = drain_costs(problem_, Side::Upper);
        const std::int64_t longest =
            costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
        const std::int64_t buffer = product(longest, problem_.buffer_entries.hi);
        const LemmaName drain{"execution-time-upper-drain", "drains of the stores of a warp"};
        const std::int64_t of_warp = most(drain, costs);
        if (product(of_warp, shape_.warps()) <= buffer)
            add("drains of the stores of a warp", shape_.warps(), of_warp, drain.id);
        else
            add("drains of the entries behind the last store", 1, buffer);
    }

    const Problem& problem_;
    const LaunchShape& shape_;
    SlotDistance slots_;
    std::vector<BoundTerm> terms_;
};

} // namespace

Result<SideAnswer> prove_slotted_from_above(const Problem& problem, Deadline deadline) {
    if (const auto* barrier = meeting_barrier(problem))
        return Failure{fmt::format("0x{:04x}: path lemmas are not kept for barriers of blocks with "
                                   "several warps under slotted policies in this version",
                                   barrier->address),
                       problem.request.function->name, barrier->position.line,
                       barrier->position.column};
    const auto distances = slot_distances(problem.request.policy, problem.shape);
    std::vector<std::vector<SlotDistance>> ways;
    for (const SlotDistance& slots : distances)
        ways.push_back({slots});
    return slowest_in_slots(
        problem, ways, Facts::All, deadline,
        [&](const std::vector<SlotDistance>& way, std::int64_t path) {
            // In several waves warps of all places follow each other.
            SlottedSum sum{problem, problem.shape.waves() > 1 ? hull(distances) : way.front()};
            return sum.terms("execution-time-upper" + kind_of(way.front()), path);
        });
}

} // namespace warpbound::analyzer
