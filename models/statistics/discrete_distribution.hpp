#pragma once
/// \file
/// Distributions of whole numbers by their exceedances, and sums and maxima of them under known and
/// unknown dependence.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpbound::models {

/// How quantities depend on each other.
enum class Dependence {
    Unknown,     ///< In any way: the worst of all joint distributions is taken.
    Independent, ///< Not at all.
    Comonotone,  ///< All grow together: each is an increasing function of one quantity.
};
/// "unknown", "independent", "comonotone".
std::string_view to_string(Dependence dependence);

/// From `value` up to the value of the next step, P(X > x) is at most `above`.
struct ExceedanceStep {
    std::int64_t value = 0;
    double above = 0;
};

/// An upper bound on P(X > x) for each x, as a step function; 1 below the first step.
/// `Side:` upper. Every operation rounds exceedances up and values to larger ones.
/// Sound when: the exceedances that it was made of are upper ones; those of samples are estimates.
class DiscreteDistribution {
public:
    /// Steps that are kept; more are merged upward, which adds less than one in so many.
    static constexpr std::size_t most_steps = 1024;

    static DiscreteDistribution constant(std::int64_t value);
    /// The empirical distribution. Requires: samples.
    static DiscreteDistribution of_samples(std::span<const std::int64_t> samples);

    /// Upper bound on P(X > value).
    [[nodiscard]] double exceedance(std::int64_t value) const;
    /// By growing values; exceedances fall, the last one is 0.
    [[nodiscard]] const std::vector<ExceedanceStep>& steps() const { return steps_; }

    /// X + value. Errors: `std::overflow_error`.
    [[nodiscard]] DiscreteDistribution plus(std::int64_t value) const;
    /// min(X, largest).
    [[nodiscard]] DiscreteDistribution limited(std::int64_t largest) const;
    /// Upper edge of a confidence band: exceedances grow by `epsilon`; what exceeds all steps is at
    /// `largest`. Requires: largest is at least the last value.
    [[nodiscard]] DiscreteDistribution raised(double epsilon, std::int64_t largest) const;

private:
    friend DiscreteDistribution sum(const DiscreteDistribution& x, const DiscreteDistribution& y,
                                    Dependence dependence);
    friend DiscreteDistribution maximum(const DiscreteDistribution& x,
                                        const DiscreteDistribution& y, Dependence dependence);
    /// Keeps steps that lower the exceedance, at most `most_steps` + 1.
    explicit DiscreteDistribution(const std::vector<ExceedanceStep>& steps);

    std::vector<ExceedanceStep> steps_;
};

/// X + Y. Independent: convolution. Comonotone: quantiles add. Unknown: the smallest
/// P(X > x) + P(Y > d - x) over x, which no joint distribution exceeds and one attains; of three
/// and more quantities, the standard bound, which need not be attained.
/// Errors: `std::overflow_error`.
/// Source: Makarov 1981; Rüschendorf 1982, theorem 1 (attained); Embrechts and Puccetti 2006
/// (standard bounds of several quantities).
DiscreteDistribution sum(const DiscreteDistribution& x, const DiscreteDistribution& y,
                         Dependence dependence);

/// The larger of X and Y. Independent: also an upper bound where X and Y are sums that share
/// independent parts, for these are associated. Unknown: exceedances add.
/// Source: Esary, Proschan and Walkup 1967, theorem 5.1 (associated quantities); Boole's
/// inequality.
DiscreteDistribution maximum(const DiscreteDistribution& x, const DiscreteDistribution& y,
                             Dependence dependence);

} // namespace warpbound::models
