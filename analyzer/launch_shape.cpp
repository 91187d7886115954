#include "analyzer/launch_shape.hpp"

#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_warps = std::int64_t{1} << 20U;

Result<std::int64_t> count_of(const models::Architecture& architecture,
                              const models::ValueGroup& group, const char* path,
                              const char* value) {
    const auto interval = models::require(architecture, group, path, value);
    if (!interval) return interval.as_failure();
    if (!interval.value().is_exact() || interval.value().lo < 1 || interval.value().lo > most_warps)
        return Failure{fmt::format("{}/{} is {}..{}; expected one number of at least 1", path,
                                   value, interval.value().lo, interval.value().hi),
                       architecture.name};
    return interval.value().lo;
}

} // namespace

Result<LaunchShape> shape_of(const models::Launch& launch,
                             const models::Architecture& architecture) {
    const auto count = [&](const models::ValueGroup& group, const char* path, const char* value) {
        return count_of(architecture, group, path, value);
    };
    const auto warp_size = count(architecture.geometry, "geometry", "warp-size");
    if (!warp_size) return warp_size.as_failure();
    const auto slot =
        models::require(architecture, architecture.schedulers, "schedulers", "issue-slot");
    if (!slot) return slot.as_failure();
    LaunchShape shape;
    shape.blocks = launch.blocks;
    shape.warps_per_block = launch.warps_per_block(warp_size.value());
    shape.issue_slot = slot.value();
    if (shape.blocks > most_warps || shape.warps_per_block > most_warps ||
        shape.warps() > most_warps)
        return Failure{
            fmt::format("launch {} has more than {} warps", models::to_string(launch), most_warps),
            "--launch"};
    if (shape.warps() == 1) return shape;
    const auto schedulers = count(architecture.schedulers, "schedulers", "count");
    if (!schedulers) return schedulers.as_failure();
    shape.schedulers = schedulers.value();
    const auto most = count(architecture.limits, "limits", "max-warps");
    if (!most) return most.as_failure();
    shape.resident = most.value() / shape.warps_per_block;
    if (shape.resident == 0)
        return Failure{fmt::format("a block of {} warps does not fit a multiprocessor of {} warps",
                                   shape.warps_per_block, most.value()),
                       architecture.name};
    if (shape.blocks > 1) {
        const auto most_blocks = count(architecture.limits, "limits", "max-blocks");
        if (!most_blocks) return most_blocks.as_failure();
        shape.resident = std::min(shape.resident, most_blocks.value());
    }
    shape.resident = std::min(shape.resident, shape.blocks);
    if (shape.waves() == 1) return shape;
    const auto replacement =
        models::require(architecture, architecture.blocks, "blocks", "replacement");
    if (!replacement) return replacement.as_failure();
    const auto start = models::require(architecture, architecture.blocks, "blocks", "start");
    if (!start) return start.as_failure();
    const auto sum = [](std::int64_t a, std::int64_t b) {
        return (models::Cycles{a} + models::Cycles{b}).count();
    };
    shape.refill.lo = sum(replacement.value().lo, start.value().lo);
    shape.refill.hi = sum(replacement.value().hi, start.value().hi);
    return shape;
}

} // namespace warpbound::analyzer
