#include "harness/protocol/bootstrap.hpp"

#include "models/statistics/resampling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

constexpr std::int64_t most_replicates = 1000;
constexpr std::int64_t fewest_replicates = 100;
constexpr std::int64_t most_times = 20'000'000;
constexpr double interval_confidence = 0.95;

/// The distinct times of a sample, and for each run the ranks of its times among them.
struct Ranked {
    std::vector<std::int64_t> distinct; ///< Increasing.
    std::vector<std::vector<std::uint32_t>> runs;
};

Ranked ranked(std::span<const std::vector<std::int64_t>> runs) {
    Ranked result;
    for (const auto& times : runs)
        result.distinct.insert(result.distinct.end(), times.begin(), times.end());
    std::sort(result.distinct.begin(), result.distinct.end());
    result.distinct.erase(std::unique(result.distinct.begin(), result.distinct.end()),
                          result.distinct.end());
    for (const auto& times : runs) {
        auto& ranks = result.runs.emplace_back();
        for (const std::int64_t time : times)
            ranks.push_back(static_cast<std::uint32_t>(
                std::lower_bound(result.distinct.begin(), result.distinct.end(), time) -
                result.distinct.begin()));
    }
    return result;
}

/// How often each distinct time was drawn.
class Replicate {
public:
    Replicate(const Ranked& sample, std::uint64_t seed, std::uint64_t number)
        : sample_{sample}, counts_(sample.distinct.size(), 0) {
        models::Resampling random{seed, "bootstrap", number};
        for (std::size_t i = 0; i < sample.runs.size(); ++i)
            for (const std::uint32_t rank : sample.runs[random.below(sample.runs.size())]) {
                ++counts_[rank];
                ++total_;
            }
    }

    /// Computed from the differences to the smallest time: a large offset would cost precision.
    [[nodiscard]] double mean() const {
        double sum = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i)
            sum += static_cast<double>(counts_[i]) *
                   static_cast<double>(static_cast<std::uint64_t>(sample_.distinct[i]) -
                                       static_cast<std::uint64_t>(sample_.distinct.front()));
        return static_cast<double>(sample_.distinct.front()) + sum / static_cast<double>(total_);
    }
    /// The smallest time that at least `percent` percent of the drawn times do not exceed.
    [[nodiscard]] double percentile(std::int64_t percent) const {
        const std::int64_t rank = std::max<std::int64_t>(1, (total_ * percent + 99) / 100);
        std::int64_t below = 0;
        std::size_t index = 0;
        while ((below += counts_[index]) < rank)
            ++index;
        return static_cast<double>(sample_.distinct[index]);
    }

private:
    const Ranked& sample_;
    std::vector<std::int64_t> counts_;
    std::int64_t total_ = 0;
};

ConfidenceInterval middle_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto outside = static_cast<std::size_t>(static_cast<double>(values.size()) *
                                                  (1 - interval_confidence) / 2);
    return {values[outside], values[values.size() - 1 - outside]};
}

} // namespace

Bootstrap bootstrap(std::span<const std::vector<std::int64_t>> runs, std::uint64_t seed) {
    if (runs.size() < 2) return {std::nullopt, fmt::format("{} runs; needs 2", runs.size())};
    std::int64_t times = 0;
    for (const auto& run : runs) {
        // A replicate could consist of such runs only.
        if (run.empty()) return {std::nullopt, "a run without times"};
        times += static_cast<std::int64_t>(run.size());
    }
    const std::int64_t replicates = std::min(most_replicates, most_times / times);
    if (replicates < fewest_replicates)
        return {std::nullopt, fmt::format("{} times; {} replicates of at most {} are computed",
                                          times, fewest_replicates, most_times)};
    const Ranked sample = ranked(runs);
    if (sample.distinct.size() == 1) return {std::nullopt, "constant"};
    std::vector<double> means;
    std::vector<double> medians;
    std::vector<double> highs;
    for (std::int64_t number = 0; number < replicates; ++number) {
        const Replicate drawn{sample, seed, static_cast<std::uint64_t>(number)};
        means.push_back(drawn.mean());
        medians.push_back(drawn.percentile(50));
        highs.push_back(drawn.percentile(99));
    }
    return {BootstrapIntervals{interval_confidence, replicates, middle_of(std::move(means)),
                               middle_of(std::move(medians)), middle_of(std::move(highs))},
            {}};
}

} // namespace warpbound::harness
