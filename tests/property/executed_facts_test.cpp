/// \file
/// What follows from random integer code, by the analysis and by the verifier, against the threads
/// of executed launches.

#include "models/launch/warp_policy.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/facts_of_threads.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {
namespace {

TEST_F(FactsOfThreads, HoldForExecutedLaunchesOfRandomIntegerCode) {
    constexpr std::array<std::pair<const char*, const char*>, 4> machines{
        {{"sm_75", "turing-t4"},
         {"sm_80", "ampere-a100"},
         {"sm_86", "ampere-rtxa6000"},
         {"sm_89", "ada-rtx4090"}}};
    std::vector<models::Architecture> architectures;
    for (const auto& [arch, name] : machines)
        architectures.push_back(narrow_machine(name));
    const std::array<std::string, 7> policies{"unknown",
                                              "gto",
                                              "lrr",
                                              "srr",
                                              "two-level:active=1",
                                              "variable-rate:fast=0,every=3",
                                              "variable-rate:fast=1,every=5,conserving"};
    Counts counts;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 200));
    for_seeds(cases, [&](RandomSource& random_source) {
        const auto machine = static_cast<std::size_t>(random_source.whole(0, 3));
        auto made = drawn_launch(random_source, machines.at(machine).first);
        if (!made || !run(*made)) return;
        SCOPED_TRACE(made->text + models::to_string(made->stated));
        function_ = &made->data.function();
        check(*made, architectures[machine], counts);
        if (HasFatalFailure()) return;
        const std::string policy = policies.at(static_cast<std::size_t>(random_source.whole(0, 6)));
        check_times(*made, architectures[machine], policy,
                    static_cast<std::uint64_t>(random_source.whole(1, 1000)), counts);
    });
    RecordProperty("launches", counts.launches);
    fmt::print("{} launches, {} loops, {} by the verifier, {} never, {} relations, {} uniform, {} "
               "with representatives, {} accesses, {} with ways of warps, {} timed, {} narrow\n",
               counts.launches, counts.loops, counts.loops_of_verifier, counts.nevers, counts.edges,
               counts.uniform, counts.represented, counts.accesses, counts.ways, counts.timed,
               counts.narrow);
    EXPECT_GT(counts.launches, cases / 3);
    EXPECT_GT(counts.loops, cases / 8);
}

} // namespace
} // namespace warpbound::tests
