/// \file
/// Outputs that are links, folders or not writable: no other file is written.

#include "tests/attacks/hostile_case.hpp"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace warpbound::tests {
namespace {

namespace fs = std::filesystem;

/// Writes its result to a file.
struct Writer {
    std::string name;
    std::function<std::vector<std::string>(const std::string& output)> arguments;
};

std::vector<Writer> writers() {
    const auto analyzed = [](const std::string& output) -> std::vector<std::string> {
        return {"analyze",  saxpy(".sass"), "--flow-facts",   saxpy(".flow-facts.xml"),
                "--launch", "1x32",         "--architecture", "turing-t4",
                "-o",       output};
    };
    return {{"Analyze", analyzed},
            {"FlowFacts",
             [](const std::string& output) -> std::vector<std::string> {
                 return {"flow-facts", saxpy(".sass"), "--overwrite", "-o", output};
             }},
            {"Trace", [](const std::string& output) -> std::vector<std::string> {
                 return {"simulate",       saxpy(".sass"),
                         "--flow-facts",   saxpy(".flow-facts.xml"),
                         "--launch",       "1x32",
                         "--architecture", "turing-t4",
                         "--runs",         "1",
                         "--trace",        output};
             }}};
}

class Outputs : public testing::TestWithParam<Writer> {
protected:
    Outcome write(const std::string& output) const {
        return run_warpbound(GetParam().arguments(output));
    }
    /// A name that each of the commands takes.
    [[nodiscard]] std::string output() const {
        return folder_.path(GetParam().name == "Analyze" ? "out.html" : "out.csv");
    }
    Folder folder_;
};

TEST_P(Outputs, FollowNoLinkWhileTheyAreWritten) {
    const std::string victim = folder_.write("victim", "precious\n");
    fs::create_symlink(victim, output() + ".partial");
    const auto outcome = write(output());
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
    EXPECT_THAT(outcome.err, testing::HasSubstr(".partial: is a link"));
    EXPECT_EQ(text_of_file(victim), "precious\n");
    EXPECT_FALSE(fs::exists(output()));
}

TEST_P(Outputs, ReplaceALinkAndNotWhatItNames) {
    const std::string victim = folder_.write("victim", "precious\n");
    fs::create_symlink(victim, output());
    EXPECT_EQ(write(output()).exit_code, 0);
    EXPECT_EQ(text_of_file(victim), "precious\n");
    EXPECT_FALSE(fs::is_symlink(output()));
}

TEST_P(Outputs, TakeThePlaceOfWhatAnEndedProcessLeft) {
    folder_.write(fs::path{output()}.filename().string() + ".partial", "half");
    EXPECT_EQ(write(output()).exit_code, 0);
    EXPECT_FALSE(fs::exists(output() + ".partial"));
}

TEST_P(Outputs, RefuseAMissingFolder) {
    const std::string name = "missing/" + fs::path{output()}.filename().string();
    const auto outcome = write(folder_.path(name));
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, testing::HasSubstr(name));
}

TEST_P(Outputs, RefuseAFullDisk) {
    fs::create_symlink("/dev/full", output());
    const auto outcome = write(output());
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, testing::HasSubstr("out."));
}

INSTANTIATE_TEST_SUITE_P(All, Outputs, testing::ValuesIn(writers()),
                         [](const auto& info) { return info.param.name; });

TEST(BundleFolders, AreNotWrittenThroughALink) {
    const Folder folder;
    folder.write("victim/kept", "precious\n");
    fs::create_symlink(folder.path("victim"), folder.path("bundle"));
    const auto outcome = run_warpbound(
        {"certify", saxpy(".sass"), "--flow-facts", saxpy(".flow-facts.xml"), "--launch", "1x32",
         "--architecture", "turing-t4", "-o", folder.path("bundle")});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
    EXPECT_THAT(outcome.err, testing::HasSubstr("bundle"));
    EXPECT_EQ(std::distance(fs::directory_iterator{folder.path("victim")}, {}), 1);
}

TEST(ImportedCampaigns, AreNotMadeOverALink) {
    const Folder folder;
    const std::string text =
        folder.write("old.csv", "warpbound-campaign,2\nseries,a,d,,p,k,f,1x32,region\n");
    fs::create_symlink(folder.path("elsewhere.db"), folder.path("new.db"));
    const auto outcome = run_warpbound({"campaign", "import", text, "-o", folder.path("new.db")});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
    EXPECT_FALSE(fs::exists(folder.path("elsewhere.db")));
}

TEST(FlowFacts, ReplaceNoFileThatHoldsNone) {
    const Folder folder;
    const std::string victim = folder.write("victim", "precious\n");
    const auto outcome = run_warpbound({"flow-facts", saxpy(".sass"), "-o", victim});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
    EXPECT_THAT(outcome.err, testing::HasSubstr("--overwrite"));
    EXPECT_EQ(text_of_file(victim), "precious\n");
}

} // namespace
} // namespace warpbound::tests
