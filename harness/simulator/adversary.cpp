#include "harness/simulator/adversary.hpp"

#include <array>

namespace warpbound::harness::simulator {

Adversary adversary_of(const RunOptions& options) {
    if (options.draw != Draw::Adversarial) return Adversary{.values = options.draw};
    constexpr std::array values{Draw::Uniform, Draw::Extremes, Draw::AllHigh};
    constexpr std::array precedences{Precedence::RandomSource, Precedence::FurthestFirst,
                                     Precedence::FurthestLast};
    RandomStream stream{options.seed, StreamOf::Adversary, 0};
    const auto place = [&](std::size_t count) {
        return static_cast<std::size_t>(stream.uniform(0, static_cast<std::int64_t>(count) - 1));
    };
    Adversary adversary;
    adversary.values = values.at(place(values.size()));
    adversary.precedence = precedences.at(place(precedences.size()));
    adversary.piles_up = place(2) == 1;
    return adversary;
}

} // namespace warpbound::harness::simulator
