#include "analyzer/launch/launch_geometry.hpp"

#include "models/formulas/occupancy.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t max_count = std::int64_t{1} << 20U; ///< Of a description.
/// Of a launch: sums of warps stay far from overflow; products of times are checked.
constexpr models::Warps max_warps{std::int64_t{1} << 52U};
constexpr std::int64_t max_of_a_resource = std::int64_t{1} << 40U;

/// Reads numbers of a description; keeps the first failure.
class GeometryValues {
public:
    explicit GeometryValues(const models::Architecture& architecture)
        : architecture_{architecture} {}

    /// 0 when it cannot be used; `failure` says why.
    std::int64_t operator()(const models::ValueGroup& group, const char* path, const char* value,
                            std::int64_t least = 1, std::int64_t most = max_count) {
        const auto interval = models::require(architecture_, group, path, value);
        if (!interval) return fail(interval.error());
        if (interval.value().is_exact() && interval.value().lo >= least &&
            interval.value().lo <= most)
            return interval.value().lo;
        return fail(
            Failure{fmt::format("{}/{} is {}..{}; expected one number {} to {}", path, value,
                                interval.value().lo, interval.value().hi, least, most),
                    architecture_.name});
    }
    std::int64_t limit(const char* value, std::int64_t least = 1) {
        return (*this)(architecture_.limits, "limits", value, least, max_of_a_resource);
    }
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    std::int64_t fail(const Failure& failure) {
        if (!failure_) failure_ = failure;
        return 0;
    }

    const models::Architecture& architecture_;
    std::optional<Failure> failure_;
};

/// Occupancy limit by registers.
Result<std::int64_t> by_registers(const LaunchGeometry& shape, std::int64_t warp_size,
                                  const models::Architecture& architecture) {
    GeometryValues counts{architecture};
    models::occupancy::Limits limits;
    limits.register_partitions = counts.limit("register-partitions");
    limits.registers = counts.limit("registers");
    limits.registers_per_block = counts.limit("registers-per-block");
    limits.registers_per_thread = counts.limit("registers-per-thread");
    limits.register_unit = counts.limit("register-granularity");
    limits.fermi_register_rule =
        !is_amd(architecture.target) &&
        assembly::generation_of(architecture.target) == assembly::Generation::Fermi;
    if (counts.failure()) return *counts.failure();
    return models::occupancy::blocks_by_registers(*shape.registers, shape.warps_per_block.count(),
                                                  warp_size, limits);
}

/// Occupancy limit by shared memory.
Result<std::int64_t> by_shared_memory(const LaunchGeometry& shape,
                                      const models::Architecture& architecture) {
    GeometryValues counts{architecture};
    models::occupancy::Limits limits;
    limits.shared_memory = counts.limit("shared-memory");
    limits.shared_per_block = counts.limit("shared-memory-per-block");
    limits.shared_unit = counts.limit("shared-granularity");
    limits.shared_reserved = counts.limit("shared-reserved", 0);
    if (counts.failure()) return *counts.failure();
    return models::occupancy::blocks_by_shared_memory(*shape.shared_memory, limits)
        .value_or(max_count);
}

/// Lowers `shape.resident` to what warps, blocks, registers and shared memory allow.
std::optional<Failure> limit_residency(LaunchGeometry& shape, std::int64_t warp_size,
                                       const models::Architecture& architecture) {
    const auto limit = [&](const Result<std::int64_t>& blocks,
                           std::string_view resource) -> std::optional<Failure> {
        if (!blocks) return blocks.error();
        shape.resident = std::min(shape.resident, models::ThreadBlocks{blocks.value()});
        if (blocks.value() > 0) return std::nullopt;
        return Failure{fmt::format("a block of {} warps does not fit a multiprocessor: {}",
                                   shape.warps_per_block.count(), resource),
                       architecture.name};
    };
    if (shape.registers)
        if (auto failed = limit(by_registers(shape, warp_size, architecture),
                                fmt::format("{} registers a thread", *shape.registers)))
            return failed;
    if (shape.shared_memory)
        return limit(by_shared_memory(shape, architecture),
                     fmt::format("{} bytes of shared memory", *shape.shared_memory));
    return std::nullopt;
}

/// Where blocks go to an SM with the most room and all of them start at once, no SM gets more than
/// an even share (C98).
std::optional<Failure> share_evenly(LaunchGeometry& shape,
                                    const models::Architecture& architecture) {
    const models::SourcedValue* stated = architecture.blocks.find("most-room");
    if (shape.waves() > 1 || stated == nullptr || !stated->interval) return std::nullopt;
    GeometryValues value{architecture};
    shape.shares_evenly = value(architecture.blocks, "blocks", "most-room", 0, 1) == 1;
    if (shape.shares_evenly) shape.resident = shape.share();
    return value.failure();
}

} // namespace

Result<LaunchGeometry> launch_geometry(const models::Launch& launch,
                                       const assembly::Function& function,
                                       const models::Architecture& architecture,
                                       std::int64_t multiprocessors) {
    GeometryValues count{architecture};
    const std::int64_t warp_size = count(architecture.geometry, "geometry", "warp-size");
    const std::int64_t present =
        multiprocessors == 1 ? 1 : count(architecture.geometry, "geometry", "multiprocessors");
    if (count.failure()) return *count.failure();
    if (multiprocessors < 1 || multiprocessors > present)
        return Failure{fmt::format("a launch on {} multiprocessors; expected 1 to "
                                   "geometry/multiprocessors, which is {}",
                                   multiprocessors, present),
                       architecture.name};
    const auto slot =
        models::require(architecture, architecture.schedulers, "schedulers", "issue-slot");
    if (!slot) return slot.as_failure();
    LaunchGeometry shape;
    shape.blocks = models::ThreadBlocks{launch.blocks};
    shape.multiprocessors = multiprocessors;
    shape.threads_per_block = launch.threads;
    shape.warps_per_block = models::Warps{launch.warps_per_block(warp_size)};
    shape.issue_slot = slot.value();
    shape.registers = launch.registers;
    shape.shared_memory = launch.shared_memory;
    if (!shape.registers && !shape.has_one_block() && function.register_count.value_or(0) > 0)
        shape.registers = *function.register_count;
    if (!shape.shared_memory && !shape.has_one_block()) {
        shape.shared_memory = function.shared_memory;
        shape.static_shared_memory = shape.shared_memory.has_value();
    }
    if (shape.warps_per_block > models::Warps{max_count} ||
        shape.blocks > models::ThreadBlocks{max_warps / shape.warps_per_block})
        return Failure{fmt::format("launch {} has more than {} warps", models::to_string(launch),
                                   max_warps.count()),
                       "--launch"};
    if (!shape.has_one_warp()) {
        shape.schedulers = count(architecture.schedulers, "schedulers", "count");
        const models::Warps most{count(architecture.limits, "limits", "max-warps")};
        if (count.failure()) return *count.failure();
        shape.resident = models::ThreadBlocks{most / shape.warps_per_block};
        if (shape.resident == models::ThreadBlocks{0})
            return Failure{
                fmt::format("a block of {} warps does not fit a multiprocessor of {} warps",
                            shape.warps_per_block.count(), most.count()),
                architecture.name};
    }
    // A work-group of one wavefront needs no barrier, of which there are max-blocks (C104).
    if (!shape.has_one_block() &&
        (!shape.has_single_warp_blocks() || !is_amd(architecture.target))) {
        const models::ThreadBlocks most{count(architecture.limits, "limits", "max-blocks")};
        if (count.failure()) return *count.failure();
        shape.resident = std::min(shape.resident, most);
    }
    if (const auto failed = limit_residency(shape, warp_size, architecture)) return *failed;
    shape.resident = std::min(shape.resident, shape.blocks);
    if (const auto failed = share_evenly(shape, architecture)) return *failed;
    if (shape.waves() == 1) return shape;
    const auto replacement =
        models::require(architecture, architecture.blocks, "blocks", "replacement");
    if (!replacement) return replacement.as_failure();
    const auto start = models::require(architecture, architecture.blocks, "blocks", "start");
    if (!start) return start.as_failure();
    shape.refill.lo = models::plus(replacement.value().lo, start.value().lo);
    shape.refill.hi = models::plus(replacement.value().hi, start.value().hi);
    return shape;
}

} // namespace warpbound::analyzer
