#include "certification/campaign/campaign_report.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::certification {
namespace {

using harness::Quantity;
using harness::RunAnomaly;
using harness::Sample;
using testing::HasSubstr;
using testing::Not;

class ReportedCampaign : public testing::Test {
protected:
    void SetUp() override {
        campaign_ = harness::Campaign::open(folder_.path() / "campaign.db").value();
    }

    /// Runs 0, 1 .. with the times of each.
    void record(const std::string& name, Quantity quantity, const std::string& launch,
                const std::vector<std::vector<std::int64_t>>& runs,
                const std::string& device = "simulated:x", const std::string& kernel = "k") {
        const auto series = campaign_->series({name, device, "detail", "warm-up 0", kernel, "f",
                                               launch, std::string{to_string(quantity)}});
        std::vector<Sample> samples;
        for (const auto& times : runs)
            samples.push_back({static_cast<std::int64_t>(samples.size()), 1, times,
                               times.empty() ? harness::Remark{RunAnomaly::TimeOut, "no end"}
                                             : harness::Remark{}});
        ASSERT_TRUE(campaign_->note_conditions(series.value().id, 0, {{"driver", "13.0"}}));
        ASSERT_TRUE(campaign_->append(series.value().id, samples));
    }

    CampaignReport report() { return report_of(*campaign_, "c.db", "1.0").value(); }

    tests::TemporaryFolder folder_;
    std::unique_ptr<harness::Campaign> campaign_;
};

TEST_F(ReportedCampaign, GroupsThePointsOfABenchmark) {
    record("dependent-add/n=1", Quantity::Region, "1x32", {{30}, {30}});
    record("saxpy", Quantity::ExecutionTime, "2x64", {{700}, {710}});
    record("dependent-add/n=2", Quantity::Region, "1x32", {{48}, {48}});
    record("dependent-add/n=1", Quantity::Region, "1x32", {{24}}, "cuda:0");
    const auto found = report();
    ASSERT_EQ(found.groups.size(), 3U);
    EXPECT_EQ(found.groups[0].points.size(), 2U);
    ASSERT_NE(found.groups[0].benchmark, nullptr);
    EXPECT_EQ(found.groups[0].points[1].axes, (harness::Axes{{"n", 2}}));
    EXPECT_EQ(found.groups[0].points[1].summary->best, 48);
    EXPECT_EQ(found.groups[1].benchmark, nullptr);
    EXPECT_EQ(found.groups[2].device, "cuda:0");
    const std::string page = render_html(found);
    EXPECT_THAT(page, HasSubstr("Largest time of each run against n"));
    EXPECT_THAT(page, HasSubstr("V14 Table 20"));
    EXPECT_THAT(page, HasSubstr("No run has an anomaly."));
    EXPECT_THAT(page, HasSubstr("dependent-add/n=1, run 0"));
    EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST_F(ReportedCampaign, CountsEveryRunInItsHistogram) {
    std::vector<std::vector<std::int64_t>> runs;
    for (std::int64_t run = 0; run < 500; ++run)
        runs.push_back({100 + run * run % 997, 5});
    record("saxpy", Quantity::Region, "1x64", runs);
    const auto found = report();
    const auto& point = found.groups[0].points[0];
    std::int64_t counted = 0;
    for (std::size_t i = 0; i < point.histogram.size(); ++i) {
        const auto& bar = point.histogram[i];
        counted += bar.count;
        EXPECT_LE(bar.lo, bar.hi);
        EXPECT_EQ(bar.lo, i == 0 ? point.summary->best : point.histogram[i - 1].hi + 1);
    }
    EXPECT_EQ(counted, 500);
    EXPECT_LE(point.histogram.size(), 60U);
    EXPECT_EQ(point.histogram.front().lo, point.summary->best);
    EXPECT_EQ(point.histogram.back().hi, point.summary->worst);
    ASSERT_EQ(point.warps.size(), 2U);
    EXPECT_EQ(point.warps[1].mean, 5);
    EXPECT_EQ(point.warps[0].worst, point.summary->worst);
}

TEST_F(ReportedCampaign, HoldsTheExtremesOfATime) {
    record("saxpy", Quantity::ExecutionTime, "1x32", {{INT64_MIN}, {INT64_MAX}, {0}});
    const auto found = report();
    const auto& point = found.groups[0].points[0];
    EXPECT_EQ(point.histogram.front().lo, INT64_MIN);
    EXPECT_EQ(point.histogram.back().hi, INT64_MAX);
    EXPECT_THAT(render_html(found), Not(HasSubstr("nan")));
}

TEST_F(ReportedCampaign, NamesWhatIsNotConvergedDriftsAndFailed) {
    std::vector<std::vector<std::int64_t>> drifting;
    for (std::int64_t run = 0; run < 200; ++run)
        drifting.push_back({1000 + 5 * run});
    drifting[7] = {};
    record("slow", Quantity::ExecutionTime, "1x32", drifting);
    record("steady", Quantity::ExecutionTime, "1x32", {{10}, {10}, {10}});
    const auto found = report();
    EXPECT_EQ(found.groups[0].points[0].anomalies.at(RunAnomaly::TimeOut), 1);
    EXPECT_EQ(found.groups[0].points[0].summary->count, 199);
    const std::string page = render_html(found);
    const std::string slow = "<li><a href=\"#series-0\">slow 1x32</a> (simulated:x, "
                             "execution-time): ";
    EXPECT_THAT(page, HasSubstr(slow + "mean 1"));
    EXPECT_THAT(page, HasSubstr(slow + "runs"));
    EXPECT_THAT(page, HasSubstr(slow + "1 time-out; run 7: no end</li>"));
    EXPECT_THAT(page, Not(HasSubstr("steady 1x32</a>")));
}

TEST_F(ReportedCampaign, CallsNothingConvergedOfWhichNothingIsKnown) {
    record("steady", Quantity::ExecutionTime, "1x32", {{10}, {10}});
    EXPECT_EQ(report().groups[0].points[0].mean_half_width, 0);
    const char* all = "The 95 % confidence interval of the mean is within 1 %";
    EXPECT_THAT(render_html(report()), HasSubstr(all));
    record("once", Quantity::ExecutionTime, "1x32", {{10}});
    record("never", Quantity::ExecutionTime, "1x32", {{}, {}});
    record("long", Quantity::ExecutionTime, "1x32",
           std::vector<std::vector<std::int64_t>>(200'001, {10}));
    record("uneven", Quantity::ExecutionTime, "1x32", [] {
        std::vector<std::vector<std::int64_t>> runs(200'001, {10});
        runs.back() = {11};
        return runs;
    }());
    const auto found = report();
    EXPECT_EQ(found.groups[1].points[0].mean_undecided, "1 runs; needs 2");
    EXPECT_EQ(found.groups[2].points[0].mean_undecided, "no run gave a time that counts");
    EXPECT_EQ(found.groups[3].points[0].mean_half_width, 0);
    EXPECT_THAT(found.groups[4].points[0].mean_undecided, HasSubstr("200001 times"));
    const std::string page = render_html(found);
    EXPECT_THAT(page, Not(HasSubstr(all)));
    EXPECT_THAT(page, HasSubstr("Not decided for 1 series, once first: 1 runs; needs 2"));
}

TEST_F(ReportedCampaign, SeparatesSeriesOfOneKernel) {
    record("saxpy", Quantity::ExecutionTime, "1x32", {{700}, {710}});
    record("saxpy", Quantity::Region, "1x32", {{600}, {610}});
    record("saxpy", Quantity::ExecutionTime, "2x32", {{900}, {910}});
    record("dependent-add/n=1", Quantity::Region, "1x32", {{30}});
    record("dependent-add/n=2", Quantity::Region, "1x32", {{48}});
    record("dependent-add/n=1", Quantity::Region, "1x32", {{31}}, "simulated:x", "k2");
    const auto found = report();
    ASSERT_EQ(found.groups.size(), 4U);
    EXPECT_EQ(found.groups[0].points.size(), 2U);
    EXPECT_EQ(found.groups[1].quantity, "region");
    EXPECT_EQ(found.groups[2].points.size(), 2U);
    EXPECT_EQ(found.groups[3].version, 2);
    const std::string page = render_html(found);
    EXPECT_THAT(page, HasSubstr("launch 1x32"));
    EXPECT_THAT(page, HasSubstr("launch 2x32"));
    EXPECT_THAT(page, HasSubstr("Recorded again with another kernel"));
    EXPECT_THAT(page, HasSubstr(">2</b>"));
}

// Beyond 2^53 a step between two ticks may be too small to change a number.
TEST_F(ReportedCampaign, DrawsLargeTimesThatAreClose) {
    for (const std::int64_t time : {9'000'000'000'000'000, 10'000'000'000'000'000, INT64_MAX - 8})
        record("saxpy", Quantity::ExecutionTime, std::to_string(time % 97 + 1) + "x32",
               {{time}, {time + 1}, {time + 4}});
    EXPECT_LT(render_html(report()).size(), 100'000U);
}

TEST_F(ReportedCampaign, StopsWhenAsked) {
    record("saxpy", Quantity::ExecutionTime, "1x32", {{700}});
    const auto found =
        report_of(*campaign_, "c.db", "1.0", [](std::int64_t, std::int64_t) { return false; });
    ASSERT_FALSE(found);
    EXPECT_EQ(to_string(found.error()), "c.db: interrupted before every series was read");
}

TEST_F(ReportedCampaign, DrawsResidentBlocks) {
    record("resident-warps/warps=2/blocks=66", Quantity::ResidentBlocks, "66x64", {{8}, {8}});
    record("resident-warps/warps=4/blocks=66", Quantity::ResidentBlocks, "66x128", {{4}, {4}});
    const auto found = report();
    EXPECT_EQ(found.groups[0].points[1].summary->mean, 4);
    EXPECT_TRUE(found.groups[0].points[0].warps.empty());
    const std::string page = render_html(found);
    EXPECT_THAT(page, HasSubstr("1 / warps"));
    EXPECT_THAT(page, HasSubstr("Most blocks on an SM at once, of each run; "));
    EXPECT_THAT(page, Not(HasSubstr("core cycles")));
}

// As an older version recorded them.
TEST_F(ReportedCampaign, DrawsClocksOfResidentBlocksNotAsBlocks) {
    record("resident-warps/warps=1/blocks=2", Quantity::Clocks, "2x32", {{0, 5000, 10, 4000}});
    record("resident-warps/warps=2/blocks=1", Quantity::Clocks, "1x64", {{0, 5000, 10, 4000}});
    EXPECT_THAT(render_html(report()), Not(HasSubstr("1 / warps")));
}

TEST_F(ReportedCampaign, DrawsSharesOfUnitsAndBandwidth) {
    for (const auto& [warps, time] : {std::pair{1, 600}, std::pair{8, 1200}}) {
        const auto name = "/warps=" + std::to_string(warps);
        const std::string launch = "1x" + std::to_string(32 * warps);
        record("unit-add" + name, Quantity::Clocks, launch, {{0, time}});
        record("bandwidth" + name, Quantity::Clocks, launch, {{0, time}});
    }
    const std::string page = render_html(report());
    EXPECT_THAT(page, HasSubstr("unit-add: fu(c)"));
    EXPECT_THAT(page, HasSubstr("bandwidth: bandwidth"));
}

TEST_F(ReportedCampaign, RefusesACampaignWithoutARun) {
    ASSERT_TRUE(campaign_->series({}));
    const auto found = report_of(*campaign_, "c.db", "1.0");
    ASSERT_FALSE(found);
    EXPECT_EQ(to_string(found.error()), "c.db: holds no run");
}

// 100 cycles and half a cycle for each byte.
TEST_F(ReportedCampaign, ShowsStartUpAndBandwidthOfCopies) {
    for (const std::int64_t bytes : {4, 1000, 100'000})
        record("copy-to-device/bytes=" + std::to_string(bytes), Quantity::ExecutionTime, "1x32",
               {{100 + bytes / 2}, {100 + bytes / 2}});
    const std::string page = render_html(report());
    EXPECT_THAT(page, HasSubstr("start-up of 100.0 core cycles and 2.0000 bytes per core cycle "
                                "(estimate; largest deviation 0.00 %)"));
    EXPECT_THAT(page, HasSubstr("How long does a copy of so many bytes from the host take?"));
}

TEST_F(ReportedCampaign, ShowsRunsBesideTheirBoundsInMilliseconds) {
    const harness::SeriesKey key{"blur", "cuda:0", "d",    "release warm",
                                 "k",    "f",      "1x32", std::string{harness::device_time}};
    const auto series = campaign_->series(key);
    ASSERT_TRUE(
        campaign_->append(series.value().id, {{0, 1, {2'000'000}, {}}, {1, 2, {2'500'001}, {}}}));
    auto found = report();
    EXPECT_THAT(render_html(found), Not(HasSubstr("id=\"bounds\"")));
    HeldRuns held;
    held.key = key;
    held.release = "warm";
    held.bound = "bounds 10..20 cycles on x";
    held.clock = "1 GHz, stated";
    held.lower = 1'000'000;
    held.upper = 4'000'000;
    held.inside = 2;
    found.held = {held};
    const std::string page = render_html(found);
    EXPECT_THAT(page, HasSubstr("<h2 id=\"bounds\">Runs against their bounds</h2>"));
    EXPECT_THAT(page, HasSubstr("time in ms"));
    for (const char* number : {">1.000000<", ">2.000000<", ">2.500001<", ">4.000000<", ">inside<"})
        EXPECT_THAT(page, HasSubstr(number));
    found.held.front().inside = 1;
    found.held.front().above = 1;
    EXPECT_THAT(render_html(found), HasSubstr(">1 outside: a finding<"));
    found.held.front() = held;
    found.held.front().not_held = "a co-runner ran beside it";
    const std::string beside = render_html(found);
    EXPECT_THAT(beside, HasSubstr(">not held: a co-runner ran beside it<"));
    EXPECT_THAT(beside, Not(HasSubstr(">4.000000<"))) << "bounds of other runs";
}

} // namespace
} // namespace warpbound::certification
