#pragma once
/// \file
/// When a series has enough runs. Rules know the times in run order and nothing else, so a series
/// ends after the same run however it was interrupted and on whatever number of threads.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

enum class StopKind {
    Fixed,    ///< As many runs as were asked for.
    Spread,   ///< The 95 % confidence interval of the mean has a half-width of at most a share of
              ///< the mean.
    Extremes, ///< The last half of the runs brought neither a new best nor a new worst time.
    Entropy,  ///< The entropy of the times' histogram changed little over the last 64 runs (after
              ///< nvbench's entropy criterion).
};

/// A rule and its threshold: `Spread` a share of the mean, `Entropy` bits; the others have none.
struct StopCriterion {
    StopKind kind = StopKind::Fixed;
    double threshold = 0;

    friend bool operator==(const StopCriterion&, const StopCriterion&) = default;
};
/// "fixed", "spread:0.5%", "extremes", "entropy:0.02". Refuses others, saying what was expected;
/// "spread" and "entropy" alone have these thresholds.
Result<StopCriterion> read_stop(std::string_view text);
std::string to_string(const StopCriterion& criterion);

/// Listens to the runs of a series, from the first one on.
class StoppingRule {
public:
    StoppingRule() = default;
    StoppingRule(const StoppingRule&) = delete;
    StoppingRule& operator=(const StoppingRule&) = delete;
    virtual ~StoppingRule() = default;

    /// The largest time of the next run; nothing when it gave none that counts.
    virtual void hear(std::optional<std::int64_t> time) = 0;
    /// Whether the runs heard are enough. All rules but `Fixed` want 32 times, and look again only
    /// when there are an eighth more: who looks after every run finds the lucky moment.
    [[nodiscard]] virtual bool is_content() const = 0;
};

/// `runs`: those asked for.
std::unique_ptr<StoppingRule> make_rule(const StopCriterion& criterion, std::int64_t runs);

} // namespace warpbound::harness
