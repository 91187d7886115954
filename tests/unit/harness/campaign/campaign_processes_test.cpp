// Campaigns that several processes write, that are killed while they write, or that fill the disk.

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

/// Appends single runs forever, reporting each success through the pipe.
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
        if (std::filesystem::exists(file_) && reported >= 0) {
            auto read_only = Campaign::open_existing(file_);
            ASSERT_TRUE(read_only) << to_string(read_only.error());
            ASSERT_GT(read_only.value()->list().value().at(0).runs, reported);
        }
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

/// Records one run and then, forever, batches that do not fit into SQLite's cache, so that most of
/// the time the file holds an unfinished transaction.
[[noreturn]] void append_much(const std::filesystem::path& file) {
    auto campaign = Campaign::open(file);
    const auto series = campaign.value()->series(key()).value();
    if (series.runs == 0 && !campaign.value()->append(series.id, {sample(0)})) _exit(1);
    std::vector<Sample> batch;
    for (std::int64_t run = 1; run <= 2000; ++run) {
        batch.push_back(sample(run));
        batch.back().times.resize(2000, run);
    }
    batch.push_back(sample(7)); // Out of order: the batch is rolled back, and the next one begins.
    for (;;)
        if (campaign.value()->append(series.id, batch)) _exit(2);
}

class KilledWriter : public CampaignFile {
protected:
    /// Leaves a journal that must be rolled back.
    void SetUp() override {
        CampaignFile::SetUp();
        const auto journal = file_.string() + "-journal";
        for (int attempt = 0; attempt < 50; ++attempt) {
            const pid_t child = fork();
            if (child == 0) append_much(file_);
            // The file grows once the journal is on the disk and the cache overflows.
            std::error_code ignored;
            const auto grown = [&] {
                const auto size = std::filesystem::file_size(file_, ignored);
                return !ignored && size > 4'000'000;
            };
            while (!grown() && waitpid(child, nullptr, WNOHANG) == 0)
                usleep(200);
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            if (std::filesystem::exists(journal) && std::filesystem::file_size(journal) > 0) return;
        }
        FAIL() << "the writer was never killed inside a transaction";
    }
};

TEST_F(KilledWriter, LeavesACampaignThatCanBeRead) {
    auto campaign = Campaign::open_existing(file_);
    ASSERT_TRUE(campaign) << to_string(campaign.error());
    const auto list = campaign.value()->list();
    ASSERT_TRUE(list) << to_string(list.error());
    ASSERT_EQ(list.value().size(), 1U);
    EXPECT_EQ(list.value()[0].runs, 1);
    const auto samples = campaign.value()->samples(list.value()[0].id);
    ASSERT_TRUE(samples);
    EXPECT_EQ(samples.value(), std::vector<Sample>{sample(0)});
    EXPECT_FALSE(campaign.value()->append(list.value()[0].id, {sample(1)})); // for reading only
}

TEST_F(KilledWriter, LeavesACampaignThatIsResumed) {
    auto campaign = Campaign::open(file_);
    ASSERT_TRUE(campaign) << to_string(campaign.error());
    const auto series = campaign.value()->series(key()).value();
    EXPECT_EQ(series.runs, 1);
    EXPECT_TRUE(campaign.value()->append(series.id, {sample(1)}));
}

TEST_F(KilledWriter, IsNamedWhereTheFileCannotBeRepaired) {
    using std::filesystem::perms;
    const perms readable = perms::owner_read | perms::group_read | perms::others_read;
    std::filesystem::permissions(file_, readable);
    std::filesystem::permissions(file_.string() + "-journal", readable);
    std::filesystem::permissions(folder_, readable | perms::owner_exec | perms::group_exec |
                                              perms::others_exec);
    const auto answer = without_privilege([&] { return answer_of_reading(file_); });
    if (!answer) GTEST_SKIP() << "this process can neither give up its rights nor is bound by them";
    EXPECT_THAT(*answer, HasSubstr("was left by a killed writer"));
    EXPECT_THAT(*answer, HasSubstr("campaign.db-journal"));
    EXPECT_EQ(answer->find('\n'), std::string::npos);
}

/// Child processes that start `work(child)` at the same time; returns the exit status of each.
std::vector<int> at_once(int children, const std::function<int(int)>& work) {
    std::array<int, 2> gate{};
    if (pipe(gate.data()) != 0) return {};
    std::vector<pid_t> ids;
    for (int child = 0; child < children; ++child) {
        ids.push_back(fork());
        if (ids.back() != 0) continue;
        close(gate[1]);
        char c = 0;
        if (read(gate[0], &c, 1) != 0) _exit(100); // 0: the gate is open
        _exit(work(child));
    }
    close(gate[0]);
    close(gate[1]);
    std::vector<int> statuses;
    for (const pid_t id : ids) {
        int status = 0;
        waitpid(id, &status, 0);
        statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 200);
    }
    return statuses;
}

TEST_F(CampaignFile, IsMadeOnceBySeveralProcessesAtOnce) {
    constexpr int children = 4;
    for (int round = 0; round < 5; ++round) {
        const auto file = folder_ / ("campaign-" + std::to_string(round) + ".db");
        const auto statuses = at_once(children, [&](int child) {
            auto campaign = Campaign::open(file);
            if (!campaign) return 1;
            SeriesKey own = key();
            own.name += std::to_string(child);
            for (const auto& each : {key(), own}) // one shared key, one of its own
                if (!campaign.value()->series(each)) return 2;
            const auto series = campaign.value()->series(own).value();
            for (std::int64_t run = 0; run < 3; ++run)
                if (!campaign.value()->append(series.id, {sample(run)})) return 3;
            return 0;
        });
        ASSERT_EQ(statuses, std::vector<int>(children, 0));
        auto campaign = Campaign::open_existing(file);
        ASSERT_TRUE(campaign);
        const auto list = campaign.value()->list().value();
        EXPECT_EQ(list.size(), children + 1U);
        for (const auto& series : list)
            EXPECT_EQ(series.runs, series.key == key() ? 0 : 3);
    }
}

// Both record runs 0..299 of one series. The file holds each run once, in order, and the second
// process is refused.
TEST_F(CampaignFile, TakesEachRunFromOneOfTwoWriters) {
    const auto statuses = at_once(2, [&](int child) {
        auto campaign = Campaign::open(file_);
        if (!campaign) return 1;
        const auto series = campaign.value()->series(key());
        if (!series) return 2;
        for (std::int64_t run = series.value().runs; run < 300; run += 3) {
            std::vector<Sample> batch{sample(run), sample(run + 1), sample(run + 2)};
            for (auto& each : batch)
                each.times = {child};
            const auto appended = campaign.value()->append(series.value().id, batch);
            if (appended) continue;
            return appended.error().what.find("another process") == std::string::npos ? 3 : 4;
        }
        return 0;
    });
    EXPECT_THAT(statuses, testing::Contains(0));
    EXPECT_THAT(statuses, testing::Each(testing::AnyOf(0, 4)));
    auto campaign = Campaign::open_existing(file_);
    ASSERT_TRUE(campaign);
    const auto samples = campaign.value()->samples(1);
    ASSERT_TRUE(samples) << to_string(samples.error());
    ASSERT_EQ(samples.value().size(), 300U);
    for (std::size_t i = 0; i < 300; ++i) {
        EXPECT_EQ(samples.value()[i].run, static_cast<std::int64_t>(i));
        EXPECT_EQ(samples.value()[i].times, samples.value()[i / 3 * 3].times); // batches are whole
    }
}

/// In a child process that may write only a small file: exit status 0 if the failed append left no
/// trace.
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
    // With free space again, recording continues where it stopped.
    auto campaign = Campaign::open(file_);
    ASSERT_TRUE(campaign) << to_string(campaign.error());
    const auto series = campaign.value()->series(key()).value();
    EXPECT_GT(series.runs, 0);
    EXPECT_TRUE(campaign.value()->append(series.id, {sample(series.runs)}));
}

} // namespace
} // namespace warpbound::harness
