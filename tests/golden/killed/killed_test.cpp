// `measure --campaign`, and a shard of `simulate --plan`, killed at 50 points and taken up again:
// no sample is lost, none is there twice, and all are those of a campaign that was not interrupted.
#include "harness/campaign/campaign.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace warpbound {
namespace {

constexpr int kills = 50;
constexpr int most_processes = 150; ///< Some end before they are killed.
constexpr int runs_a_process = 10;  ///< More than the campaign has, asked for by each process.

/// The program recording into a file.
class Recording {
public:
    explicit Recording(std::vector<std::string> words) {
        words.insert(words.begin(), WARPBOUND_PROGRAM);
        std::vector<char*> arguments;
        for (auto& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        const int failed =
            posix_spawn(&process_, WARPBOUND_PROGRAM, &files, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&files);
        if (failed != 0) throw std::runtime_error{"the program could not be started"};
    }
    ~Recording() {
        if (running()) kill();
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    [[nodiscard]] bool running() {
        if (!ended_ && waitpid(process_, &status_, WNOHANG) == process_) ended_ = true;
        return !ended_;
    }
    void kill() {
        ::kill(process_, SIGKILL);
        finish();
    }
    void finish() {
        if (!ended_) waitpid(process_, &status_, 0);
        ended_ = true;
    }
    /// Requires: ended.
    [[nodiscard]] bool was_killed() const {
        return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL;
    }
    [[nodiscard]] int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

private:
    pid_t process_ = 0;
    int status_ = 0;
    bool ended_ = false;
};

std::vector<std::string> measuring(const std::string& campaign, int repetitions) {
    return {"measure",
            "--device",
            "simulated:fermi-gtx470",
            "--benchmark",
            "dependent-add",
            "--repetitions",
            std::to_string(repetitions),
            "--campaign",
            campaign,
            "--format",
            "csv"};
}

/// What tells that a file was written, made or removed.
struct Trace {
    bool there = false;
    off_t size = 0;
    std::int64_t nanoseconds = 0;
    friend bool operator==(const Trace&, const Trace&) = default;
};
Trace trace_of(const std::string& file) {
    struct stat found {};
    if (stat(file.c_str(), &found) != 0) return {};
    return {true, found.st_size, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
}

/// Waits until the campaign or its journal has changed so often, then a moment of so many looks;
/// false when the process ended before.
bool wait_for_changes(Recording& recording, const std::string& campaign, unsigned changes,
                      unsigned looks) {
    const std::string journal = campaign + "-journal";
    auto before = std::pair{trace_of(campaign), trace_of(journal)};
    for (unsigned seen = 0; seen < changes;) {
        if (!recording.running()) return false;
        auto now = std::pair{trace_of(campaign), trace_of(journal)};
        if (now != before) ++seen;
        before = now;
    }
    for (unsigned look = 0; look < looks; ++look)
        if (!recording.running()) return false;
    return true;
}

using Samples = std::map<std::string, std::vector<harness::Sample>>;

Samples samples_of(const std::string& file) {
    const auto campaign = harness::Campaign::open_existing(file);
    if (!campaign) throw std::runtime_error{to_string(campaign.error())};
    const auto list = campaign.value()->list().value();
    Samples all;
    for (const auto& series : list) {
        const auto& key = series.key;
        const std::string name = key.name + " " + key.device_detail + " " + key.protocol;
        EXPECT_FALSE(all.contains(name)) << "two series of " << name;
        all[name] = campaign.value()->samples(series.id).value();
    }
    return all;
}

/// Nothing was written, or what was begun is undone, also the tables.
bool is_empty(const std::string& file) {
    if (trace_of(file).size == 0) return true;
    const auto campaign = harness::Campaign::open_existing(file);
    return !campaign && campaign.error().what.find("is empty") != std::string::npos;
}

TEST(KilledCampaign, HasTheSamplesOfOneThatWasNot) {
    const tests::TemporaryFolder folder;
    const std::string whole = (folder.path() / "whole.db").string();
    const std::string campaign = (folder.path() / "killed.db").string();
    constexpr int all_runs = (most_processes + 1) * runs_a_process;
    Recording uninterrupted{measuring(whole, all_runs)};
    uninterrupted.finish();
    ASSERT_EQ(uninterrupted.exit_code(), 0);
    const Samples expected = samples_of(whole);
    ASSERT_EQ(expected.size(), 32U);

    constexpr unsigned seed = 20261121;
    std::mt19937 random{seed};
    int killed = 0;
    int left_unfinished = 0; // A journal that the next process must play back.
    std::size_t most_recorded = 0;
    for (int i = 1; i <= most_processes && killed < kills; ++i) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", process " + std::to_string(i));
        const auto changes = static_cast<unsigned>(random() % 16);
        const auto looks = static_cast<unsigned>(random() % 200);
        Recording recording{measuring(campaign, i * runs_a_process)};
        if (wait_for_changes(recording, campaign, changes, looks)) recording.kill();
        if (recording.was_killed())
            ++killed;
        else
            EXPECT_EQ(recording.exit_code(), 0);
        if (trace_of(campaign + "-journal").size > 0) ++left_unfinished;
        if (is_empty(campaign)) { // Killed before anything was there.
            EXPECT_EQ(most_recorded, 0U) << "what was recorded is gone";
            continue;
        }
        std::size_t recorded = 0;
        for (const auto& [name, samples] : samples_of(campaign)) {
            recorded += samples.size();
            const auto& all = expected.at(name);
            ASSERT_LE(samples.size(), all.size()) << name;
            EXPECT_TRUE(std::equal(samples.begin(), samples.end(), all.begin())) << name;
        }
        EXPECT_GE(recorded, most_recorded) << "what was recorded is gone";
        most_recorded = recorded;
    }
    RecordProperty("left_unfinished", left_unfinished);
    EXPECT_EQ(killed, kills) << "the processes ended before they could be killed";
    EXPECT_GT(left_unfinished, 0) << "no process was killed while it recorded";

    Recording last{measuring(campaign, all_runs)};
    last.finish();
    EXPECT_EQ(last.exit_code(), 0);
    EXPECT_EQ(samples_of(campaign), expected);
}

TEST(KilledShard, HasTheSamplesOfOneThatWasNot) {
    const tests::TemporaryFolder folder;
    const std::string plan = (folder.path() / "plan.xml").string();
    const std::string examples = WARPBOUND_EXAMPLES;
    std::ofstream{plan} << "<plan runs=\"300\"><kernel listing=\"" << examples
                        << "/saxpy/sm_75.sass\" name=\"saxpy_loop\" flow-facts=\"" << examples
                        << "/saxpy/sm_75.flow-facts.xml\"/><machine name=\"turing-t4\" "
                           "multiprocessors=\"1\"/><launch text=\"2x128\"/>"
                           "<policy name=\"lrr\"/><policy name=\"gto\"/><policy name=\"oldest\"/>"
                           "<seed first=\"1\"/><seed first=\"1001\"/></plan>";
    const auto shard = [&](const std::string& campaign) {
        return std::vector<std::string>{"simulate", "--plan",     plan,    "--shard",
                                        "1/2",      "--campaign", campaign};
    };
    const std::string whole = (folder.path() / "whole.db").string();
    Recording uninterrupted{shard(whole)};
    uninterrupted.finish();
    ASSERT_EQ(uninterrupted.exit_code(), 0);
    const Samples expected = samples_of(whole);
    ASSERT_EQ(expected.size(), 3U);

    constexpr unsigned seed = 20261128;
    std::mt19937 random{seed};
    int killed = 0;
    for (int campaigns = 0; killed < kills && campaigns < most_processes; ++campaigns) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", campaign " + std::to_string(campaigns));
        const std::string campaign =
            (folder.path() / ("killed-" + std::to_string(campaigns) + ".db")).string();
        for (int i = 0; i < 5; ++i) {
            Recording recording{shard(campaign)};
            if (wait_for_changes(recording, campaign, static_cast<unsigned>(random() % 12),
                                 static_cast<unsigned>(random() % 200)))
                recording.kill();
            if (recording.was_killed()) ++killed;
        }
        Recording last{shard(campaign)};
        last.finish();
        ASSERT_EQ(last.exit_code(), 0);
        EXPECT_EQ(samples_of(campaign), expected);
    }
    EXPECT_GE(killed, kills) << "the processes ended before they could be killed";
}

} // namespace
} // namespace warpbound
