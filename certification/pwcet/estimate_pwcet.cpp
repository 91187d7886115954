#include "certification/pwcet/estimate_pwcet.hpp"

#include "certification/pwcet/applicability.hpp"
#include "certification/pwcet/tail_choice.hpp"
#include "models/statistics/resampling.hpp"

#include <algorithm>

namespace warpbound::certification {

namespace {

/// The seed that a user states, else one from the digest of the times.
std::uint64_t seed_of(const TimesInRunOrder& times, const PwcetRequest& request) {
    if (request.seed) return *request.seed;
    std::uint64_t seed = 0;
    for (const char letter : times.digest)
        seed = models::mix(seed ^ static_cast<unsigned char>(letter));
    return seed;
}

} // namespace

SeriesPwcet estimate_pwcet(TimesInRunOrder times, const PwcetRequest& request) {
    SeriesPwcet series;
    series.seed = seed_of(times, request);
    series.times = std::move(times);
    describe_sample(series);
    if (series.outcome == PwcetOutcome::Constant || !series.reasons.empty()) return series;
    const auto values = values_of(series.times);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    test_runs(series, values, sorted);
    series.variation = models::variation_plot(sorted, lattice_of(series));
    if (!series.reasons.empty()) return series;
    choose_extremes(series, request, values, sorted);
    if (!series.reasons.empty()) return series;
    fit_tail(series, request);
    if (!series.reasons.empty()) {
        // A refused fit is no estimate: nothing of it that could be taken for one is kept.
        series.rows.clear();
        series.fits.clear();
        series.interval_method.clear();
        return series;
    }
    series.outcome = PwcetOutcome::Estimated;
    return series;
}

std::vector<PwcetRow> envelope_of(const std::vector<SeriesPwcet>& series,
                                  const PwcetRequest& request) {
    std::vector<PwcetRow> envelope;
    for (std::size_t i = 0; i < request.probabilities.size(); ++i) {
        PwcetRow row{request.probabilities[i], models::Estimate<models::RunTime>{0}, {0, 0}};
        for (const SeriesPwcet& one : series) {
            if (one.outcome == PwcetOutcome::Refused) return {};
            const double value = one.figures.high_water_mark;
            const PwcetRow constant{
                row.probability, models::Estimate<models::RunTime>{value}, {value, value}};
            const PwcetRow& own = one.outcome == PwcetOutcome::Constant ? constant : one.rows[i];
            if (own.time.value() > row.time.value()) row.time = own.time;
            row.interval.lo = std::max(row.interval.lo, own.interval.lo);
            if (!row.interval.hi || !own.interval.hi)
                row.interval.hi.reset();
            else
                row.interval.hi = std::max(*row.interval.hi, *own.interval.hi);
        }
        envelope.push_back(row);
    }
    return envelope;
}

} // namespace warpbound::certification
