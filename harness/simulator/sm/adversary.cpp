#include "harness/simulator/sm/adversary.hpp"

#include <array>

namespace warpbound::harness::simulator {

Adversary adversary_of(const RunOptions& options) {
    if (options.draw != Draw::Adversarial) return Adversary{.values = options.draw};
    constexpr std::array values{Draw::Uniform, Draw::Extremes, Draw::AllHigh};
    constexpr std::array precedences{Precedence::Random, Precedence::FurthestFirst,
                                     Precedence::FurthestLast};
    RandomStream stream{options.seed, StreamOf::Adversary, 0};
    const auto draw_index = [&](std::size_t count) {
        return static_cast<std::size_t>(stream.uniform(0, static_cast<std::int64_t>(count) - 1));
    };
    Adversary adversary;
    adversary.values = values.at(draw_index(values.size()));
    adversary.precedence = precedences.at(draw_index(precedences.size()));
    adversary.concentrates_blocks = draw_index(2) == 1;
    return adversary;
}

} // namespace warpbound::harness::simulator
