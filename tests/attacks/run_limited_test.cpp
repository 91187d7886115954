/// \file
/// The limits under which hostile inputs are run.

#include "tests/attacks/run_limited.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace warpbound {
namespace {

using tests::run_warpbound;

TEST(RunLimited, GivesExitCodeAndBothOutputs) {
    const auto known = run_warpbound({"--version"});
    EXPECT_EQ(known.exit_code, 0);
    EXPECT_NE(known.out.find("warpbound"), std::string::npos) << known.out;
    const auto unknown = run_warpbound({"verify", "/no/such/folder"});
    EXPECT_EQ(unknown.exit_code, 3);
    EXPECT_NE(unknown.err.find("/no/such/folder"), std::string::npos) << unknown.err;
    EXPECT_EQ(tests::misbehaviour_of(unknown), "");
}

TEST(RunLimited, GivesStandardInput) {
    const auto refused = run_warpbound({"inspect", "-"}, {}, "no listing\n");
    EXPECT_EQ(refused.exit_code, 3) << refused.out;
}

TEST(RunLimited, EndsARunThatTakesTooLong) {
    const tests::Folder folder;
    const std::string saxpy = std::string{WARPBOUND_SOURCE_DIR} + "/examples/saxpy/sm_75";
    const auto stopped =
        run_warpbound({"simulate", saxpy + ".sass", "--flow-facts", saxpy + ".flow-facts.xml",
                       "--architecture", "turing-t4", "--launch", "40x128", "--runs", "1000000"},
                      {}, {}, {std::chrono::milliseconds{200}});
    EXPECT_TRUE(stopped.timed_out);
    EXPECT_EQ(stopped.signal, 9);
    EXPECT_NE(tests::misbehaviour_of(stopped), "");
}

TEST(RunLimited, SeesMoreMemoryThanAllowed) {
    const auto over = run_warpbound({"--version"}, {}, {}, {std::chrono::seconds{10}, 1 << 20U});
    EXPECT_NE(tests::misbehaviour_of(over), "");
}

TEST(RunLimited, FolderIsRemoved) {
    std::string path;
    {
        const tests::Folder folder;
        path = folder.write("inside/of.txt", "text");
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
} // namespace warpbound
