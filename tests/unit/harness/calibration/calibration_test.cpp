// Values, policies and descriptions that calibration reads from the simulated card.
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "tests/unit/harness/calibration/calibrated_card.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpbound::harness {
namespace {

TEST(Calibrate, ReadsVoudourisNumbersOffTheCard) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    expect_found(calibration, "schedulers/same-warp-interval", 6, 6);
    expect_found(calibration, "schedulers/issue-slot", 2, 2);
    expect_found(calibration, "schedulers/count", 2, 2);
    expect_found(calibration, "classes/float-add/latency", 18, 18);
    expect_found(calibration, "classes/clock-read/latency", 18, 18);
    EXPECT_EQ(finding(calibration.value(), "classes/float-add/latency")->benchmarks,
              (std::vector<std::string>{"result-float-add", "dependent-add"}));
    EXPECT_EQ(calibration.value().policy, "lrr");
}

TEST(Calibrate, DistinguishesPoliciesByTheWarpThatIssuesFirst) {
    for (const std::string policy : {"lrr", "gto", "gty", "oldest", "srr", "two-level:active=5"}) {
        const auto calibration = calibrated(measured(
            {"switched-off", "start-order", "crowd-switched-off", "wake-order"}, 500, policy));
        ASSERT_TRUE(calibration) << to_string(calibration.error());
        EXPECT_EQ(calibration.value().policy.value_or("unknown"), policy);
    }
}

// A warp that issues in its own slots only is slow although the other warp is stalled.
TEST(Calibrate, LeavesAnUnknownPolicyUnidentified) {
    const auto calibration =
        calibrated(measured({"switched-off", "start-order", "crowd-switched-off", "wake-order"},
                            500, "variable-rate:fast=0,every=2"));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    EXPECT_FALSE(calibration.value().policy);
    ASSERT_NE(reason(calibration.value(), "policy"), nullptr);
}

TEST(Calibrate, ReportsEveryValueThatABenchmarkShows) {
    auto series = measured(some);
    for (const bool with_steps : {true, false}) {
        if (!with_steps)
            std::erase_if(series,
                          [](const auto& one) { return one.key.name == "switched-off/n=16"; });
        const auto calibration = calibrated(series);
        ASSERT_TRUE(calibration);
        for (const auto& benchmark : benchmarks())
            for (const auto& path : benchmark.calibrates) {
                const auto& scopes = calibration.value().scopes;
                const bool is_found =
                    finding(calibration.value(), path) != nullptr ||
                    (path == "policy" && calibration.value().policy) ||
                    std::any_of(scopes.begin(), scopes.end(), [&](const ScopeFinding& scope) {
                        return "classes/" + scope.opcode_class + "/port" == path;
                    });
                EXPECT_NE(is_found, reason(calibration.value(), path) != nullptr) << path;
            }
        const auto& rest = calibration.value().without_benchmark;
        for (const char* path : {"limits/registers-per-block", "blocks/start",
                                 "classes/exit/initiation", "memories/dram/bandwidth"})
            EXPECT_NE(std::find(rest.begin(), rest.end(), path), rest.end()) << path;
        EXPECT_EQ(std::find(rest.begin(), rest.end(), "classes/float-add/latency"), rest.end());
    }
}

// The scope of the port of additions is unknown, so an initiation interval would bound nothing.
TEST(Calibrate, GivesNoInitiationToAClassWhosePortsScopeDidNotShow) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration);
    const auto* port = reason(calibration.value(), "classes/float-add/port");
    ASSERT_NE(port, nullptr);
    ASSERT_NE(finding(calibration.value(), "classes/float-add/initiation"), nullptr);
    const auto initiation = [&](std::optional<models::Architecture> base) {
        const auto machine =
            describe(calibration.value(), {"card", "a card", "c.db", std::move(base)});
        EXPECT_TRUE(machine) << to_string(machine.error());
        return *machine.value()
                    .classes.at(assembly::OpcodeClass::FloatAdd)
                    .values.find("initiation");
    };
    EXPECT_FALSE(initiation(std::nullopt).interval);
    EXPECT_EQ(initiation(std::nullopt).source,
              "the scope of the port was not measured: " + port->why);
    EXPECT_TRUE(initiation(fermi()).interval);
}

TEST(Calibrate, ReportsTheSamplesThatAValueDependsOn) {
    auto series = measured({"switched-off", "spacing-float-add", "result-float-add"});
    const auto before = calibrated(series);
    ASSERT_TRUE(before);
    series.back().samples.back().seed += 1;
    const auto after = calibrated(series);
    ASSERT_TRUE(after);
    const std::string path = "classes/float-add/latency";
    const auto* first = finding(before.value(), path);
    const auto* second = finding(after.value(), path);
    ASSERT_TRUE(first != nullptr && second != nullptr);
    EXPECT_NE(first->digest, second->digest);
    EXPECT_EQ(source_of(*first, "c.db"), "campaign c.db: result-float-add (" + first->digest + ")");
}

TEST(Calibrate, WritesADescriptionThatReadsBackAndKeepsTheBaseForTheRest) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration);
    const auto machine = describe(calibration.value(), {"card", "a card", "c.db", fermi()});
    ASSERT_TRUE(machine) << to_string(machine.error());
    const auto back =
        models::read_architecture({"card.xml", models::write_architecture(machine.value())});
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_TRUE(models::same_machine(machine.value(), back.value()));
    const auto& add = machine.value().classes.at(assembly::OpcodeClass::FloatAdd).values;
    EXPECT_EQ(static_cast<int>(add.find("latency")->grade),
              static_cast<int>(models::Grade::Measured));
    EXPECT_EQ(machine.value().write_buffer.find("entries")->source, "V14 Fig. 25, 63");
}

} // namespace
} // namespace warpbound::harness
