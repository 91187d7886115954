#pragma once
/// \file
/// Stopping rules: when a series has enough runs. A rule sees only the times, in run order, so a
/// series ends after the same run whatever the interruptions and the number of threads.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

enum class StopKind {
    Fixed,    ///< The requested number of runs.
    Spread,   ///< The 95 % confidence interval of the mean has a half-width of at most a given
              ///< fraction of the mean.
    Extremes, ///< The last half of the runs brought neither a new best nor a new worst time.
    Entropy,  ///< The entropy of the times' histogram changed little over the last 64 runs (after
              ///< nvbench's entropy criterion).
};

/// A rule and its threshold: a fraction of the mean for `Spread`, bits for `Entropy`; unused for
/// the others.
struct StopCriterion {
    StopKind kind = StopKind::Fixed;
    double threshold = 0;

    friend bool operator==(const StopCriterion&, const StopCriterion&) = default;
};
/// "fixed", "spread:0.5%", "extremes", "entropy:0.02". Refuses any other text, stating what was
/// expected; "spread" and "entropy" without a number have these thresholds.
Result<StopCriterion> read_stop(std::string_view text);
std::string to_string(const StopCriterion& criterion);

/// Observes the runs of a series, from the first one on.
class StoppingRule {
public:
    StoppingRule() = default;
    StoppingRule(const StoppingRule&) = delete;
    StoppingRule& operator=(const StoppingRule&) = delete;
    virtual ~StoppingRule() = default;

    /// Adds the largest time of the next run; empty if the run has no valid times.
    virtual void observe(std::optional<std::int64_t> time) = 0;
    /// Whether the observed runs are enough. All rules but `Fixed` need 32 times, and test again
    /// only after an eighth more: a test after every run would stop at a random fluctuation.
    [[nodiscard]] virtual bool has_enough() const = 0;
};

/// `runs`: the requested number.
std::unique_ptr<StoppingRule> make_rule(const StopCriterion& criterion, std::int64_t runs);

} // namespace warpbound::harness
