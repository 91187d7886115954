#include "models/architecture/timing_lookup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

// When the next instruction of the warp may issue (C4, C85, C90).

namespace warpbound::models {

namespace {

using assembly::ControlFlow;
using assembly::OpcodeClass;

Interval larger(const Interval& a, const Interval& b) {
    Interval result{
        .lo = std::max(a.lo, b.lo), .typical = std::nullopt, .hi = std::max(a.hi, b.hi)};
    if (a.typical && b.typical) result.typical = std::max(*a.typical, *b.typical);
    return result;
}

} // namespace

/// The combinations of stall count and yield flag that are no plain stall (C4).
void LookUp::apply_yield() {
    constexpr int longest_plain_stall = 11;
    const assembly::Control& control = *instruction_.control;
    if (!control.yield) {
        if (control.stall > longest_plain_stall) result_.gap.lo = 1;
        return;
    }
    if (control.stall > 1) return;
    const bool branches_to_itself =
        instruction_.control_flow == ControlFlow::Branch &&
        std::ranges::any_of(instruction_.operands, [&](const assembly::Operand& operand) {
            const auto* target = std::get_if<assembly::TargetOperand>(&operand);
            return target != nullptr && target->address == instruction_.address;
        });
    if (control.stall == 0 && (instruction_.mnemonic == "ERRBAR" || branches_to_itself)) {
        result_.gap = value(architecture_.control_flow, "control-flow", "stall-zero-yield");
        return;
    }
    const Interval bubble = value(architecture_.schedulers, "schedulers", "yield");
    result_.gap = {.lo = 1 + bubble.lo, .typical = std::nullopt, .hi = 1 + bubble.hi};
}

/// What is known of counters that see increments late (C85).
void LookUp::check_counters() {
    if (architecture_.schedulers.find("counter-delay") == nullptr || !instruction_.control) return;
    constexpr std::int64_t longest_delay = 1;
    constexpr int least_stall = 4;
    const auto delay =
        require(architecture_, architecture_.schedulers, "schedulers", "counter-delay");
    if (delay && delay.value().hi > longest_delay)
        return fail(fmt::format("schedulers/counter-delay of architecture {} is up to {}; expected "
                                "0 or 1",
                                architecture_.name, delay.value().hi));
    if (instruction_.opcode_class == OpcodeClass::DependenceBarrier &&
        instruction_.control->stall < least_stall)
        fail(fmt::format("its stall count is {}; the next instruction waits for it from {} on "
                         "(C85, schedulers/counter-delay)",
                         instruction_.control->stall, least_stall));
}

/// C90: the control field of a fence names nothing by which the warp could wait for it.
void LookUp::apply_fence() {
    constexpr int first_target = 70;
    if (instruction_.mnemonic != "MEMBAR" || architecture_.target.sm < first_target) return;
    const std::int64_t plain = result_.gap.lo;
    result_.gap = larger(result_.gap, form_value("latency"));
    if (assembly::is_guarded(instruction_))
        result_.gap = {.lo = plain, .typical = std::nullopt, .hi = result_.gap.hi};
}

void LookUp::find_gaps() {
    if (architecture_.issue_control == IssueControl::Interlocked) {
        result_.gap = value(architecture_.schedulers, "schedulers", "same-warp-interval");
    } else if (!instruction_.control) {
        return fail(fmt::format("no control field; architecture {} needs its stall count",
                                architecture_.name));
    } else {
        const std::int64_t stall = instruction_.control->stall;
        // In front of read ports there is one instruction in each cycle (C60).
        const bool pairs = instruction_.control->dual_issue && !architecture_.has_read_ports();
        const std::int64_t gap = pairs ? stall : std::max<std::int64_t>(stall, 1);
        result_.gap = {.lo = gap, .typical = gap, .hi = gap};
        if (architecture_.schedulers.find("yield") != nullptr) apply_yield();
    }
    apply_fence();
    result_.gap_taken = result_.gap;
    if (!transfers_control(instruction_.control_flow)) return;
    result_.gap_taken =
        larger(result_.gap, value(architecture_.control_flow, "control-flow", "branch-taken"));
    if (instruction_.control_flow == ControlFlow::ConvergenceWait) return;
    result_.gap =
        larger(result_.gap, value(architecture_.control_flow, "control-flow", "branch-not-taken"));
}

} // namespace warpbound::models
