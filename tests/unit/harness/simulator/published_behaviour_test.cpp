// Measurements of Voudouris 2014 on a Fermi SM, reproduced on the description of that SM.

#include "models/architecture/architecture.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::harness::simulator::test {
namespace {

enum class Body { IndependentAdd, DependentAdd, IndependentCosine, DependentCosine };

/// `S2R; SHL` (the clock counts half cycles), n instructions, `S2R`, as in Fig. 29.
TestProgram between_clocks(Body body, int n) {
    std::vector<assembly::Instruction> instructions{read_clock(0), shift(0, 0)};
    for (int index = 0; index < n; ++index) {
        switch (body) {
        case Body::IndependentAdd:
            instructions.push_back(add(10 + index, 1, 2));
            break;
        case Body::DependentAdd:
            instructions.push_back(add(10, 10, 2));
            break;
        case Body::IndependentCosine:
            instructions.push_back(cosine(10 + index, 1));
            break;
        case Body::DependentCosine:
            instructions.push_back(cosine(10, 10));
            break;
        }
    }
    instructions.push_back(read_clock(3));
    return straight_line(std::move(instructions));
}

class Fermi : public testing::Test {
protected:
    void SetUp() override {
        auto loaded = models::load_architecture("fermi-gtx470");
        ASSERT_TRUE(loaded) << loaded.error().what;
        machine_ = std::move(loaded.value());
    }
    std::int64_t measured(Body body, int n) const {
        const auto warps = run(between_clocks(body, n), machine_).observation.warps;
        return warps.front().region().value().count();
    }
    models::Architecture machine_;
};

// Fig. 29: issue 0, 18, 24, 30, 36; the second clock read completes at 54, the first at 18.
TEST_F(Fermi, TwoIndependentAddsIssueAsInFigure29) {
    EXPECT_EQ(run(between_clocks(Body::IndependentAdd, 2), machine_).issues(),
              (std::vector<std::int64_t>{0, 18, 24, 30, 36, 42}));
    EXPECT_EQ(measured(Body::IndependentAdd, 2), 36);
}

// Fig. 29, read after write: issue 0, 18, 24, 42, 48, complete 66.
TEST_F(Fermi, TwoDependentAddsIssueAsInFigure29) {
    EXPECT_EQ(measured(Body::DependentAdd, 2), 48);
}

// Tables 19 and 20. Tolerance 0: the tables are integral.
TEST_F(Fermi, ReproducesTables19And20) {
    for (int n = 1; n <= 5; ++n) {
        EXPECT_EQ(measured(Body::IndependentAdd, n), 24 + 6 * n);
        EXPECT_EQ(measured(Body::IndependentCosine, n), 24 + 6 * n);
        EXPECT_EQ(measured(Body::DependentAdd, n), 30 + 18 * (n - 1));
        EXPECT_EQ(measured(Body::DependentCosine, n), 30 + 22 * (n - 1));
    }
}

// Fig. 30 and section 6.1: up to 3 warps per scheduler do not interfere, a fourth does.
TEST_F(Fermi, ADependentPairTakesItsTimeUpToSixWarpsAndLongerBeyond) {
    const auto program = between_clocks(Body::DependentAdd, 2);
    for (std::int64_t warps = 1; warps <= 9; ++warps) {
        for (std::uint64_t seed = 1; seed <= 50; ++seed) {
            const auto result =
                run(program, machine_, {1, 32 * warps}, {.seed = seed, .draw = {}, .path = {}});
            std::int64_t longest = 0;
            for (const auto& warp : result.observation.warps)
                longest = std::max(longest, warp.region().value().count());
            if (warps <= 6)
                EXPECT_EQ(longest, 48) << warps << " warps, seed " << seed;
            else
                EXPECT_GT(longest, 48) << warps << " warps, seed " << seed;
        }
    }
}

} // namespace
} // namespace warpbound::harness::simulator::test
