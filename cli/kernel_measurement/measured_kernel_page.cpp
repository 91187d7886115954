#include "cli/kernel_measurement/measured_kernel.hpp"
#include "cli/recordings/campaign_page.hpp"

#include <fmt/format.h>

namespace warpbound::cli {

namespace {

certification::HeldRuns held_runs(const KernelBound& bound, const MeasuredRelease& release) {
    certification::HeldRuns held;
    held.key = release.key;
    held.release = release.release;
    held.bound = fmt::format("bounds {}..{} cycles on {}, under {} assumptions, which warpbound "
                             "bound lists",
                             bound.cycles.lower().count(), bound.cycles.upper().count(),
                             bound.machine, bound.assumptions);
    held.not_held = release.not_checked;
    if (!release.check) return held;
    const BoundCheck& check = *release.check;
    held.clock = check.clock;
    held.lower = check.lower;
    held.upper = check.upper;
    held.inside = check.inside;
    held.below = check.below;
    held.above = check.above;
    held.undecided = check.undecided;
    return held;
}

} // namespace

Exit write_kernel_page(const MeasuredKernel& measured, const KernelMeasurement& measurement) {
    const auto campaign = harness::Campaign::open_existing(measurement.campaign);
    if (!campaign) return refuse(campaign.error());
    std::vector<certification::HeldRuns> held;
    for (const auto& release : measured.releases)
        if (measured.bound) held.push_back(held_runs(*measured.bound, release));
    return write_campaign_page(*campaign.value(), measurement.campaign, measurement.report,
                               std::move(held));
}

} // namespace warpbound::cli
