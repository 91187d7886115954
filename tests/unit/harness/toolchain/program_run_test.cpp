#include "environment.hpp"
#include "harness/toolchain/program_run.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace warpbound::harness::toolchain {
namespace {

using testing::HasSubstr;

void install(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

TEST(Tools, AreFoundByVariableThenOnPathThenInWheels) {
    const tests::TemporaryFolder folder;
    const auto wheel =
        folder.path() / "lib/python3.11/site-packages/nvidia/cu13/bin/warpbound-test-tool";
    const auto on_path = folder.path() / "bin/warpbound-test-tool";
    install(folder.path() / "bin/python3", "");
    const Variable path{"PATH", (folder.path() / "bin").string()};
    EXPECT_FALSE(find_tool("warpbound-test-tool"));
    install(wheel, "");
    EXPECT_EQ(find_tool("warpbound-test-tool")->path, wheel.string());
    EXPECT_FALSE(find_tool_on_path("warpbound-test-tool"));
    install(on_path, "");
    EXPECT_EQ(find_tool("warpbound-test-tool")->path, on_path.string());
    const Variable stated{variable_of_tool("warpbound-test-tool"), "/other/tool"};
    EXPECT_EQ(find_tool("warpbound-test-tool")->path, "/other/tool");
    const Variable none{variable_of_tool("warpbound-test-tool"), ""};
    EXPECT_FALSE(find_tool("warpbound-test-tool"));
}

TEST(Programs, GiveTheirOutputOrSayWhyNot) {
    const WorkFolder folder;
    const Tool shell{"sh", "/bin/sh"};
    const std::chrono::seconds limit{10};
    EXPECT_EQ(output_of(shell, {"-c", "echo one; echo two >&2"}, folder, limit).value(), "one\n");
    EXPECT_EQ(output_of(shell, {"-c", "echo; echo reason >&2; exit 4"}, folder, limit).error().what,
              "failed with status 4: reason");
    EXPECT_EQ(output_of({"none", "/no/such/program"}, {}, folder, limit).error().what,
              "does not start");
    EXPECT_THAT(output_of(shell, {"-c", "exec sleep 20"}, folder, std::chrono::milliseconds{50})
                    .error()
                    .what,
                HasSubstr("did not end within 50 ms"));
}

TEST(WorkFolders, AreRemovedWithTheirFiles) {
    std::filesystem::path path;
    {
        const WorkFolder folder;
        path = folder.write("code.cubin", "bytes").value();
        EXPECT_TRUE(std::filesystem::exists(path));
        EXPECT_FALSE(folder.write("code.cubin", "again"));
    }
    EXPECT_FALSE(std::filesystem::exists(path.parent_path()));
}

} // namespace
} // namespace warpbound::harness::toolchain
