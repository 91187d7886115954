#include "tests/unit/harness/campaign/campaign_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

TEST_F(CampaignFile, KeepsSamplesInRunOrder) {
    {
        auto campaign = Campaign::open(file_);
        ASSERT_TRUE(campaign) << to_string(campaign.error());
        const auto series = campaign.value()->series(key());
        ASSERT_TRUE(series);
        ASSERT_TRUE(campaign.value()->append(series.value().id, {sample(0), sample(1)}));
        ASSERT_TRUE(campaign.value()->append(series.value().id, {sample(2)}));
    }
    auto campaign = Campaign::open_existing(file_);
    ASSERT_TRUE(campaign) << to_string(campaign.error());
    const auto list = campaign.value()->list();
    ASSERT_TRUE(list);
    ASSERT_EQ(list.value().size(), 1U);
    EXPECT_EQ(list.value()[0].key, key());
    EXPECT_EQ(list.value()[0].runs, 3);
    const auto samples = campaign.value()->samples(list.value()[0].id);
    ASSERT_TRUE(samples);
    for (std::int64_t run = 0; run < 3; ++run)
        EXPECT_EQ(samples.value()[static_cast<std::size_t>(run)], sample(run));
}

TEST_F(CampaignFile, RefusesARunOutOfOrderAndRecordsNothingOfTheBatch) {
    auto campaign = Campaign::open(file_);
    ASSERT_TRUE(campaign);
    const auto series = campaign.value()->series(key()).value();
    const auto appended = campaign.value()->append(series.id, {sample(0), sample(2)});
    ASSERT_FALSE(appended);
    EXPECT_THAT(appended.error().what, HasSubstr("run 1 was expected next"));
    EXPECT_EQ(campaign.value()->samples(series.id).value().size(), 0U);
}

// A sample that would be read back as damaged is not written.
TEST_F(CampaignFile, RefusesARunThatContradictsItself) {
    auto campaign = Campaign::open(file_);
    ASSERT_TRUE(campaign);
    const auto series = campaign.value()->series(key()).value();
    for (const auto& [wrong, why] :
         {std::pair{Sample{1, 7, {}, {}}, "run 1 with anomaly 'none' has 0 times"},
          {Sample{1, 7, {}, {RunAnomaly::Throttled, "hot"}}, "expected at least one"},
          {Sample{1, 7, {5}, {RunAnomaly::TimeOut, "5 s"}}, "has 1 times; expected none"},
          {Sample{1, 7, {5}, {RunAnomaly::None, "hot"}}, "a remark without an anomaly"}}) {
        const auto appended = campaign.value()->append(series.id, {sample(0), wrong});
        ASSERT_FALSE(appended) << why;
        EXPECT_THAT(to_string(appended.error()), HasSubstr(why));
    }
    EXPECT_TRUE(campaign.value()->samples(series.id).value().empty());
}

// Each batch is accepted only with the index that follows the last one, in each series separately.
TEST_F(CampaignFile, NumbersManySmallBatchesOfSeveralSeriesConsecutively) {
    auto campaign = Campaign::open(file_);
    ASSERT_TRUE(campaign);
    std::vector<SeriesInfo> series;
    for (int i = 0; i < 3; ++i) {
        SeriesKey other = key();
        other.name += std::to_string(i);
        series.push_back(campaign.value()->series(other).value());
    }
    for (std::int64_t run = 0; run < 20; ++run)
        for (std::size_t i = 0; i < series.size(); ++i) {
            if (run > static_cast<std::int64_t>(i) * 5 + 5) continue;
            ASSERT_TRUE(campaign.value()->append(series[i].id, {sample(run)}));
        }
    const auto list = campaign.value()->list().value();
    EXPECT_EQ(list[0].runs, 6);
    EXPECT_EQ(list[1].runs, 11);
    EXPECT_EQ(list[2].runs, 16);
    EXPECT_EQ(campaign.value()->series(list[1].key).value().runs, 11);
    EXPECT_FALSE(campaign.value()->append(list[1].id, {sample(10)}));
    EXPECT_FALSE(campaign.value()->append(list[1].id, {sample(12)}));
    EXPECT_THAT(to_string(campaign.value()->append(99, {sample(0)}).error()),
                HasSubstr("has no series 99"));
}

TEST_F(CampaignFile, RefusesNamesThatAreNoFile) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
    for (const char* name : {"", ":memory:", ":other", "file:campaign.db",
                             "file::memory:?cache=shared", "sqlite://campaign.db"}) {
        for (auto* open : {Campaign::open, Campaign::open_existing}) {
            const auto campaign = open(name);
            ASSERT_FALSE(campaign) << name;
            EXPECT_THAT(campaign.error().what, HasSubstr("a campaign is a file")) << name;
        }
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    // With a folder it is an ordinary file name.
    for (const char* name : {"./:memory:", "./file:campaign.db?mode=memory", "at 10:30.db"}) {
        ASSERT_TRUE(Campaign::open(name)) << name;
        EXPECT_TRUE(std::filesystem::is_regular_file(name)) << name;
    }
    std::filesystem::current_path(before);
}

TEST_F(CampaignFile, RefusesWhatIsNoFileAndAMissingFolder) {
    EXPECT_THAT(to_string(Campaign::open("/dev/full").error()), HasSubstr("this is a device"));
    ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
    EXPECT_THAT(to_string(Campaign::open(file_).error()), HasSubstr("this is a device or a pipe"));
    EXPECT_THAT(to_string(Campaign::open(folder_ / "none" / "campaign.db").error()),
                HasSubstr("there is no folder"));
}

/// The result of `work` in a child process that is subject to file permissions: root drops its
/// privileges. Empty if it cannot.
std::optional<std::string> without_privilege(const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return std::nullopt;
    const pid_t child = fork();
    if (child == 0) {
        constexpr unsigned nobody = 65534;
        if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(1);
        const std::string answer = work();
        const bool written =
            write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
        _exit(written ? 0 : 2);
    }
    close(ends[1]);
    std::string answer;
    char c = 0;
    while (read(ends[0], &c, 1) == 1)
        answer += c;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) return std::nullopt;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return answer;
}

std::string answer_of_open(const std::filesystem::path& file) {
    const auto campaign = Campaign::open(file);
    return campaign ? "opened" : to_string(campaign.error());
}

std::string answer_of_reading(const std::filesystem::path& file) {
    const auto campaign = Campaign::open_existing(file);
    if (!campaign) return to_string(campaign.error());
    const auto list = campaign.value()->list();
    return list ? std::to_string(list.value().size()) + " series" : to_string(list.error());
}

TEST_F(CampaignFile, IsRefusedForWritingWhereItIsWriteProtected) {
    using std::filesystem::perms;
    const perms readable = perms::owner_read | perms::group_read | perms::others_read;
    const perms enterable = readable | perms::owner_exec | perms::group_exec | perms::others_exec;
    {
        auto campaign = Campaign::open(file_);
        ASSERT_TRUE(campaign.value()->series(key()));
    }
    std::filesystem::permissions(file_, readable);
    std::filesystem::permissions(folder_, enterable);
    const auto file = without_privilege([&] { return answer_of_open(file_); });
    if (!file) GTEST_SKIP() << "this process can neither give up its rights nor is bound by them";
    EXPECT_THAT(*file, HasSubstr("is write-protected"));
    EXPECT_EQ(without_privilege([&] { return answer_of_reading(file_); }), "1 series");
    // Writable file, but its journal cannot be created.
    std::filesystem::permissions(file_, readable | perms::owner_write | perms::others_write);
    EXPECT_THAT(*without_privilege([&] { return answer_of_open(file_); }),
                HasSubstr("is write-protected, or its folder is"));
    EXPECT_EQ(without_privilege([&] { return answer_of_reading(file_); }), "1 series");
    EXPECT_NE(without_privilege([&] { return answer_of_open(folder_ / "new.db"); }), "opened");
}

TEST_F(CampaignFile, RefusesWhatIsNoCampaign) {
    EXPECT_THAT(to_string(Campaign::open(folder_).error()), HasSubstr("this is a folder"));
    EXPECT_THAT(to_string(Campaign::open_existing(file_).error()),
                HasSubstr("there is no such campaign"));
    std::ofstream{file_} << "this is not a database, however long it is; it goes on for more than "
                            "a page header would";
    EXPECT_THAT(to_string(Campaign::open(file_).error()),
                HasSubstr("a campaign database was expected"));
}

TEST_F(CampaignFile, RefusesADamagedFile) {
    {
        auto campaign = Campaign::open(file_);
        const auto series = campaign.value()->series(key()).value();
        std::vector<Sample> samples;
        for (std::int64_t run = 0; run < 2000; ++run)
            samples.push_back(sample(run));
        ASSERT_TRUE(campaign.value()->append(series.id, samples));
    }
    std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
    auto campaign = Campaign::open_existing(file_);
    if (campaign) {
        const auto list = campaign.value()->list();
        const bool complete = list && campaign.value()->samples(1) &&
                              campaign.value()->samples(1).value().size() == 2000;
        EXPECT_FALSE(complete);
    } else {
        EXPECT_THAT(to_string(campaign.error()), HasSubstr("campaign.db"));
    }
}

TEST(RunAnomalies, AreRefusedNamingTheAcceptedRuns) {
    SeriesKey key;
    key.name = "saxpy";
    std::vector<Sample> samples{{0, 1, {10}, {}}, {1, 2, {11}, {RunAnomaly::Throttled, "warm"}}};
    EXPECT_TRUE(check_anomalies(key, samples, counted_runs));
    const auto throttled = check_anomalies(key, samples, runs_without_anomaly);
    ASSERT_FALSE(throttled);
    EXPECT_EQ(to_string(throttled.error()),
              "saxpy: run 1 is marked throttled (warm); expected runs without an anomaly");
    samples.push_back({2, 3, {}, {RunAnomaly::TimeOut, "10 s"}});
    const auto endless = check_anomalies(key, samples, counted_runs);
    ASSERT_FALSE(endless);
    EXPECT_EQ(to_string(endless.error()), "saxpy: run 2 is marked time-out (10 s); expected runs "
                                          "that ended with times of this kernel");
    // The refusal names the runs that the caller accepts; it is not derived from the anomaly.
    const AcceptedRuns all_but_lost{
        [](RunAnomaly anomaly) { return anomaly != RunAnomaly::DeviceLost; },
        "runs of a device that is there"};
    EXPECT_TRUE(check_anomalies(key, samples, all_but_lost));
    samples.push_back({3, 4, {}, {RunAnomaly::DeviceLost, "gone"}});
    EXPECT_EQ(to_string(check_anomalies(key, samples, all_but_lost).error()),
              "saxpy: run 3 is marked device-lost (gone); expected runs of a device that is there");
}

} // namespace
} // namespace warpbound::harness
