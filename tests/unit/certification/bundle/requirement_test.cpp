#include "certification/bundle/requirement.hpp"
#include "tests/support/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;

Result<std::vector<Requirement>> read(const std::string& text) {
    return read_requirements({"r.xml", text});
}

TEST(Requirements, AreReadWithTheirDefaults) {
    const auto list = read("<requirements>\n"
                           "<requirement id=\"R1\" kernel=\"k\" at-most=\"100\"/>\n"
                           "<requirement id=\"R2\" kernel=\"k\" launch=\"2x64\" at-most=\"7\" "
                           "quantity=\"measured-time\" text=\"t\"/></requirements>");
    ASSERT_TRUE(list);
    ASSERT_EQ(list.value().size(), 2U);
    EXPECT_EQ(list.value()[0].quantity, "execution-time");
    EXPECT_FALSE(list.value()[0].launch);
    EXPECT_EQ(list.value()[1].launch, "2x64");
    EXPECT_EQ(list.value()[1].at_most.limit,
              (std::variant<models::Cycles, models::Nanoseconds>{models::Cycles{7}}));
}

TEST(Requirements, AreRefusedWithTheirLine) {
    for (const auto& [text, line, what] : std::vector<std::tuple<std::string, int, std::string>>{
             {"<requirements>\n<budget/></requirements>", 2, "expected <requirement>"},
             {"<requirements><requirement id=\"R\" kernel=\"k\"/></requirements>", 1, "at-most"},
             {"<requirements><requirement id=\"R\" kernel=\"k\" at-most=\"0\"/></requirements>", 1,
              "at-most"},
             {"<requirements><requirement id=\"R\" kernel=\"k\" at-most=\"10 h\"/></requirements>",
              1, "unknown unit"},
             {"<requirements><requirement id=\"R\" kernel=\"k\" at-most=\"0ms\"/></requirements>",
              1, "above 0"},
             {"<requirements><requirement id=\"R\" kernel=\"k\" at-most=\"-1\"/></requirements>", 1,
              "at-most"},
             {"<requirements><requirement id=\"R\" kernel=\"k\" at-most=\"1\"/>\n<requirement "
              "id=\"R\" kernel=\"k\" at-most=\"1\"/></requirements>",
              2, "second requirement"},
             {"<requirements><requirement id=\"R\" kernel=\"k\" quantity=\"wcet\" "
              "at-most=\"1\"/></requirements>",
              1, "quantity"}}) {
        const auto refused = read(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().line, line) << text;
        EXPECT_THAT(refused.error().what, HasSubstr(what));
    }
}

TEST(Requirements, AreMetByAProvedBoundOnly) {
    Requirement budget;
    budget.at_most.limit = models::Cycles{100};
    EXPECT_EQ(verdict_on(budget, {10, 100, 90}), RequirementVerdict::Met);
    EXPECT_EQ(verdict_on(budget, {10, 101, 90}), RequirementVerdict::Undecided);
    EXPECT_EQ(verdict_on(budget, {10, std::nullopt, 90}), RequirementVerdict::Undecided);
    EXPECT_EQ(verdict_on(budget, {std::nullopt, std::nullopt, std::nullopt}),
              RequirementVerdict::Undecided);
}

TEST(Requirements, AreViolatedByALowerBoundOrAnObservationAboveTheBudget) {
    Requirement budget;
    budget.at_most.limit = models::Cycles{100};
    EXPECT_EQ(verdict_on(budget, {101, 200, 150}), RequirementVerdict::Violated);
    EXPECT_EQ(verdict_on(budget, {10, 200, 101}), RequirementVerdict::Violated);
    // Even where a bound contradicts it: then the bound is refuted, too.
    EXPECT_EQ(verdict_on(budget, {10, 100, 101}), RequirementVerdict::Violated);
}

TEST(Requirements, InSecondsAreMetAtTheLowestClockAndViolatedAtTheHighest) {
    const models::ClockRange clock{1'000'000'000, 2'000'000'000};
    const auto list =
        read("<requirements><requirement id=\"R\" kernel=\"k\" at-most=\"100ns\"/></requirements>");
    ASSERT_TRUE(list);
    const Requirement& budget = list.value().front();
    EXPECT_EQ(verdict_on(budget, {10, 100, 90}, clock), RequirementVerdict::Met);
    EXPECT_EQ(verdict_on(budget, {10, 101, 90}, clock), RequirementVerdict::Undecided);
    EXPECT_EQ(verdict_on(budget, {200, 300, 200}, clock), RequirementVerdict::Undecided);
    EXPECT_EQ(verdict_on(budget, {201, 300, 250}, clock), RequirementVerdict::Violated);
    EXPECT_EQ(verdict_on(budget, {10, 300, 201}, clock), RequirementVerdict::Violated);
}

BundleInputs saxpy(const std::string& requirements) {
    BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(tests::example_kernel(
        "saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml", "turing-t4", "1x32", 5));
    inputs.requirements = requirements;
    return inputs;
}

std::string budget(const std::string& kernel, std::int64_t cycles) {
    return "<requirements><requirement id=\"R1\" kernel=\"" + kernel + "\" at-most=\"" +
           std::to_string(cycles) + "\"/></requirements>";
}

TEST(Requirements, AreHeldAgainstTheClaimsOfABundle) {
    const auto met = build_bundle(saxpy(budget("saxpy_loop", 1'000'000)));
    ASSERT_TRUE(met);
    EXPECT_EQ(met.value().requirements.front().verdict, RequirementVerdict::Met);
    EXPECT_FALSE(met.value().violated());
    EXPECT_FALSE(met.value().undecided());

    const auto violated = build_bundle(saxpy(budget("saxpy_loop", 1)));
    ASSERT_TRUE(violated);
    EXPECT_TRUE(violated.value().violated());

    const auto other = build_bundle(saxpy(budget("another", 1)));
    ASSERT_TRUE(other);
    EXPECT_TRUE(other.value().undecided());
}

// The description of turing-t4 has a clock, which is no statement of the user.
TEST(Requirements, InSecondsNeedAStatedClock) {
    BundleInputs inputs = saxpy("<requirements><requirement id=\"R1\" kernel=\"saxpy_loop\" "
                                "at-most=\"1s\"/></requirements>");
    const auto refused = build_bundle(inputs);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("--clock"));
    inputs.kernels.front().clock = "1350..1590 MHz";
    const auto met = build_bundle(inputs);
    ASSERT_TRUE(met);
    EXPECT_EQ(met.value().requirements.front().verdict, RequirementVerdict::Met);
    const Report& report = met.value().reports.front();
    EXPECT_EQ(report.assumptions.back().id, report.clock_assumption);
    EXPECT_THAT(report.assumptions.back().text, HasSubstr("1350..1590 MHz"));
    for (const auto& claim : report.claims)
        EXPECT_THAT(claim.assumptions, testing::Not(testing::Contains(report.clock_assumption)));
}

TEST(Check, FailsWhereABoundExceedsTheFactor) {
    BundleInputs inputs = saxpy(budget("saxpy_loop", 1'000'000));
    inputs.check_factor_thousandths = 1000; // the bound is above what five runs show
    const auto bundle = build_bundle(inputs);
    ASSERT_TRUE(bundle);
    ASSERT_EQ(bundle.value().loose.size(), 1U);
    EXPECT_TRUE(bundle.value().violated());
    inputs.check_factor_thousandths = 1'000'000;
    EXPECT_FALSE(build_bundle(inputs).value().violated());
}

} // namespace
} // namespace warpbound::certification
