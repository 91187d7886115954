#include "harness/simulator/parallel/crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace warpbound::harness::simulator {
namespace {

TEST(Crew, DoesEachPieceOnceInEveryRound) {
    for (const unsigned threads : {1U, 2U, 5U}) {
        Crew crew{threads};
        for (std::size_t count = 0; count < 200; ++count) {
            std::vector<int> done(count, 0);
            crew.run(count, [&](std::size_t i) { ++done[i]; });
            EXPECT_EQ(done, std::vector<int>(count, 1)) << threads << " threads";
        }
    }
}

TEST(Crew, RethrowsAndGoesOn) {
    Crew crew{3};
    const auto fail = [](std::size_t i) {
        if (i == 17) throw std::runtime_error{"no"};
    };
    EXPECT_THROW(crew.run(40, fail), std::runtime_error);
    std::atomic<int> done{0};
    crew.run(40, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 40);
}

} // namespace
} // namespace warpbound::harness::simulator
