/// \file
/// Compute graphs of NVIDIA DRIVE's STM: identifiers, comments, and WCETs that are not below
/// bounds.
#include "certification/report/stm_graph.hpp"
#include "tests/unit/certification/sample_report.hpp"

#include <gmock/gmock.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using testing::Not;

StmGraph graph_of(std::vector<StmRunnable> runnables) {
    return {"app",
            "Alone on the GPU.",
            models::Nanoseconds{50'000},
            {{"app_client", models::Nanoseconds{33'000'000}, std::move(runnables)}},
            {}};
}

TEST(StmGraph, SubmitsEachKernelAndGivesItsWcetInNanoseconds) {
    const std::string text =
        render_stm(graph_of({{"saxpy", models::Nanoseconds{1234}, "upper bound of 1x32"}}));
    EXPECT_THAT(text, HasSubstr("Version: 3.0.0\napp:\n  Identifier: 1\n"));
    EXPECT_THAT(text, HasSubstr("Period: 33000000ns"));
    EXPECT_THAT(text, HasSubstr("          - submit_saxpy:\n"
                                "              # stated by the user, not bounded here\n"
                                "              WCET: 50000ns\n"
                                "              Dependencies: []\n"
                                "              Submits: app_client.saxpy\n"));
    EXPECT_THAT(text, HasSubstr("          - saxpy:\n"
                                "              # upper bound of 1x32\n"
                                "              WCET: 1234ns\n"));
}

TEST(StmGraph, NamesAreIdentifiersAndDiffer) {
    StmGraph graph = graph_of({{"a.b", models::Nanoseconds{1}, ""},
                               {"a-b", models::Nanoseconds{2}, ""},
                               {"submit_a_b", models::Nanoseconds{3}, ""},
                               {"7", models::Nanoseconds{4}, ""}});
    graph.name = "my app.v2: x";
    graph.clients.front().name = "my app.v2: x_client";
    const std::string text = render_stm(graph);
    EXPECT_THAT(text, HasSubstr("\nmy_app_v2__x:\n"));
    for (const char* id : {"- a_b:", "- submit_a_b:", "- a_b_2:", "- submit_a_b_2:",
                           "- submit_a_b_3:", "- submit_submit_a_b_3:", "- _7:"})
        EXPECT_THAT(text, HasSubstr(id));
    EXPECT_THAT(text, HasSubstr("Submits: my_app_v2__x_client.a_b_2\n"));
}

TEST(StmGraph, NoNameOrReasonLeavesItsComment) {
    StmGraph graph = graph_of({{"k", models::Nanoseconds{1}, "a\n  Evil: 1"}});
    graph.without_bound = {"lost: it needs\nEvil: 2"};
    const std::string text = render_stm(graph);
    EXPECT_THAT(text, Not(HasSubstr("\nEvil")));
    EXPECT_THAT(text, Not(HasSubstr("\n  Evil")));
    EXPECT_THAT(text, HasSubstr("# Left out, without a bound: lost: it needs?Evil: 2\n"));
}

TEST(StmGraph, AWcetIsTheUpperBoundAtTheLowestClockRoundedUp) {
    Report report = sample_report();
    report.clock.reset();
    use_clock(report, models::stated_clock({1'350'000'000, 1'590'000'000}), "A9");
    const StmRunnable runnable = stm_runnable(report);
    EXPECT_EQ(runnable.kernel, report.kernel);
    EXPECT_EQ(runnable.wcet.count(), (1234 * 1000 + 1349) / 1350);
    EXPECT_THAT(runnable.basis, HasSubstr("1234 cycles at 1350..1590 MHz (stated)"));
    EXPECT_THAT(runnable.basis, HasSubstr("unchecked"));
}

} // namespace
} // namespace warpbound::certification
