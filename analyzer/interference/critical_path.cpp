#include "analyzer/interference/critical_path.hpp"

#include "analyzer/interference/certified_sums.hpp"
#include "analyzer/interference/covering_chain.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::times;

constexpr const char* sum_by_warp = ", demand of each warp by the indices of its threads";

/// Collects terms; omits those without time.
class InterferenceTerms {
public:
    explicit InterferenceTerms(const Interference& cost) : cost_{cost} {}

    void add(const char* text, std::int64_t count, std::int64_t cycles,
             std::string certificate = {}) {
        if (count > 0 && cycles > 0)
            terms_.push_back({text, count, cycles, std::move(certificate)});
    }
    void add_stalls(std::int64_t blocks) {
        add(cost_.counts_rotations()
                ? "delays of the critical path in a block, with a turn of every other "
                  "warp before each choice (loose round robin)"
                : "delays of the critical path in a block, beyond its own demand",
            blocks, cost_.stall, certificate("stall"));
    }
    /// Demand of `warps` warps, of which `on_scheduler` share the scheduler of the critical path.
    void add_demand(models::Warps warps, models::Warps on_scheduler) {
        on_scheduler_ += on_scheduler;
        add(cost_.counts_rotations()
                ? "demand of a warp on ports of its own scheduler beyond issue slots, "
                  "each with the turns that follow"
                : "demand of a warp on its own scheduler: issue slots and ports",
            on_scheduler.count(), cost_.own_scheduler, certificate("demand-own-scheduler"));
        add(cost_.counts_rotations()
                ? "demand of a warp on other schedulers: ports of the multiprocessor, each with "
                  "the "
                  "turns that follow"
                : "demand of a warp on other schedulers: ports of the multiprocessor",
            (warps - on_scheduler).count(), cost_.other_schedulers,
            certificate("demand-other-schedulers"));
    }
    /// Demand of `warps` warps in the one barrier interval in which the critical path changes to
    /// another scheduler, so that the warps of both schedulers count (S13).
    void add_changed_intervals(models::Warps warps) {
        add(cost_.counts_rotations()
                ? "demand of a warp on ports in the barrier interval in which the critical path "
                  "changes "
                  "to another scheduler, each with the turns that follow"
                : "demand of a warp on issue slots and ports in the barrier interval in which the "
                  "critical path changes to another scheduler",
            warps.count(), cost_.barrier_interval, certificate("barrier-interval"));
    }
    /// Demand of warps whose block runs when the last block starts.
    void add_divided_blocks(models::Warps warps) {
        add(cost_.counts_rotations() ? "demand on ports of a warp whose block runs when the last "
                                       "block starts, with turns"
                                     : "demand on issue slots and ports of a warp whose block runs "
                                       "when the last block starts",
            warps.count(), cost_.own_scheduler, certificate("demand-own-scheduler"));
    }
    void add_stalls_by_warp(std::int64_t blocks) {
        add("delays of the critical path in a block, beyond its own demand where no guard holds",
            blocks, cost_.by_warp->stall, certificate("guarded-stall"));
    }
    /// Of blocks, each by the indices of its threads; of `on_scheduler` warps what they demand of
    /// the scheduler of the critical path beyond ports of the multiprocessor (S85).
    void add_blocks_by_warp(const BlockDemand& demand, models::ThreadBlocks blocks,
                            models::Warps on_scheduler) {
        add("demand of the warps of a block on ports of the multiprocessor, each by the indices of "
            "its threads",
            blocks.count(), demand.ports);
        add("demand of a warp on its own scheduler, beyond ports of the multiprocessor",
            on_scheduler.count(), demand.excess, certificate("demand-beyond-ports"));
    }
    /// Two warps whose block runs when the last block starts.
    void add_divided_by_warp(const BlockDemand& demand) {
        add("demand on ports of the multiprocessor of a warp whose block runs when the last block "
            "starts",
            2, demand.ports_of_warp);
        add("the same on its own scheduler, beyond ports of the multiprocessor", 2, demand.excess,
            certificate("demand-beyond-ports"));
    }
    /// What `changed` warps in barrier intervals with a change expose to further schedulers, of
    /// `others` warps that are on these: the least by the limits (S85).
    void add_exposed(const BlockDemand& demand, std::int64_t changed, models::Warps others) {
        const auto cost = [&](const IntervalLimit& limit) {
            return models::plus(times(changed, limit.within), times(others.count(), limit.beyond));
        };
        const IntervalLimit& best =
            *std::min_element(demand.limits.begin(), demand.limits.end(),
                              [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
        add("demand of a warp beyond ports of the multiprocessor in the barrier interval in which "
            "the critical path changes to another scheduler, up to a limit",
            changed, best.within,
            best.beyond == 0 ? certificate("interval-beyond-ports") : std::string{});
        add("the same beyond the limit, of a warp on another scheduler in all barrier intervals",
            others.count(), best.beyond,
            beyond_limit(certificate("intervals-beyond"), best.within));
    }
    void add_carry_in(std::int64_t intervals) {
        add("an instruction that issued before the critical path changed to another warp",
            intervals - 1, cost_.carry_in);
    }
    void add_refills(std::int64_t blocks, const LaunchGeometry& shape) {
        add("replacement and start of a block", blocks, shape.refill.hi);
    }
    /// Along two paths; `drained`: at a refill on the first one, among the drains of all stores
    /// (S82).
    void add_refills_of_two_paths(const LaunchGeometry& shape, std::int64_t drained) {
        const std::int64_t beyond = shape.refill.hi - std::min(drained, shape.refill.hi);
        const std::int64_t refills = shape.waves() - 1;
        if (beyond == shape.refill.hi) return add_refills(refills, shape);
        add(refill_beyond_drains, refills - 1, beyond);
        add_refills(1, shape);
    }
    /// Of `counted` warps and of a buffer that is full when the last block starts, or of all warps.
    void add_drains_of_two_paths(models::Warps counted, models::Warps warps) {
        const models::Cycles on_its_path =
            models::Cycles{cost_.drain} * counted + models::Cycles{cost_.left_in_buffer};
        if (on_its_path >= models::Cycles{cost_.drain} * warps) return add_drains(warps);
        add_drains(counted);
        add("drains of the entries that are in a write buffer when the last block starts", 1,
            cost_.left_in_buffer);
    }
    /// The same of blocks, each by the indices of its threads (S85).
    void add_drains_by_warp(const BlockDemand& demand, models::ThreadBlocks counted,
                            models::ThreadBlocks blocks) {
        const char* const text =
            "drains of the stores of a block, of each warp by the indices of its threads";
        const std::int64_t on_its_path =
            models::plus(times(demand.drain, counted), cost_.left_in_buffer);
        if (on_its_path >= times(demand.drain, blocks))
            return add(text, blocks.count(), demand.drain);
        add(text, counted.count(), demand.drain);
        add("drains of the entries that are in a write buffer when the last block starts", 1,
            cost_.left_in_buffer);
    }
    void add_drains(models::Warps warps) {
        add(cost_.counts_rotations() ? "drains of the stores of a warp, with the turns that follow"
                                     : "drains of the stores of a warp",
            warps.count(), cost_.drain, certificate("drain"));
    }
    /// While the warp of the critical path is outside the active set, as many other warps as the
    /// active set holds wait within it (S31). `own`: counted warps that are on the critical path
    /// for all of their time; `blocks`: blocks on the critical path.
    void add_active_set(models::Warps own, std::int64_t blocks) {
        if (!cost_.has_active_set()) return;
        add("stalls of a warp within the active set, as many warps at a time as it holds",
            divide_up(on_scheduler_ - own, cost_.active_set_size), cost_.within_active_set,
            certificate("within-active-set"));
        add("residual port occupancy of the critical path's own warp, for which warps in the "
            "active set wait",
            blocks, cost_.residual_occupancy, certificate("residual-occupancy"));
    }
    std::vector<BoundTerm> take() { return std::move(terms_); }

private:
    [[nodiscard]] std::string certificate(const char* sum) const {
        return certificate_id(sum, cost_.rotation_warps);
    }

    const Interference& cost_;
    std::vector<BoundTerm> terms_;
    /// Counted warps that share the scheduler of the critical path.
    models::Warps on_scheduler_{0};
};

/// How the demand of concurrent blocks counts, whose warps may interfere with several intervals of
/// the critical path on different schedulers.
enum class ConcurrentDemand {
    WholeBlocks,     ///< All of their demand in every interval of the critical path.
    BarrierIntervals ///< Each barrier interval once; twice if the critical path changes within it.
};

/// In each of its intervals the critical path stays in one warp. There it is delayed by the warps
/// of the same scheduler, and by the demand of the others on ports of the multiprocessor (S11 to
/// S14).
std::vector<BoundTerm> on_one_multiprocessor(const LaunchGeometry& shape, const Interference& cost,
                                             ConcurrentDemand concurrent) {
    InterferenceTerms terms{cost};
    terms.add_stalls(shape.waves());
    const models::Warps per_block = shape.warps_per_block;
    const std::int64_t intervals = times(cost.intervals_of_block, shape.waves());
    models::ThreadBlocks own_blocks{1};
    if (intervals == 1) {
        terms.add_demand(shape.warps(), shape.on_one_scheduler(shape.warps()));
    } else {
        // The demand of a block that is on the critical path for all of its time is divided among
        // the intervals; the demand of another block may delay several intervals in full.
        const models::Warps on_one = shape.on_one_scheduler(per_block);
        const bool has_one_slot = shape.resident == models::ThreadBlocks{1};
        if (shape.waves() > 1) own_blocks = has_one_slot ? shape.blocks : models::ThreadBlocks{0};
        const models::ThreadBlocks others = shape.blocks - own_blocks;
        if (concurrent == ConcurrentDemand::BarrierIntervals) {
            terms.add_demand(shape.warps(), shape.blocks * on_one);
            const models::ThreadBlocks block_slots =
                shape.waves() > 1 ? std::min(others, shape.resident) : others;
            terms.add_changed_intervals(block_slots * (intervals - 1) * on_one);
        } else {
            const models::Warps of_block =
                on_one > per_block / intervals ? per_block : intervals * on_one;
            terms.add_demand(shape.warps(),
                             own_blocks * on_one + others * std::min(of_block, per_block));
        }
        // A block that runs when the last block starts counts with all of its demand on both sides
        // of that start (S14).
        if (shape.waves() > 1 && !has_one_slot) terms.add_divided_blocks(models::Warps{2});
        terms.add_carry_in(intervals);
        terms.add_refills(shape.waves() - 1, shape);
    }
    // The critical path is in one warp of each of its own blocks.
    terms.add_active_set(models::Warps{own_blocks.count()}, shape.waves());
    terms.add_drains(shape.warps());
    return terms.take();
}

/// A warp that ends before a barrier leaves the critical path to another one of its block: what the
/// path was in it counts as one more block, and all warps count as if on the scheduler of the
/// critical path (S12a).
std::vector<BoundTerm> with_early_ends(const LaunchGeometry& shape, const Interference& cost) {
    InterferenceTerms terms{cost};
    const std::int64_t waves = shape.waves();
    const std::int64_t ends = times(cost.early_ends_of_block, waves);
    terms.add_stalls(models::plus(waves, ends));
    terms.add_demand(shape.warps(), shape.warps());
    const bool divides = waves > 1 && shape.resident > models::ThreadBlocks{1};
    terms.add_divided_blocks(models::Warps{models::plus(ends, divides ? 2 : 0)});
    terms.add_carry_in(times(cost.intervals_of_block, waves));
    terms.add_refills(waves - 1, shape);
    terms.add_drains(shape.warps());
    return terms.take();
}

/// Likewise on several multiprocessors, by the two paths of S20: the blocks that began on one of
/// them before the last block started, and those that are then in the block slots of another.
std::vector<BoundTerm> with_early_ends_on_several(const LaunchGeometry& shape,
                                                  const Interference& cost) {
    InterferenceTerms terms{cost};
    const std::int64_t waves = shape.waves();
    const std::int64_t ends = times(cost.early_ends_of_block, waves);
    const models::Warps warps =
        (shape.begun_before_last() + shape.resident) * shape.warps_per_block;
    terms.add_stalls(models::plus(waves, ends));
    terms.add_demand(warps, warps);
    terms.add_divided_blocks(models::Warps{ends});
    terms.add_carry_in(times(cost.intervals_of_block, waves));
    terms.add_refills(waves - 1, shape);
    terms.add_drains_of_two_paths(warps, shape.warps());
    return terms.take();
}

/// Of the warps of `blocks` blocks in the block slots of one multiprocessor: those that delay, as
/// warps of its scheduler, a critical path through one block slot with so many intervals (S20).
models::Warps warps_on_its_scheduler(const LaunchGeometry& shape, models::ThreadBlocks blocks,
                                     std::int64_t intervals) {
    const models::Warps all = blocks * shape.warps_per_block;
    // With one warp in a block, a block slot always has the same scheduler.
    if (shape.has_single_warp_blocks())
        return std::min(all, blocks * shape.on_one_scheduler(shape.most_resident_warps()) /
                                 shape.resident.count());
    if (intervals > all.count()) return all;
    const models::ThreadBlocks encounters =
        blocks + (shape.resident - models::ThreadBlocks{1}) * (intervals - 1);
    return std::min(all, encounters * shape.on_one_scheduler(shape.warps_per_block));
}

/// Up to the start of the last block the critical path is on the multiprocessor that began the
/// fewest blocks, from then on where the launch ends (S20).
std::vector<BoundTerm> on_several_multiprocessors(const LaunchGeometry& shape,
                                                  const Interference& cost,
                                                  ConcurrentDemand concurrent) {
    InterferenceTerms terms{cost};
    const std::int64_t waves = shape.waves();
    const models::ThreadBlocks before = shape.begun_before_last();
    const models::Warps per_block = shape.warps_per_block;
    const std::int64_t intervals_before = times(cost.intervals_of_block, waves - 1);
    terms.add_stalls(waves);
    if (concurrent == ConcurrentDemand::BarrierIntervals) {
        const models::Warps on_one = shape.on_one_scheduler(per_block);
        const models::ThreadBlocks others = shape.resident - models::ThreadBlocks{1};
        const auto add_demand = [&](models::ThreadBlocks blocks, std::int64_t intervals) {
            terms.add_demand(blocks * per_block, blocks * on_one);
            terms.add_changed_intervals(others * (intervals - 1) * on_one);
        };
        add_demand(before, intervals_before);
        add_demand(shape.resident, cost.intervals_of_block);
    } else {
        terms.add_demand(before * per_block,
                         warps_on_its_scheduler(shape, before, intervals_before));
        const LaunchGeometry last = shape.full_multiprocessor();
        terms.add_demand(last.warps(),
                         cost.intervals_of_block == 1
                             ? last.on_one_scheduler(last.warps())
                             : warps_on_its_scheduler(last, last.blocks, cost.intervals_of_block));
    }
    terms.add_active_set(models::Warps{0}, waves);
    terms.add_carry_in(times(cost.intervals_of_block, waves));
    terms.add_refills_of_two_paths(shape, cost.drained_in_refill);
    terms.add_drains_of_two_paths((before + shape.resident) * per_block, shape.warps());
    return terms.take();
}

/// Of warps of other blocks: those on another scheduler than the critical path's.
models::Warps on_other_schedulers(const LaunchGeometry& shape, models::ThreadBlocks blocks) {
    return blocks * (shape.warps_per_block - shape.on_one_scheduler(shape.warps_per_block));
}

/// Each warp by the indices of its threads, by barrier interval (S85): on one multiprocessor, as
/// S13 and S14 count blocks.
std::vector<BoundTerm> by_warp_on_one(const LaunchGeometry& shape, const Interference& cost) {
    InterferenceTerms terms{cost};
    const BlockDemand& demand = *cost.by_warp;
    const std::int64_t waves = shape.waves();
    const std::int64_t intervals = times(cost.intervals_of_block, waves);
    const models::Warps on_one = shape.on_one_scheduler(shape.warps_per_block);
    const bool has_one_slot = shape.resident == models::ThreadBlocks{1};
    const models::ThreadBlocks own = waves == 1
                                         ? models::ThreadBlocks{1}
                                         : (has_one_slot ? shape.blocks : models::ThreadBlocks{0});
    const models::ThreadBlocks others = shape.blocks - own;
    terms.add_stalls_by_warp(waves);
    if (intervals == 1) {
        terms.add_blocks_by_warp(demand, shape.blocks, shape.on_one_scheduler(shape.warps()));
    } else {
        terms.add_blocks_by_warp(demand, shape.blocks, shape.blocks * on_one);
        const models::ThreadBlocks slots = waves > 1 ? std::min(others, shape.resident) : others;
        terms.add_exposed(demand, (slots * (intervals - 1) * on_one).count(),
                          on_other_schedulers(shape, others));
        if (waves > 1 && !has_one_slot) terms.add_divided_by_warp(demand);
        terms.add_carry_in(intervals);
        terms.add_refills(waves - 1, shape);
    }
    terms.add_drains_by_warp(demand, shape.blocks, shape.blocks);
    return terms.take();
}

/// The same along the two paths of S20.
std::vector<BoundTerm> by_warp_on_several(const LaunchGeometry& shape, const Interference& cost) {
    InterferenceTerms terms{cost};
    const BlockDemand& demand = *cost.by_warp;
    const std::int64_t waves = shape.waves();
    const models::ThreadBlocks before = shape.begun_before_last();
    const models::ThreadBlocks all = before + shape.resident;
    const models::Warps on_one = shape.on_one_scheduler(shape.warps_per_block);
    const models::ThreadBlocks others = shape.resident - models::ThreadBlocks{1};
    terms.add_stalls_by_warp(waves);
    terms.add_blocks_by_warp(demand, all, all * on_one);
    terms.add_exposed(demand,
                      (others * (times(cost.intervals_of_block, waves - 1) - 1) * on_one).count(),
                      on_other_schedulers(shape, before));
    terms.add_exposed(demand, (others * (cost.intervals_of_block - 1) * on_one).count(),
                      on_other_schedulers(shape, others));
    terms.add_carry_in(times(cost.intervals_of_block, waves));
    terms.add_refills_of_two_paths(shape, demand.drained_in_refill);
    terms.add_drains_by_warp(demand, all, shape.blocks);
    return terms.take();
}

} // namespace

bool changes_scheduler(const LaunchGeometry& shape, std::int64_t barriers) {
    return (barriers > 0 || shape.waves() > 1) &&
           shape.on_one_scheduler(shape.warps_per_block) < shape.warps_per_block;
}

bool counts_by_warp(const BoundExpression& sum) {
    return sum.text.ends_with(sum_by_warp);
}

BoundExpression upper_bound_of(const LaunchGeometry& shape, const Interference& cost) {
    const std::string order = cost.counts_rotations() ? "turns of loose round robin" : "any order";
    const auto sum = [](std::string text, std::vector<BoundTerm> terms) {
        BoundExpression bound;
        bound.text = std::move(text);
        bound.terms = std::move(terms);
        return bound;
    };
    if (cost.early_ends_of_block > 0) {
        const std::string text = order + ", with warps that end before a barrier";
        if (shape.multiprocessors == 1) return sum(text, with_early_ends(shape, cost));
        return sum(text, shape.waves() == 1 ? with_early_ends(shape.full_multiprocessor(), cost)
                                            : with_early_ends_on_several(shape, cost));
    }
    std::vector<BoundExpression> sums;
    const auto add_sums = [&](ConcurrentDemand concurrent) {
        const std::string text =
            order + (concurrent == ConcurrentDemand::WholeBlocks
                         ? ", demand of concurrent blocks as a whole"
                         : ", demand of concurrent blocks by barrier interval");
        if (shape.multiprocessors == 1 || shape.waves() == 1)
            sums.push_back(sum(text, on_one_multiprocessor(shape.multiprocessors == 1
                                                               ? shape
                                                               : shape.full_multiprocessor(),
                                                           cost, concurrent)));
        if (shape.waves() > 1)
            sums.push_back(sum(text + ", along two multiprocessors",
                               on_several_multiprocessors(shape, cost, concurrent)));
    };
    add_sums(ConcurrentDemand::WholeBlocks);
    // The stalls within an active set are bounded for whole blocks only.
    if (changes_scheduler(shape, cost.intervals_of_block - 1) && !cost.has_active_set())
        add_sums(ConcurrentDemand::BarrierIntervals);
    if (cost.prefix_stall && shape.waves() > 1) sums.push_back(sum_of_covering_chain(shape, cost));
    if (cost.by_warp) {
        const std::string text = order + sum_by_warp;
        const bool is_on_one = shape.multiprocessors == 1 || shape.waves() == 1;
        sums.push_back(sum(
            text, is_on_one
                      ? by_warp_on_one(
                            shape.multiprocessors == 1 ? shape : shape.full_multiprocessor(), cost)
                      : by_warp_on_several(shape, cost)));
        sums.back().has_evidence = cost.by_warp->is_certified;
    }
    return best_of(Side::Upper, std::move(sums));
}

} // namespace warpbound::analyzer
