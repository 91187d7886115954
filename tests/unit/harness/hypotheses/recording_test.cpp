// Recorded experiments are read as they were written, and refused with the path of what is wrong.
#include "harness/hypotheses/recording.hpp"
#include "tests/support/queue_model/observed_play.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace warpbound::harness::hypotheses {
namespace {

Recording recorded() {
    Recording recording{.device = "cuda:0",
                        .detail = "a card",
                        .notes = {"one", "two"},
                        .runs = {},
                        .not_run = {{"priorities", "the driver has one"}}};
    for (const Experiment& experiment : all_experiments())
        if (!experiment.operations.empty())
            recording.runs.push_back(tests::observe_play({}, experiment));
    recording.runs.front().limits.device_threads = 4096;
    recording.runs.front().operations.front().partition = "a";
    recording.runs.back().operations.front().blocks.front().longest_gap.reset();
    recording.runs.back().interruption.reset();
    return recording;
}

TEST(Recording, IsReadAsItWasWritten) {
    const Recording recording = recorded();
    const auto read = read_recording({"r.json", write_recording(recording)});
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read.value().device, recording.device);
    EXPECT_EQ(read.value().detail, recording.detail);
    EXPECT_EQ(read.value().notes, recording.notes);
    EXPECT_EQ(read.value().runs, recording.runs);
    ASSERT_EQ(read.value().not_run.size(), 1U);
    EXPECT_EQ(read.value().not_run.front().reason, "the driver has one");
    EXPECT_EQ(write_recording(read.value()), write_recording(recording));
}

TEST(Recording, IsRefusedWithThePathOfWhatIsWrong) {
    const std::string text = write_recording(recorded());
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const auto at = changed.find(from);
        if (at == std::string::npos) return "no " + from;
        changed.replace(at, from.size(), to);
        const auto read = read_recording({"r.json", changed});
        return read ? std::string{"accepted"} : read.error().what;
    };
    EXPECT_EQ(refusal("observed-workloads/1", "observed-workloads/9"),
              "/: no recording of experiments; expected the schema warpbound-observed-workloads/1");
    EXPECT_EQ(refusal("\"unit\":\"cycles\"", "\"unit\":\"hours\""),
              "/runs/0/unit: expected cycles or ns");
    EXPECT_EQ(refusal("\"kind\":\"launch\"", "\"kind\":\"leap\""),
              "/runs/0/operations/0/kind: expected launch, host-to-device or device-to-host");
    EXPECT_EQ(refusal("\"threads\":512", "\"threads\":-1"),
              "/runs/0/operations/0/threads: expected a whole number from 1 to 1048576");
    EXPECT_EQ(refusal("\"issued\":[0,0]", "\"issued\":[0]"),
              "/runs/0/operations/0/issued/1: is missing");
    EXPECT_EQ(refusal("[0,1000,0", "[9999,1000,0"),
              "/runs/0/operations: a block of 'K1' begins at 9999 and ends at 1000");
    EXPECT_EQ(refusal("\"resolution\":0", "\"resolution\":1e3"),
              "/runs/0/resolution: expected a whole number from 0 to 576460752303423488");
    EXPECT_THAT(refusal("\"runs\":[", "\"runs\":{"), testing::HasSubstr("no JSON"));
}

/// The corpus of the fuzz targets.
TEST(Recording, OfTheCorpusIsReadOrRefused) {
    std::size_t files = 0;
    for (const auto& file :
         std::filesystem::directory_iterator{WARPBOUND_SOURCE_DIR "/tests/fuzz/corpus/recording"}) {
        const auto source = assembly::read_source(file.path());
        ASSERT_TRUE(source);
        const auto read = read_recording(source.value());
        if (read) {
            EXPECT_TRUE(read_recording({"again", write_recording(read.value())}));
        }
        ++files;
    }
    EXPECT_GE(files, 2U);
}

} // namespace
} // namespace warpbound::harness::hypotheses
