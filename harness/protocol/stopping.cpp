#include "harness/protocol/stopping.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <map>

namespace warpbound::harness {

namespace {

constexpr std::int64_t fewest_times = 32;
constexpr double spread_confidence = 0.95;
constexpr double default_share = 0.005;
constexpr double default_bits = 0.02;

class FixedCount final : public StoppingRule {
public:
    explicit FixedCount(std::int64_t runs) : runs_{runs} {}
    void observe(std::optional<std::int64_t>) override { ++observed_; }
    [[nodiscard]] bool has_enough() const override { return observed_ >= runs_; }

private:
    std::int64_t runs_;
    std::int64_t observed_ = 0;
};

/// A rule that tests the times periodically.
class PeriodicRule : public StoppingRule {
public:
    void observe(std::optional<std::int64_t> time) final {
        if (!time) return;
        ++times_;
        add(*time);
        if (times_ < next_test_) return;
        next_test_ = times_ + times_ / 8;
        satisfied_ = satisfied_ || satisfied();
    }
    [[nodiscard]] bool has_enough() const final { return satisfied_; }

protected:
    [[nodiscard]] std::int64_t times() const { return times_; }

private:
    virtual void add(std::int64_t time) = 0;
    [[nodiscard]] virtual bool satisfied() const = 0;

    std::int64_t times_ = 0;
    std::int64_t next_test_ = fewest_times;
    bool satisfied_ = false;
};

class RelativeSpread final : public PeriodicRule {
public:
    explicit RelativeSpread(double share) : share_{share} {}

private:
    /// Uses differences to the first time: a large offset would cost precision (Welford 1962).
    void add(std::int64_t time) override {
        if (times() == 1) first_ = static_cast<double>(time);
        const double value = static_cast<double>(time) - first_;
        const double before = value - mean_;
        mean_ += before / static_cast<double>(times());
        squares_ += before * (value - mean_);
    }
    [[nodiscard]] bool satisfied() const override {
        const auto n = static_cast<double>(times());
        const boost::math::students_t reference{n - 1};
        const double factor = boost::math::quantile(reference, (1 + spread_confidence) / 2);
        return factor * std::sqrt(squares_ / (n - 1) / n) <= share_ * std::abs(first_ + mean_);
    }

    double share_;
    double first_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

class StableExtremes final : public PeriodicRule {
    void add(std::int64_t time) override {
        if (times() > 1 && best_ <= time && time <= worst_) return;
        best_ = times() == 1 ? time : std::min(best_, time);
        worst_ = times() == 1 ? time : std::max(worst_, time);
        last_new_ = times();
    }
    [[nodiscard]] bool satisfied() const override { return last_new_ <= times() / 2; }

    std::int64_t best_ = 0;
    std::int64_t worst_ = 0;
    std::int64_t last_new_ = 0; ///< Number of times observed up to the last new extreme.
};

class SettledEntropy final : public PeriodicRule {
public:
    explicit SettledEntropy(double bits) : bits_{bits} {}

private:
    static constexpr std::size_t window = 64;

    void add(std::int64_t time) override {
        std::int64_t& count = counts_[time];
        weighted_ += weight(count + 1) - weight(count);
        ++count;
        const auto n = static_cast<double>(times());
        entropies_.push_back(std::log2(n) - weighted_ / n);
        if (entropies_.size() > window) entropies_.pop_front();
    }
    [[nodiscard]] bool satisfied() const override {
        if (entropies_.size() < window) return false;
        const auto [least, most] = std::minmax_element(entropies_.begin(), entropies_.end());
        return *most - *least <= bits_;
    }
    static double weight(std::int64_t count) {
        return count == 0 ? 0 : static_cast<double>(count) * std::log2(static_cast<double>(count));
    }

    double bits_;
    std::map<std::int64_t, std::int64_t> counts_;
    double weighted_ = 0;          ///< Sum of count * log2(count).
    std::deque<double> entropies_; ///< After each of the last runs. `Unit:` bit.
};

/// A positive number, a percentage as a fraction; 0 if the text is neither.
double positive(std::string_view text) {
    const bool percent = !text.empty() && text.back() == '%';
    if (percent) text.remove_suffix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return 0;
    if (percent) value /= 100;
    return value > 0 && value < 1e6 ? value : 0;
}

} // namespace

Result<StopCriterion> read_stop(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const bool alone = colon == std::string_view::npos;
    const auto threshold = [&](double otherwise) {
        return alone ? otherwise : positive(text.substr(colon + 1));
    };
    if (name == "fixed" && alone) return StopCriterion{};
    if (name == "extremes" && alone) return StopCriterion{StopKind::Extremes, 0};
    if (name == "spread" && threshold(default_share) > 0)
        return StopCriterion{StopKind::Spread, threshold(default_share)};
    if (name == "entropy" && threshold(default_bits) > 0)
        return StopCriterion{StopKind::Entropy, threshold(default_bits)};
    return Failure{fmt::format("no stopping rule '{}'; expected fixed, spread:SHARE% of the mean, "
                               "extremes or entropy:BITS",
                               text),
                   "--stop"};
}

std::string to_string(const StopCriterion& criterion) {
    switch (criterion.kind) {
    case StopKind::Fixed:
        return "fixed";
    case StopKind::Spread:
        return fmt::format("spread:{}%", criterion.threshold * 100);
    case StopKind::Extremes:
        return "extremes";
    case StopKind::Entropy:
        break;
    }
    return fmt::format("entropy:{}", criterion.threshold);
}

std::unique_ptr<StoppingRule> make_rule(const StopCriterion& criterion, std::int64_t runs) {
    switch (criterion.kind) {
    case StopKind::Fixed:
        return std::make_unique<FixedCount>(runs);
    case StopKind::Spread:
        return std::make_unique<RelativeSpread>(criterion.threshold);
    case StopKind::Extremes:
        return std::make_unique<StableExtremes>();
    case StopKind::Entropy:
        break;
    }
    return std::make_unique<SettledEntropy>(criterion.threshold);
}

} // namespace warpbound::harness
