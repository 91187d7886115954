#include "certification/page/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using testing::Not;

const PlotText text{.title = "a <b>", .description = "c & d", .x = "warps", .y = "core cycles"};

std::size_t count_of(const std::string& plot, const std::string& part) {
    std::size_t count = 0;
    for (auto at = plot.find(part); at != std::string::npos; at = plot.find(part, at + 1))
        ++count;
    return count;
}

TEST(Plot, EscapesWhatItIsGiven) {
    for (const auto& plot : {line_plot(text, {}), scatter_plot(text, {}), stack_plot(text, {}, {}),
                             histogram_plot(text, {})}) {
        EXPECT_THAT(plot, HasSubstr("a &lt;b&gt;"));
        EXPECT_THAT(plot, HasSubstr("c &amp; d"));
        EXPECT_THAT(plot, Not(HasSubstr("nan")));
        EXPECT_THAT(plot, Not(HasSubstr("inf")));
    }
}

TEST(Plot, DrawsALineForSeveralPointsAndADotForOne) {
    const auto plot = line_plot(text, {{.name = "line", .points = {{1, 10}, {2, 20}, {3, 5}}},
                                       {.name = "dot", .points = {{2, 7}}, .colour = 1}});
    EXPECT_EQ(count_of(plot, "<circle"), 1U);
    EXPECT_EQ(count_of(plot, "fill=\"none\" stroke="), 1U);
    // The line goes from the left end of the axis to the right one.
    EXPECT_THAT(plot, HasSubstr("d=\"M90.0 "));
    EXPECT_THAT(plot, HasSubstr("L760.0 "));
    EXPECT_THAT(plot, HasSubstr(">line</text>"));
}

// 1 and 100 are the ends of two decades; 10 is in the middle of both axes.
TEST(Plot, ScattersOnEqualLogarithmicAxes) {
    const auto plot = scatter_plot(
        text, {{.name = "s", .points = {{1, 1}, {10, 10}, {100, 100}, {-1, 5}, {5, 0}}}});
    EXPECT_EQ(count_of(plot, "<circle"), 3U);
    EXPECT_THAT(plot, HasSubstr("cx=\"90.0\" cy=\"440.0\""));
    EXPECT_THAT(plot, HasSubstr("cx=\"425.0\" cy=\"245.0\""));
    EXPECT_THAT(plot, HasSubstr("cx=\"760.0\" cy=\"50.0\""));
}

TEST(Plot, DrawsBarsOfAHistogram) {
    const auto plot = histogram_plot(text, {{10, 12, 4}, {12, 14, 0}, {14, 16, 8}});
    EXPECT_EQ(count_of(plot, "<rect"), 2U);
    EXPECT_THAT(plot, HasSubstr("<title>10..12: 4</title>"));
    EXPECT_THAT(plot, HasSubstr("<title>14..16: 8</title>"));
    EXPECT_THAT(plot, HasSubstr("<rect x=\"90.0\"")) << "from the left end of the axis";
}

TEST(Plot, StacksThePartsOfABar) {
    const auto plot =
        stack_plot(text, {"issue", "wait", "none"}, {{.name = "best", .parts = {1, 3, 0}}});
    EXPECT_THAT(plot, HasSubstr("issue: 1"));
    EXPECT_THAT(plot, HasSubstr("wait: 3"));
    EXPECT_THAT(plot, Not(HasSubstr("none: 0")));
    EXPECT_THAT(plot, HasSubstr(">4</text>")) << "the sum";
}

} // namespace
} // namespace warpbound::certification
