#pragma once
/// \file
/// How a run chooses between warps or between SMs where the contract leaves the choice open.

#include "harness/simulator/clock/random.hpp"

namespace warpbound::harness::simulator {

/// Which of several simultaneous requests is granted first.
enum class Precedence {
    Random,
    FurthestFirst, ///< That of the warp with the most issued instructions: slow warps fall behind.
    FurthestLast,  ///< That of the warp with the fewest: all warps end at about the same time.
};

/// The rule by which a run draws values and makes choices.
struct Adversary {
    Draw values = Draw::Uniform; ///< Never Adversarial.
    Precedence precedence = Precedence::Random;
    /// The next block goes to the SM with the most resident blocks among those that it fits.
    bool concentrates_blocks = false;
};

/// Under Draw::Adversarial each run draws one rule from its seed: values uniform, from the extremes
/// or all high; requests random, furthest first or furthest last; blocks random or concentrated.
/// No rule is the worst for every kernel (a longer latency can shorten a run), so none is fixed.
/// Under the other draws all choices are random.
Adversary adversary_of(const RunOptions& options);

} // namespace warpbound::harness::simulator
