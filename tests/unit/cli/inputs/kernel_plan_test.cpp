#include "cli/inputs/kernel_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace warpbound::cli {
namespace {

using testing::HasSubstr;

/// A plan of its own, gone with the object.
class PlanFile {
public:
    explicit PlanFile(const std::string& text)
        : path_{(std::filesystem::path{testing::TempDir()} /
                 ("plan-" + std::to_string(getpid()) + ".xml"))
                    .string()} {
        std::FILE* file = std::fopen(path_.c_str(), "wb");
        EXPECT_NE(file, nullptr);
        std::fwrite(text.data(), 1, text.size(), file);
        std::fclose(file);
    }
    PlanFile(const PlanFile&) = delete;
    PlanFile& operator=(const PlanFile&) = delete;
    ~PlanFile() { std::filesystem::remove(path_); }
    [[nodiscard]] Result<KernelPlan> read() const { return read_plan(path_); }

private:
    std::string path_;
};

std::string refusal(const std::string& text) {
    const auto plan = PlanFile{text}.read();
    return plan ? "accepted" : to_string(plan.error());
}

TEST(KernelPlan, NamesItsKernels) {
    const auto plan = PlanFile{"<plan><kernel listing=\"a.sass\" architecture=\"turing-t4\" "
                               "launch=\"2x128\" multiprocessors=\"all\"/></plan>"}
                          .read();
    ASSERT_TRUE(plan) << to_string(plan.error());
    ASSERT_EQ(plan.value().kernels.size(), 1U);
    EXPECT_EQ(plan.value().kernels[0].launch.launch, "2x128");
    EXPECT_EQ(plan.value().kernels[0].policy, "unknown");
    EXPECT_EQ(plan.value().kernels[0].multiprocessors, "all");
    EXPECT_FALSE(plan.value().has_runs_or_seeds);
}

TEST(KernelPlan, CrossesItsAxesInTheirOrder) {
    const auto plan = PlanFile{"<plan runs=\"40\" draw=\"extremes\"><policy name=\"lrr\"/>"
                               "<policy name=\"gto\"/><machine name=\"turing-t4\"/>"
                               "<machine name=\"volta-v100\" multiprocessors=\"2\"/>"
                               "<launch text=\"1x32\"/><seed first=\"1\"/><seed first=\"7\"/>"
                               "<kernel listing=\"a.sass\" arguments=\"n=3 m=4\"/>"
                               "<kernel listing=\"b.sass\" architecture=\"fermi-gtx470\" "
                               "launch=\"4x64\" policy=\"oldest\"/></plan>"}
                          .read();
    ASSERT_TRUE(plan) << to_string(plan.error());
    EXPECT_EQ(plan.value().runs, 40);
    EXPECT_EQ(plan.value().draw, harness::Draw::Extremes);
    const auto& points = plan.value().kernels;
    ASSERT_EQ(points.size(), 2U * 1 * 2 * 2 + 2);
    EXPECT_EQ(points[0].seed, 1U);
    EXPECT_EQ(points[1].seed, 7U);
    EXPECT_EQ(points[2].policy, "gto");
    EXPECT_EQ(points[4].machine.architecture, "volta-v100");
    EXPECT_EQ(points[4].multiprocessors, "2");
    EXPECT_EQ(points[7].arguments, (std::vector<std::string>{"n=3", "m=4"}));
    EXPECT_EQ(points[8].launch.launch, "4x64");
    EXPECT_EQ(points[8].policy, "oldest");
}

TEST(KernelPlan, RefusesAKernelThatNoAxisCompletes) {
    EXPECT_THAT(refusal("<plan><launch text=\"1x32\"/><kernel listing=\"a\"/></plan>"),
                HasSubstr("<machine name="));
    EXPECT_THAT(refusal("<plan><machine name=\"turing-t4\"/><kernel listing=\"a\"/></plan>"),
                HasSubstr("<launch text="));
    EXPECT_THAT(refusal("<plan draw=\"low\"><kernel listing=\"a\" architecture=\"b\" "
                        "launch=\"1x32\"/></plan>"),
                HasSubstr("all-low"));
}

TEST(KernelPlan, RefusesWhatItDoesNotKnow) {
    const std::string kernel = "<kernel listing=\"a\" architecture=\"b\" launch=\"1x32\"/>";
    EXPECT_EQ(refusal("<plan>" + kernel + "</plan>"), "accepted");
    EXPECT_THAT(refusal("<plan bogus=\"1\">" + kernel + "</plan>"), HasSubstr("bogus"));
    EXPECT_THAT(refusal("<plan><bogus/></plan>"), HasSubstr("bogus"));
    EXPECT_THAT(refusal("<plan><kernel listing=\"a\" architecture=\"c\"/></plan>"),
                HasSubstr("without 'launch'"));
    EXPECT_THAT(
        refusal(
            "<plan><kernel listing=\"a\" architecture=\"b\" launch=\"1x32\" bogus=\"1\"/></plan>"),
        HasSubstr("bogus"));
    EXPECT_THAT(refusal("<plan><kernel listing=\"a\" architecture=\"b\" "
                        "launch=\"1x32\"><bogus/></kernel></plan>"),
                testing::Not("accepted"));
    EXPECT_THAT(refusal("<plan/>"), HasSubstr("without kernels"));
}

} // namespace
} // namespace warpbound::cli
