/// \file
/// No verdict of a step lets the whole check pass, but those that found nothing wrong.

#include "certification/verify/verify.hpp"

#include <gtest/gtest.h>

namespace warpbound::certification::verify {
namespace {

TEST(Conclusion, OfACheckWithAStepThatWasCutOffIsIncomplete) {
    const std::vector<StepResult> steps{{"digests", Verdict::Holds, ""},
                                        {"solver", Verdict::LimitReached, ""}};
    EXPECT_EQ(overall(steps), Verdict::LimitReached);
    EXPECT_EQ(conclusion_of(steps), "incomplete");
}

TEST(Conclusion, HoldsForNoOtherVerdictThanPassedAndNotApplicable) {
    for (const Verdict verdict : {Verdict::Undecided, Verdict::LimitReached, Verdict::Incomplete,
                                  Verdict::Violated, Verdict::Failed, Verdict::Tampered})
        EXPECT_EQ(overall({{"requirements", Verdict::Holds, ""}, {"step", verdict, ""}}), verdict);
}

} // namespace
} // namespace warpbound::certification::verify
