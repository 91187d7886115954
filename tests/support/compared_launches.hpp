#pragma once
/// \file
/// What campaigns on one rule of the pipeline repeat: a launch on a machine with the rule and on
/// the same without it, and the counts of such launches.

#include "analyzer/analyze.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "models/observation.hpp"
#include "tests/support/bounded_launches.hpp"
#include "tests/support/median.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::tests {

/// What a campaign learns of a launch on both machines.
struct ComparedLaunch : BoundedLaunch {
    bool measures = false;        ///< A time between two clock reads.
    double tightness_without = 0; ///< Upper bound over the longest run, without the rule.
    double growth = 0;            ///< Upper bound over that without the rule.
    bool exceeds = false;         ///< A run exceeds the upper bound without the rule.
};

/// Holds runs of every draw against the bounds, and both against the machine without the rule.
/// Returns what is wrong, or nothing.
inline std::string compare_launch(analyzer::Request request, const analyzer::Analysis& analysis,
                                  const models::Architecture& without, std::uint64_t seed,
                                  ComparedLaunch& verdict) {
    const auto bounds = analysis.execution_time.bounds();
    const auto machine = prepare_launch(request, *request.architecture);
    if (!machine) return "not simulated: " + to_string(machine.error());
    const auto plain = prepare_launch(request, without);
    if (!plain) return "not simulated: " + to_string(plain.error());
    analyzer::Request other_request = request;
    other_request.architecture = &without;
    const auto other = analyzer::analyze(other_request);
    if (!other) return "not analyzed without the rule: " + to_string(other.error());
    const auto bounds_without = other.value().execution_time.bounds();
    if (bounds.lower() != bounds_without.lower()) return "another lower bound";
    if (bounds.upper() < bounds_without.upper()) return "a lower upper bound";
    std::int64_t longest_without = 0;
    const auto check = [&](const models::Observation& observed, harness::Draw draw,
                           std::uint64_t run_seed) -> std::string {
        if (const auto& measured = analysis.measured_time) {
            const auto between = between_clocks(observed);
            verdict.measures = verdict.measures || between.has_value();
            if (between && !measured->bounds().contains(*between))
                return "measured " + text_of_outside(*between, measured->bounds()) + ", " +
                       text_of_run(request, run_seed, draw);
        }
        const auto fast = plain.value()->run({run_seed, draw, {}});
        if (!fast) return "run refused: " + to_string(fast.error());
        const auto time = observed.execution_time;
        longest_without = std::max(longest_without, fast.value().execution_time.count());
        verdict.is_delayed = verdict.is_delayed || time > fast.value().execution_time;
        verdict.exceeds = verdict.exceeds || time > bounds_without.upper();
        return {};
    };
    if (auto failure =
            run_every_draw(*machine.value(), request, bounds, seed * 7919, verdict, check);
        !failure.empty())
        return failure;
    const auto upper_without = static_cast<double>(bounds_without.upper().count());
    verdict.tightness_without = upper_without / static_cast<double>(longest_without);
    verdict.growth = static_cast<double>(bounds.upper().count()) / upper_without;
    return {};
}

/// Counts of a campaign of such launches.
struct ComparedCounts : LaunchCounts {
    std::uint64_t exceeding = 0;
    std::uint64_t measured = 0;

    /// False: the launch was not bounded.
    bool add(const ComparedLaunch& verdict) {
        if (!LaunchCounts::add(verdict)) return false;
        tightness_.push_back(verdict.tightness);
        without_.push_back(verdict.tightness_without);
        growth_.push_back(verdict.growth);
        if (verdict.exceeds) ++exceeding;
        if (verdict.measures) ++measured;
        return true;
    }
    void record() const {
        LaunchCounts::record();
        const auto property = [](const char* name, const std::string& value) {
            testing::Test::RecordProperty(name, value);
        };
        property("exceed_the_bound_without", std::to_string(exceeding));
        property("median_upper_over_longest", std::to_string(median_of(tightness_)));
        property("median_upper_over_longest_without", std::to_string(median_of(without_)));
        property("median_upper_over_upper_without", std::to_string(median_of(growth_)));
    }

private:
    std::vector<double> tightness_;
    std::vector<double> without_;
    std::vector<double> growth_;
};

} // namespace warpbound::tests
