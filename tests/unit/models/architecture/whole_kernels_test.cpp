#include "models/architecture/shipped_descriptions.hpp"
#include "models/architecture/value_path.hpp"
#include "models/architecture/whole_kernels.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace warpbound::models {
namespace {

std::set<std::string> compared_machines() {
    std::set<std::string> names;
    std::istringstream table{std::string{shipped_comparisons()}};
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line))
        names.insert(line.substr(0, line.find(',')));
    return names;
}

TEST(WholeKernels, EveryComparedMachineIsDescribed) {
    const auto names = compared_machines();
    EXPECT_FALSE(names.empty());
    for (const std::string& name : names) {
        const auto machine = load_architecture(name);
        ASSERT_TRUE(machine) << name;
        const auto kernels = whole_kernels_of(machine.value());
        ASSERT_TRUE(kernels) << name;
        EXPECT_GT(kernels->launches, 0) << name;
        EXPECT_LE(kernels->inside, kernels->launches) << name;
        EXPECT_LE(kernels->simulated, kernels->launches) << name;
        EXPECT_EQ(kernels->simulated > 0, kernels->error > 0) << name;
    }
}

TEST(WholeKernels, AComparisonSaysNothingOfOtherMachinesOrOtherValues) {
    auto machine = load_architecture("turing-t4").value();
    EXPECT_FALSE(whole_kernels_of(machine));
    machine = load_architecture("turing-rtx2080ti").value();
    ASSERT_TRUE(whole_kernels_of(machine));
    ASSERT_TRUE(override_value(machine, "geometry/multiprocessors", 1));
    EXPECT_FALSE(whole_kernels_of(machine));
}

TEST(WholeKernels, AreSaidInOneSentence) {
    EXPECT_EQ(to_string(std::optional<WholeKernels>{}), "no whole kernel compared");
    WholeKernels kernels{.launches = 8, .inside = 7, .simulated = 0, .error = 0};
    EXPECT_EQ(to_string(std::optional{kernels}),
              "whole kernels: 7 of 8 measured times inside the bounds");
    kernels.simulated = 3;
    kernels.error = 11.04;
    EXPECT_EQ(to_string(std::optional{kernels}),
              "whole kernels: 7 of 8 measured times inside the bounds, 3 simulated with an error "
              "of 11.0 %");
}

} // namespace
} // namespace warpbound::models
