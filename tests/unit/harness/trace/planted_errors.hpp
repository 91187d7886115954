#pragma once
/// \file
/// Errors planted in logs of random runs, each of which the checker of event logs has to find.

#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace warpbound::tests {

using namespace harness;
using namespace harness::simulator;
using namespace harness::simulator::test;

class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_{seed} {}
    std::size_t operator()(std::size_t sides) { return engine_() % sides; }

private:
    std::mt19937_64 engine_;
};

/// A log and how to change it.
struct Log {
    const Case& test;
    std::vector<Event> events;
    Dice dice;

    /// A random event of a type that satisfies a condition; none if there is none.
    template <typename Kind> Kind* any(const std::function<bool(const Kind&)>& holds = {}) {
        std::vector<Kind*> found;
        for (Event& event : events)
            if (auto* what = std::get_if<Kind>(&event); what && (!holds || holds(*what)))
                found.push_back(what);
        return found.empty() ? nullptr : found[dice(found.size())];
    }
    template <typename Kind> bool remove(const Kind* what) {
        if (what == nullptr) return false;
        events.erase(std::find_if(events.begin(), events.end(), [&](const Event& event) {
            return std::get_if<Kind>(&event) == what;
        }));
        return true;
    }
    /// The issue of the same warp before or after this one.
    Issued* neighbour(const Issued& issued, std::int64_t distance) {
        for (Event& event : events)
            if (auto* other = std::get_if<Issued>(&event);
                other && other->warp == issued.warp && other->number == issued.number + distance)
                return other;
        return nullptr;
    }
    /// Moves an issue one cycle earlier, with its port occupancy.
    static bool hasten(Issued* issued) {
        if (issued == nullptr) return false;
        --issued->cycle;
        --issued->port_until;
        return true;
    }
    [[nodiscard]] const assembly::Instruction& code(const Issued& issued) const {
        return test.program.function.instructions[issued.instruction];
    }
};

struct Plant {
    std::string name;
    std::string rule;                ///< Prefix of an expected violation; empty: any.
    std::function<bool(Log&)> plant; ///< Returns false if the log has no suitable event.
};

/// Only this stall delayed the issue in the last cycle, so one cycle earlier breaks its rule.
inline bool delayed_only_by(const Issued& issued, Stall stall) {
    return issued.stalls[stall] == issued.cycle && issued.cycle > issued.since;
}

/// Plants each error in logs of the cases.
inline void expect_found(const std::vector<Plant>& errors, Case (*made)(std::uint64_t seed)) {
    for (const Plant& plant : errors) {
        int planted = 0;
        for (std::uint64_t seed = 1; seed <= 400 && planted < 60; ++seed) {
            const Case test = made(seed);
            const auto policy = policy_of(seed);
            const auto result = run(test.program, test.machine, test.launch,
                                    {seed, all_draws[seed % 4], {}}, policy);
            Log log{test, result.events, Dice{seed}};
            if (!plant.plant(log)) continue;
            ++planted;
            std::stable_sort(log.events.begin(), log.events.end(),
                             [](const Event& a, const Event& b) {
                                 const auto cycle = [](const auto& what) { return what.cycle; };
                                 return std::visit(cycle, a) < std::visit(cycle, b);
                             });
            const auto found = violations(test.program.kernel(test.launch), test.machine, policy,
                                          {log.events, result.observation.execution_time.count()});
            const bool named = std::any_of(found.begin(), found.end(), [&](const auto& text) {
                return text.rfind(plant.rule, 0) == 0;
            });
            EXPECT_TRUE(named) << plant.name << ", seed " << seed << ": "
                               << testing::PrintToString(found);
        }
        EXPECT_GE(planted, 20) << plant.name;
    }
}

} // namespace warpbound::tests
