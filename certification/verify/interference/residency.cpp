#include "certification/verify/interference/residency.hpp"

#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::certification::verify {

namespace {

std::int64_t occupancy_limit(const KernelCase& kernel, const char* name, std::int64_t least = 1) {
    return exact_number(kernel, kernel.architecture.limits, "limits", name, least);
}

std::int64_t ceiling(std::int64_t amount, std::int64_t unit) {
    return amount / unit + (amount % unit == 0 ? 0 : 1);
}

/// Registers of a thread: those that the launch states, or with several blocks the listing; none:
/// unknown.
std::optional<std::int64_t> registers_of(const KernelCase& kernel) {
    if (kernel.launch.registers) return kernel.launch.registers;
    const auto& listed = kernel.function->register_count;
    if (kernel.launch.blocks > 1 && listed && *listed > 0) return *listed;
    return std::nullopt;
}

/// Shared memory of a block, from the same sources.
std::optional<std::int64_t> shared_memory_of(const KernelCase& kernel) {
    const bool listed = !kernel.launch.shared_memory && kernel.launch.blocks > 1;
    return listed ? kernel.function->shared_memory : kernel.launch.shared_memory;
}

/// Registers that are allocated to a warp in its partition.
std::int64_t registers_of_warp(const KernelCase& kernel, std::int64_t of_thread) {
    const auto& machine = kernel.architecture;
    std::int64_t unit = occupancy_limit(kernel, "register-granularity");
    // sm_20 and sm_21 allocate these counts in units of twice the size.
    constexpr std::array<std::int64_t, 8> doubled{21, 22, 29, 30, 37, 38, 45, 46};
    const bool fermi = machine.target.sm == 20 || machine.target.sm == 21;
    if (fermi && std::find(doubled.begin(), doubled.end(), of_thread) != doubled.end()) unit *= 2;
    const std::int64_t warp_size = exact_number(kernel, machine.geometry, "geometry", "warp-size");
    return ceiling((models::Cycles{of_thread} * warp_size).count(), unit) * unit;
}

std::int64_t blocks_by_registers(const KernelCase& kernel, std::int64_t warps,
                                 std::int64_t of_thread) {
    if (of_thread > occupancy_limit(kernel, "registers-per-thread")) return 0;
    const std::int64_t of_warp = registers_of_warp(kernel, of_thread);
    const std::int64_t partitions = occupancy_limit(kernel, "register-partitions");
    // A block's warps count as a multiple of the number of partitions.
    const std::int64_t counted = ceiling(warps, partitions) * partitions;
    if (of_warp > occupancy_limit(kernel, "registers-per-block") / counted) return 0;
    // Warps are allocated to the partitions in cyclic order, the same number to each.
    const std::int64_t resident_warps =
        occupancy_limit(kernel, "registers") / partitions / of_warp * partitions;
    return resident_warps / warps;
}

std::int64_t blocks_by_shared_memory(const KernelCase& kernel, std::int64_t bytes) {
    if (bytes > occupancy_limit(kernel, "shared-memory-per-block")) return 0;
    const std::int64_t unit = occupancy_limit(kernel, "shared-granularity");
    const std::int64_t taken =
        ceiling(bytes + occupancy_limit(kernel, "shared-reserved", 0), unit) * unit;
    return taken == 0 ? largest_exact_number : occupancy_limit(kernel, "shared-memory") / taken;
}

} // namespace

std::int64_t resident_blocks(const KernelCase& kernel, std::int64_t warps_per_block) {
    std::int64_t resident = kernel.launch.blocks;
    const auto limit_to = [&](std::int64_t blocks, const char* what) {
        if (blocks < 1)
            throw Finding{
                Verdict::Failed,
                fmt::format("{}: no block fits on a multiprocessor: it is limited by its {}",
                            kernel.id, what)};
        resident = std::min(resident, blocks);
    };
    if (kernel.launch.blocks * warps_per_block > 1)
        limit_to(occupancy_limit(kernel, "max-warps") / warps_per_block, "warps");
    // A work-group of one wavefront needs no barrier, of which there are max-blocks (C104).
    const bool needs_place = !is_amd(kernel.architecture.target) || warps_per_block > 1;
    if (kernel.launch.blocks > 1 && needs_place)
        limit_to(occupancy_limit(kernel, "max-blocks"), "block slots");
    if (const auto registers = registers_of(kernel))
        limit_to(blocks_by_registers(kernel, warps_per_block, *registers), "registers");
    if (const auto bytes = shared_memory_of(kernel))
        limit_to(blocks_by_shared_memory(kernel, *bytes), "shared memory");
    return resident;
}

} // namespace warpbound::certification::verify
