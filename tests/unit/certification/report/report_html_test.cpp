/// \file
/// The page of a report: times, deadline, source lines, groups, contents, two sizes of each figure.
#include "certification/report/term_meaning.hpp"
#include "tests/unit/certification/sample_report.hpp"

#include <gmock/gmock.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

Report timed_report(const char* deadline) {
    Report report = sample_report();
    use_clock(report, models::stated_clock({1'000'000'000, 2'000'000'000}), "A9");
    report.deadline = models::parse_deadline(deadline).value();
    return report;
}

TEST(ReportHtml, DrawsTheDeadlineAtBothEndsOfTheClock) {
    const std::string page = render_html(timed_report("1us"));
    EXPECT_THAT(page, HasSubstr("deadline 1 \u00b5s at 1000 MHz"));
    EXPECT_THAT(page, HasSubstr("deadline 1 \u00b5s at 2000 MHz"));
    EXPECT_THAT(page, HasSubstr("<line class=\"deadline\""));
    EXPECT_THAT(page, HasSubstr("\u00b5s at 1000 MHz</text>"));
    EXPECT_THAT(page, HasSubstr("Deadline 1 \u00b5s</b>undecided"));
}

// Far beyond the bounds the deadline would squeeze them into one line.
TEST(ReportHtml, PointsToADeadlineFarAway) {
    const std::string page = render_html(timed_report("10ms"));
    EXPECT_THAT(page, Not(HasSubstr("<line class=\"deadline\"")));
    EXPECT_THAT(page, HasSubstr("deadline 10 ms at 1000 MHz &#8594;"));
}

TEST(ReportHtml, HasNoTimesWithoutAClock) {
    const std::string page = render_html(sample_report());
    EXPECT_THAT(page, Not(HasSubstr(" ns</td>")));
    EXPECT_THAT(page, HasSubstr("state --clock LO..HI"));
}

TEST(ReportHtml, ListsItsSectionsAndDrawsEachFigureTwice) {
    const std::string page = render_html(sample_report());
    EXPECT_EQ(count_of(page, "<nav "), 1U);
    EXPECT_EQ(count_of(page, "<li><a href=\"#"), count_of(page, "<h2 id=\""));
    EXPECT_GT(count_of(page, "<div class=\"wide\"><svg"), 0U);
    EXPECT_EQ(count_of(page, "<div class=\"wide\"><svg"),
              count_of(page, "<div class=\"narrow\"><svg"));
}

TEST(ReportHtml, ShowsSourceLinesOnlyWhereTheyAreKnown) {
    EXPECT_THAT(render_html(sample_report()), Not(HasSubstr("<th scope=\"col\">source</th>"
                                                            "<th scope=\"col\" class=\"n\">exec")));
    Report report = sample_report();
    report.assembly[4].source = "rows.cu:12";
    report.assembly[5].source = "rows.cu:12";
    report.assembly[6].source = "rows.cu:14";
    const std::string page = render_html(report);
    EXPECT_THAT(page, HasSubstr("<th scope=\"col\">source</th>"));
    // 160 + 640 of 1234 cycles.
    EXPECT_THAT(page, HasSubstr("<td>rows.cu:12</td><td class=\"n\">800</td>"
                                "<td class=\"n\">64.8 %</td>"));
}

TEST(ReportHtml, GroupsAssumptionsAndShowsTheValuesBehindThem) {
    Report report = sample_report();
    report.assumptions[0].subject = analyzer::AssumptionSubject::Code;
    report.assumptions[1].subject = analyzer::AssumptionSubject::Machine;
    report.machine_values = {{"memories/l2/latency", "180..230 cycles", "assumed", "by analogy"}};
    const std::string page = render_html(report);
    EXPECT_THAT(page, HasSubstr("<h3 id=\"assumed-code\">About the code</h3>"));
    EXPECT_THAT(page, HasSubstr("<h3 id=\"assumed-machine\">About the machine</h3>"));
    EXPECT_THAT(page, HasSubstr("<td>memories/l2/latency</td><td>180..230 cycles</td>"));
    EXPECT_THAT(page, HasSubstr("<h3 id=\"assumed-not-modelled\">"));
}

TEST(TermMeaning, ExplainsTheTermsOfALaunch) {
    EXPECT_EQ(
        meaning_of_term("delays of the critical path in a block, beyond its own demand").theory,
        "S12");
    EXPECT_EQ(
        meaning_of_term("demand of a warp on its own scheduler: issue slots and ports").theory,
        "S13");
    EXPECT_EQ(meaning_of_term("drains of the stores of a warp").theory, "S15");
    EXPECT_TRUE(meaning_of_term("something else").sentence.empty());
    EXPECT_EQ(meaning_of_proof("response-time").theory, "S11");
}

} // namespace
} // namespace warpbound::certification
