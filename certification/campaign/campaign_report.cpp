/// \file
/// Summaries of a campaign, computed from its samples.
#include "certification/campaign/campaign_report.hpp"

#include "harness/calibration/relations.hpp"
#include "harness/protocol/bootstrap.hpp"
#include "harness/suite/suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace warpbound::certification {

namespace {

constexpr std::uint64_t most_bars = 60;

/// Reads "n=5/warps=1"; empty when the text has another form.
harness::Axes axes_of(std::string_view text) {
    harness::Axes axes;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find('/'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t sign = one.find('=');
        if (sign == std::string_view::npos) return {};
        std::int64_t value = 0;
        const char* const end = one.data() + one.size();
        const auto [rest, error] = std::from_chars(one.data() + sign + 1, end, value);
        if (error != std::errc{} || rest != end) return {};
        axes.emplace_back(one.substr(0, sign), value);
    }
    return axes;
}

/// A point of a benchmark and its axes; without a benchmark, the name of a kernel.
struct PointName {
    const harness::Benchmark* benchmark = nullptr;
    harness::Axes axes;
};

PointName read_name(const std::string& name) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const harness::Axes axes =
        axes_of(std::string_view{name}.substr(std::min(end + 1, name.size())));
    for (const auto* list : {&harness::benchmarks(), &harness::benchmarks_of_encoded_machines()})
        for (const auto& benchmark : *list)
            // A kernel may be called like a benchmark, but has no axes.
            if (benchmark.name == std::string_view{name}.substr(0, end) &&
                std::equal(axes.begin(), axes.end(), benchmark.axes.begin(), benchmark.axes.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; }))
                return {&benchmark, axes};
    return {};
}

/// Bars of equal width over all times; of one cycle where they fit.
std::vector<HistogramBar> histogram_of(const std::vector<std::int64_t>& times,
                                       const harness::Summary& summary) {
    // Unsigned: the difference of two times may not fit a signed number.
    const auto above_best = [&](std::int64_t time) {
        return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(summary.best);
    };
    const std::uint64_t range = above_best(summary.worst);
    const std::uint64_t width = range / most_bars + 1;
    std::vector<HistogramBar> bars(range / width + 1);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const std::uint64_t lo = static_cast<std::uint64_t>(summary.best) + i * width;
        bars[i].lo = static_cast<std::int64_t>(lo);
        bars[i].hi = static_cast<std::int64_t>(lo + std::min(width - 1, range - i * width));
    }
    for (const std::int64_t time : times)
        ++bars[above_best(time) / width].count;
    return bars;
}

/// Where the time of a warp stands among the numbers of a run.
struct TimesOfWarps {
    std::size_t step = 1; ///< Numbers of each warp.
    std::size_t time = 0; ///< The one of them that is its time.
};

TimesOfWarps times_of_warps(const harness::SeriesKey& key) {
    if (key.quantity == to_string(harness::Quantity::Clocks)) return {2, 1};
    if (key.quantity == to_string(harness::Quantity::CheckedRegion)) return {2, 0};
    return {};
}

std::vector<WarpTimes> warps_of(const std::vector<harness::Sample>& samples,
                                const TimesOfWarps& of_warps) {
    const std::size_t step = of_warps.step;
    std::vector<WarpTimes> warps;
    std::int64_t runs = 0;
    for (const auto& sample : samples) {
        if (!counts(sample.remark.anomaly)) continue;
        const std::size_t count = sample.times.size() / step;
        if (warps.empty()) warps.resize(count);
        if (count != warps.size()) return {}; // Not of one launch.
        for (std::size_t warp = 0; warp < count; ++warp) {
            const std::int64_t time = sample.times[step * warp + of_warps.time];
            WarpTimes& of = warps[warp];
            of.best = runs == 0 ? time : std::min(of.best, time);
            of.worst = runs == 0 ? time : std::max(of.worst, time);
            of.mean += static_cast<double>(time);
        }
        ++runs;
    }
    for (auto& warp : warps)
        warp.mean /= static_cast<double>(runs);
    return warps;
}

void find_precision(CampaignPoint& point, const std::vector<std::int64_t>& times) {
    if (times.empty()) {
        point.mean_undecided = "no run gave a time that counts";
    } else if (point.summary->mean <= 0) {
        point.mean_undecided = "the mean is not above 0";
    } else if (times.size() > 1 && point.summary->distinct == 1) {
        point.mean_half_width = 0;
    } else {
        std::vector<std::vector<std::int64_t>> runs;
        runs.reserve(times.size());
        for (const std::int64_t time : times)
            runs.push_back({time});
        const auto found = harness::bootstrap(runs);
        if (found.intervals)
            point.mean_half_width =
                (found.intervals->mean.hi - found.intervals->mean.lo) / 2 / point.summary->mean;
        else
            point.mean_undecided = found.why_not;
    }
}

CampaignPoint point_of(harness::SeriesInfo series, const std::vector<harness::Sample>& samples) {
    CampaignPoint point;
    for (const auto& sample : samples)
        if (sample.remark.anomaly != harness::RunAnomaly::None &&
            ++point.anomalies[sample.remark.anomaly] == 1 && point.first_anomaly.empty())
            point.first_anomaly = fmt::format("run {}: {}", sample.run, sample.remark.text);
    const auto times = harness::run_times(samples);
    if (!times.empty()) {
        point.summary = harness::summarise(times);
        point.histogram = histogram_of(times, *point.summary);
        point.order = harness::examine(times);
    }
    find_precision(point, times);
    for (const auto quantity :
         {harness::Quantity::Region, harness::Quantity::Clocks, harness::Quantity::CheckedRegion})
        if (series.key.quantity == to_string(quantity))
            point.warps = warps_of(samples, times_of_warps(series.key));
    point.series = std::move(series);
    return point;
}

} // namespace

Result<CampaignReport> report_of(harness::Campaign& campaign, std::string file,
                                 std::string tool_version, const harness::Progress& progress) {
    CampaignReport report{std::move(file), std::move(tool_version), {}, {}};
    const auto list = campaign.list();
    if (!list) return list.as_failure();
    using GroupKey = std::tuple<std::array<std::string, 5>, std::int64_t>;
    std::map<GroupKey, std::size_t> group_of_key;
    std::map<std::array<std::string, 6>, std::int64_t> recorded; // Number of recordings by point.
    std::int64_t done = 0;
    for (const auto& series : list.value()) {
        if (progress && !progress(done++, static_cast<std::int64_t>(list.value().size())))
            return Failure{"interrupted before every series was read", report.file};
        if (series.runs == 0) continue;
        const auto samples = campaign.samples(series.id);
        if (!samples) return samples.as_failure();
        const auto& key = series.key;
        auto [benchmark, axes] = read_name(key.name);
        const std::string name = benchmark == nullptr ? key.name : benchmark->name;
        const std::string point_name = benchmark == nullptr ? key.launch : key.name;
        const std::int64_t version = ++recorded[{name, key.device, key.device_detail, key.protocol,
                                                 key.quantity, point_name}];
        const auto [group, added] = group_of_key.try_emplace(
            {{name, key.device, key.device_detail, key.protocol, key.quantity}, version},
            report.groups.size());
        if (added)
            report.groups.push_back({name,
                                     benchmark,
                                     key.device,
                                     key.device_detail,
                                     key.protocol,
                                     key.quantity,
                                     version,
                                     {}});
        auto conditions = campaign.conditions(series.id);
        if (!conditions) return conditions.as_failure();
        CampaignPoint point = point_of(series, samples.value());
        point.axes = std::move(axes);
        point.conditions = std::move(conditions).value();
        report.groups[group->second].points.push_back(std::move(point));
    }
    if (report.groups.empty()) return Failure{"holds no run", report.file};
    std::vector<harness::RunOrder*> orders;
    for (auto& group : report.groups)
        for (auto& point : group.points)
            if (point.order) orders.push_back(&*point.order);
    harness::correct(orders);
    return report;
}

} // namespace warpbound::certification
