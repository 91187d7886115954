#include "certification/verify/interference/launch_geometry.hpp"

#include "certification/verify/interference/residency.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

/// Blocks that all start at once are then spread evenly (C98).
bool prefers_most_room(const KernelCase& kernel) {
    const models::ValueGroup& blocks = kernel.architecture.blocks;
    const models::SourcedValue* stated = blocks.find("most-room");
    if (stated == nullptr || !stated->interval) return false;
    const std::int64_t flag = exact_number(kernel, blocks, "blocks", "most-room", 0);
    if (flag > 1)
        refuted(fmt::format("{}: blocks/most-room is {}; expected 0 or 1", kernel.id, flag));
    return flag == 1;
}

} // namespace

LaunchGeometry read_launch_geometry(const KernelCase& kernel) {
    const models::Architecture& machine = kernel.architecture;
    LaunchGeometry geometry;
    geometry.blocks = kernel.launch.blocks;
    geometry.warps_per_block = kernel.launch.warps_per_block(
        exact_number(kernel, machine.geometry, "geometry", "warp-size"));
    geometry.warps = models::times(geometry.blocks, geometry.warps_per_block);
    geometry.multiprocessors = kernel.multiprocessors;
    if (geometry.multiprocessors != 1) {
        const std::int64_t present =
            exact_number(kernel, machine.geometry, "geometry", "multiprocessors");
        if (geometry.multiprocessors < 1 || geometry.multiprocessors > present)
            refuted(fmt::format("{}: a launch on {} multiprocessors; the machine has {}", kernel.id,
                                geometry.multiprocessors, present));
    }
    geometry.issue_slot = known_value(kernel, machine.schedulers, "schedulers", "issue-slot");
    geometry.block_slots = resident_blocks(kernel, geometry.warps_per_block);
    if (geometry.warps == 1) return geometry;
    geometry.schedulers = exact_number(kernel, machine.schedulers, "schedulers", "count");
    const std::int64_t block_slots = models::times(geometry.multiprocessors, geometry.block_slots);
    geometry.waves = (geometry.blocks - 1) / block_slots + 1;
    if (geometry.waves == 1) {
        if (prefers_most_room(kernel))
            geometry.block_slots = (geometry.blocks - 1) / geometry.multiprocessors + 1;
        return geometry;
    }
    const auto replacement = known_value(kernel, machine.blocks, "blocks", "replacement");
    const auto start = known_value(kernel, machine.blocks, "blocks", "start");
    geometry.refill = {models::plus(replacement.lo, start.lo), std::nullopt,
                       models::plus(replacement.hi, start.hi)};
    return geometry;
}

LaunchGeometry only_blocks(LaunchGeometry launch, std::int64_t blocks) {
    launch.blocks = std::min(launch.blocks, blocks);
    launch.warps = models::times(launch.blocks, launch.warps_per_block);
    launch.waves =
        (launch.blocks - 1) / models::times(launch.multiprocessors, launch.block_slots) + 1;
    return launch;
}

} // namespace warpbound::certification::verify
