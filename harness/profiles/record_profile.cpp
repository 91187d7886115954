#include "harness/profiles/record_profile.hpp"

#include "harness/protocol/quantity.hpp"

#include <fmt/format.h>

namespace warpbound::harness::profiles {

namespace {

SeriesKey key_of(const Profile& profile, const ProfiledSeries& series,
                 const KernelDigest& kernel_digest) {
    SeriesKey key;
    key.name = series.name;
    key.device = fmt::format("profiled:{}", series.device.empty() ? "GPU" : series.device);
    key.device_detail = profile.profiler;
    key.protocol = profile.conditions.empty() ? "as profiled; clock not recorded"
                                              : "as profiled; " + profile.conditions;
    // Kernels of one name and other symbols are other series.
    if (!series.mangled.empty() && series.mangled != series.name)
        key.protocol += "; symbol " + series.mangled;
    if (kernel_digest) key.kernel_digest = kernel_digest(series);
    key.launch = series.launch;
    key.quantity = profiled_time;
    return key;
}

std::vector<Sample> samples_of(const ProfiledSeries& series) {
    std::vector<Sample> samples;
    samples.reserve(series.times.size());
    for (const std::int64_t time : series.times) {
        Sample sample;
        sample.run = static_cast<std::int64_t>(samples.size());
        sample.times = {time};
        samples.push_back(std::move(sample));
    }
    return samples;
}

} // namespace

Result<void> record_profile(const Profile& profile, Campaign& campaign,
                            const KernelDigest& kernel_digest) {
    return campaign.in_one_transaction([&]() -> Result<void> {
        const auto list = campaign.list();
        if (!list) return list.as_failure();
        if (!list.value().empty())
            return Failure{"a profile is imported into a campaign without series"};
        for (const auto& series : profile.series) {
            const auto recorded = campaign.series(key_of(profile, series, kernel_digest));
            if (!recorded) return recorded.as_failure();
            if (auto added = campaign.append(recorded.value().id, samples_of(series)); !added)
                return added;
        }
        return boost::outcome_v2::success();
    });
}

} // namespace warpbound::harness::profiles
