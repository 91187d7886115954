/// \file
/// `verify` decides requirements itself, and finds verdicts that were edited.

#include "tests/unit/certification/sample_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using tests::edit;
using verify::Verdict;

BundleInputs with_budget(const std::string& budget) {
    BundleInputs made = inputs();
    made.requirements = "<requirements><requirement id=\"R1\" kernel=\"saxpy_loop\" at-most=\"" +
                        budget + "\"/></requirements>";
    return made;
}

std::vector<verify::StepResult> steps_of(const EvidenceFiles& files) {
    return verify::verify(tests::plain(files), options());
}

struct Case {
    const char* budget;
    const char* conclusion;
    Verdict verdict;
};

TEST(Requirements, AreDecidedByVerifyAsByCertify) {
    for (const auto& [budget, conclusion, verdict] :
         {Case{"100000", "holds", Verdict::Holds}, Case{"10", "violated", Verdict::Violated},
          Case{"7000", "undecided", Verdict::Undecided}}) {
        const auto made = build_bundle(with_budget(budget));
        ASSERT_TRUE(made);
        const auto steps = steps_of(made.value().files);
        EXPECT_EQ(made.value().verdict(), conclusion);
        EXPECT_EQ(verify::conclusion_of(steps), conclusion) << text_of(steps);
        EXPECT_EQ(verify::overall(steps), verdict) << text_of(steps);
        EXPECT_THAT(tests::step_of(steps, "requirements").detail,
                    HasSubstr(std::string{"at most "} + budget));
    }
}

BundleInputs with_time(const std::string& budget) {
    BundleInputs made = with_budget(budget);
    made.kernels.front().clock = "1000..2000 MHz";
    return made;
}

TEST(Requirements, InSecondsAreDecidedByVerifyAsByCertify) {
    for (const auto& [budget, conclusion, verdict] :
         {Case{"100us", "holds", Verdict::Holds}, Case{"5ns", "violated", Verdict::Violated},
          Case{"7us", "undecided", Verdict::Undecided}}) {
        const auto made = build_bundle(with_time(budget));
        ASSERT_TRUE(made);
        const auto steps = steps_of(made.value().files);
        EXPECT_EQ(made.value().verdict(), conclusion);
        EXPECT_EQ(verify::conclusion_of(steps), conclusion) << text_of(steps);
        EXPECT_EQ(verify::overall(steps), verdict) << text_of(steps);
    }
}

/// Without the re-analysis that would find each of them, too.
TEST(Requirements, InSecondsThatWereEditedAreFound) {
    auto asked = options();
    asked.rebuild = [](const verify::Files& same) -> Result<verify::Files> { return same; };
    const Bundle made = build_bundle(with_time("7us")).value();
    const auto step_after = [&](const char* path, const std::function<void(Json&)>& change) {
        EvidenceFiles files = made.files;
        edit(files, path, change);
        tests::seal_again(files);
        return tests::step_of(verify::verify(tests::plain(files), asked), "requirements");
    };
    const std::vector<std::function<void(Json&)>> edits{
        [](Json& json) { json["requirements"][0]["verdict"] = "met"; },
        [](Json& json) { json["requirements"][0]["unit"] = "core cycles"; },
        [](Json& json) { json["requirements"][0]["clock"] = "2000 MHz"; },
        [](Json& json) { json["claims"][0]["time-ns"] = 1; },
        [](Json& json) {
            const auto time = json["claims"][0]["time-ns"].get<std::int64_t>();
            json["claims"][0]["time-ns"] = time - 1;
        }};
    for (std::size_t i = 0; i < edits.size(); ++i)
        EXPECT_EQ(step_after("claims.json", edits[i]).verdict, Verdict::Failed) << i;
    EXPECT_EQ(
        step_after("inputs/K1/launch.json", [](Json& json) { json["clock"] = "3000 MHz"; }).verdict,
        Verdict::Failed);
    const auto without =
        step_after("inputs/K1/launch.json", [](Json& json) { json.erase("clock"); });
    EXPECT_NE(without.verdict, Verdict::Undecided);
    EXPECT_NE(without.verdict, Verdict::Holds);
}

TEST(Requirements, ThatNobodyStatedGiveNoVerdict) {
    EXPECT_EQ(bundle().verdict(), "none");
    const auto steps = steps_of(bundle().files);
    EXPECT_EQ(tests::step_of(steps, "requirements").verdict, Verdict::NotApplicable);
    EXPECT_EQ(verify::conclusion_of(steps), "the evidence checks; no requirement was stated");
}

TEST(Requirements, OfAKernelThatIsNotInTheBundleAreUndecided) {
    BundleInputs made = with_budget("9000");
    made.requirements->replace(made.requirements->find("saxpy_loop"), 10, "saxpy_1oop");
    const auto steps = steps_of(build_bundle(made).value().files);
    EXPECT_EQ(tests::step_of(steps, "requirements").verdict, Verdict::Undecided);
    EXPECT_THAT(tests::step_of(steps, "requirements").detail, HasSubstr("not in the bundle"));
}

TEST(Requirements, IncludeTheFactorOfCheck) {
    for (const auto& [factor, verdict] : {std::pair{std::int64_t{1001}, Verdict::Violated},
                                          std::pair{std::int64_t{100'000}, Verdict::Holds}}) {
        BundleInputs made = inputs();
        made.check_factor_thousandths = factor;
        const auto built = build_bundle(made);
        ASSERT_TRUE(built);
        EXPECT_EQ(built.value().violated(), verdict == Verdict::Violated);
        EXPECT_EQ(verify::overall(steps_of(built.value().files)), verdict);
    }
}

TEST(Requirements, OnAFactorWithoutRecordedTimesAreUndecided) {
    BundleInputs made = inputs();
    made.check_factor_thousandths = 2000;
    for (auto& kernel : made.kernels)
        kernel.series.clear();
    const auto built = build_bundle(made);
    ASSERT_TRUE(built);
    EXPECT_EQ(built.value().verdict(), "undecided");
    EXPECT_EQ(verify::overall(steps_of(built.value().files)), Verdict::Undecided);
}

/// Without the re-analysis that would find each of them, too.
TEST(Requirements, WhoseVerdictWasEditedAreFound) {
    auto asked = options();
    asked.rebuild = [](const verify::Files& same) -> Result<verify::Files> { return same; };
    BundleInputs violated = with_budget("10");
    violated.check_factor_thousandths = 1001;
    const Bundle made = build_bundle(violated).value();
    const std::vector<std::function<void(Json&)>> edits{
        [](Json& json) { json["verdict"] = "holds"; },
        [](Json& json) { json["requirements"][0]["verdict"] = "met"; },
        [](Json& json) { json["requirements"][0]["at-most"] = 100'000; },
        [](Json& json) { json["requirements"][0]["margin"] = 1; },
        [](Json& json) { json["requirements"] = Json::array(); },
        [](Json& json) { json["loose-bounds"] = Json::array(); }};
    for (std::size_t i = 0; i < edits.size(); ++i) {
        EvidenceFiles files = made.files;
        edit(files, "claims.json", edits[i]);
        tests::seal_again(files);
        const auto steps = verify::verify(tests::plain(files), asked);
        EXPECT_EQ(tests::step_of(steps, "requirements").verdict, Verdict::Failed) << i << "\n"
                                                                                  << text_of(steps);
        EXPECT_THAT(tests::step_of(steps, "requirements").detail, HasSubstr("claims.json"));
    }
}

TEST(Requirements, ThatAreMetByAFalseClaimAreNotDecided) {
    EvidenceFiles files = build_bundle(with_budget("7000")).value().files;
    edit(files, "claims.json", [](Json& json) { json["claims"][0]["value"] = 6000; });
    tests::seal_again(files);
    const auto steps = steps_of(files);
    EXPECT_EQ(tests::step_of(steps, "requirements").verdict, Verdict::NotRun);
    EXPECT_EQ(verify::conclusion_of(steps), "failed");
}

TEST(Requirements, ThatCannotBeReadLeaveTheEvidenceIncomplete) {
    EvidenceFiles files = build_bundle(with_budget("9000")).value().files;
    std::string& text = files.at("inputs/requirements.xml").bytes;
    text.replace(text.find("at-most"), 7, "at-m0st");
    tests::seal_again(files);
    auto asked = options();
    asked.rebuild = [](const verify::Files& same) -> Result<verify::Files> { return same; };
    const auto steps = verify::verify(tests::plain(files), asked);
    EXPECT_EQ(tests::step_of(steps, "requirements").verdict, Verdict::Incomplete);
    EXPECT_THAT(tests::step_of(steps, "requirements").detail,
                HasSubstr("inputs/requirements.xml:1"));
}

} // namespace
} // namespace warpbound::certification
