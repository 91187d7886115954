#pragma once
/// \file
/// Judges a rule by observed workloads. A violation is claimed only where the observed times leave
/// no other reading; what is not seen to be violated is not thereby proved.

#include "harness/hypotheses/observed_workload.hpp"
#include "harness/hypotheses/rules.hpp"

#include <optional>
#include <string>

namespace warpbound::harness::hypotheses {

/// One comparison that failed.
struct CounterExample {
    std::string experiment{};
    std::size_t run = 0; ///< Among those of the experiment.
    std::int64_t at = 0; ///< The time that should not have been.
    std::string text{};  ///< Which blocks or operations, and their times.

    friend bool operator==(const CounterExample&, const CounterExample&) = default;
};

/// How often a rule forbade or demanded something that could have been otherwise.
struct Judgement {
    std::int64_t compared = 0;
    std::optional<CounterExample> violated{}; ///< The earliest one.
    std::string missing{};                    ///< Why nothing could be compared, if known.
};

/// Judges one run.
Judgement judge(Rule rule, const ObservedWorkload& workload);

enum class Verdict { Holds, Violated, NotTested };
/// "holds", "violated" or "not tested".
std::string_view to_string(Verdict verdict);

/// A rule on a device.
struct TestedRule {
    Rule rule = Rule::G1;
    Verdict verdict = Verdict::NotTested;
    std::int64_t compared = 0; ///< In all runs.
    std::int64_t runs = 0;     ///< In which something was compared.
    /// Of the rule's own experiment where it has one, and of its first run that has one.
    std::optional<CounterExample> counter_example{};
    std::string reason{}; ///< Why it was not tested.
};

/// Why an experiment has no observed workloads.
struct NotRun {
    std::string experiment{};
    std::string reason;
};

/// Judges a rule by all runs. `not_run`: the experiments that could not run, for the reason.
TestedRule test_rule(Rule rule, const std::vector<ObservedWorkload>& runs,
                     const std::vector<NotRun>& not_run = {});

} // namespace warpbound::harness::hypotheses
