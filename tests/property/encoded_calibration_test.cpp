/// \file
/// Round trip on machines with encoded issue control: every value that calibration claims of a
/// hidden machine is that of the machine. What it cannot tell it leaves open.

#include "harness/calibration/calibrate.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/value_path.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/support/hidden_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace warpbound::harness {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

bool is_long_test() {
    return std::getenv("WARPBOUND_PROPERTY_CASES") != nullptr;
}

/// Left out on most machines: the relations are those of machines with interlocks.
bool takes_long(const std::string& benchmark) {
    return benchmark.starts_with("stated-resident-") || benchmark == "stated-cache-misses" ||
           benchmark == "stated-cache-sets" || benchmark == "stated-cache-reload";
}

/// Enough for every relation but the policy, whose wake-ups need more.
std::int64_t runs_of(const std::string& benchmark) {
    return benchmark == "stated-wake-order" ? 300 : enough_runs;
}

std::vector<RecordedSeries> measured(const tests::HiddenMachine& hidden, bool is_whole) {
    const auto device =
        simulated_device(hidden.machine, models::read_policy(hidden.policy).value());
    // The only knowledge of the suite: the instruction set.
    models::Architecture stranger;
    stranger.target = hidden.machine.target;
    stranger.issue_control = models::IssueControl::Encoded;
    Protocol protocol;
    protocol.warm_up = 0;
    std::vector<RecordedSeries> all;
    for (const auto& benchmark : benchmarks_of_encoded_machines()) {
        if (!is_whole && takes_long(benchmark.name)) continue;
        const auto points = points_of(benchmark.name, stranger);
        EXPECT_TRUE(points) << benchmark.name;
        for (const auto& point : points.value()) {
            Protocol of_point = protocol;
            of_point.repetitions = runs_of(benchmark.name);
            // A machine without caches, or with a memory queue, has no path through them.
            const auto run = measure_point(*device, point, of_point, nullptr);
            if (!run) {
                EXPECT_TRUE(point.name.starts_with("stated-cache-") ||
                            point.name.starts_with("stated-resident-"))
                    << point.name << ": " << to_string(run.error());
                continue;
            }
            all.push_back({series_key(point, device->identity(), protocol), run.value().samples});
        }
    }
    return all;
}

/// Empty if what was found is true of the machine.
std::string error_of(const Finding& finding, const models::Interval& truth) {
    const auto text = [](std::int64_t lo, std::int64_t hi) {
        return std::to_string(lo) + ".." + std::to_string(hi);
    };
    const auto& [lo, typical, hi] = finding.interval;
    const bool is_true = finding.sharpness == Sharpness::AtMost
                             ? truth.hi <= hi
                             : truth.lo <= lo && hi <= truth.hi &&
                                   (finding.sharpness == Sharpness::Range || lo == truth.lo) &&
                                   (finding.sharpness == Sharpness::Range || hi == truth.hi);
    return is_true ? ""
                   : finding.path + " found " + text(lo, hi) + " by " + finding.benchmarks.front() +
                         ", is " + text(truth.lo, truth.hi) + "\n";
}

models::UnitScope scope_of(const models::Architecture& machine, const std::string& opcode_class) {
    const auto& timing = machine.classes.at(*assembly::parse_opcode_class(opcode_class));
    const auto scope = machine.units[*machine.unit_index(timing.unit)].scope;
    // With one scheduler its port is also the port of the SM.
    const bool one = machine.schedulers.find("count")->interval->lo == 1;
    return one && scope == models::UnitScope::Core ? models::UnitScope::Partition : scope;
}

class EncodedRoundTrip : public testing::TestWithParam<std::uint64_t> {};

TEST_P(EncodedRoundTrip, ClaimsOnlyWhatIsTrueOfTheMachine) {
    const std::uint64_t seed = number_of("WARPBOUND_PROPERTY_SEED", 1) + GetParam();
    const tests::HiddenMachine hidden = tests::hidden_encoded_machine(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", policy " + hidden.policy);
    const auto measurements = Measurements::of(
        measured(hidden, is_long_test() && GetParam() % 8 == 0), hidden.machine.target);
    ASSERT_TRUE(measurements) << to_string(measurements.error());
    const auto calibration = calibrate(measurements.value());
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const Calibration& found = calibration.value();
    std::string errors;
    for (const auto& finding : found.findings) {
        const auto* truth = models::find_value(hidden.machine, finding.path);
        ASSERT_NE(truth, nullptr) << finding.path;
        errors += error_of(finding, *truth->interval);
    }
    for (const auto& scope : found.scopes)
        if (scope.scope != scope_of(hidden.machine, scope.opcode_class))
            errors += "the port of " + scope.opcode_class + "\n";
    if (found.policy && *found.policy != hidden.policy)
        errors += "policy " + *found.policy + ", is " + hidden.policy + "\n";
    EXPECT_EQ(errors, "");
    if (is_long_test())
        std::cout << "seed " << seed << ": claimed "
                  << found.findings.size() + found.scopes.size() + (found.policy ? 1 : 0)
                  << ", unknown " << found.unidentified.size() << ", untrue "
                  << std::count(errors.begin(), errors.end(), '\n') << '\n';
}

INSTANTIATE_TEST_SUITE_P(HiddenMachines, EncodedRoundTrip,
                         testing::Range<std::uint64_t>(0,
                                                       number_of("WARPBOUND_PROPERTY_CASES", 5)));

} // namespace
} // namespace warpbound::harness
