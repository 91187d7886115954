#include "harness/protocol/rounds.hpp"

#include "assembly/support/stop_token.hpp"
#include "models/statistics/resampling.hpp"

#include <algorithm>

namespace warpbound::harness {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_records{250};

/// Runs of a series in a campaign round: few if other series need runs too. A long series uses
/// larger batches.
std::int64_t runs_of_round(std::int64_t done, bool alone) {
    return std::clamp<std::int64_t>(done / 8, alone ? 256 : 32, 8192);
}

/// The series that need more runs, in the order of the round.
std::vector<SeriesRun*> in_order(std::span<SeriesRun* const> series, std::uint64_t seed,
                                 std::uint64_t round) {
    std::vector<SeriesRun*> wanting{series.begin(), series.end()};
    std::erase_if(wanting, [](const SeriesRun* one) { return !one->wants_more(); });
    models::Resampling random{seed, "round", round};
    for (std::size_t i = 1; i < wanting.size(); ++i)
        std::swap(wanting[i], wanting[random.below(i + 1)]);
    return wanting;
}

Result<void> record_all(std::span<SeriesRun* const> series, Campaign* campaign) {
    if (campaign == nullptr) return boost::outcome_v2::success();
    return campaign->in_one_transaction([&]() -> Result<void> {
        for (auto* one : series)
            if (auto recorded = one->record(); !recorded) return recorded;
        return boost::outcome_v2::success();
    });
}

bool report(std::span<SeriesRun* const> series, const Progress& progress) {
    if (!progress) return true;
    std::int64_t done = 0;
    std::int64_t wanted = 0;
    for (const auto* one : series) {
        done += one->runs();
        wanted += one->wants_more() ? one->runs_wanted() : one->runs();
    }
    return progress(done, wanted);
}

} // namespace

Result<void> measure_in_rounds(std::span<SeriesRun* const> series, std::uint64_t seed,
                               Campaign* campaign, unsigned threads, const Progress& progress,
                               const std::function<bool()>& stop) {
    auto recorded_at = Clock::now();
    for (std::uint64_t round = 0;; ++round) {
        const auto wanting = in_order(series, seed, round);
        if (wanting.empty()) break;
        for (auto* one : wanting) {
            try {
                const auto advanced =
                    one->advance(runs_of_round(one->runs(), wanting.size() == 1), threads, stop);
                if (!advanced) {
                    if (auto recorded = record_all(series, campaign); !recorded) return recorded;
                    return advanced;
                }
            } catch (...) {
                // The exception is more informative than a failure to write the campaign.
                static_cast<void>(record_all(series, campaign));
                throw;
            }
            if ((stop && stop()) || stop_requested()) return record_all(series, campaign);
            if (Clock::now() - recorded_at < between_records) continue;
            if (auto recorded = record_all(series, campaign); !recorded) return recorded;
            recorded_at = Clock::now();
        }
        if (!report(series, progress)) break;
    }
    return record_all(series, campaign);
}

} // namespace warpbound::harness
