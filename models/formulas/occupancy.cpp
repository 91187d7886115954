#include "models/formulas/occupancy.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace warpbound::models::occupancy {
namespace {

constexpr std::int64_t kib = 1024;

/// Number of named barriers of a multiprocessor, relative to its block slots.
enum class Barriers { Unknown, OnePerBlock, TwoPerBlock };

struct Row {
    std::string_view compute_capability;
    std::int64_t blocks;
    std::int64_t warps;
    std::int64_t registers_kib; ///< 1024 registers.
    std::int64_t registers_per_block_kib;
    std::int64_t registers_per_thread;
    std::int64_t register_unit;
    std::int64_t register_partitions;
    std::int64_t shared_kib;
    std::int64_t shared_per_block_kib;
    std::int64_t shared_unit;
    std::int64_t reserved_kib;
    Barriers barriers;
};

using enum Barriers;
constexpr auto table = std::to_array<Row>({
    {"2.0", 8, 48, 32, 32, 63, 64, 2, 48, 48, 128, 0, Unknown},
    {"2.1", 8, 48, 32, 32, 63, 64, 2, 48, 48, 128, 0, Unknown},
    {"3.0", 16, 64, 64, 64, 63, 256, 4, 48, 48, 256, 0, Unknown},
    {"3.5", 16, 64, 64, 64, 255, 256, 4, 48, 48, 256, 0, Unknown},
    {"3.7", 16, 64, 128, 64, 255, 256, 4, 112, 48, 256, 0, Unknown},
    {"5.0", 32, 64, 64, 64, 255, 256, 4, 64, 48, 256, 0, TwoPerBlock},
    {"5.2", 32, 64, 64, 64, 255, 256, 4, 96, 48, 256, 0, TwoPerBlock},
    {"5.3", 32, 64, 64, 32, 255, 256, 4, 64, 48, 256, 0, TwoPerBlock},
    {"6.0", 32, 64, 64, 64, 255, 256, 2, 64, 48, 256, 0, TwoPerBlock},
    {"6.1", 32, 64, 64, 64, 255, 256, 4, 96, 48, 256, 0, TwoPerBlock},
    {"6.2", 32, 64, 64, 32, 255, 256, 4, 64, 48, 256, 0, TwoPerBlock},
    {"7.0", 32, 64, 64, 64, 255, 256, 4, 96, 96, 256, 0, TwoPerBlock},
    {"7.2", 32, 64, 64, 64, 255, 256, 4, 96, 96, 256, 0, TwoPerBlock},
    {"7.5", 16, 32, 64, 64, 255, 256, 4, 64, 64, 256, 0, TwoPerBlock},
    {"8.0", 32, 64, 64, 64, 255, 256, 4, 164, 163, 128, 1, TwoPerBlock},
    {"8.6", 16, 48, 64, 64, 255, 256, 4, 100, 99, 128, 1, OnePerBlock},
    {"8.7", 16, 48, 64, 64, 255, 256, 4, 164, 163, 128, 1, Unknown},
    {"8.9", 24, 48, 64, 64, 255, 256, 4, 100, 99, 128, 1, OnePerBlock},
    {"9.0", 32, 64, 64, 64, 255, 256, 4, 228, 227, 128, 1, TwoPerBlock},
    {"10.0", 32, 64, 64, 64, 255, 256, 4, 228, 227, 128, 1, Unknown},
    {"12.0", 24, 48, 64, 64, 255, 256, 4, 100, 99, 128, 1, OnePerBlock},
    {"12.1", 24, 48, 64, 64, 255, 256, 4, 100, 99, 128, 1, OnePerBlock},
});

/// Carve-outs of several capabilities, `Unit:` KiB.
struct CarveOuts {
    std::string_view compute_capabilities; ///< Between blanks.
    std::array<std::int64_t, 10> kib;      ///< Increasing; negative after the last.
};
constexpr auto carve_out_table = std::to_array<CarveOuts>({
    {" 7.0 ", {0, 8, 16, 32, 64, 96, -1}},
    {" 7.5 ", {32, 64, -1}},
    {" 8.0 8.7 ", {0, 8, 16, 32, 64, 100, 132, 164, -1}},
    {" 8.6 8.9 12.0 12.1 ", {0, 8, 16, 32, 64, 100, -1}},
    {" 9.0 10.0 ", {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {" 5.0 5.3 6.0 6.2 ", {64, -1}},
    {" 5.2 6.1 ", {96, -1}},
});

std::optional<std::int64_t> barriers_of(const Row& row) {
    switch (row.barriers) {
    case OnePerBlock:
        return row.blocks;
    case TwoPerBlock:
        return 2 * row.blocks;
    case Unknown:
        break;
    }
    return std::nullopt;
}

/// Registers that one warp is given.
std::int64_t registers_of_warp(std::int64_t per_thread, std::int64_t threads,
                               const Limits& limits) {
    constexpr auto doubled = std::to_array<std::int64_t>({21, 22, 29, 30, 37, 38, 45, 46});
    const bool rare =
        limits.fermi_register_rule && std::ranges::find(doubled, per_thread) != doubled.end();
    return round_up_to(per_thread * threads,
                       rare ? 2 * limits.register_unit : limits.register_unit);
}

std::optional<Failure> objection(const Block& block, const Limits& limits) {
    constexpr std::int64_t most = 1 << 20; // Keeps products of three amounts in range.
    return InputCheck{"occupancy"}
        .count("threads per block", block.threads, 1, most)
        .count("registers per thread", block.registers_per_thread, 0, most)
        .count("shared memory of a block", block.shared_memory, 0)
        .count("named barriers of a block", block.named_barriers, 0)
        .count("resident blocks of the machine", limits.blocks, 1)
        .count("resident warps of the machine", limits.warps, 1)
        .count("threads per block of the machine", limits.threads_per_block, 1)
        .count("registers of the machine", limits.registers, 1)
        .count("registers per block of the machine", limits.registers_per_block, 1)
        .count("registers per thread of the machine", limits.registers_per_thread, 1)
        .count("register allocation unit", limits.register_unit, 1, most)
        .count("register partitions", limits.register_partitions, 1, most)
        .count("shared memory of the machine", limits.shared_memory, 0)
        .count("shared memory per block of the machine", limits.shared_per_block, 0)
        .count("shared memory allocation unit", limits.shared_unit, 1)
        .count("reserved shared memory", limits.shared_reserved, 0)
        .require(block.named_barriers <= 1 || limits.barriers.has_value(),
                 fmt::format("the number of named barriers of {} is not known", limits.name))
        .failure();
}

} // namespace

Result<Limits> limits_of(std::string_view compute_capability) {
    const auto* const row = std::ranges::find(table, compute_capability, &Row::compute_capability);
    if (row == table.end())
        return Failure{.what = fmt::format("occupancy: no compute capability '{}'; expected one of "
                                           "2.0 to 12.1, as in 8.6",
                                           compute_capability),
                       .where = {}};
    return Limits{.name = fmt::format("CC {}", compute_capability),
                  .blocks = row->blocks,
                  .warps = row->warps,
                  .registers = row->registers_kib * kib,
                  .registers_per_block = row->registers_per_block_kib * kib,
                  .registers_per_thread = row->registers_per_thread,
                  .register_unit = row->register_unit,
                  .register_partitions = row->register_partitions,
                  .shared_memory = row->shared_kib * kib,
                  .shared_per_block = row->shared_per_block_kib * kib,
                  .shared_unit = row->shared_unit,
                  .shared_reserved = row->reserved_kib * kib,
                  .barriers = barriers_of(*row),
                  .fermi_register_rule = compute_capability.starts_with("2.")};
}

Result<std::vector<std::int64_t>> carve_outs(std::string_view compute_capability) {
    const std::string word = fmt::format(" {} ", compute_capability);
    for (const auto& row : carve_out_table) {
        if (row.compute_capabilities.find(word) == std::string_view::npos) continue;
        std::vector<std::int64_t> bytes;
        for (const std::int64_t size : row.kib) {
            if (size < 0) break;
            bytes.push_back(size * kib);
        }
        return bytes;
    }
    return Failure{
        fmt::format("the carve-outs of compute capability {} are not known", compute_capability)};
}

Result<Limits> limits_with_carve_out(std::string_view compute_capability, std::int64_t bytes) {
    auto limits = limits_of(compute_capability);
    if (!limits) return limits.as_failure();
    const auto sizes = carve_outs(compute_capability);
    if (!sizes) return sizes.as_failure();
    if (std::ranges::find(sizes.value(), bytes) == sizes.value().end())
        return Failure{
            fmt::format("{} bytes is no carve-out of compute capability {}; expected one "
                        "of {}",
                        bytes, compute_capability, fmt::join(sizes.value(), ", "))};
    limits.value().shared_memory = bytes;
    return limits;
}

std::string_view to_string(Resource resource) {
    switch (resource) {
    case Resource::Warps:
        return "warps";
    case Resource::Blocks:
        return "blocks";
    case Resource::Registers:
        return "registers";
    case Resource::SharedMemory:
        return "shared memory";
    case Resource::Barriers:
        break;
    }
    return "barriers";
}

std::vector<Resource> Occupancy::limiting() const {
    std::vector<Resource> found;
    for (const auto& limit : limits)
        if (limit.blocks <= blocks) found.push_back(limit.resource);
    return found;
}

// Every warp lies in one partition of the register file, and a block is launched only when its
// warps, rounded up to all partitions, fit its own limit.
std::int64_t blocks_by_registers(std::int64_t registers_per_thread, std::int64_t warps,
                                 std::int64_t threads_per_warp, const Limits& limits) {
    if (registers_per_thread > limits.registers_per_thread) return 0;
    const std::int64_t per_warp = registers_of_warp(registers_per_thread, threads_per_warp, limits);
    // Of a product that might leave 64 bits only the quotient is needed.
    if (per_warp > limits.registers_per_block / round_up_to(warps, limits.register_partitions))
        return 0;
    const std::int64_t warps_per_partition =
        limits.registers / limits.register_partitions / per_warp;
    return warps_per_partition * limits.register_partitions / warps;
}

std::optional<std::int64_t> blocks_by_shared_memory(std::int64_t bytes, const Limits& limits) {
    if (bytes > limits.shared_per_block) return 0;
    const std::int64_t taken = round_up_to(bytes + limits.shared_reserved, limits.shared_unit);
    if (taken == 0) return std::nullopt;
    return limits.shared_memory / taken;
}

Result<Occupancy> resident(const Block& block, const Limits& limits) {
    if (const auto wrong = objection(block, limits)) return *wrong;
    const std::int64_t warps = divide_up(block.threads, limits.warp_size);
    Occupancy found;
    found.limits = {
        {Resource::Warps, block.threads > limits.threads_per_block ? 0 : limits.warps / warps},
        {Resource::Blocks, limits.blocks},
    };
    if (block.registers_per_thread > 0) {
        found.registers_of_block =
            registers_of_warp(block.registers_per_thread, limits.warp_size, limits) * warps;
        found.limits.push_back(
            {Resource::Registers,
             blocks_by_registers(block.registers_per_thread, warps, limits.warp_size, limits)});
    }
    found.shared_of_block =
        round_up_to(block.shared_memory + limits.shared_reserved, limits.shared_unit);
    if (const auto blocks = blocks_by_shared_memory(block.shared_memory, limits))
        found.limits.push_back({Resource::SharedMemory, *blocks});
    if (block.named_barriers > 1)
        found.limits.push_back({Resource::Barriers, *limits.barriers / block.named_barriers});

    found.blocks = std::ranges::min(found.limits, {}, &ResourceLimit::blocks).blocks;
    found.warps = found.blocks * warps;
    found.fraction = real(found.warps) / real(limits.warps);
    return found;
}

std::vector<ExplainedSymbol> explain(const Block& block, const Limits& limits,
                                     const Occupancy& result) {
    std::vector<ExplainedSymbol> symbols{
        {"threads per block", real(block.threads), "threads", "kernel"},
        {"registers per thread", real(block.registers_per_thread), "registers", "kernel"},
        {"shared memory of a block", real(block.shared_memory), "bytes", "kernel"},
        {"registers allocated to a block", real(result.registers_of_block), "registers",
         limits.name},
        {"shared memory allocated to a block", real(result.shared_of_block), "bytes", limits.name},
    };
    for (const auto& limit : result.limits)
        symbols.push_back({fmt::format("blocks by {}", to_string(limit.resource)),
                           real(limit.blocks), "blocks", limits.name});
    symbols.push_back({"resident blocks", real(result.blocks), "blocks", "occ"});
    symbols.push_back({"resident warps", real(result.warps), "warps", "occ"});
    symbols.push_back({"occupancy", result.fraction, "1", "occ"});
    return symbols;
}

} // namespace warpbound::models::occupancy
