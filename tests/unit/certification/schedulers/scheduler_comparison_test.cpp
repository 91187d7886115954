#include "certification/schedulers/scheduler_comparison.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <tinyxml2.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;

PolicyResult result(const std::string& policy, std::int64_t best, double mean, std::int64_t worst) {
    PolicyResult result;
    result.policy = policy;
    result.guarantee = "work-conserving";
    result.observed.times.count = 10;
    result.observed.times.best = best;
    result.observed.times.mean = mean;
    result.observed.times.worst = worst;
    return result;
}

SchedulerComparison comparison() {
    SchedulerComparison comparison;
    comparison.kernel = "k<1>";
    comparison.architecture = "turing-t4";
    comparison.launch = "1x64";
    comparison.protocol = "draw uniform, seed 1";
    comparison.assumptions = {
        {"A1", "The listing is the code that runs.", analyzer::AssumptionStatus::Unchecked}};
    comparison.policies = {result("lrr", 100, 150, 200),
                           result("variable-rate:fast=0,every=2", 180, 190, 200),
                           result("gto", 90, 140, 180)};
    comparison.policies[0].bounds = {models::Cycles{80}, models::Cycles{400}};
    comparison.policies[1].refusal = "slots are not bounded";
    comparison.policies[2].bounds = {models::Cycles{80}, models::Cycles{400}};
    return comparison;
}

TEST(SchedulerComparison, RanksByTheUpperBoundAndSaysTies) {
    auto all = comparison();
    auto ranks = rank(all);
    ASSERT_EQ(ranks.size(), 3U);
    EXPECT_EQ(ranks[0].policy, 0U);
    EXPECT_EQ(ranks[0].position, 1U);
    EXPECT_EQ(ranks[0].value, 400);
    EXPECT_EQ(ranks[0].reason, "upper bound 400 cycles; tie with gto");
    EXPECT_EQ(ranks[1].policy, 2U);
    EXPECT_EQ(ranks[1].position, 1U);
    EXPECT_EQ(ranks[1].reason, "upper bound 400 cycles; tie with lrr");
    EXPECT_FALSE(ranks[2].position);
    EXPECT_EQ(ranks[2].reason, "not ranked: it has no bounds");
    all.policies[0].bounds = {models::Cycles{80}, models::Cycles{2240}};
    ranks = rank(all);
    EXPECT_EQ(ranks[0].policy, 2U);
    EXPECT_EQ(ranks[1].position, 2U);
    EXPECT_EQ(ranks[1].reason, "upper bound 2240 cycles, 5.60 times the least upper bound");
}

TEST(SchedulerComparison, RanksBySpreadOrJitterIfAsked) {
    auto all = comparison();
    all.policies[0].bounds = {models::Cycles{90}, models::Cycles{400}};
    all.ranked_by = RankBy::Spread;
    auto ranks = rank(all);
    EXPECT_EQ(ranks[0].reason, "spread 310 cycles, upper bound 400");
    EXPECT_EQ(ranks[1].reason, "spread 320 cycles, upper bound 400");
    all.ranked_by = RankBy::Jitter;
    ranks = rank(all);
    EXPECT_EQ(ranks[0].policy, 1U);
    EXPECT_EQ(ranks[0].reason, "jitter 20 cycles, not bounded");
    EXPECT_EQ(ranks[1].policy, 2U);
    EXPECT_EQ(ranks[2].position, 3U);
    EXPECT_THAT(render_text(all), HasSubstr("most predictable in these runs"));
    EXPECT_EQ(nlohmann::json::parse(render_json(all))["ranked-by"], "jitter");
}

TEST(SchedulerComparison, CallsAPolicyPredictableOnlyByWhatWasRanked) {
    const auto all = comparison();
    for (const auto& text : {render_text(all), render_html(all), render_xml(all), render_json(all)})
        EXPECT_THAT(text, testing::Not(HasSubstr("most predictable")));
}

TEST(SchedulerComparison, HasNoVerdictWhereNothingWasCompared) {
    auto all = comparison();
    EXPECT_EQ(all.verdict(), "holds");
    for (auto& result : all.policies)
        result.observed.times.count = 0;
    EXPECT_EQ(all.verdict(), "none");
    EXPECT_THAT(render_text(all), testing::Not(HasSubstr("verdict: ")));
    all.undecided = {"stopped after 1 of 3 policies"};
    EXPECT_EQ(all.verdict(), "undecided");
    EXPECT_THAT(render_text(all), testing::Not(HasSubstr("holds")));
    EXPECT_THAT(render_html(all), HasSubstr("Undecided"));
}

TEST(SchedulerComparison, NamesPoliciesThatNoOtherSurpassesInBoundAndMean) {
    auto all = comparison();
    EXPECT_THAT(best_trades(all), testing::ElementsAre(2)) << "as good a bound, a better mean";
    all.policies[0].bounds = {models::Cycles{80}, models::Cycles{300}};
    EXPECT_THAT(best_trades(all), testing::ElementsAre(0, 2));
    EXPECT_THAT(render_text(all), HasSubstr("  lrr: upper bound 300, mean 150.0\n"
                                            "  gto: upper bound 400, mean 140.0\n"));
    for (auto& result : all.policies)
        result.bounds.reset();
    EXPECT_TRUE(best_trades(all).empty());
}

TEST(SchedulerComparison, DrawsTheSlowestRunsOnOneAxis) {
    auto all = comparison();
    EXPECT_THAT(render_html(all), testing::Not(HasSubstr("Slowest runs")));
    all.policies[0].slowest = harness::Timeline{7, 780, {{0, 1, 779}, {390}}};
    const std::string page = render_html(all);
    EXPECT_THAT(page, HasSubstr("lrr: 780 cycles, seed 7"));
    // A column per cycle: two cycles at the beginning and one at the end; one in the middle.
    EXPECT_THAT(page, HasSubstr("M70 4h2v10h-2zM849 4h1v10h-1z"));
    EXPECT_THAT(page, HasSubstr("M460 16h1v10h-1z"));
}

TEST(SchedulerComparison, ProvesPredictabilityOnlyWithBounds) {
    const auto all = comparison();
    EXPECT_DOUBLE_EQ(all.policies[0].bounded_predictability().value(), 0.2);
    EXPECT_FALSE(all.policies[1].bounded_predictability());
}

TEST(SchedulerComparison, IsRefutedByAnObservationOutside) {
    auto all = comparison();
    EXPECT_FALSE(all.refuted());
    all.policies[2].observed.times.worst = 401;
    EXPECT_TRUE(all.refuted());
    EXPECT_THAT(render_text(all), HasSubstr("verdict: refuted"));
    all = comparison();
    all.policies[0].observed.times.best = 79;
    EXPECT_TRUE(all.refuted());
    EXPECT_EQ(nlohmann::json::parse(render_json(all))["verdict"], "refuted");
}

TEST(SchedulerComparison, HasTheSameContentInEveryFormat) {
    const auto all = comparison();
    EXPECT_THAT(render_text(all), HasSubstr("has no bounds: slots are not bounded"));
    const auto json = nlohmann::json::parse(render_json(all));
    EXPECT_EQ(json["policies"][0]["bounds"]["upper"], 400);
    EXPECT_EQ(json["policies"][0]["bounds"]["kind"], "bound-under-assumptions");
    EXPECT_FALSE(json["policies"][1].contains("bounds"));
    EXPECT_EQ(json["ranking"][0]["policy"], "lrr");
    EXPECT_EQ(json["ranking"][0]["ties"][0], "gto");
    EXPECT_TRUE(json["ranking"][2]["position"].is_null());
    EXPECT_THAT(
        render_csv(all),
        HasSubstr("\n\"variable-rate:fast=0,every=2\",work-conserving,,,10,180,190.000000,"));
    const std::string html = render_html(all);
    tinyxml2::XMLDocument page;
    ASSERT_EQ(page.Parse(html.c_str()), tinyxml2::XML_SUCCESS) << page.ErrorStr();
    EXPECT_THAT(html, HasSubstr("k&lt;1&gt;"));
    EXPECT_THAT(html, HasSubstr("slots are not bounded"));
    EXPECT_EQ(html, render_html(all));
}

TEST(SchedulerComparison, NamesTheNumberOfMultiprocessorsIfSeveral) {
    auto all = comparison();
    EXPECT_THAT(render_xml(all), testing::Not(HasSubstr("multiprocessors")));
    EXPECT_FALSE(nlohmann::json::parse(render_json(all)).contains("multiprocessors"));
    all.multiprocessors = 3;
    EXPECT_THAT(render_xml(all), HasSubstr("multiprocessors=\"3\""));
    EXPECT_EQ(nlohmann::json::parse(render_json(all))["multiprocessors"], 3);
    EXPECT_THAT(render_text(all), HasSubstr(all.launch + " on 3 multiprocessors, "));
    EXPECT_THAT(render_html(all), HasSubstr(all.launch + " on 3 multiprocessors "));
}

} // namespace
} // namespace warpbound::certification
