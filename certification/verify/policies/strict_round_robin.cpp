/// \file
/// The sums that bound a launch in strict turns (steps S25, S25a and S28 of docs/soundness.md).
#include "certification/verify/interference/critical_path.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

using models::plus;

namespace {

/// What the critical chain passes and meets.
struct Met {
    std::int64_t places = 1;     ///< Of its scheduler.
    std::int64_t blocks = 1;     ///< That it passes.
    std::int64_t left_out = 1;   ///< Of its turns those that no round of its own leads to.
    std::int64_t returns = 0;    ///< Of its warps, from barriers or at starts of blocks.
    std::int64_t openings = 0;   ///< Of barriers of other blocks.
    std::int64_t starts = 0;     ///< Of other blocks of several warps.
    std::int64_t in_turn = 0;    ///< Starts of blocks of one warp, its own included.
    std::int64_t warps = 1;      ///< Whose turns and ports are in its rounds.
    std::int64_t ports = 0;      ///< Further warps whose ports alone are.
    std::int64_t beside = 0;     ///< Warps of other schedulers that use the multiprocessor's ports.
    std::int64_t waited_for = 0; ///< Warps that may have the turn and not issue.
    bool anywhere = false;       ///< It does not stay on one scheduler.
    bool leaves = false;         ///< It leaves blocks that count no more.
};

/// S25: all warps there from the start, so many of them on the scheduler.
Met of_one_scheduler(std::int64_t on_it, std::int64_t warps) {
    Met met;
    met.places = met.warps = on_it;
    met.waited_for = on_it - 1;
    met.beside = warps - on_it;
    return met;
}

/// S25a, blocks of one warp, which follow each other in turn.
Met of_lone_warps(const LaunchGeometry& shape) {
    Met met;
    const std::int64_t begun = (shape.blocks - 1) / shape.multiprocessors;
    met.places = shape.per_scheduler(shape.resident);
    const std::int64_t here = models::times(begun, met.places) / shape.resident;
    met.blocks = shape.waves;
    met.in_turn = here + 1;
    met.warps = here + met.places;
    met.waited_for = met.warps - shape.waves;
    met.anywhere = met.places < shape.resident;
    met.beside = met.anywhere ? begun + shape.resident - met.warps : 0;
    met.leaves = true;
    return met;
}

/// S25a, blocks of several warps that open so many barriers each.
Met of_blocks(const LaunchGeometry& shape, std::int64_t barriers) {
    Met met;
    const std::int64_t per_block = shape.warps_per_block;
    const std::int64_t resident = models::times(shape.resident, per_block);
    const std::int64_t waves = shape.waves;
    const std::int64_t together = shape.per_scheduler(per_block);
    const auto in_parts = [&](std::int64_t warps) {
        return warps > per_block / (barriers + 1) ? per_block
                                                  : std::min(per_block, warps * (barriers + 1));
    };
    met.places = shape.per_scheduler(resident);
    met.anywhere = met.places < resident;
    met.blocks = waves;
    met.left_out = models::times(waves, plus(barriers, 1));
    met.returns = plus(models::times(waves, barriers), waves - 1);
    if (waves == 1) {
        const std::int64_t others = shape.resident - 1;
        met.openings = models::times(others, barriers);
        met.warps = plus(together, models::times(others, in_parts(together)));
        met.ports = resident - met.warps;
        met.waited_for = plus(in_parts(together - 1), models::times(others, in_parts(together)));
        return met;
    }
    const std::int64_t begun = (shape.blocks - 1) / shape.multiprocessors;
    const bool one = shape.multiprocessors == 1;
    const bool cut = !one || shape.resident > 1; // at the start of the last block
    const std::int64_t seen = one ? shape.blocks : begun + shape.resident;
    const std::int64_t all = models::times(seen, per_block);
    met.openings = models::times(seen - waves + (one && cut ? 1 : 0), barriers);
    met.starts = begun - shape.resident - (waves - 2) + (cut ? 1 : 0);
    met.warps = cut ? all : models::times(waves, together);
    met.ports = all - met.warps;
    met.waited_for = all;
    met.leaves = !one;
    return met;
}

} // namespace

std::vector<Term> Contention::sum_in_turns(std::int64_t on_scheduler) const {
    const std::int64_t barriers = costs_.barriers();
    const Met met =
        shape_.waves == 1 && barriers == 0
            ? of_one_scheduler(on_scheduler, models::times(shape_.resident, shape_.warps_per_block))
        : shape_.warps_per_block == 1 ? of_lone_warps(shape_)
                                      : of_blocks(shape_, barriers);
    const models::Interval& slot = shape_.issue_slot;
    const std::int64_t refill = shape_.refill.hi;
    const std::string where = met.anywhere ? WarpCosts::anywhere : "";
    const std::string held = WarpCosts::held + where;
    std::vector<Term> terms{{met.beside, 0, WarpCosts::other}};
    if (met.leaves) terms.push_back({1, costs_.longest_port(), ""});
    const auto add = [&](std::int64_t count, std::int64_t cycles) {
        terms.push_back({count, cycles, ""});
    };
    if (!costs_.round()) { // the sum by warps
        const std::int64_t own_starts = met.in_turn > 0 ? 0 : met.blocks - 1;
        terms.push_back({met.blocks, 0, WarpCosts::in_isolation});
        terms.push_back({models::times(met.blocks, met.places - 1), 0, WarpCosts::slots_in_turns});
        add(met.returns + (shape_.waves > 1 ? 1 : 0), slot.hi);
        terms.push_back({met.waited_for, 0, WarpCosts::in_isolation});
        add(met.in_turn + met.starts + own_starts, refill);
        terms.push_back({plus(met.warps, met.ports), 0, held});
        return terms;
    }
    const std::int64_t round = *costs_.round();
    if (round < models::times(met.places, slot.hi))
        throw Finding{Verdict::Failed, kernel_.id + ": a round is shorter than its turns"};
    const auto& waits = costs_.turn_waits();
    const std::int64_t others = models::times(met.places - 1, slot.hi);
    const std::int64_t newcomers =
        plus(others, models::times(shape_.per_scheduler(shape_.warps_per_block), slot.hi));
    terms.push_back({met.blocks, 0, costs_.rotations_certificate()});
    add(1, others - models::times(met.left_out, round));
    add(1, waits.completion);
    terms.push_back({met.warps, 0, costs_.queueing_certificate() + where});
    terms.push_back({met.ports, 0, held});
    add(met.in_turn, std::max<std::int64_t>(0, refill - round));
    add(met.returns, plus(newcomers, std::max({waits.longest, refill, slot.hi})));
    add(met.openings, plus(newcomers, waits.behind_barriers));
    add(met.starts, plus(newcomers, refill));
    add(met.in_turn > 0 ? 2 * (met.places - 1) : 0, slot.hi - slot.lo);
    return terms;
}

std::vector<Term> Contention::terms_in_turns(const ClaimRow& claim) const {
    // A round may wait for the loads of several warps, each of which waits at caches.
    if (costs_.memory() && costs_.round())
        throw Finding{Verdict::Failed, kernel_.id + ": rounds do not count waits at caches"};
    const std::int64_t warps = models::times(shape_.resident, shape_.warps_per_block);
    // A scheduler may have one warp less, and wait for one more of the others.
    std::vector<Term> worst;
    models::Cycles most{0};
    for (std::int64_t on_it = std::max<std::int64_t>(1, warps / shape_.schedulers);
         on_it <= shape_.per_scheduler(warps); ++on_it) {
        std::vector<Term> terms = sum_in_turns(on_it);
        const models::Cycles sum = sum_of(terms, claim);
        if (!worst.empty() && sum <= most) continue;
        most = sum;
        worst = std::move(terms);
    }
    if (shape_.waves > 1 && shape_.multiprocessors > 1) {
        for (const Term& term : drains_on_several(""))
            worst.push_back(term);
    } else {
        worst.push_back({shape_.waves == 1 ? warps : shape_.warps, 0, WarpCosts::upper_drain});
    }
    return worst;
}

} // namespace warpbound::certification::verify
