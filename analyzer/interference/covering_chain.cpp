#include "analyzer/interference/covering_chain.hpp"

#include "analyzer/interference/certified_sums.hpp"
#include "analyzer/interference/fetch_delay.hpp"
#include "analyzer/launch/instruction_lines.hpp"
#include "analyzer/launch/operand_lines.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

using models::plus;
using models::times;

constexpr const char* sum_text = "any order, along a chain of blocks that keeps its scheduler";
constexpr models::ThreadBlocks most_block_slots{256}; ///< For each, every rule is tried.

/// A chain up to the start of the last block. The first part to be chosen, which ends there, has no
/// scheduler to keep or to change.
struct Chain {
    CoveringChain parts;
    bool first_is_refilled = false; ///< A block slot was refilled when the last block was chosen.
};

/// Warps of other blocks that count on a second scheduler: some at each change, or all from the
/// beginning. Each bounds what a chain exposes.
enum class Exposed { AtChanges, All };

/// The sums of S74 for a rule: the chain keeps its scheduler where at least `alive` blocks have
/// warps on it.
class ChainSums {
public:
    ChainSums(const LaunchGeometry& shape, const Interference& cost, models::ThreadBlocks alive,
              Exposed exposed)
        : shape_{shape}, cost_{cost}, alive_{alive}, exposed_{exposed} {
        const std::int64_t excess = cost.own_scheduler - cost.other_schedulers;
        own_ = plus(*cost.prefix_stall, cost.carry_in);
        costs_.kept = own_;
        refill_ = shape.refill.hi - std::min(cost.drained_in_refill, shape.refill.hi);
        costs_.changed = plus(plus(own_, refill_), times(excess, exposed_warps()));
    }

    [[nodiscard]] Chain costliest() const {
        const models::ThreadBlocks further = shape_.begun_before_last() - shape_.resident;
        Chain running{chain_of(further), false};
        // A slot is refilled with a block that has begun and not started yet.
        if (further == models::ThreadBlocks{0}) return running;
        Chain refilled{chain_of(further - models::ThreadBlocks{1}), true};
        return cost_of(refilled) > cost_of(running) ? refilled : running;
    }

    [[nodiscard]] std::vector<BoundTerm> terms(const Chain& chain) const {
        const std::int64_t parts = plus(plus(chain.parts.kept, chain.parts.changed), 1);
        const models::ThreadBlocks begun = shape_.begun_before_last();
        const LaunchGeometry last = shape_.full_multiprocessor();
        const models::Warps warps = begun * shape_.warps_per_block + last.warps();
        const models::Warps on_scheduler =
            last.on_one_scheduler(last.warps()) +
            (exposed_ == Exposed::All
                 ? begun * shape_.warps_per_block
                 : begun * warps_of_block_on_scheduler() + chain.parts.changed * exposed_warps());
        std::vector<BoundTerm> terms;
        const auto add = [&](const char* text, std::int64_t count, std::int64_t cycles,
                             const char* sum = nullptr) {
            if (count > 0 && cycles > 0)
                terms.push_back(
                    {text, count, cycles, sum == nullptr ? std::string{} : certificate_id(sum)});
        };
        add("delays of a part of the chain of blocks that covers a multiprocessor, beyond its own "
            "demand",
            parts, *cost_.prefix_stall, "prefix-stall");
        add("delays of the critical path in a block, beyond its own demand", 1, cost_.stall,
            "stall");
        add("demand of a warp on its own scheduler: issue slots and ports", on_scheduler.count(),
            cost_.own_scheduler, "demand-own-scheduler");
        add("demand of a warp on other schedulers: ports of the multiprocessor",
            (warps - on_scheduler).count(), cost_.other_schedulers, "demand-other-schedulers");
        add("an instruction that issued before the critical path changed to another warp", parts,
            cost_.carry_in);
        add("instruction fetch: misses at schedulers that only the chain visits", 1,
            cost_.further_fetches);
        const std::int64_t refills = plus(chain.parts.changed, chain.first_is_refilled ? 1 : 0);
        const bool drains_in_refill = refill_ < shape_.refill.hi;
        if (drains_in_refill) add(refill_beyond_drains, refills, refill_);
        add("replacement and start of a block", drains_in_refill ? 1 : plus(refills, 1),
            shape_.refill.hi);
        add_drains(warps, add);
        return terms;
    }

private:
    [[nodiscard]] models::Warps warps_of_block_on_scheduler() const {
        return shape_.on_one_scheduler(shape_.warps_per_block);
    }
    /// Warps of other blocks that count on a second scheduler, at a change.
    [[nodiscard]] models::Warps exposed_warps() const {
        if (exposed_ == Exposed::All) return models::Warps{0};
        return (alive_ - models::ThreadBlocks{1}) * warps_of_block_on_scheduler();
    }
    [[nodiscard]] CoveringChain chain_of(models::ThreadBlocks starts) const {
        return costliest_chain(starts, alive_, shape_.resident, costs_);
    }
    [[nodiscard]] std::int64_t cost_of(const Chain& chain) const {
        const std::int64_t parts =
            plus(times(chain.parts.kept, costs_.kept), times(chain.parts.changed, costs_.changed));
        return plus(parts, chain.first_is_refilled ? plus(own_, refill_) : own_);
    }
    /// Of these warps and of a buffer that is full when the last block starts, or of all warps.
    template <class Add> void add_drains(models::Warps warps, const Add& add) const {
        const bool is_less = plus(times(cost_.drain, warps), cost_.left_in_buffer) <
                             times(cost_.drain, shape_.warps());
        add("drains of the stores of a warp", (is_less ? warps : shape_.warps()).count(),
            cost_.drain, "drain");
        if (!is_less) return;
        add("drains of the entries that are in a write buffer when the last block starts", 1,
            cost_.left_in_buffer);
    }

    const LaunchGeometry& shape_;
    const Interference& cost_;
    models::ThreadBlocks alive_;
    Exposed exposed_;
    std::int64_t own_ = 0;    ///< Of a part, without a refill.
    std::int64_t refill_ = 0; ///< Of a block slot, less the stores that drain meanwhile (S82).
    ChainCosts costs_;
};

/// Whether waits for lines of the instruction caches do not depend on how many blocks are on the
/// critical path (S35, S36).
bool fetches_count_schedulers(const InstructionDelivery& delivery) {
    if (!delivery.lines || delivery.lines->never_miss()) return true;
    return delivery.lines->persist_in_l0;
}

/// Likewise for lines of constant operands (S42, S43).
bool operands_count_schedulers(const InstructionDelivery& delivery, const ScheduledLaunch& launch) {
    if (!delivery.operands || !delivery.operands->may_miss()) return true;
    const std::vector<bool>& replaced = delivery.operands->may_be_replaced;
    return std::find(replaced.begin(), replaced.end(), true) == replaced.end() &&
           visited_by_critical_path(launch, 0).schedulers == all_visited(launch.shape).schedulers;
}

} // namespace

bool may_cover_by_chain(const TimedKernel& kernel, const ScheduledLaunch& launch,
                        const Interference& cost) {
    if (launch.shape.resident > most_block_slots) return false;
    if (launch.shape.waves() == 1 || cost.intervals_of_block > 1 || cost.early_ends_of_block > 0)
        return false;
    if (cost.counts_rotations() || cost.has_active_set()) return false;
    return fetches_count_schedulers(kernel.delivery) &&
           operands_count_schedulers(kernel.delivery, launch);
}

CoveringChain costliest_chain(models::ThreadBlocks starts, models::ThreadBlocks alive,
                              models::ThreadBlocks resident, const ChainCosts& costs) {
    CoveringChain best;
    std::optional<std::int64_t> most;
    const auto consider = [&](const CoveringChain& chain) {
        const std::int64_t cost =
            plus(times(chain.kept, costs.kept), times(chain.changed, costs.changed));
        if (most && (cost < *most || (cost == *most && chain.changed >= best.changed))) return;
        most = cost;
        best = chain;
    };
    // As many starts make `resident` parts of one kind or `alive` of the other: of the kind that
    // costs less for its starts, fewer than that suffice.
    for (std::int64_t kept = 0; kept < resident.count() && kept * alive <= starts; ++kept)
        consider({kept, (starts - kept * alive) / resident});
    for (std::int64_t changed = 0; changed < alive.count() && changed * resident <= starts;
         ++changed)
        consider({(starts - changed * resident) / alive, changed});
    return best;
}

BoundExpression sum_of_covering_chain(const LaunchGeometry& shape, const Interference& cost) {
    BoundExpression bound;
    bound.text = sum_text;
    std::optional<models::Cycles> least;
    for (models::ThreadBlocks alive{1}; alive <= shape.resident; ++alive)
        for (const Exposed exposed : {Exposed::AtChanges, Exposed::All}) {
            const ChainSums sums{shape, cost, alive, exposed};
            std::vector<BoundTerm> terms = sums.terms(sums.costliest());
            const models::Cycles total = sum_of(terms);
            if (least && *least <= total) continue;
            least = total;
            bound.terms = std::move(terms);
        }
    return bound;
}

bool is_of_covering_chain(const BoundExpression& sum) {
    return sum.text == sum_text;
}

} // namespace warpbound::analyzer
