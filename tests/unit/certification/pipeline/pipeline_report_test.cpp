/// \file
/// Renderings of a pipeline report: the budget adds up, XML and HTML are read back, a refuted and
/// an incomplete report say so.
#include "certification/pipeline/figure_text.hpp"
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/pipeline/pipeline_stm.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <tinyxml2.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>
#include <string>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using testing::Not;
using tinyxml2::XMLElement;

const std::string description = R"(<pipelines>
  <device copy-engines="1" copy-order="fifo" l2-lines="kept">
    <memory level="l2" bandwidth="10GB/s"/><memory level="dram" bandwidth="5GB/s"/>
    <partition name="all" multiprocessors="4" order="fifo"/><partition name="rest" multiprocessors="1"/>
  </device>
  <pipeline name="a &lt;camera&gt;" period="20ms" jitter="1ms" deadline="15ms" criticality="soft" tolerated-miss-rate="0.1">
    <host name="capture" at-most="1ms"/>
    <copy name="up" after="capture" direction="host-to-device" bytes="100kB" at-most="1ms"/>
    <kernel name="left" stream="left" after="up" partition="all" at-most="2ms" l2-traffic="1MB" dram-traffic="1MB">
      <samples file="left.csv" unit="ms"/>
    </kernel>
    <kernel name="right" stream="right" after="up" partition="all" at-most="3ms" l2-traffic="1MB" dram-traffic="1MB"/>
    <host name="show" after="left right" at-most="1ms"/>
  </pipeline>
  <pipeline name="loop" period="10ms" deadline="9ms">
    <kernel name="control" partition="all" at-least="1ms" at-most="1ms" l2-traffic="0B" dram-traffic="0B"/>
  </pipeline>
  <client name="training">
    <kernel partition="rest" at-most="20ms"/>
    <traffic level="l2" burst="1MB" rate="1GB/s"/><traffic level="dram" burst="1MB" rate="1GB/s"/>
  </client>
</pipelines>)";

PipelineReport report_of(const std::string& text) {
    const auto system = models::read_pipelines({.name = "pipelines.xml", .text = text});
    EXPECT_TRUE(system) << to_string(system.error());
    PipelineReport report;
    report.tool_version = "1";
    report.system = system.value();
    report.together = analyzer::bound_latency(report.system);
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p) {
        report.alone.push_back(analyzer::bound_latency(models::alone(report.system, p)));
        analyzer::ObservedOwnTimes samples(report.system.pipelines[p].stages.size());
        for (std::size_t i = 0; i < samples.size(); ++i)
            if (report.system.pipelines[p].stages[i].samples)
                samples[i] = {1'000'000, 1'500'000, 2'000'000};
        report.misses.push_back(analyzer::miss_probability(report.system.pipelines[p],
                                                           report.together.pipelines[p], samples));
    }
    report.assumptions = analyzer::pipeline_assumptions(report.system);
    report.wants_sensitivity = true;
    report.sensitivity = analyzer::sensitivity(report.system);
    harness::simulate_pipelines(report.system, {.seed = 3, .jobs = 5}, report.observed);
    report.runs = 1;
    return report;
}

PipelineReport sample() {
    return report_of(description);
}
PipelineReport incomplete() {
    std::string text = description;
    text.erase(text.find(" l2-lines=\"kept\""), 16);
    return report_of(text);
}

void visit(const XMLElement* element, const std::function<void(const XMLElement&)>& action) {
    for (; element != nullptr; element = element->NextSiblingElement()) {
        action(*element);
        visit(element->FirstChildElement(), action);
    }
}

TEST(PipelineReport, SharesOfTheChainAndTheJitterSumToOne) {
    const PipelineReport report = sample();
    for (std::size_t p = 0; p < 2; ++p) {
        const auto& bounds = report.together.pipelines[p];
        ASSERT_TRUE(bounds.upper);
        double sum = static_cast<double>(report.system.pipelines[p].jitter.count()) /
                     static_cast<double>(*bounds.upper);
        for (std::size_t i = 0; i < bounds.stages.size(); ++i)
            sum += budget_of(report, p, i).share;
        EXPECT_NEAR(sum, 1, 1e-9);
    }
}

TEST(PipelineReport, PartsOfAStageSumToItsResponse) {
    const PipelineReport report = sample();
    for (std::size_t i = 0; i < report.system.pipelines[0].stages.size(); ++i) {
        const StageBudget budget = budget_of(report, 0, i);
        EXPECT_EQ(budget.own + budget.queue + budget.memory,
                  report.together.pipelines[0].stages[i].response);
    }
}

/// Well-formed, every id once, every rectangle inside its drawing, two sizes of each figure.
TEST(PipelineHtml, IsReadBackWithItsFiguresInsideTheirDrawings) {
    for (const PipelineReport& report : {sample(), incomplete()}) {
        tinyxml2::XMLDocument document;
        const std::string page = render_html(report);
        ASSERT_EQ(document.Parse(page.c_str()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
        std::set<std::string> ids;
        int wide = 0;
        int narrow = 0;
        visit(document.RootElement(), [&](const XMLElement& element) {
            const char* id = element.Attribute("id");
            if (id != nullptr) {
                EXPECT_TRUE(ids.insert(id).second) << id;
            }
            const char* style = element.Attribute("class");
            const std::string name = style == nullptr ? "" : style;
            wide += name == "wide" ? 1 : 0;
            narrow += name == "narrow" ? 1 : 0;
            if (std::string{element.Name()} != "svg" || name == "key") return;
            double width = 0;
            double height = 0;
            ASSERT_EQ(std::sscanf(element.Attribute("viewBox"), "0 0 %lf %lf", &width, &height), 2);
            visit(element.FirstChildElement(), [&](const XMLElement& part) {
                if (std::string{part.Name()} != "rect") return;
                EXPECT_GE(part.DoubleAttribute("x"), 0);
                EXPECT_LE(part.DoubleAttribute("x") + part.DoubleAttribute("width"), width);
                EXPECT_LE(part.DoubleAttribute("y") + part.DoubleAttribute("height"), height);
            });
        });
        EXPECT_EQ(wide, narrow);
        EXPECT_GE(wide, 4);
        EXPECT_THAT(page, Not(HasSubstr("<camera>")));
    }
}

TEST(PipelineHtml, ShowsHowManySimulatedJobsTookLonger) {
    auto report = sample();
    auto& seen = report.observed[0];
    // Of four jobs three took longer than 1 ms and one longer than 2 ms.
    seen.latency = {.count = 4, .best = 1'000'000, .worst = 4'000'000};
    seen.latencies = {{1'000'000, 1}, {2'000'000, 2}, {4'000'000, 1}};
    const std::string page = render_html(report);
    EXPECT_THAT(page, HasSubstr("Of 4 simulated jobs, the share that took longer"));
    EXPECT_THAT(page, HasSubstr("this is no probability of operation"));
    EXPECT_THAT(page, HasSubstr("a &lt;camera&gt;: simulated latencies"));
    report.observed.clear();
    EXPECT_THAT(render_html(report), Not(HasSubstr("simulated latencies")));
}

TEST(PipelineReport, NamesTheStagesOfAnAssumption) {
    const PipelineReport report = sample();
    const auto found = std::find_if(
        report.assumptions.begin(), report.assumptions.end(), [](const auto& assumption) {
            return assumption.text.starts_with("The time of stage 'control'");
        });
    ASSERT_NE(found, report.assumptions.end());
    EXPECT_EQ(found->stages, (std::vector<analyzer::StageName>{{"loop", "control"}}));
    EXPECT_TRUE(report.assumptions.front().stages.empty());
    EXPECT_THAT(render_text(report, false), HasSubstr("loop/control: The time of stage 'control'"));
    const auto json = nlohmann::json::parse(render_json(report));
    const auto& row =
        json["assumptions"][static_cast<std::size_t>(found - report.assumptions.begin())];
    EXPECT_EQ(row["stages"],
              nlohmann::json::parse(R"([{"pipeline": "loop", "stage": "control"}])"));
    EXPECT_THAT(render_xml(report), HasSubstr(R"(<of pipeline="loop" stage="control"/>)"));
    EXPECT_THAT(render_html(report), HasSubstr("<td>loop/control</td>"));
}

TEST(PipelineText, SaysWhereOperationsOfClientsAreNotCounted) {
    auto report = sample();
    const auto in_use = [&] {
        std::string rows = render_text(report, false);
        rows = rows.substr(rows.find("in use ("));
        return rows.substr(0, rows.find("assumptions"));
    };
    report.system.clients.clear();
    EXPECT_THAT(in_use(), Not(HasSubstr("without clients")));
    report.system.servers.push_back({.name = "left over", .multiprocessors = 1});
    report.together.utilisation.push_back(0);
    report.system.clients.push_back(
        {.name = "c", .operations = {{report.system.servers.size() - 1, models::Nanoseconds{5}}}});
    EXPECT_THAT(in_use(), HasSubstr("0.0 %, without clients"));
}

TEST(PipelineHtml, SaysWhichTimelineIsABoundAndWhichIsARun) {
    const std::string page = render_html(sample());
    EXPECT_THAT(page, HasSubstr("This is the bound, not a run"));
    EXPECT_THAT(page, HasSubstr("the slowest of"));
    const std::string missing = render_html(incomplete());
    EXPECT_THAT(missing, Not(HasSubstr("This is the bound, not a run")));
    EXPECT_THAT(missing, HasSubstr("Why there is no upper bound"));
    EXPECT_THAT(missing, HasSubstr("not estimated: queues and traffic of others have no bound"));
}

/// The part of a text from one word to another.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t begin = text.find(from);
    EXPECT_NE(begin, std::string::npos) << from;
    return begin == std::string::npos ? "" : text.substr(begin, text.find(to, begin) - begin);
}

TEST(PipelineReport, AnEstimateNeverHolds) {
    const PipelineReport report = sample();
    for (const std::string& part : {between(render_text(report, false), "misses   ", "\n"),
                                    between(render_html(report), "id=\"p1-misses\"", "<h"),
                                    between(render_xml(report), "<misses", "</misses>"),
                                    between(render_json(report), "\"misses\"", "]")}) {
        EXPECT_THAT(part, HasSubstr("estimate"));
        EXPECT_THAT(part, Not(HasSubstr("hold")));
        EXPECT_THAT(part, Not(HasSubstr("met")));
    }
}

TEST(PipelineReport, ASimulatedLatencyOutsideItsBoundsIsSaidEverywhere) {
    PipelineReport report = sample();
    report.observed[1].latency.worst = *report.together.pipelines[1].upper + 1;
    EXPECT_TRUE(report.is_refuted());
    EXPECT_FALSE(report.is_refuted(0));
    EXPECT_THAT(render_text(report, true), HasSubstr("REFUTED"));
    EXPECT_THAT(render_text(report, true), HasSubstr("OUTSIDE the bounds"));
    EXPECT_THAT(render_html(report), HasSubstr("loop: refuted"));
    EXPECT_THAT(render_xml(report), HasSubstr("refuted=\"true\""));
    EXPECT_TRUE(nlohmann::json::parse(render_json(report))["refuted"]);
}

TEST(PipelineCsv, HasARowPerStageAndEmptyCellsForTheUnknown) {
    const std::string known = render_csv(sample());
    EXPECT_EQ(std::count(known.begin(), known.end(), '\n'), 1 + 6);
    const std::string unknown = render_csv(incomplete());
    EXPECT_THAT(unknown, HasSubstr(",,,,,,,"));
    EXPECT_THAT(unknown, HasSubstr("no-upper-bound"));
    const auto commas = [](const std::string& text, std::size_t from) {
        return std::count(text.begin() + static_cast<std::ptrdiff_t>(from),
                          text.begin() + static_cast<std::ptrdiff_t>(text.find('\n', from)), ',');
    };
    for (const std::string& text : {known, unknown})
        EXPECT_EQ(commas(text, 0), commas(text, text.find('\n') + 1));
}

TEST(PipelineStm, HasAClientPerPipelineAndTheOrderOfStages) {
    const auto graph = stm_graph(sample(), "app", models::Nanoseconds{50'000});
    ASSERT_TRUE(graph);
    const std::string text = render_stm(graph.value());
    EXPECT_THAT(text, HasSubstr("      - epoch0:\n          Period: 20000000ns\n      - epoch1:\n"
                                "          Period: 10000000ns\n"));
    EXPECT_THAT(text, HasSubstr("Dependencies: [a__camera_.left, a__camera_.right]"));
    EXPECT_THAT(text, HasSubstr("          - submit_up:\n"));
    EXPECT_THAT(text, Not(HasSubstr("submit_capture"))); // A host task.
    EXPECT_THAT(text, HasSubstr("  - loop:\n"));
    const auto refused = stm_graph(incomplete(), "app", models::Nanoseconds{50'000});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("no upper bound"));
}

TEST(FigureText, IsCutAtLetters) {
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("abcd", 3), "a..");
    EXPECT_EQ(shortened("\u00b5\u00b5\u00b5", 3), "\u00b5\u00b5\u00b5");
    EXPECT_EQ(shortened("\u00b5\u00b5\u00b5\u00b5", 3), "\u00b5..");
}

} // namespace
} // namespace warpbound::certification
