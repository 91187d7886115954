#include "cli/recordings/recorded_times.hpp"

#include "assembly/support/source_text.hpp"
#include "harness/campaign/campaign.hpp"
#include "harness/campaign/series_identity.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/protocol/run_order.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string_view>

namespace warpbound::cli {

namespace {

constexpr std::size_t most_listed = 12;

std::string listed(const std::vector<harness::SeriesInfo>& series) {
    std::string text;
    for (std::size_t i = 0; i < series.size() && i < most_listed; ++i)
        text += fmt::format("{}{} ({}, launch {}, {})", i == 0 ? "" : "; ", i + 1,
                            series[i].key.name, series[i].key.launch, series[i].key.quantity);
    if (series.size() > most_listed)
        text += fmt::format("; {} more (`warpbound campaign list`)", series.size() - most_listed);
    return text;
}

Result<harness::SeriesInfo> series_of(const std::vector<harness::SeriesInfo>& series,
                                      const std::string& wanted) {
    const harness::SeriesInfo* found = nullptr;
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (wanted == std::to_string(i + 1)) return series[i];
        if (series[i].key.name != wanted) continue;
        if (found != nullptr)
            return Failure{fmt::format("several series are named {}; name one by its number: {}",
                                       wanted, listed(series)),
                           "--series"};
        found = &series[i];
    }
    if (found == nullptr)
        return Failure{
            fmt::format("no series is named {}; the series are: {}", wanted, listed(series)),
            "--series"};
    return *found;
}

Result<certification::TimesInRunOrder> times_of(harness::Campaign& campaign,
                                                const harness::SeriesInfo& info) {
    const auto& key = info.key;
    const std::string unit{harness::unit_of(key.quantity)};
    if (unit != "cycles" && unit != "ns")
        return Failure{fmt::format("series {} holds {}, no times", key.name, unit), "--series"};
    const auto samples = campaign.samples(info.id);
    if (!samples) return samples.as_failure();
    // A run without end may have taken longer than every recorded time.
    if (const auto counted = harness::check_anomalies(key, samples.value(), harness::counted_runs);
        !counted)
        return counted.as_failure();
    certification::TimesInRunOrder times;
    times.unit = unit;
    times.name = fmt::format("{}, {}", key.name, key.quantity);
    times.about = fmt::format("launch {}, {} ({}), {}", key.launch, key.device, key.device_detail,
                              key.protocol);
    times.launched = harness::identity_of(key);
    times.ticks = harness::run_times(samples.value());
    std::string text = key.name + "\n";
    for (const std::int64_t ticks : times.ticks)
        text += fmt::format("{}\n", ticks);
    times.digest = assembly::digest_of(text);
    return times;
}

} // namespace

bool is_campaign(const std::string& file) {
    if (file == "-") return false;
    constexpr std::string_view magic{"SQLite format 3"};
    std::array<char, magic.size()> start{};
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened{std::fopen(file.c_str(), "rb"),
                                                                 std::fclose};
    return opened != nullptr &&
           std::fread(start.data(), 1, start.size(), opened.get()) == start.size() &&
           std::string_view{start.data(), start.size()} == magic;
}

Result<std::vector<certification::TimesInRunOrder>>
recorded_times(const std::string& file, const std::vector<std::string>& wanted) {
    const auto campaign = harness::Campaign::open_existing(file);
    if (!campaign) return campaign.as_failure();
    const auto list = campaign.value()->list();
    if (!list) return list.as_failure();
    if (wanted.empty() && list.value().size() != 1)
        return Failure{fmt::format("holds {} series; choose with --series: {}", list.value().size(),
                                   listed(list.value())),
                       file};
    std::vector<certification::TimesInRunOrder> all;
    for (const auto& name : wanted.empty() ? std::vector<std::string>{"1"} : wanted) {
        const auto info = series_of(list.value(), name);
        if (!info) return info.as_failure();
        auto times = times_of(*campaign.value(), info.value());
        if (!times) return times.as_failure();
        all.push_back(std::move(times).value());
    }
    return all;
}

} // namespace warpbound::cli
