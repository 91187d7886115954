/// \file
/// The kernels of examples/everyday compute what the host computes, on every target that has a
/// listing.

#include "tests/support/executed_everyday.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

namespace warpbound::tests {
namespace {

struct Listed {
    EverydayData data;
    std::string target;

    friend void PrintTo(const Listed& listed, std::ostream* out) {
        *out << listed.data.kernel << " " << listed.target;
    }
};

std::vector<Listed> listed_kernels() {
    std::vector<Listed> listed;
    for (const EverydayData& data : everyday_data())
        for (const char* target : {"sm_75", "sm_80", "sm_87", "sm_90"})
            if (std::filesystem::exists(std::string{WARPBOUND_SOURCE_DIR} + "/examples/everyday/" +
                                        data.kernel + "." + target + ".sass"))
                listed.push_back({data, target});
    return listed;
}

class EverydayExecution : public testing::TestWithParam<Listed> {};

TEST_P(EverydayExecution, ComputesWhatTheHostComputes) {
    const auto launch = data_launch(GetParam().data, GetParam().target);
    ASSERT_TRUE(launch) << to_string(launch.error());
    const auto executed = launch.value()->run();
    ASSERT_TRUE(executed) << to_string(executed.error());
    EXPECT_EQ(GetParam().data.difference(executed.value()->memory()), "");
}

INSTANTIATE_TEST_SUITE_P(AllListings, EverydayExecution, testing::ValuesIn(listed_kernels()),
                         [](const auto& of) {
                             return of.param.data.kernel + "_" + of.param.target;
                         });

TEST(EverydayListings, AreAllExecuted) {
    EXPECT_EQ(listed_kernels().size(), 21U);
}

} // namespace
} // namespace warpbound::tests
