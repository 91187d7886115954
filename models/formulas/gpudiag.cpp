#include "models/formulas/gpudiag.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace warpbound::models::gpudiag {
namespace {

constexpr std::int64_t most_warps = 1 << 20;

std::optional<Failure> objection(const Mix& mix) {
    InputCheck check{"gpudiag"};
    check.positive("period of one warp", mix.period)
        .require(!mix.units.empty(), "no functional unit");
    for (const auto& unit : mix.units)
        check.positive("inverse throughput of " + unit.name, unit.inverse_throughput)
            .positive("units per group of " + unit.name, unit.units_per_group)
            .count("groups of " + unit.name, unit.groups, 1);
    return check.failure();
}

double throughput_of(const FunctionalUnit& unit) {
    return unit.units_per_group * real(unit.groups) / unit.inverse_throughput;
}

double relative_time(const Mix& mix, std::int64_t warps) {
    if (warps == 0) return 0;
    double longest = 1;
    for (const auto& unit : mix.units)
        longest = std::max(longest, unit.inverse_throughput / (unit.units_per_group * mix.period) *
                                        real(divide_up(warps, unit.groups)));
    return longest;
}

} // namespace

Result<std::vector<double>> relative_times(const Mix& mix, std::int64_t most) {
    if (const auto wrong = objection(mix)) return *wrong;
    if (const auto wrong = InputCheck{"gpudiag"}.count("warps", most, 0, most_warps).failure())
        return *wrong;
    std::vector<double> times;
    for (std::int64_t warps = 0; warps <= most; ++warps)
        times.push_back(relative_time(mix, warps));
    return times;
}

Result<Bottleneck> bottleneck(const Mix& mix) {
    if (const auto wrong = objection(mix)) return *wrong;
    const auto& unit = *std::ranges::min_element(mix.units, {}, throughput_of);
    return Bottleneck{.unit = unit.name,
                      .throughput = Estimate<InstructionsPerCycle>{throughput_of(unit)}};
}

Result<Estimate<InstructionsPerCycle>> throughput(std::span<const double> fu, double period) {
    InputCheck check{"gpudiag"};
    check.positive("period of one warp", period)
        .require(fu.size() > 1, "no relative time for one warp or more");
    double highest = 0;
    for (std::size_t warps = 1; warps < fu.size(); ++warps) {
        check.positive("relative time", fu[warps]);
        highest = std::max(highest, static_cast<double>(warps) / fu[warps]);
    }
    if (check.failure()) return *check.failure();
    return Estimate<InstructionsPerCycle>{highest / period};
}

Result<Estimate<RelativeTime>> waves_time(std::int64_t blocks, std::int64_t warps_per_block,
                                          std::int64_t slots, std::span<const double> fu) {
    InputCheck check{"gpudiag"};
    check.count("blocks", blocks, 0)
        .count("warps per block", warps_per_block, 1, most_warps)
        .count("slots", slots, 1, most_warps);
    if (check.failure()) return *check.failure();
    const std::int64_t full = blocks / slots;
    const std::int64_t of_wave = warps_per_block * slots;
    const std::int64_t of_rest = warps_per_block * (blocks % slots);
    check
        .require(std::cmp_less(full > 0 ? of_wave : of_rest, fu.size()),
                 fmt::format("{} relative times for up to {} warps", fu.size(),
                             full > 0 ? of_wave : of_rest))
        .require(!fu.empty() && fu[0] == 0, "the relative time of no warp is not 0");
    if (check.failure()) return *check.failure();
    const double wave = full > 0 ? fu[static_cast<std::size_t>(of_wave)] : 0;
    const double rest = fu[static_cast<std::size_t>(of_rest)];
    check.not_negative("relative time", wave).not_negative("relative time", rest);
    if (check.failure()) return *check.failure();
    return Estimate<RelativeTime>{real(full) * wave + rest};
}

Result<KernelTime> kernel_time(const Execution& execution, const Mix& mix) {
    if (const auto wrong = InputCheck{"gpudiag"}
                               .count("blocks", execution.launch.blocks, 1)
                               .count("threads per block", execution.launch.threads, 1)
                               .count("warp size", execution.warp_size, 1)
                               .count("multiprocessors", execution.multiprocessors, 1)
                               .count("slots", execution.slots, 1, most_warps)
                               .positive("periods of a warp", execution.periods)
                               .failure())
        return *wrong;
    const std::int64_t blocks = divide_up(execution.launch.blocks, execution.multiprocessors);
    const std::int64_t warps = execution.launch.warps_per_block(execution.warp_size);
    const auto fu = relative_times(mix, warps * std::min(execution.slots, blocks));
    if (!fu) return fu.as_failure();
    const auto relative = waves_time(blocks, warps, execution.slots, fu.value());
    if (!relative) return relative.as_failure();
    return KernelTime{
        .time = Estimate<Cycles>{relative.value().value() * mix.period * execution.periods},
        .relative = relative.value(),
        .blocks_per_multiprocessor = blocks,
        .warps_per_block = warps,
        .full_waves = blocks / execution.slots,
    };
}

std::vector<ExplainedSymbol> explain(const Execution& execution, const Mix& mix,
                                     const KernelTime& result) {
    std::vector<ExplainedSymbol> symbols{
        {"G", real(execution.launch.blocks), "blocks", "launch"},
        {"b", real(result.warps_per_block), "warps/block", "launch"},
        {"g", real(result.blocks_per_multiprocessor), "blocks", "K23 3.1"},
        {"N_slot", real(execution.slots), "blocks", "K23 eq. 3.3"},
        {"P_1", mix.period, "cycles", "instruction mix"},
        {"N_period", execution.periods, "1", "kernel"},
    };
    for (const auto& unit : mix.units)
        symbols.push_back(
            {"throughput of " + unit.name, throughput_of(unit), "1/cycle", "K23 eq. 3.7"});
    symbols.push_back({"full waves", real(result.full_waves), "1", "K23 eq. 3.2"});
    symbols.push_back({"T(g,b)", result.relative.value(), "1", "K23 eq. 3.2"});
    symbols.push_back({"time", result.time.value(), "cycles", "K23 eq. 3.2"});
    return symbols;
}

} // namespace warpbound::models::gpudiag
