#include "models/formulas/prediction/stated.hpp"

#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace warpbound::models::prediction {
namespace {

constexpr double large = 1e12;

constexpr auto rules = std::to_array<StatedRule>({
    {"bsp-lambda", "1", 1e-9, 1e9, false,
     "calibrated factor of BSP: time with 1 over measured time"},
    {"departure-coalesced", "cycles", 1e-9, large, false,
     "MWP-CWP, between transactions of two warps"},
    {"departure-uncoalesced", "cycles", 1e-9, large, false,
     "MWP-CWP, between transactions of one warp"},
    {"hidden-latency", "cycles", 0, large, true, "load latency that other instructions hide (V14)"},
    {"issue-cycles", "cycles", 1e-9, large, false, "MWP-CWP, cycles to issue one instruction"},
    {"l1-miss-rate", "1", 0, 1, false, "of loads whose level is not stated"},
    {"l2-miss-rate", "1", 0, 1, false, "of those loads that miss L1"},
    {"line-bytes", "bytes", 1, 1 << 20, true, "DRAM traffic of one transaction"},
    {"load-variation", "1", 1e-3, 1e3, false, "factor on the cost of a load (V14 eq. 14a)"},
    {"miss-registers", "1", 1, 1 << 30, true, "MSHRs of an SM (GPUMech)"},
    {"output-cost", "cycles", 1e-9, large, false, "ALU:fetch, measured cost of an output"},
    {"registers", "registers", 0, 1024, true, "of a thread"},
    {"shared-memory", "bytes", 0, 1 << 30, true, "of a block, static and dynamic"},
    {"simd-engines", "1", 1, 1 << 20, true, "ALU:fetch, of a VLIW machine"},
    {"transactions-per-fetch", "1", 1e-3, 1e3, false, "ALU:fetch, q: 1 for float, 4 for float4"},
    {"volkov-knee", "1", 0.5, 1, false,
     "part of the peak where latency and throughput meet; 1, sharp, if not stated"},
    {"volkov-lambda", "1", 1e-9, 1e9, false,
     "calibrated factor of Volkov's model; 1 if not stated"},
});
static_assert(std::ranges::is_sorted(rules, {}, &StatedRule::name));

} // namespace

std::span<const StatedRule> stated_rules() {
    return rules;
}

const StatedRule* find_rule(std::string_view name) {
    const auto* const found = std::ranges::find(rules, name, &StatedRule::name);
    return found == rules.end() ? nullptr : &*found;
}

Result<void> Stated::set(std::string_view name, double value) {
    const StatedRule* const rule = find_rule(name);
    if (rule == nullptr) {
        std::vector<std::string_view> names(rules.size());
        std::ranges::transform(rules, names.begin(), &StatedRule::name);
        return Failure{
            fmt::format("'{}' is no parameter of a formula; expected {}", name, one_of(names))};
    }
    const bool in_range = std::isfinite(value) && value >= rule->minimum && value <= rule->maximum;
    if (!in_range || (rule->whole && value != std::floor(value)))
        return Failure{fmt::format("{} is {}; expected a {} from {} to {}", name, value,
                                   rule->whole ? "whole number" : "number", rule->minimum,
                                   rule->maximum)};
    values_.insert_or_assign(std::string{name}, value);
    return boost::outcome_v2::success();
}

std::optional<double> Stated::find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional{found->second};
}

} // namespace warpbound::models::prediction
