#include "certification/bundle/baseline.hpp"
#include "tests/support/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;

BundleInputs saxpy() {
    BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(tests::example_kernel(
        "saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml", "turing-t4", "1x32", 5));
    return inputs;
}

const Bundle& bundle_of_saxpy() {
    static const Bundle made = build_bundle(saxpy()).value();
    return made;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
}

Comparison compared(const BundleInputs& now) {
    const auto after = build_bundle(now).value();
    return compare_with(tests::plain(bundle_of_saxpy().files), now, after).value();
}

const MovedBound* upper_of(const Comparison& comparison) {
    for (const auto& moved : comparison.bounds)
        if (moved.upper) return &moved;
    return nullptr;
}

TEST(Baseline, OfTheSameInputsDoesNotMove) {
    const Comparison comparison = compared(saxpy());
    EXPECT_TRUE(comparison.bounds.empty());
    EXPECT_TRUE(comparison.observations.empty());
    EXPECT_THAT(text_of(comparison), HasSubstr("nothing changed"));
}

TEST(Baseline, SeparatesAChangeOfFactsFromOneOfTheModel) {
    BundleInputs facts = saxpy();
    replace(*facts.kernels[0].flow_facts, "max=\"128\"", "max=\"129\"");
    facts.kernels[0].series.clear();
    const Comparison by_code = compared(facts);
    ASSERT_NE(upper_of(by_code), nullptr);
    EXPECT_EQ(upper_of(by_code)->by_model, 0);
    EXPECT_EQ(upper_of(by_code)->by_tool, 0);
    EXPECT_GT(upper_of(by_code)->by_code, 0);

    BundleInputs both = facts;
    replace(both.kernels[0].architecture, "typical=\"496\" hi=\"1200\"",
            "typical=\"496\" hi=\"1300\"");
    const Comparison mixed = compared(both);
    ASSERT_NE(upper_of(mixed), nullptr);
    EXPECT_GE(upper_of(mixed)->by_model, 100);
    EXPECT_GT(upper_of(mixed)->by_code, 0);
    EXPECT_EQ(upper_of(mixed)->before + *upper_of(mixed)->by_model + upper_of(mixed)->by_code,
              upper_of(mixed)->after);
}

TEST(Baseline, ShowsAnotherWorstObservation) {
    BundleInputs inputs = saxpy();
    auto samples = inputs.kernels[0].series[0].samples.unpacked();
    for (auto& sample : samples)
        for (auto& time : sample.times)
            ++time;
    inputs.kernels[0].series[0].samples = samples;
    const Comparison comparison = compared(inputs);
    ASSERT_EQ(comparison.observations.size(), 1U);
    EXPECT_EQ(*comparison.observations[0].after, *comparison.observations[0].before + 1);
}

TEST(Baseline, NamesKernelsThatCameOrWent) {
    BundleInputs inputs = saxpy();
    inputs.kernels[0] =
        tests::example_kernel("convolution/sm_75.sass", "convolution_rows",
                              "convolution/sm_75.rows.flow-facts.xml", "turing-t4", "1x32", 0);
    const Comparison comparison = compared(inputs);
    EXPECT_THAT(comparison.only_before, testing::ElementsAre("saxpy_loop 1x32 on 1 SM, lrr"));
    EXPECT_THAT(comparison.only_after, testing::ElementsAre("convolution_rows 1x32 on 1 SM, lrr"));
}

/// Why an older bundle with a changed file is refused.
std::string refusal(const std::string& path, const std::function<void(std::string&)>& change) {
    auto before = tests::plain(bundle_of_saxpy().files);
    change(before[path]);
    const auto comparison = compare_with(before, saxpy(), bundle_of_saxpy());
    return comparison ? "compared" : to_string(comparison.error());
}

TEST(Baseline, ThatCannotBeReadIsRefused) {
    EXPECT_FALSE(compare_with({}, saxpy(), bundle_of_saxpy()));
    for (const char* foreign : {"{}", "[]", "{\"claims\":[1]}", "{\"claims\":[{}]}", "{"})
        EXPECT_THAT(refusal("claims.json", [&](std::string& text) { text = foreign; }),
                    testing::StartsWith("claims.json"))
            << foreign;
}

TEST(Baseline, WithASeedThatIsNoneIsRefused) {
    for (const char* seed : {"", "x", "-1", "1.", "18446744073709551616"})
        EXPECT_THAT(refusal("inputs/K1/samples-1.json",
                            [&](std::string& text) {
                                const std::size_t from = text.find("[[\"") + 3;
                                text.replace(from, text.find('"', from) - from, seed);
                            }),
                    testing::StartsWith("inputs/K1/samples-1.json: seed '"))
            << seed;
}

TEST(Baseline, WithABoundThatIsNoTimeIsRefused) {
    for (const char* value : {"-1", "1.5", "4611686018427387905", "18446744073709551615"})
        EXPECT_THAT(refusal("claims.json",
                            [&](std::string& text) {
                                auto claims = Json::parse(text);
                                for (auto& claim : claims["claims"])
                                    claim["value"] = Json::parse(value);
                                text = claims.dump();
                            }),
                    HasSubstr("expected a whole number from 0 to 2^62"))
            << value;
}

TEST(Baseline, WhoseBoundLeaves64BitsIsRefused) {
    auto before = tests::plain(bundle_of_saxpy().files);
    replace(before["inputs/K1/flow-facts.xml"], "max=\"128\"", "max=\"1000000000000\"");
    auto machine = models::load_architecture("turing-t4").value();
    tests::set_value(machine.control_flow, "branch-taken", {1, 1, 900'000'000});
    before["model/turing-t4.xml"] = models::write_architecture(machine);
    const auto comparison = compare_with(before, saxpy(), bundle_of_saxpy());
    ASSERT_FALSE(comparison);
    EXPECT_THAT(to_string(comparison.error()),
                testing::AllOf(HasSubstr("saxpy_loop 1x32"), HasSubstr("exceeds 2^63 cycles")));
}

TEST(Baseline, ThatIsRefusedNowGivesTheReason) {
    EXPECT_THAT(
        refusal("inputs/K1/launch.json",
                [](std::string& text) { replace(text, "1x32", "2x32,shared-memory=1000000"); }),
        HasSubstr("does not fit a multiprocessor"));
}

TEST(Baseline, GivesTheReasonWhyModelAndCodeAreNotSeparable) {
    BundleInputs before = saxpy();
    before.kernels[0].launch = "3x32";
    before.kernels[0].series.clear();
    BundleInputs after = saxpy();
    after.kernels[0].launch =
        "2x32"; // Resident on the new machine; three blocks would need several waves.
    after.kernels[0].series.clear();
    auto machine = models::load_architecture("turing-t4").value();
    tests::set_value(machine.limits, "max-blocks", {2, 2, 2});
    for (auto& value : machine.blocks.values) {
        value.interval.reset();
        value.grade = models::Grade::Unknown;
    }
    after.kernels[0].architecture = models::write_architecture(machine);
    const auto comparison = compare_with(tests::plain(build_bundle(before).value().files), after,
                                         build_bundle(after).value());
    ASSERT_TRUE(comparison) << to_string(comparison.error());
    EXPECT_THAT(text_of(comparison.value()),
                HasSubstr("model included in code: blocks/replacement is unknown"));
}

TEST(Baseline, CallsAQuantityAsClaimsDo) {
    const auto with_regions = [](std::int64_t later) {
        BundleInputs inputs = saxpy();
        inputs.kernels[0].series[0].key.quantity = "region";
        auto samples = inputs.kernels[0].series[0].samples.unpacked();
        for (auto& sample : samples)
            sample.times[0] += later;
        inputs.kernels[0].series[0].samples = samples;
        return inputs;
    };
    const BundleInputs after = with_regions(1);
    const auto comparison = compare_with(tests::plain(build_bundle(with_regions(0)).value().files),
                                         after, build_bundle(after).value());
    ASSERT_TRUE(comparison) << to_string(comparison.error());
    EXPECT_THAT(text_of(comparison.value()), HasSubstr("measured time: observed worst"));
}

} // namespace
} // namespace warpbound::certification
