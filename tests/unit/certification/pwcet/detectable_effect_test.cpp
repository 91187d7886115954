#include "certification/pwcet/detectable_effect.hpp"
#include "harness/protocol/order_tests.hpp"
#include "harness/protocol/stationarity_tests.hpp"
#include "models/statistics/resampling.hpp"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace warpbound::certification {
namespace {

constexpr std::size_t runs = 1000;
constexpr int campaigns = 400;
/// Three standard errors of a share of 80 % in 400 campaigns.
constexpr double slack = 0.06;

double normal(models::Resampling& random) {
    return boost::math::quantile(boost::math::normal{}, random.uniform());
}

/// Share of the campaigns that a test rejects at `level`.
double power(const std::function<std::vector<double>(models::Resampling&)>& made,
             const std::function<harness::OrderTest(const std::vector<double>&)>& test,
             double level) {
    int rejected = 0;
    for (int campaign = 0; campaign < campaigns; ++campaign) {
        models::Resampling random{1, "power", static_cast<std::uint64_t>(campaign)};
        if (test(made(random)).decision->p_value < level) ++rejected;
    }
    return static_cast<double>(rejected) / campaigns;
}

auto correlated(double r) {
    return [r](models::Resampling& random) {
        std::vector<double> values{normal(random)};
        while (values.size() < runs)
            values.push_back(r * values.back() + std::sqrt(1 - r * r) * normal(random));
        return values;
    };
}

auto shifted(double by) {
    return [by](models::Resampling& random) {
        std::vector<double> values;
        while (values.size() < runs)
            values.push_back(normal(random) + (values.size() < runs / 2 ? 0 : by));
        return values;
    };
}

TEST(DetectableEffect, OfCorrelationIsFoundWithTheStatedPower) {
    for (const double level : {0.05, 0.05 / 6}) {
        const double by_box = correlation_seen_by_ljung_box(runs, 20, level).value();
        EXPECT_NEAR(power(
                        correlated(by_box),
                        [](const auto& values) { return harness::ljung_box_test(values, 20); },
                        level),
                    stated_power, slack);
        const double by_runs = correlation_seen_by_runs(runs, level).value();
        EXPECT_NEAR(power(
                        correlated(by_runs),
                        [](const auto& values) { return harness::runs_test(values); }, level),
                    stated_power, slack);
    }
}

/// The formulas count one place alone, so the power is at least the stated one: 0.97 of the halves,
/// 0.87 of the change point.
TEST(DetectableEffect, OfAShiftIsFoundWithAtLeastTheStatedPower) {
    for (const double level : {0.05, 0.05 / 6}) {
        const double halves = power(
            shifted(shift_seen_by_halves(runs, level).value()),
            [](const auto& values) { return harness::halves_test(values); }, level);
        EXPECT_GE(halves, stated_power - slack);
        EXPECT_LE(halves, 0.99);
        const double point = power(
            shifted(shift_seen_by_change_point(runs, level).value()),
            [](const auto& values) { return harness::change_point_test(values); }, level);
        EXPECT_GE(point, stated_power - slack);
        EXPECT_LE(point, 0.99);
    }
}

/// By hand, at 5 % and 1000 runs: sin(pi/2 (1.9600 + 0.8416) / sqrt(1000)) = 0.1387; the distance
/// of the halves is (1.3581 + 0.4208) sqrt(2/500) = 0.1125, that is 0.2829 standard deviations.
TEST(DetectableEffect, HasTheValuesOfItsFormulas) {
    EXPECT_NEAR(correlation_seen_by_runs(1000, 0.05).value(), 0.1387, 1e-4);
    EXPECT_NEAR(shift_seen_by_halves(1000, 0.05).value(), 0.2829, 1e-4);
}

TEST(DetectableEffect, ShrinksWithTheNumberOfRunsAndIsAbsentForFew) {
    for (const std::string test : {"ljung-box", "runs", "halves", "change point"}) {
        const auto few = detectable_effects({test}, 100, 20, 0.05);
        const auto many = detectable_effects({test}, 10000, 20, 0.05);
        ASSERT_EQ(few.size(), 1U) << test;
        ASSERT_EQ(many.size(), 1U) << test;
        EXPECT_LT(many[0].value, few[0].value / 5) << test;
        EXPECT_TRUE(detectable_effects({test}, 4, 20, 0.05).empty() || test == "ljung-box");
    }
    EXPECT_TRUE(detectable_effects({"kpss", "tail gap"}, 1000, 20, 0.05).empty());
}

} // namespace
} // namespace warpbound::certification
