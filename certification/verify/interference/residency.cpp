#include "certification/verify/interference/residency.hpp"

#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 40U;

std::int64_t limit(const KernelCase& kernel, const char* name, std::int64_t least = 1) {
    return exact_number(kernel, kernel.architecture.limits, "limits", name, least);
}

std::int64_t ceiling(std::int64_t amount, std::int64_t unit) {
    return amount / unit + (amount % unit == 0 ? 0 : 1);
}

/// What is known of a thread: the launch's word, or with several blocks the listing's.
std::optional<std::int64_t> registers_of(const KernelCase& kernel) {
    if (kernel.launch.registers) return kernel.launch.registers;
    const auto& listed = kernel.function->register_count;
    if (kernel.launch.blocks > 1 && listed && *listed > 0) return *listed;
    return std::nullopt;
}

/// What is known of a block, likewise.
std::optional<std::int64_t> shared_memory_of(const KernelCase& kernel) {
    const bool listed = !kernel.launch.shared_memory && kernel.launch.blocks > 1;
    return listed ? kernel.function->shared_memory : kernel.launch.shared_memory;
}

/// Registers that a warp takes of its partition.
std::int64_t registers_of_warp(const KernelCase& kernel, std::int64_t of_thread) {
    const auto& machine = kernel.architecture;
    std::int64_t unit = limit(kernel, "register-granularity");
    // sm_20 and sm_21 give these counts in double units.
    constexpr std::array<std::int64_t, 8> doubled{21, 22, 29, 30, 37, 38, 45, 46};
    const bool fermi = machine.target.sm == 20 || machine.target.sm == 21;
    if (fermi && std::find(doubled.begin(), doubled.end(), of_thread) != doubled.end()) unit *= 2;
    const std::int64_t warp_size = exact_number(kernel, machine.geometry, "geometry", "warp-size");
    return ceiling((models::Cycles{of_thread} * warp_size).count(), unit) * unit;
}

std::int64_t fit_by_registers(const KernelCase& kernel, std::int64_t warps,
                              std::int64_t of_thread) {
    if (of_thread > limit(kernel, "registers-per-thread")) return 0;
    const std::int64_t of_warp = registers_of_warp(kernel, of_thread);
    const std::int64_t partitions = limit(kernel, "register-partitions");
    // The block's warps, as many as fill all partitions alike.
    const std::int64_t counted = ceiling(warps, partitions) * partitions;
    if (of_warp > limit(kernel, "registers-per-block") / counted) return 0;
    // Warps take the partitions in turn: so many fit as fill each of them.
    const std::int64_t warps_that_fit =
        limit(kernel, "registers") / partitions / of_warp * partitions;
    return warps_that_fit / warps;
}

std::int64_t fit_by_shared_memory(const KernelCase& kernel, std::int64_t bytes) {
    if (bytes > limit(kernel, "shared-memory-per-block")) return 0;
    const std::int64_t unit = limit(kernel, "shared-granularity");
    const std::int64_t taken = ceiling(bytes + limit(kernel, "shared-reserved", 0), unit) * unit;
    return taken == 0 ? most : limit(kernel, "shared-memory") / taken;
}

} // namespace

std::int64_t exact_number(const KernelCase& kernel, const models::ValueGroup& group,
                          const char* path, const char* name, std::int64_t least) {
    const auto interval = models::require(kernel.architecture, group, path, name);
    if (!interval) throw Finding{Verdict::Failed, kernel.id + ": " + to_string(interval.error())};
    const auto lo = interval.value().lo;
    const auto hi = interval.value().hi;
    if (lo != hi || lo < least || lo > most)
        throw Finding{Verdict::Failed,
                      fmt::format("{}: {}/{} is {}..{}; one number from {} to 2^40 was expected",
                                  kernel.id, path, name, lo, hi, least)};
    return lo;
}

std::int64_t resident_blocks(const KernelCase& kernel, std::int64_t warps_per_block) {
    std::int64_t resident = kernel.launch.blocks;
    const auto lower_to = [&](std::int64_t blocks, const char* what) {
        if (blocks < 1)
            throw Finding{Verdict::Failed,
                          fmt::format("{}: a block does not fit by its {}", kernel.id, what)};
        resident = std::min(resident, blocks);
    };
    if (kernel.launch.blocks * warps_per_block > 1)
        lower_to(limit(kernel, "max-warps") / warps_per_block, "warps");
    if (kernel.launch.blocks > 1) lower_to(limit(kernel, "max-blocks"), "place");
    if (const auto registers = registers_of(kernel))
        lower_to(fit_by_registers(kernel, warps_per_block, *registers), "registers");
    if (const auto bytes = shared_memory_of(kernel))
        lower_to(fit_by_shared_memory(kernel, *bytes), "shared memory");
    return resident;
}

} // namespace warpbound::certification::verify
