#include "analyzer/launch_shape.hpp"

#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_warps = std::int64_t{1} << 20U;
constexpr std::int64_t most_of_a_resource = std::int64_t{1} << 40U;

/// Reads numbers of a description; remembers the first that it lacks.
class Counts {
public:
    explicit Counts(const models::Architecture& architecture) : architecture_{architecture} {}

    /// 0 when it cannot be used; `failure` says why.
    std::int64_t operator()(const models::ValueGroup& group, const char* path, const char* value,
                            std::int64_t least = 1, std::int64_t most = most_warps) {
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
        return (*this)(architecture_.limits, "limits", value, least, most_of_a_resource);
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

std::int64_t rounded_up(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / unit * unit;
}

/// On Fermi some register counts are allocated in double units (C30).
bool is_doubled(std::int64_t registers, const models::Architecture& architecture) {
    constexpr auto doubled = std::to_array<std::int64_t>({21, 22, 29, 30, 37, 38, 45, 46});
    return assembly::generation_of(architecture.target) == assembly::Generation::Fermi &&
           std::find(doubled.begin(), doubled.end(), registers) != doubled.end();
}

/// Blocks that the register file allows.
Result<std::int64_t> by_registers(const LaunchShape& shape, std::int64_t warp_size,
                                  const models::Architecture& architecture) {
    Counts counts{architecture};
    const std::int64_t partitions = counts.limit("register-partitions");
    const std::int64_t all = counts.limit("registers");
    const std::int64_t of_block = counts.limit("registers-per-block");
    const std::int64_t of_thread = counts.limit("registers-per-thread");
    const std::int64_t unit = counts.limit("register-granularity");
    if (counts.failure()) return *counts.failure();
    if (*shape.registers > of_thread) return 0;
    const std::int64_t of_warp = rounded_up(
        *shape.registers * warp_size, is_doubled(*shape.registers, architecture) ? 2 * unit : unit);
    // Of a product that might leave 64 bits only the quotient is needed.
    if (of_warp > of_block / rounded_up(shape.warps_per_block, partitions)) return 0;
    return all / partitions / of_warp * partitions / shape.warps_per_block;
}

/// Blocks that the shared memory allows.
Result<std::int64_t> by_shared_memory(const LaunchShape& shape,
                                      const models::Architecture& architecture) {
    Counts counts{architecture};
    const std::int64_t all = counts.limit("shared-memory");
    const std::int64_t of_block = counts.limit("shared-memory-per-block");
    const std::int64_t unit = counts.limit("shared-granularity");
    const std::int64_t reserved = counts.limit("shared-reserved", 0);
    if (counts.failure()) return *counts.failure();
    if (*shape.shared_memory > of_block) return 0;
    const std::int64_t taken = rounded_up(*shape.shared_memory + reserved, unit);
    return taken == 0 ? most_warps : all / taken;
}

/// Lowers `shape.resident` to what warps, blocks, registers and shared memory allow.
std::optional<Failure> limit_residence(LaunchShape& shape, std::int64_t warp_size,
                                       const models::Architecture& architecture) {
    const auto limit = [&](const Result<std::int64_t>& blocks,
                           std::string_view resource) -> std::optional<Failure> {
        if (!blocks) return blocks.error();
        shape.resident = std::min(shape.resident, blocks.value());
        if (blocks.value() > 0) return std::nullopt;
        return Failure{fmt::format("a block of {} warps does not fit a multiprocessor: {}",
                                   shape.warps_per_block, resource),
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

} // namespace

Result<LaunchShape> shape_of(const models::Launch& launch, const assembly::Function& function,
                             const models::Architecture& architecture) {
    Counts count{architecture};
    const std::int64_t warp_size = count(architecture.geometry, "geometry", "warp-size");
    if (count.failure()) return *count.failure();
    const auto slot =
        models::require(architecture, architecture.schedulers, "schedulers", "issue-slot");
    if (!slot) return slot.as_failure();
    LaunchShape shape;
    shape.blocks = launch.blocks;
    shape.warps_per_block = launch.warps_per_block(warp_size);
    shape.issue_slot = slot.value();
    shape.registers = launch.registers;
    shape.shared_memory = launch.shared_memory;
    if (!shape.registers && shape.blocks > 1 && function.register_count.value_or(0) > 0)
        shape.registers = *function.register_count;
    if (shape.blocks > most_warps || shape.warps_per_block > most_warps ||
        shape.warps() > most_warps)
        return Failure{
            fmt::format("launch {} has more than {} warps", models::to_string(launch), most_warps),
            "--launch"};
    if (shape.warps() > 1) {
        shape.schedulers = count(architecture.schedulers, "schedulers", "count");
        const std::int64_t most = count(architecture.limits, "limits", "max-warps");
        if (count.failure()) return *count.failure();
        shape.resident = most / shape.warps_per_block;
        if (shape.resident == 0)
            return Failure{
                fmt::format("a block of {} warps does not fit a multiprocessor of {} warps",
                            shape.warps_per_block, most),
                architecture.name};
    }
    if (shape.blocks > 1) {
        const std::int64_t most = count(architecture.limits, "limits", "max-blocks");
        if (count.failure()) return *count.failure();
        shape.resident = std::min(shape.resident, most);
    }
    if (const auto failed = limit_residence(shape, warp_size, architecture)) return *failed;
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
