#include "harness/contract/contract_values.hpp"

#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::contract {

namespace {

/// The largest that the encoding has, on all generations. `Unit:` core cycles.
constexpr std::int64_t largest_stall = 15;
/// Addition, comparison and branch.
constexpr std::int64_t loop_instructions = 3;
constexpr std::int64_t instruction_bytes = 16;
/// Clock reads and what is around them. `Unit:` instructions.
constexpr std::int64_t around_the_loop = 8;

/// Upper, for the lines that hold the loop, each missing everywhere once (C66 to C70). None: they
/// do not fit the L0.
std::optional<std::int64_t> fetch_once(ContractValues& values, std::int64_t operations) {
    const auto line = values.of("fetch/line");
    const std::int64_t lines =
        (operations + around_the_loop) * instruction_bytes / std::max<std::int64_t>(line.lo, 1) + 2;
    if (lines > values.of("fetch/l0-sets").lo * values.of("fetch/l0-ways").lo) return std::nullopt;
    const std::int64_t requests = lines * (values.of("fetch/stream").hi + 1);
    return lines * (values.of("fetch/l0-miss").hi + values.of("fetch/l1-miss").hi) +
           requests * values.of("fetch/l1-service").hi;
}

} // namespace

models::Interval ContractValues::of(std::string_view path) {
    const auto* const value = models::find_value(*architecture_, path);
    if (value != nullptr && value->interval) return *value->interval;
    if (!missing_)
        missing_ =
            Failure{fmt::format("{} is {}", path, value == nullptr ? "not described" : "unknown"),
                    architecture_->name};
    return {};
}

std::int64_t ContractValues::clock_error() {
    const auto latency = of("classes/clock-read/latency");
    return latency.hi - latency.lo;
}

models::Interval ContractValues::gap() {
    if (!interlocks()) return {1, std::nullopt, largest_stall};
    const auto same_warp = of("schedulers/same-warp-interval");
    const auto slot = of("schedulers/issue-slot");
    return {std::max(same_warp.lo, slot.lo), std::nullopt, std::max(same_warp.hi, slot.hi)};
}

std::string text_of(const models::Interval& interval) {
    return interval.is_exact() ? fmt::format("{}", interval.lo)
                               : fmt::format("{}..{}", interval.lo, interval.hi);
}

std::optional<LoopError> loop_error(ContractValues& values, std::int64_t operations,
                                    bool same_code) {
    const models::Architecture& machine = values.architecture();
    if (!machine.imperfect_parts().empty() || machine.has_memory_queue()) return std::nullopt;
    const auto taken = values.of("control-flow/branch-taken");
    LoopError error{taken.hi - taken.lo, 0};
    if (is_amd(machine.target)) {
        const auto gap = values.gap();
        const auto control = std::max(gap.hi, values.of("classes/uniform/latency").hi);
        error.each_iteration += loop_instructions * (control - gap.lo);
    }
    if (!values.interlocks() && !same_code)
        error.each_iteration =
            loop_instructions * largest_stall + std::max(taken.hi, largest_stall) - taken.lo;
    if (machine.has_instruction_caches()) {
        const auto once = fetch_once(values, operations);
        if (!once) return std::nullopt;
        error.once = *once;
    }
    return error;
}

} // namespace warpbound::harness::contract
