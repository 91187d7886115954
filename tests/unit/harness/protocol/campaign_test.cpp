#include "harness/campaign/campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

class CampaignFile : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "warpbound-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        file_ = folder_ / "campaign.db";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
    std::filesystem::path file_;
};

SeriesKey key() {
    return {"point", "simulated:x", "digest", "protocol", "sha256:1", "", "1x32", "region"};
}

Sample sample(std::int64_t run) {
    return {
        run, static_cast<std::uint64_t>(run) * 0x9e3779b97f4a7c15ULL, {run * 3, -run, INT64_MAX}};
}

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

/// Appends single runs for ever, reporting each success through the pipe.
[[noreturn]] void append_for_ever(const std::filesystem::path& file, int pipe) {
    auto campaign = Campaign::open(file);
    const auto series = campaign.value()->series(key()).value();
    for (std::int64_t run = series.runs;; ++run) {
        if (!campaign.value()->append(series.id, {sample(run)})) _exit(1);
        if (write(pipe, &run, sizeof run) != sizeof run) _exit(2);
    }
}

TEST_F(CampaignFile, LosesNothingThatWasReportedWhenKilled) {
    std::mt19937_64 engine{20261121};
    std::int64_t reported = -1;
    for (int kill_number = 0; kill_number < 15; ++kill_number) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) append_for_ever(file_, ends[1]);
        close(ends[1]);
        usleep(2000 + static_cast<useconds_t>(engine() % 40000));
        kill(child, SIGKILL);
        std::int64_t run = 0;
        while (read(ends[0], &run, sizeof run) == sizeof run)
            reported = run;
        close(ends[0]);
        waitpid(child, nullptr, 0);
        auto campaign = Campaign::open(file_);
        ASSERT_TRUE(campaign) << to_string(campaign.error());
        const auto series = campaign.value()->series(key());
        ASSERT_TRUE(series);
        const auto samples = campaign.value()->samples(series.value().id);
        ASSERT_TRUE(samples) << to_string(samples.error()); // contiguous, or it would be refused
        ASSERT_GT(static_cast<std::int64_t>(samples.value().size()), reported);
        for (std::size_t i = 0; i < samples.value().size(); ++i)
            ASSERT_EQ(samples.value()[i], sample(static_cast<std::int64_t>(i)));
    }
    EXPECT_GE(reported, 0);
}

/// In a child that may write only a small file: exit status 0 when the failed append was clean.
int record_until_full(const std::filesystem::path& file) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    auto campaign = Campaign::open(file);
    if (!campaign) return 11;
    const auto series = campaign.value()->series(key()).value();
    std::int64_t run = 0;
    while (run < 100'000) {
        std::vector<Sample> batch;
        for (int i = 0; i < 100; ++i)
            batch.push_back(sample(run + i));
        if (!campaign.value()->append(series.id, batch)) break;
        run += 100;
    }
    if (run == 0 || run >= 100'000) return 12;
    const auto samples = campaign.value()->samples(series.id);
    return samples && samples.value().size() == static_cast<std::size_t>(run) ? 0 : 13;
}

TEST_F(CampaignFile, KeepsWhatItHasWhenTheDiskIsFull) {
    const pid_t child = fork();
    if (child == 0) _exit(record_until_full(file_));
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    // With space again, recording goes on where it stopped.
    auto campaign = Campaign::open(file_);
    ASSERT_TRUE(campaign) << to_string(campaign.error());
    const auto series = campaign.value()->series(key()).value();
    EXPECT_GT(series.runs, 0);
    EXPECT_TRUE(campaign.value()->append(series.id, {sample(series.runs)}));
}

} // namespace
} // namespace warpbound::harness
