#include "assembly/support/source_text.hpp"
#include "cli/evidence/evidence_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace warpbound::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A temporary evidence folder, removed with the object.
class EvidenceFolder {
public:
    EvidenceFolder()
        : path_{fs::path{testing::TempDir()} / ("evidence-" + std::to_string(getpid()))} {}
    EvidenceFolder(const EvidenceFolder&) = delete;
    EvidenceFolder& operator=(const EvidenceFolder&) = delete;
    ~EvidenceFolder() { fs::remove_all(path_); }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    fs::path path_;
};

TEST(EvidenceFolder, ReadsBackWhatItWrote) {
    const EvidenceFolder folder;
    const certification::EvidenceFiles files{{"inputs/K1/x.json", {"samples", "inputs", "{}"}},
                                             {"manifest.json", {"manifest", "manifest", "[]"}}};
    ASSERT_TRUE(write_evidence(folder.path(), files));
    const auto read = read_evidence(folder.path());
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read.value().at("inputs/K1/x.json"), "{}");
    EXPECT_EQ(read.value().size(), 2U);
}

TEST(EvidenceFolder, IsNotWrittenLargerThanItIsRead) {
    const EvidenceFolder folder;
    const std::string large(assembly::source_size_limit + 1, ' ');
    certification::EvidenceFiles files{{"a.json", {"claims", "claims", "{}"}},
                                       {"samples.json", {"samples", "inputs", large}},
                                       {"manifest.json", {"manifest", "manifest", "[]"}}};
    const auto written = write_evidence(folder.path(), files);
    ASSERT_FALSE(written);
    EXPECT_THAT(to_string(written.error()), HasSubstr("samples.json"));
    EXPECT_THAT(to_string(written.error()), HasSubstr("expected fewer runs"));
    EXPECT_FALSE(fs::exists(folder.path()));
    files.erase("samples.json");
    for (int i = 0; i < 100'000; ++i)
        files["f" + std::to_string(i)] = {"samples", "inputs", ""};
    const auto many = write_evidence(folder.path(), files);
    ASSERT_FALSE(many);
    EXPECT_THAT(to_string(many.error()), HasSubstr("100002 files"));
    EXPECT_FALSE(fs::exists(folder.path()));
}

} // namespace
} // namespace warpbound::cli
