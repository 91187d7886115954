/// \file
/// How many blocks of a launch are on an SM at once, by the rules C20 and C30.

#include "harness/contract/contract_values.hpp"
#include "harness/contract/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::contract {

namespace {

std::int64_t round_up(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / std::max<std::int64_t>(unit, 1) * unit;
}

/// What limits the blocks of an SM, each value with one number.
class Limits {
public:
    explicit Limits(const models::Architecture& architecture) : values_{architecture} {}

    std::int64_t of(std::string_view name) {
        const auto interval = values_.of(fmt::format("limits/{}", name));
        if (!interval.is_exact() && !not_one_)
            not_one_ = Failure{
                fmt::format("limits/{} is {}; expected one number", name, text_of(interval)),
                values_.architecture().name};
        return interval.lo;
    }
    std::int64_t warp_size() { return values_.of("geometry/warp-size").lo; }
    [[nodiscard]] std::optional<Failure> refusal() const {
        return values_.missing() ? values_.missing() : not_one_;
    }

private:
    ContractValues values_;
    std::optional<Failure> not_one_;
};

/// On sm_20 and sm_21 the registers of some counts are allocated in double units (C30).
bool is_doubled(int sm, std::int64_t registers) {
    return sm <= 21 && registers > 20 && registers < 47 &&
           (registers % 8 == 5 || registers % 8 == 6);
}

/// `Source:` docs/reference/timing-contract.md, C20, C30 and C104.
std::int64_t resident_blocks(Limits& limits, const models::Launch& launch,
                             assembly::Target target) {
    const std::int64_t warps = std::max<std::int64_t>(
        launch.warps_per_block(std::max<std::int64_t>(limits.warp_size(), 1)), 1);
    std::int64_t blocks = std::min(launch.blocks, limits.of("max-warps") / warps);
    // A work-group of one wavefront needs no barrier, of which AMD's machines have max-blocks.
    if (warps > 1 || !is_amd(target)) blocks = std::min(blocks, limits.of("max-blocks"));
    if (launch.registers) {
        const std::int64_t partitions = std::max<std::int64_t>(limits.of("register-partitions"), 1);
        std::int64_t unit = limits.of("register-granularity");
        if (!is_amd(target) && is_doubled(target.sm, *launch.registers)) unit *= 2;
        const std::int64_t of_warp = round_up(*launch.registers * limits.warp_size(), unit);
        // Warps take the slots in their order: the first partition has the most.
        while (blocks > 0 && round_up(blocks * warps, partitions) / partitions * of_warp >
                                 limits.of("registers") / partitions)
            --blocks;
    }
    if (launch.shared_memory) {
        const std::int64_t of_block = round_up(*launch.shared_memory + limits.of("shared-reserved"),
                                               limits.of("shared-granularity"));
        blocks = std::min(blocks, limits.of("shared-memory") / std::max<std::int64_t>(of_block, 1));
    }
    return blocks;
}

} // namespace

Result<std::vector<Requirement>> require_residency(const models::Architecture& architecture,
                                                   const ContractSeries& series) {
    std::vector<Requirement> all;
    for (const char* const benchmark :
         {"resident-warps", "contract-registers", "contract-shared-memory"})
        for (const auto& [point, launch] : series.launches(benchmark)) {
            Limits limits{architecture};
            const std::int64_t blocks = resident_blocks(limits, launch, architecture.target);
            if (const auto why = limits.refusal()) return *why;
            Requirement both;
            both.point = point;
            both.at_least = both.at_most = blocks;
            both.relation = fmt::format("{} blocks by the occupancy limit", blocks);
            all.push_back(std::move(both));
        }
    return all;
}

} // namespace warpbound::harness::contract
