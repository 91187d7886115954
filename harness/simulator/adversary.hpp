#pragma once
/// \file
/// How a run chooses where the contract leaves a choice between warps or between SMs.

#include "harness/simulator/clock/random.hpp"

namespace warpbound::harness::simulator {

/// Which of several requests that were made together is granted first.
enum class Precedence {
    RandomSource,
    FurthestFirst, ///< Of the warp that has issued most: who is behind falls further behind.
    FurthestLast,  ///< Of the warp that has issued least: all warps come to the end together.
};

/// By what rule a run takes its values and choices.
struct Adversary {
    Draw values = Draw::Uniform; ///< Never Adversarial.
    Precedence precedence = Precedence::RandomSource;
    bool piles_up = false; ///< Of the SMs with room, that with most blocks gets the next one.
};

/// Under Draw::Adversarial each run draws, from its seed: values uniform, from the extremes or all
/// high; requests by chance, furthest first or furthest last; blocks by chance or piled up.
/// No rule is the worst for every kernel (a longer latency can shorten a run), so none is fixed.
/// Under the other draws all choices are made by chance.
Adversary adversary_of(const RunOptions& options);

} // namespace warpbound::harness::simulator
