#include "certification/verify/interference/launch_geometry.hpp"

#include "certification/verify/interference/residency.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

namespace warpbound::certification::verify {

LaunchGeometry read_launch_geometry(const KernelCase& kernel) {
    const models::Architecture& machine = kernel.architecture;
    const auto value = [&](const models::ValueGroup& group, const char* path, const char* name) {
        const auto interval = models::require(machine, group, path, name);
        if (!interval)
            throw Finding{Verdict::Failed, kernel.id + ": " + to_string(interval.error())};
        return interval.value();
    };
    LaunchGeometry shape;
    shape.blocks = kernel.launch.blocks;
    shape.warps_per_block = kernel.launch.warps_per_block(
        exact_number(kernel, machine.geometry, "geometry", "warp-size"));
    shape.warps = models::times(shape.blocks, shape.warps_per_block);
    shape.multiprocessors = kernel.multiprocessors;
    if (shape.multiprocessors != 1) {
        const std::int64_t present =
            exact_number(kernel, machine.geometry, "geometry", "multiprocessors");
        if (shape.multiprocessors < 1 || shape.multiprocessors > present)
            throw Finding{Verdict::Failed,
                          fmt::format("{}: a launch on {} multiprocessors; the machine has {}",
                                      kernel.id, shape.multiprocessors, present)};
    }
    shape.issue_slot = value(machine.schedulers, "schedulers", "issue-slot");
    shape.resident = resident_blocks(kernel, shape.warps_per_block);
    if (shape.warps == 1) return shape;
    shape.schedulers = exact_number(kernel, machine.schedulers, "schedulers", "count");
    const std::int64_t places = models::times(shape.multiprocessors, shape.resident);
    shape.waves = (shape.blocks - 1) / places + 1;
    if (shape.waves == 1) return shape;
    const auto replacement = value(machine.blocks, "blocks", "replacement");
    const auto start = value(machine.blocks, "blocks", "start");
    shape.refill = {models::plus(replacement.lo, start.lo), std::nullopt,
                    models::plus(replacement.hi, start.hi)};
    return shape;
}

} // namespace warpbound::certification::verify
