/// \file
/// The report for a terminal: the answer first, lines that fit, words that are allowed.
#include "certification/report/wording.hpp"
#include "tests/unit/certification/sample_report.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t widest(const std::string& text) {
    std::size_t most = 0;
    std::size_t width = 0;
    for (const char c : text) {
        if (c == '\n')
            width = 0;
        else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
            ++width;
        most = std::max(most, width);
    }
    return most;
}

TEST(ReportText, StartsWithTheAnswer) {
    const std::string text = render_text(sample_report());
    EXPECT_THAT(text, testing::StartsWith("convolution_rows on turing-t4, launch 1x32\n"
                                          "verdict: holds\n"
                                          "upper bound 1234 cycles (bound under assumptions, 1 "
                                          "unchecked)\n"));
}

TEST(ReportText, NamesTheOptionThatGivesSeconds) {
    EXPECT_THAT(render_text(sample_report()), HasSubstr("state --clock LO..HI"));
}

Report with_deadline(const char* deadline) {
    Report report = sample_report();
    use_clock(report, models::stated_clock({1'000'000'000, 2'000'000'000}), "A9");
    report.deadline = models::parse_deadline(deadline).value();
    return report;
}

// Bounds 1180 to 1234 cycles at 1 to 2 GHz: 590 to 1234 ns.
TEST(ReportText, SaysTimesAndDeadline) {
    const std::string met = render_text(with_deadline("1.234us"));
    EXPECT_THAT(met, HasSubstr("verdict: holds"));
    EXPECT_THAT(met, HasSubstr("upper bound 1234 cycles, 1.234 \u00b5s ("));
    EXPECT_THAT(met, HasSubstr("lower bound 1180 cycles, 590 ns ("));
    EXPECT_THAT(met, HasSubstr("deadline 1.234 \u00b5s: met, margin 0 ns"));
    EXPECT_THAT(met, HasSubstr("clock 1000..2000 MHz (stated)"));
    const std::string undecided = render_text(with_deadline("1233ns"));
    EXPECT_THAT(undecided, HasSubstr("verdict: undecided"));
    EXPECT_THAT(undecided, HasSubstr("needs 1 ns more"));
    EXPECT_THAT(render_text(with_deadline("589ns")), HasSubstr("verdict: violated"));
    EXPECT_THAT(render_text(with_deadline("1179cycles")), HasSubstr("verdict: violated"));
    EXPECT_THAT(render_text(with_deadline("1234cycles")), HasSubstr("met, margin 0 cycles"));
}

TEST(ReportText, GroupsAssumptionsByWhoCanConfirmThem) {
    Report report = with_deadline("1ms");
    report.assumptions[0].subject = analyzer::AssumptionSubject::Code;
    report.assumptions[1].subject = analyzer::AssumptionSubject::NotModelled;
    const std::string text = render_text(report);
    const auto code = text.find("  about the code\n");
    const auto you = text.find("  about you");
    const auto left_out = text.find("  not modelled");
    EXPECT_TRUE(code < you && you < left_out && left_out != std::string::npos);
}

TEST(ReportText, NamesRefutationAndRun) {
    Report report = sample_report();
    observe(report, "execution-time", {1200, 1300}, {5, 6});
    const std::string text = render_text(report);
    EXPECT_THAT(text, HasSubstr("verdict: refuted"));
    EXPECT_THAT(text, HasSubstr("the first in run 1"));
    EXPECT_THAT(text, HasSubstr("seeds 6"));
}

TEST(ReportText, FitsAHundredColumns) {
    Report report = sample_report();
    EXPECT_LE(widest(render_text(report)), 100U);
    report.kernel = std::string(300, 'k');
    report.claims[0].value = 9'000'000'000'000'000;
    report.inputs[0].name = std::string(150, 'n');
    report.assumptions[0].text = std::string(220, '\xc3') + " caf\xc3\xa9 " + std::string(99, 'x');
    for (int i = 0; i < 60; ++i)
        report.claims[0].assumptions.push_back("A" + std::to_string(i));
    EXPECT_LE(widest(render_text(report)), 100U);
}

TEST(ReportText, WordsThatPromiseTooMuchDoNotOccur) {
    const Report report = sample_report();
    for (const auto& text :
         {render_text(report), render_json(report), render_xml(report), render_html(report)})
        for (const char* word : {"WCET", "certified", "compliant", "qualified"})
            EXPECT_THAT(text, Not(HasSubstr(word)));
}

TEST(ReportText, AnEmptyReportIsStillText) {
    EXPECT_THAT(render_text(Report{}), HasSubstr("no observation was compared"));
}

TEST(ReportText, SaysHoldsOnlyWhereObservationsWereComparedAndAllWorkWasDone) {
    Report report = sample_report();
    EXPECT_EQ(verdict_of(report), "holds");
    report.undecided = {"simulation of the execution time stopped after 3 of 9 runs"};
    EXPECT_EQ(verdict_of(report), "undecided");
    for (const auto& text :
         {render_text(report), render_json(report), render_xml(report), render_html(report)}) {
        EXPECT_THAT(text, HasSubstr("stopped after 3 of 9 runs"));
        EXPECT_THAT(text, Not(testing::ContainsRegex("[Hh]olds[\"<\n]")));
    }
    report.undecided.clear();
    report.observations.clear();
    EXPECT_EQ(verdict_of(report), "none");
    EXPECT_THAT(render_text(report), Not(HasSubstr("verdict:")));
    EXPECT_THAT(render_text(report), HasSubstr("no verdict (nothing was required"));
    EXPECT_THAT(render_html(report), HasSubstr("No verdict"));
    // An observation of a quantity without a bound is not compared with anything.
    observe(report, "another-time", {5}, {1});
    EXPECT_EQ(verdict_of(report), "none");
}

TEST(Printable, KeepsTextAndReplacesTheRest) {
    EXPECT_EQ(printable("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"),
              "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
    EXPECT_EQ(printable("a\x1b[0m\n\x7f"), "a?[0m??");
    EXPECT_EQ(printable("\xff\xc0\x80\xe2\x82"), "?????");
    EXPECT_EQ(printable("\xed\xa0\x80\xef\xbf\xbe"), "??????");
}

} // namespace
} // namespace warpbound::certification
