/// \file
/// Bounds as trees of sums and choices.
#include "analyzer/bound_expression.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace warpbound::analyzer {
namespace {

BoundExpression sum(std::string text, std::int64_t count, std::int64_t cycles,
                    bool has_evidence = true) {
    BoundExpression bound;
    bound.text = std::move(text);
    bound.terms = {{"term", count, cycles}, {"one more", 1, 1}};
    bound.has_evidence = has_evidence;
    return bound;
}

TEST(BoundExpression, OfTermsIsTheSumOfTheirProducts) {
    EXPECT_EQ(value_of(sum("a", 3, 20)).count(), 61);
}

TEST(BoundExpression, OfAlternativesIsTheLeastFromAboveAndTheLargestFromBelow) {
    const auto upper = best_of(Side::Upper, {sum("a", 3, 20), sum("b", 2, 20), sum("c", 4, 20)});
    EXPECT_EQ(value_of(upper).count(), 41);
    EXPECT_EQ(chosen_sum(upper).text, "b");
    const auto lower = best_of(Side::Lower, {sum("a", 3, 20), sum("b", 2, 20), sum("c", 4, 20)});
    EXPECT_EQ(chosen_sum(lower).text, "c");
}

TEST(BoundExpression, OfCasesIsTheLargestFromAboveAndTheLeastFromBelow) {
    EXPECT_EQ(chosen_sum(worst_of(Side::Upper, {sum("a", 1, 5), sum("b", 1, 6)})).text, "b");
    EXPECT_EQ(chosen_sum(worst_of(Side::Lower, {sum("a", 1, 5), sum("b", 1, 6)})).text, "a");
}

TEST(BoundExpression, ChoosesTheFirstOfEqualAlternativesButOneWithEvidenceBeforeOthers) {
    EXPECT_EQ(chosen_sum(best_of(Side::Upper, {sum("a", 1, 5, false), sum("b", 1, 5)})).text, "b");
    EXPECT_EQ(chosen_sum(best_of(Side::Upper, {sum("a", 1, 5), sum("b", 1, 5)})).text, "a");
}

TEST(BoundExpression, TakesAlternativesOfAlternativesAsItsOwn) {
    const auto bound = best_of(
        Side::Upper, {sum("a", 1, 5), best_of(Side::Upper, {sum("b", 1, 6), sum("c", 1, 4)})});
    ASSERT_EQ(bound.parts.size(), 3U);
    EXPECT_EQ(chosen_sum(bound).text, "c");
    // Cases stay together.
    const auto nested = best_of(
        Side::Upper, {sum("a", 1, 5), worst_of(Side::Upper, {sum("b", 1, 6), sum("c", 1, 4)})});
    ASSERT_EQ(nested.parts.size(), 2U);
    EXPECT_EQ(chosen_sum(nested).text, "a");
}

TEST(BoundExpression, LeavesAlternativesWithoutEvidenceOut) {
    const auto bound =
        best_of(Side::Upper, {sum("a", 1, 5, false), sum("b", 1, 7), sum("c", 1, 8)});
    EXPECT_EQ(value_of(bound).count(), 6);
    const auto shown = with_evidence(bound, Side::Upper);
    ASSERT_TRUE(shown);
    EXPECT_EQ(value_of(*shown).count(), 8);
    EXPECT_FALSE(with_evidence(best_of(Side::Lower, {sum("a", 1, 5, false)}), Side::Lower));
}

// Of the largest of cases, a case that is left out would be a bound too small.
TEST(BoundExpression, WithACaseWithoutEvidenceHasNone) {
    const auto cases = worst_of(Side::Upper, {sum("a", 1, 9, false), sum("b", 1, 7)});
    EXPECT_FALSE(with_evidence(cases, Side::Upper));
    const auto bound = best_of(Side::Upper, {cases, sum("c", 1, 30)});
    EXPECT_EQ(value_of(bound).count(), 10);
    EXPECT_EQ(value_of(with_evidence(bound, Side::Upper).value()).count(), 31);
    // From below the same choice is among alternatives.
    EXPECT_EQ(value_of(with_evidence(cases, Side::Lower).value()).count(), 8);
}

TEST(BoundExpression, AddsTermsToEverySum) {
    auto bound = best_of(Side::Upper, {sum("a", 1, 5), sum("b", 1, 7)});
    add_terms(bound, {{"delay", 2, 10}});
    EXPECT_EQ(value_of(bound).count(), 26);
    EXPECT_EQ(value_of(bound.parts.back()).count(), 28);
    drop_evidence(bound);
    EXPECT_FALSE(with_evidence(bound, Side::Upper));
}

TEST(BoundExpression, DoesNotWrapAround) {
    EXPECT_THROW(value_of(sum("a", 2, std::numeric_limits<std::int64_t>::max())),
                 std::overflow_error);
}

} // namespace
} // namespace warpbound::analyzer
