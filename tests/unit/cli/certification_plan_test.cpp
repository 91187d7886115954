#include "cli/certification_plan.hpp"

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
    [[nodiscard]] Result<std::vector<PlannedKernel>> read() const { return read_plan(path_); }

private:
    std::string path_;
};

std::string refusal(const std::string& text) {
    const auto plan = PlanFile{text}.read();
    return plan ? "accepted" : to_string(plan.error());
}

TEST(CertificationPlan, NamesItsKernels) {
    const auto plan = PlanFile{"<plan><kernel listing=\"a.sass\" architecture=\"turing-t4\" "
                               "launch=\"2x128\" multiprocessors=\"all\"/></plan>"}
                          .read();
    ASSERT_TRUE(plan) << to_string(plan.error());
    ASSERT_EQ(plan.value().size(), 1U);
    EXPECT_EQ(plan.value()[0].launch.launch, "2x128");
    EXPECT_EQ(plan.value()[0].policy, "unknown");
    EXPECT_EQ(plan.value()[0].multiprocessors, "all");
}

TEST(CertificationPlan, RefusesWhatItDoesNotKnow) {
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
