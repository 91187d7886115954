#include "models/architecture/timing_look_up.hpp"

#include "assembly/amd/counters.hpp"
#include "assembly/amd/dual_issue.hpp"
#include "assembly/isa/operand_reads.hpp"
#include "assembly/isa/source_places.hpp"
#include "models/architecture/pass_rule.hpp"
#include "models/architecture/schema.hpp"
#include "models/caveat.hpp"
#include "models/units.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace warpbound::models {
namespace {

using assembly::ControlFlow;
using assembly::Instruction;
using assembly::OpcodeClass;

Interval larger(const Interval& a, const Interval& b) {
    Interval result{
        .lo = std::max(a.lo, b.lo), .typical = std::nullopt, .hi = std::max(a.hi, b.hi)};
    if (a.typical && b.typical) result.typical = std::max(*a.typical, *b.typical);
    return result;
}

} // namespace

void TimingLookUp::fail(std::string what) {
    if (failure_) return;
    failure_ = Failure{.what = fmt::format("{} at {}: {}", assembly::opcode_text(instruction_),
                                           assembly::place_of(function_, instruction_), what),
                       .where = {},
                       .line = instruction_.position.line};
}

Interval TimingLookUp::value(const ValueGroup& group, const std::string& path,
                             std::string_view name) {
    const auto found = require(architecture_, group, path, name);
    if (!found) {
        missing_.push_back(fmt::format("{}/{}", path, name));
        fail(found.error().what);
        return {};
    }
    if (const auto caveat = caveat_of(*group.find(name)); !caveat.empty()) {
        auto named = fmt::format("{}/{} ({})", path, name, caveat);
        if (std::ranges::find(result_.values_with_caveat, named) ==
            result_.values_with_caveat.end())
            result_.values_with_caveat.push_back(std::move(named));
    }
    return found.value();
}

Interval TimingLookUp::form_value(const ValueGroup& group, const std::string& path,
                                  std::string_view name) {
    const auto own = form_ ? fmt::format("{}-{}", name, form_->name) : std::string{};
    // What the mnemonic tells apart has no other value in its stead (but that of its sources, which
    // are read alike).
    const bool stands_alone =
        form_ && is_told_by_mnemonic(form_->name) &&
        std::ranges::any_of(class_rules(instruction_.opcode_class),
                            [&](const ValueRule& rule) { return rule.name == own; });
    if (group.find(own) == nullptr && !stands_alone) return value(group, path, name);
    is_of_form_ = true;
    return value(group, path, own);
}

Interval TimingLookUp::with_passes_of_form(Interval value) {
    Interval cost = result_.pass_cost;
    std::int64_t within = std::min(form_->words, result_.passes.hi) - 1;
    // An access of several lanes that never takes a second pass has a value that was measured with
    // the passes of its width.
    if (instruction_.opcode_class != OpcodeClass::LoadConstant &&
        timing_->values.find("pass-cost") != nullptr) {
        within = form_->words - 1;
        cost = class_value("pass-cost");
    }
    value.lo = std::max<std::int64_t>(0, value.lo - within * cost.lo);
    if (value.typical)
        value.typical =
            std::max(value.lo, *value.typical - within * cost.typical.value_or(cost.lo));
    return value;
}

void TimingLookUp::find_class() {
    if (instruction_.opcode_class == OpcodeClass::Unknown)
        return fail("the opcode is not known, so neither is its time");
    if (instruction_.control_flow == ControlFlow::Unknown)
        return fail("it is not known where control goes");
    const OpcodeClass of_times = is_texture_ ? OpcodeClass::Texture : instruction_.opcode_class;
    path_ = fmt::format("classes/{}", to_string(of_times));
    const auto found = architecture_.classes.find(of_times);
    if (found == architecture_.classes.end())
        return fail(fmt::format("{} is absent from architecture {}", path_, architecture_.name));
    timing_ = &found->second;
    const auto unit = architecture_.unit_index(timing_->unit);
    if (!unit) return fail(fmt::format("{} names no unit of {}", path_, architecture_.name));
    result_.unit = *unit;
}

/// The combinations of stall count and yield flag that are no plain stall (C4).
void TimingLookUp::apply_yield() {
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
void TimingLookUp::check_counters() {
    if (architecture_.schedulers.find("counter-delay") == nullptr || !instruction_.control) return;
    constexpr std::int64_t longest_delay = 1;
    constexpr int least_stall = 4;
    const auto delay =
        require(architecture_, architecture_.schedulers, "schedulers", "counter-delay");
    if (delay && delay.value().hi > longest_delay)
        return fail(fmt::format("schedulers/counter-delay of architecture {} is up to {}; expected "
                                "0 or 1",
                                architecture_.name, delay.value().hi));
    // LDGDEPBAR announces operations, as a load does, and waits for none.
    if (instruction_.opcode_class == OpcodeClass::DependenceBarrier &&
        instruction_.mnemonic != "LDGDEPBAR" && instruction_.control->stall < least_stall)
        fail(fmt::format("its stall count is {}; the next instruction waits for it from {} on "
                         "(C85, schedulers/counter-delay)",
                         instruction_.control->stall, least_stall));
}

/// C90: the control field of a fence names nothing by which the warp could wait for it.
void TimingLookUp::apply_fence() {
    constexpr int first_target = 70;
    if (instruction_.mnemonic != "MEMBAR" || architecture_.target.sm < first_target) return;
    const std::int64_t plain = result_.gap.lo;
    result_.gap = larger(result_.gap, form_value("latency"));
    if (assembly::is_guarded(instruction_))
        result_.gap = {.lo = plain, .typical = std::nullopt, .hi = result_.gap.hi};
}

/// C99: S_NOP takes the place of several instructions; what has no control field is not covered.
void TimingLookUp::apply_counters() {
    if (!instruction_.control) return fail(assembly::amd::objection_to_counters(instruction_));
    const std::int64_t states = std::max(1, instruction_.control->stall);
    result_.gap.lo *= states;
    result_.gap.hi *= states;
    if (result_.gap.typical) *result_.gap.typical *= states;
    apply_sleep();
}

/// C106: S_SLEEP n ends within a unit of n units. Guides differ in which side of n it is.
void TimingLookUp::apply_sleep() {
    constexpr std::int64_t unit = 64;
    const auto units = assembly::amd::units_of_sleep(instruction_);
    if (!units) return;
    result_.gap.lo = std::max(result_.gap.lo, unit * (*units - 1));
    result_.gap.hi += unit * (*units + 1);
    if (result_.gap.typical) *result_.gap.typical += unit * *units;
}

/// C99: where a result waits for what other instructions do, the order of returns is not covered.
void TimingLookUp::check_order() {
    if (!assembly::is_amd(function_.target) || !assembly::amd::releases_in_order(instruction_))
        return;
    if (result_.through_caches || result_.queue)
        fail("its result waits for accesses of other wavefronts (through caches, in a "
             "memory-queue), which the order of returns (C99) does not cover; of a pattern through "
             "the caches, state the level: level=\"l1\", \"l2\" or \"dram\"");
}

void TimingLookUp::find_gaps() {
    if (architecture_.issue_control == IssueControl::Interlocked) {
        result_.gap = value(architecture_.schedulers, "schedulers", "same-warp-interval");
        if (assembly::is_amd(function_.target)) apply_counters();
    } else if (lacks_control_field(instruction_, architecture_)) {
        return fail(fmt::format("no control field; architecture {} needs its stall count; expected "
                                "a listing with encodings: cuobjdump -sass, or nvdisasm -c -hex",
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

void TimingLookUp::find_source_read() {
    result_.source_read = {.lo = 0, .typical = 0, .hi = 0};
    // C107: at some time before the result.
    if (assembly::is_amd(function_.target))
        result_.source_read.hi = result_.latency.hi;
    else if (instruction_.control && (instruction_.control->read_barrier || waits_for_read_ports()))
        result_.source_read = form_value("source-read");
}

/// C111: its result moves with its reads.
bool TimingLookUp::waits_for_read_ports() const {
    return architecture_.has_variable_latency_reads() &&
           !assembly::has_fixed_latency(instruction_) && assembly::has_result(instruction_) &&
           !assembly::operand_reads(instruction_, function_.target).empty();
}

void TimingLookUp::find_initiation() {
    if (is_texture_) return find_texture_initiation();
    result_.initiation = form_value("initiation");
    find_line_interval();
}

Result<InstructionTiming> TimingLookUp::timing() {
    find_class();
    if (!failure_) find_gaps();
    if (!failure_) check_counters();
    if (!failure_) {
        find_passes();
        is_of_form_ = false;
        find_latency();
        const bool has_latency_of_form = std::exchange(is_of_form_, false);
        find_source_read();
        const bool has_sources_of_form = is_of_form_;
        find_slice_time();
        find_initiation();
        if (result_.passes.hi > 1) result_.pass_cost = class_value("pass-cost");
        if (has_latency_of_form) result_.latency = with_passes_of_form(result_.latency);
        if (has_sources_of_form) result_.source_read = with_passes_of_form(result_.source_read);
        find_queue();
        check_order();
        result_.enters_write_buffer = is_buffered_store();
        if (result_.enters_write_buffer) {
            value(architecture_.write_buffer, "write-buffer", "entries");
            value(architecture_.write_buffer, "write-buffer", "drain");
            find_sector_drain();
        }
        result_.waits_for_registers = architecture_.issue_control == IssueControl::Interlocked;
        if (architecture_.has_read_ports() && instruction_.mnemonic.ends_with("GMMA"))
            fail("which registers it reads is not known, and register-file/read-ports needs it");
        result_.is_barrier_wait =
            instruction_.opcode_class == OpcodeClass::Barrier && !instruction_.has_modifier("ARV");
    }
    if (failure_) return std::move(*failure_);
    return std::move(result_);
}

namespace {

/// An instruction with its components: two of VOPD, else itself.
std::vector<Instruction> components_of(const Instruction& instruction) {
    if (const auto both = assembly::amd::dual_components(instruction))
        return {both->begin(), both->end()};
    return {instruction};
}

/// C105: the result of both is there with the later one, and the unit is occupied for the longer.
Result<InstructionTiming> of_both(Result<InstructionTiming> first, Result<InstructionTiming> second,
                                  const Instruction& instruction) {
    if (!first) return first;
    if (!second) return second;
    InstructionTiming both = std::move(first).value();
    const InstructionTiming& other = second.value();
    if (both.unit != other.unit)
        return Failure{.what = fmt::format("{} at 0x{:04x}: its operations are on two units of the "
                                           "description; expected one unit for both",
                                           instruction.mnemonic, instruction.address),
                       .where = {},
                       .line = instruction.position.line};
    both.latency = larger(both.latency, other.latency);
    both.source_read = larger(both.source_read, other.source_read);
    both.initiation = larger(both.initiation, other.initiation);
    for (const std::string& named : other.values_with_caveat)
        if (std::ranges::find(both.values_with_caveat, named) == both.values_with_caveat.end())
            both.values_with_caveat.push_back(named);
    return both;
}

} // namespace

bool counts_passes(const Instruction& instruction) {
    return pass_rule(instruction) != PassRule::None;
}

std::vector<Result<InstructionTiming>> instruction_timings(const assembly::Function& function,
                                                           const Architecture& architecture,
                                                           const FlowFacts& facts,
                                                           std::int64_t threads) {
    std::vector<Result<InstructionTiming>> timings;
    timings.reserve(function.instructions.size());
    const auto of = [&](const Instruction& instruction) {
        return TimingLookUp{instruction, function, architecture, facts, threads}.timing();
    };
    for (const auto& instruction : function.instructions) {
        const auto parts = assembly::amd::dual_components(instruction);
        timings.push_back(parts ? of_both(of((*parts)[0]), of((*parts)[1]), instruction)
                                : of(instruction));
    }
    return timings;
}

std::vector<std::string> missing_values(const assembly::Function& function, std::size_t instruction,
                                        const Architecture& architecture, const FlowFacts& facts) {
    std::vector<std::string> missing;
    for (const Instruction& part : components_of(function.instructions[instruction])) {
        // Which values are missing does not depend on the threads of a block.
        TimingLookUp look_up{part, function, architecture, facts, 1};
        static_cast<void>(look_up.timing());
        for (const std::string& path : look_up.missing())
            if (std::ranges::find(missing, path) == missing.end()) missing.push_back(path);
    }
    return missing;
}

} // namespace warpbound::models
