#include "analyzer/barrier_parts.hpp"
#include "analyzer/common_barriers.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;

std::optional<BarrierParts> parts_of(const std::string& body, models::FlowFacts facts = {}) {
    const auto made = analyzed(body, std::move(facts));
    made->request.launch = {1, 128};
    const auto problem = prepare(made->request);
    EXPECT_TRUE(problem) << to_string(problem.error());
    return parts_between_barriers(problem.value(), common_barriers(problem.value()).value());
}

TEST(BarrierParts, EndWithTheBarrier) {
    const auto parts = parts_of("MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; BAR.SYNC 0x0; EXIT;");
    ASSERT_TRUE(parts);
    EXPECT_THAT(parts->inside, ElementsAre(ElementsAre(true, true, false, false, false),
                                           ElementsAre(false, false, true, true, false),
                                           ElementsAre(false, false, false, false, true)));
    EXPECT_GT(parts->apart, 0);
}

// Both ways of a branch lie before the barrier, and what joins them.
TEST(BarrierParts, HoldBothWaysOfABranch) {
    const auto parts = parts_of("@P0 BRA 0x10; MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; EXIT;");
    ASSERT_TRUE(parts);
    EXPECT_THAT(parts->inside, ElementsAre(ElementsAre(true, true, true, false, false),
                                           ElementsAre(false, false, false, true, true)));
}

TEST(BarrierParts, AreNoneWhereABarrierLiesInALoop) {
    models::FlowFacts facts;
    facts.loops.push_back({8, 3, 3, {}});
    EXPECT_FALSE(parts_of("MOV R1, R2; BAR.SYNC 0x0; @P0 BRA 0x8; EXIT;", facts));
}

} // namespace
} // namespace warpbound::analyzer
