#include "harness/suite/launch_limits.hpp"

#include "harness/suite/amd/amd_semaphore.hpp"
#include "harness/suite/emission/ptx_semaphore.hpp"
#include "harness/suite/measure_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace warpbound::harness {

namespace {

constexpr const char* registers_axis = "registers";

/// Sets one axis of a launch.
struct LaunchAxis {
    const char* name;
    std::int64_t most; ///< Largest value that is tried.
    void (*set)(models::Launch&, std::int64_t);
};

constexpr LaunchAxis launch_axes[]{
    {"threads", 4096, [](models::Launch& launch, std::int64_t value) { launch.threads = value; }},
    {"blocks", std::int64_t{1} << 20U, // Each warp on a card stores a record.
     [](models::Launch& launch, std::int64_t value) { launch.blocks = value; }},
    {registers_axis, 1024,
     [](models::Launch& launch, std::int64_t value) { launch.registers = value; }},
    {"shared-memory", std::int64_t{1} << 20U,
     [](models::Launch& launch, std::int64_t value) { launch.shared_memory = value; }},
};

/// Whether only a run shows that the device accepts a launch.
bool shows_by_running(const Device& device) {
    return device.compiles() && !device.replays();
}

/// Why the device does not accept the point; empty: it does.
std::optional<std::string> refusal_of(const Device& device, const BenchmarkPoint& point) {
    Protocol once;
    once.warm_up = 0;
    once.repetitions = 1;
    const auto run = PointRun::prepare(device, point, once);
    if (!run) return run.error().what;
    if (!shows_by_running(device)) return std::nullopt;
    if (const auto begun = run.value()->begin(nullptr); !begun) return begun.error().what;
    if (const auto ran = run.value()->series().advance(1, 1, {}); !ran) return ran.error().what;
    const auto samples = run.value()->series().take().samples;
    if (samples.empty()) return "no run was made";
    const Remark& remark = samples.front().remark;
    const bool ran = gives_times(remark.anomaly) || remark.anomaly == RunAnomaly::Clock;
    return ran ? std::nullopt : std::optional{remark.text};
}

/// Replaces the code by one with the given number of registers; only kernels of blocks that wait
/// for each other can state it to the compiler. Returns why there is no such code; empty: there is.
std::optional<std::string> take_registers(BenchmarkPoint& point, const Device& device,
                                          std::int64_t value) {
    const auto machine = device.machine();
    if (!machine) return machine.error().what;
    const assembly::Target target = machine.value().target;
    auto kernel = is_amd(target) ? emit_amd_semaphore(point.ptx->entry, target, value)
                                 : emit_semaphore(point.ptx->entry, target, value);
    if (!kernel) return kernel.error().what;
    point.ptx = std::move(kernel).value();
    point.quantity = Quantity::ResidentBlocks;
    return std::nullopt;
}

LaunchLimit limit_along(const LaunchAxis& axis, const Device& device, BenchmarkPoint point) {
    LaunchLimit limit{axis.name, 0, {}, 0};
    const bool by_code = point.ptx && std::string_view{axis.name} == registers_axis;
    const std::int64_t least = by_code ? least_semaphore_registers : 1;
    const auto refusal = [&](std::int64_t value) {
        axis.set(point.launch, value);
        ++limit.tried;
        if (by_code)
            if (auto why = take_registers(point, device, value)) return why;
        return refusal_of(device, point);
    };
    std::int64_t taken = least - 1;
    std::int64_t refused = axis.most + 1;
    // Double first, so that no launch is tried that is much larger than the limit.
    for (std::int64_t value = least; taken < axis.most && refused > axis.most;
         value = std::min(2 * value, axis.most)) {
        if (auto why = refusal(value)) {
            refused = value;
            limit.refusal = std::move(*why);
        } else {
            taken = value;
        }
    }
    while (refused - taken > 1) {
        const std::int64_t middle = taken + (refused - taken) / 2;
        if (auto why = refusal(middle)) {
            refused = middle;
            limit.refusal = std::move(*why);
        } else {
            taken = middle;
        }
    }
    limit.largest = taken < least ? 0 : taken;
    return limit;
}

} // namespace

Result<std::vector<LaunchLimit>> find_launch_limits(const Device& device) {
    const auto points = points_for(device, "empty-region");
    if (!points) return points.as_failure();
    BenchmarkPoint point = points.value().front();
    // Clocks of several blocks have no common zero.
    point.quantity = Quantity::ExecutionTime;
    std::vector<LaunchLimit> limits;
    for (const auto& axis : launch_axes) {
        limits.push_back(limit_along(axis, device, point));
        if (!shows_by_running(device)) continue;
        if (const auto why = refusal_of(device, point))
            return Failure{
                fmt::format("limit of {}: now one warp is refused too: {}", axis.name, *why),
                device.identity().name};
    }
    return limits;
}

} // namespace warpbound::harness
