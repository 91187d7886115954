#include "models/formulas/gpudiag_slots.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace warpbound::models::gpudiag {
namespace {

constexpr std::int64_t most = 1 << 28; // Keeps warps times allocated registers in range.

std::optional<Failure> objection(const Demand& demand, const SlotLimits& limits) {
    InputCheck check{"gpudiag"};
    check.count("warp size", limits.warp_size, 1, most)
        .count("block slots", limits.blocks, 1)
        .count("warp slots", limits.warps, 1)
        .count("shared memory", limits.shared_memory, 0)
        .count("shared memory granularity", limits.shared_granularity, 1)
        .count("blocks", demand.blocks, 1)
        .count("threads per block", demand.threads, 1, most)
        .count("shared memory of a block", demand.shared_memory, 0)
        .require(demand.registers.size() == limits.registers.size(),
                 fmt::format("{} register counts for {} register files", demand.registers.size(),
                             limits.registers.size()));
    for (const auto& file : limits.registers)
        check.count(file.name + " registers", file.capacity, 1)
            .count(file.name + " register granularity", file.granularity, 1, most);
    for (const std::int64_t registers : demand.registers)
        check.count("registers of a warp", registers, 0, most);
    return check.failure();
}

std::optional<Failure> objection(std::span<const double> times, double tolerance) {
    InputCheck check{"gpudiag"};
    check.require(!times.empty(), "no times").within("tolerance", tolerance, 0, 0.5);
    for (const double time : times)
        check.positive("time", time);
    return check.failure();
}

std::optional<Failure> objection(std::span<const SlotSample> samples) {
    InputCheck check{"gpudiag"};
    check.require(!samples.empty(), "no samples");
    for (const auto& sample : samples)
        check.count("amount of a sample", sample.amount, 1, 1 << 20)
            .count("warps of a sample", sample.warps, 1, 1 << 20)
            .count("slots of a sample", sample.slots, 0, 1 << 20);
    return check.failure();
}

/// Whether a resource of this capacity and granularity explains every sample.
bool explains(std::span<const SlotSample> samples, Capacity resource, std::int64_t other_slots) {
    return std::ranges::all_of(samples, [&](const SlotSample& sample) {
        const std::int64_t allocated =
            round_up_to(sample.amount, resource.granularity) * sample.warps;
        return std::min(other_slots, resource.capacity / allocated) == sample.slots;
    });
}

} // namespace

Result<std::vector<std::string>> broken_limits(const Demand& demand, const SlotLimits& limits) {
    if (const auto wrong = objection(demand, limits)) return *wrong;
    std::vector<std::string> broken;
    const auto check = [&](std::int64_t asked, std::optional<std::int64_t> limit,
                           const std::string& what) {
        if (limit && asked > *limit)
            broken.push_back(fmt::format("{} {}; at most {}", asked, what, *limit));
    };
    check(demand.threads, limits.threads_per_block, "threads per block");
    check(demand.threads * demand.blocks, limits.threads_per_grid, "threads per grid");
    check(round_up_to(demand.shared_memory, limits.shared_granularity), limits.shared_per_block,
          "bytes of shared memory per block");
    const std::int64_t warps = divide_up(demand.threads, limits.warp_size);
    for (std::size_t type = 0; type < limits.registers.size(); ++type) {
        const auto& file = limits.registers[type];
        const std::int64_t of_warp = demand.registers[type];
        // Compared per thread, rounded up, which is the same as per warp and cannot overflow.
        check(divide_up(of_warp, limits.warp_size), file.per_thread,
              file.name + " registers per thread");
        check(warps * round_up_to(of_warp, file.granularity), file.per_block,
              file.name + " registers per block");
    }
    return broken;
}

Result<Slots> slots(const Demand& demand, const SlotLimits& limits) {
    if (const auto wrong = objection(demand, limits)) return *wrong;
    const std::int64_t warps = divide_up(demand.threads, limits.warp_size);
    Slots found{.by_blocks = limits.blocks, .by_warps = limits.warps / warps};
    found.slots = std::min(found.by_blocks, found.by_warps);
    if (demand.shared_memory > 0) {
        found.by_shared_memory =
            limits.shared_memory / round_up_to(demand.shared_memory, limits.shared_granularity);
        found.slots = std::min(found.slots, *found.by_shared_memory);
    }
    for (std::size_t type = 0; type < limits.registers.size(); ++type) {
        const auto& file = limits.registers[type];
        found.by_registers.emplace_back();
        if (demand.registers[type] == 0) continue;
        found.by_registers.back() =
            file.capacity / (round_up_to(demand.registers[type], file.granularity) * warps);
        found.slots = std::min(found.slots, *found.by_registers.back());
    }
    return found;
}

std::vector<ExplainedSymbol> explain(const Demand& demand, const SlotLimits& limits,
                                     const Slots& result) {
    std::vector<ExplainedSymbol> symbols{
        {"b", real(divide_up(demand.threads, limits.warp_size)), "warps/block", "kernel"},
        {"s", real(demand.shared_memory), "bytes/block", "kernel"},
        {"N_slot by blocks", real(result.by_blocks), "blocks", "K23 eq. 3.9"},
        {"N_slot by warps", real(result.by_warps), "blocks", "K23 eq. 3.9"},
    };
    if (result.by_shared_memory)
        symbols.push_back(
            {"N_slot by shared memory", real(*result.by_shared_memory), "blocks", "K23 eq. 3.10"});
    for (std::size_t type = 0; type < result.by_registers.size(); ++type)
        if (result.by_registers[type])
            symbols.push_back({fmt::format("N_slot by {} registers", limits.registers[type].name),
                               real(*result.by_registers[type]), "blocks", "K23 eq. 3.11"});
    symbols.push_back({"N_slot", real(result.slots), "blocks", "K23 eq. 3.3"});
    return symbols;
}

Result<std::int64_t> multiprocessors_from(std::span<const double> times, double tolerance) {
    if (const auto wrong = objection(times, tolerance)) return *wrong;
    for (std::size_t index = 1; index < times.size(); ++index)
        if (times[index] >= 2 * times[0] * (1 - tolerance)) return static_cast<std::int64_t>(index);
    return Failure{.what = "gpudiag: the time never doubles; more blocks are needed", .where = {}};
}

Result<std::int64_t> slots_from(std::span<const double> times, double tolerance) {
    if (const auto wrong = objection(times, tolerance)) return *wrong;
    for (std::size_t index = 1; index < times.size(); ++index)
        if (times[index] >= (times[index - 1] + times[0]) * (1 - tolerance))
            return static_cast<std::int64_t>(index);
    return Failure{.what =
                       "gpudiag: no block adds the time of a block in isolation; more blocks are "
                       "needed",
                   .where = {}};
}

Result<WarpSlots> warp_slots_from(std::span<const SlotSample> samples) {
    if (const auto wrong = objection(samples)) return *wrong;
    const auto single = std::ranges::find(samples, 1, &SlotSample::amount);
    if (single == samples.end())
        return Failure{.what = "gpudiag: no sample with one warp per block", .where = {}};
    WarpSlots found{.blocks = single->slots};
    for (const auto& sample : samples)
        found.warps = std::max(found.warps, sample.amount * sample.slots);
    return found;
}

Result<Capacity> capacity_from(std::span<const SlotSample> samples, std::int64_t other_slots) {
    if (const auto wrong = objection(samples)) return *wrong;
    Capacity found;
    for (const auto& sample : samples)
        found.capacity = std::max(found.capacity, sample.amount * sample.warps * sample.slots);
    const std::int64_t largest = std::ranges::max(samples, {}, &SlotSample::amount).amount;
    for (found.granularity = 1; found.granularity <= largest; ++found.granularity)
        if (explains(samples, found, other_slots)) return found;
    return Failure{.what = "gpudiag: no granularity explains the samples", .where = {}};
}

} // namespace warpbound::models::gpudiag
