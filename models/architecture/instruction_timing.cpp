#include "models/architecture/instruction_timing.hpp"

#include "assembly/amd/counters.hpp"
#include "assembly/isa/source_places.hpp"
#include "models/architecture/instruction_form.hpp"
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

/// Whether a lane may touch two words or lines: it has two addresses, or one that need not be
/// aligned to its width, as of AMD's accesses.
bool may_take_two_passes(const Instruction& instruction) {
    constexpr int bytes_of_word = 4;
    const std::string_view name = instruction.mnemonic;
    if (name.starts_with("ds_read2") || name.starts_with("ds_write2")) return true;
    return (name.starts_with("global_") || name.starts_with("buffer_")) &&
           instruction.effects.memory && instruction.effects.memory->bytes_per_lane > bytes_of_word;
}

/// Passes of an access of which nothing is stated: up to one for each thread of a warp, or two.
Interval any_passes(const Instruction& instruction, const Architecture& architecture) {
    constexpr std::int64_t fewest_threads = 32;
    const SourcedValue* const size = architecture.geometry.find("warp-size");
    const std::int64_t threads =
        std::max(fewest_threads, size != nullptr && size->interval ? size->interval->hi : 0);
    return {.lo = 1,
            .typical = std::nullopt,
            .hi = threads * (may_take_two_passes(instruction) ? 2 : 1)};
}

bool is_loaded_from_level(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadGlobal || opcode_class == OpcodeClass::LoadLocal;
}

bool counts_bank_conflicts(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadShared || opcode_class == OpcodeClass::StoreShared ||
           opcode_class == OpcodeClass::AtomicShared;
}

bool is_buffered_store(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::StoreGlobal || opcode_class == OpcodeClass::StoreLocal;
}

Interval larger(const Interval& a, const Interval& b) {
    Interval result{
        .lo = std::max(a.lo, b.lo), .typical = std::nullopt, .hi = std::max(a.hi, b.hi)};
    if (a.typical && b.typical) result.typical = std::max(*a.typical, *b.typical);
    return result;
}

Interval hull(const Interval& a, const Interval& b) {
    return {.lo = std::min(a.lo, b.lo), .typical = std::nullopt, .hi = std::max(a.hi, b.hi)};
}

Interval to_interval(const CountRange& range) {
    Interval result{.lo = range.min, .typical = std::nullopt, .hi = range.max};
    if (range.min == range.max) result.typical = range.min;
    return result;
}

/// Looks up the values of one instruction. The first value that is missing is kept; the rest is
/// then of no use.
class LookUp {
public:
    LookUp(const Instruction& instruction, const assembly::Function& function,
           const Architecture& architecture, const FlowFacts& facts)
        : instruction_{instruction}, function_{function},
          architecture_{architecture}, facts_{facts}, form_{instruction_form(instruction)} {}

    Result<InstructionTiming> timing();
    /// Paths of the values that `timing` did not find.
    [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

private:
    /// The value, or a stand-in after noting the failure.
    Interval value(const ValueGroup& group, const std::string& path, std::string_view name);
    Interval class_value(std::string_view name) { return value(timing_->values, path_, name); }
    /// The value of the instruction's form where the group has it (C89), else that of all forms.
    Interval form_value(const ValueGroup& group, const std::string& path, std::string_view name);
    Interval form_value(std::string_view name) { return form_value(timing_->values, path_, name); }
    Interval level_latency(std::string_view level);
    /// A value of the form with the passes that its width needs: they may be within it, or all but
    /// the first one are not (C89).
    [[nodiscard]] Interval with_passes_of_form(Interval value) const;
    void fail(std::string what);

    void find_class();
    void find_gaps();
    void apply_counters();
    void check_order();
    void apply_fence();
    void check_counters();
    void apply_yield();
    void find_passes();
    void find_pattern_passes(const AddressPattern& pattern);
    std::uint64_t size(std::string_view memory, std::string_view name);
    void find_latency();
    void find_source_read();
    void find_slice_time();
    void find_sector_drain();
    void find_queue();
    void find_return();

    const Instruction& instruction_;
    const assembly::Function& function_;
    const Architecture& architecture_;
    const FlowFacts& facts_;
    std::optional<InstructionForm> form_;
    bool is_of_form_ = false; ///< Whether a value that was looked up is that of the form.
    const ClassTiming* timing_ = nullptr;
    std::string path_; ///< "classes/move"
    InstructionTiming result_;
    std::optional<Failure> failure_;
    std::vector<std::string> missing_;
};

void LookUp::fail(std::string what) {
    if (failure_) return;
    failure_ = Failure{.what = fmt::format("{} at {}: {}", assembly::opcode_text(instruction_),
                                           assembly::place_of(function_, instruction_), what),
                       .where = {},
                       .line = instruction_.position.line};
}

Interval LookUp::value(const ValueGroup& group, const std::string& path, std::string_view name) {
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

Interval LookUp::form_value(const ValueGroup& group, const std::string& path,
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

Interval LookUp::with_passes_of_form(Interval value) const {
    const std::int64_t within = std::min(form_->words, result_.passes.hi) - 1;
    const Interval& cost = result_.pass_cost;
    value.lo = std::max<std::int64_t>(0, value.lo - within * cost.lo);
    if (value.typical)
        value.typical =
            std::max(value.lo, *value.typical - within * cost.typical.value_or(cost.lo));
    return value;
}

Interval LookUp::level_latency(std::string_view level) {
    const ValueGroup* const memory = architecture_.memory(level);
    const ValueGroup none;
    const auto path = fmt::format("memories/{}", level);
    if (memory == nullptr || result_.through_caches)
        return value(memory == nullptr ? none : *memory, path, "latency");
    return form_value(*memory, path, "latency");
}

void LookUp::find_class() {
    if (instruction_.opcode_class == OpcodeClass::Unknown)
        return fail("the opcode is not known, so neither is its time");
    if (instruction_.control_flow == ControlFlow::Unknown)
        return fail("it is not known where control goes");
    path_ = fmt::format("classes/{}", to_string(instruction_.opcode_class));
    const auto found = architecture_.classes.find(instruction_.opcode_class);
    if (found == architecture_.classes.end())
        return fail(fmt::format("{} is absent from architecture {}", path_, architecture_.name));
    timing_ = &found->second;
    const auto unit = architecture_.unit_index(timing_->unit);
    if (!unit) return fail(fmt::format("{} names no unit of {}", path_, architecture_.name));
    result_.unit = *unit;
}

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

/// C99: S_NOP takes the place of several instructions; what has no control field is not covered.
void LookUp::apply_counters() {
    if (!instruction_.control) return fail(assembly::amd::objection_to_counters(instruction_));
    const std::int64_t states = std::max(1, instruction_.control->stall);
    result_.gap.lo *= states;
    result_.gap.hi *= states;
    if (result_.gap.typical) *result_.gap.typical *= states;
}

/// C99: where a result waits for what other instructions do, the order of returns is not covered.
void LookUp::check_order() {
    if (!assembly::is_amd(function_.target) || !assembly::amd::releases_in_order(instruction_))
        return;
    if (result_.through_caches || result_.slice_time.hi > 0 || result_.queue)
        fail("its result waits for accesses of other wavefronts (through caches, at the slices of "
             "the L2, in a memory-queue), which the order of returns (C99) does not cover; of a "
             "pattern through the caches, state the level: level=\"l1\", \"l2\" or \"dram\"");
}

void LookUp::find_gaps() {
    if (architecture_.issue_control == IssueControl::Interlocked) {
        result_.gap = value(architecture_.schedulers, "schedulers", "same-warp-interval");
        if (assembly::is_amd(function_.target)) apply_counters();
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

void LookUp::find_passes() {
    const MemoryFact* const fact = facts_.memory_at(instruction_.address);
    if (!counts_passes(instruction_)) return;
    if (fact != nullptr && fact->pattern) return find_pattern_passes(*fact->pattern);
    std::optional<CountRange> stated;
    if (fact != nullptr)
        stated = counts_bank_conflicts(instruction_.opcode_class) ? fact->conflict_degree
                                                                  : fact->transactions;
    result_.passes = stated ? to_interval(*stated) : any_passes(instruction_, architecture_);
    // Stated are the lines.
    if (const auto together = lines_per_pass_of(instruction_, architecture_); together > 1)
        result_.passes = to_interval(
            {.min = fewest_passes(result_.passes.lo, together), .max = result_.passes.hi});
}

std::uint64_t LookUp::size(std::string_view memory, std::string_view name) {
    const ValueGroup* const group = architecture_.memory(memory);
    return static_cast<std::uint64_t>(
        value(group == nullptr ? ValueGroup{} : *group, fmt::format("memories/{}", memory), name)
            .hi);
}

void LookUp::find_pattern_passes(const AddressPattern& pattern) {
    AccessRule& access = result_.access;
    access.rule = pass_rule(instruction_);
    result_.through_caches = facts_.memory_at(instruction_.address)->level == MemoryLevel::Any &&
                             (is_loaded_from_level(instruction_.opcode_class) ||
                              is_buffered_store(instruction_.opcode_class));
    if (instruction_.effects.memory)
        access.bytes =
            static_cast<std::uint64_t>(std::max(1, instruction_.effects.memory->bytes_per_lane));
    std::uint64_t period = 1; // Distinct words are as many wherever they lie.
    if (uses_banks(access.rule)) {
        access.banks = size("shared", "banks");
        access.width = size("shared", "bank-width");
        period = access.banks * access.width;
    } else if (access.rule != PassRule::Words) {
        access.line = size("l1", "line");
        period = access.line;
        if (access.rule == PassRule::GlobalAtomic) access.sector = sector_of_atomics(architecture_);
        if (!result_.through_caches)
            access.lines_per_pass = lines_per_pass_of(instruction_, architecture_);
        if (access.lines_per_pass > 1) {
            access.banks = size("shared", "banks");
            access.width = size("shared", "bank-width");
            period = std::max(period, access.banks * access.width);
        }
    }
    const auto warp_size = value(architecture_.geometry, "geometry", "warp-size").hi;
    if (failure_) return;
    if (const auto why = objection_to(access, warp_size)) return fail(*why);
    const auto range_of = [&](std::int64_t PassRange::*side) {
        return pass_range(
            pattern, warp_size, access.bytes, period,
            [&](const LaneAddresses& lanes) { return possible_passes(access, lanes).*side; });
    };
    const PassRange range{.lo = range_of(&PassRange::lo).lo, .hi = range_of(&PassRange::hi).hi};
    // Of a divergent warp at least one lane is active: by every rule fewer lanes need no more
    // passes.
    const std::int64_t fewest = facts_.divergents.empty() ? range.lo : 1;
    result_.passes = to_interval({.min = fewest, .max = range.hi});
}

void LookUp::find_latency() {
    if (is_loaded_from_level(instruction_.opcode_class)) {
        const MemoryFact* const fact = facts_.memory_at(instruction_.address);
        const MemoryLevel level = fact == nullptr ? MemoryLevel::Any : fact->level;
        if (level != MemoryLevel::Any) {
            result_.latency = level_latency(to_string(level));
            return;
        }
        const Interval l1 = level_latency("l1");
        const Interval l2 = level_latency("l2");
        result_.latency = hull(hull(l1, l2), level_latency("dram"));
        return;
    }
    if (timing_->values.find("latency") != nullptr ||
        instruction_.opcode_class == OpcodeClass::Barrier) {
        result_.latency = form_value("latency");
        return;
    }
    // Nothing waits for an instruction without a result, so a description may leave its latency
    // out.
    const bool names_result =
        instruction_.control && instruction_.control->write_barrier.has_value();
    if (names_result || !instruction_.effects.writes.empty())
        result_.latency = form_value("latency");
    else
        result_.latency = {.lo = 0, .typical = 0, .hi = 0};
}

void LookUp::find_source_read() {
    result_.source_read = {.lo = 0, .typical = 0, .hi = 0};
    if (instruction_.control && instruction_.control->read_barrier)
        result_.source_read = form_value("source-read");
}

/// C57: without a value of their own, those without a result take as long as the others.
void LookUp::find_slice_time() {
    if (instruction_.opcode_class != OpcodeClass::AtomicGlobal) return;
    const ValueGroup* const l2 = architecture_.memory("l2");
    const bool has_result = !instruction_.effects.memory || instruction_.effects.memory->load;
    const bool reduces = !has_result && l2 != nullptr && l2->find("reduction") != nullptr;
    result_.slice_time =
        value(l2 == nullptr ? ValueGroup{} : *l2, "memories/l2", reduces ? "reduction" : "atomic");
}

/// C71: memory instructions are those of the unit of global loads.
void LookUp::find_queue() {
    if (!architecture_.has_memory_queue()) return;
    const auto load = architecture_.classes.find(OpcodeClass::LoadGlobal);
    if (load == architecture_.classes.end() || load->second.unit != timing_->unit) return;
    if (architecture_.units[result_.unit].scope != UnitScope::Core)
        return fail(fmt::format("memory-queue needs a unit of scope core; {} of architecture {} is "
                                "of scope {}",
                                timing_->unit, architecture_.name,
                                to_string(architecture_.units[result_.unit].scope)));
    const auto of_queue = [&](std::string_view name) {
        return value(architecture_.memory_queue, "memory-queue", name);
    };
    result_.least_occupancy = of_queue("path-interval");
    result_.queue = QueueTiming{.places = of_queue("places").lo,
                                .entry = class_value("entry"),
                                .interval = of_queue("interval"),
                                .sources_before = 0};
    if (failure_) return;
    if (result_.through_caches)
        return fail(fmt::format("its address pattern leads through the caches, which are not "
                                "defined behind the memory-queue of architecture {} (C74); state "
                                "the level in its <memory>: level=\"l1\", \"l2\" or \"dram\" (the "
                                "pattern then gives its transactions)",
                                architecture_.name));
    result_.queue->sources_before = *architecture_.least_queue_entry() - 2;
    find_return();
}

/// C92: the registers of a load return one after the other, which may hold the next hand-over.
void LookUp::find_return() {
    if (architecture_.memory_queue.find("load-return") == nullptr) return;
    const Interval each = value(architecture_.memory_queue, "memory-queue", "load-return");
    const auto registers = std::ranges::count(
        instruction_.effects.writes, assembly::RegisterFile::General, &assembly::Register::file);
    Interval& interval = result_.queue->interval;
    interval.hi = std::max(interval.hi, registers * each.hi);
    if (interval.typical)
        interval.typical = std::max(*interval.typical, registers * each.typical.value_or(each.lo));
}

/// C94: a lane touches one sector.
void LookUp::find_sector_drain() {
    if (architecture_.write_buffer.find("sector-drain") == nullptr) return;
    const ValueGroup* const found = architecture_.memory("l1");
    const ValueGroup l1 = found == nullptr ? ValueGroup{} : *found;
    const Interval line = value(l1, "memories/l1", "line");
    const Interval sector = value(l1, "memories/l1", "sector");
    const Interval lanes = value(architecture_.geometry, "geometry", "warp-size");
    result_.sector_drain = SectorDrain{
        .time = value(architecture_.write_buffer, "write-buffer", "sector-drain"),
        .of_line = std::max<std::int64_t>(1, line.hi / std::max<std::int64_t>(1, sector.hi)),
        .of_access = lanes.hi};
    const MemoryFact* const fact = facts_.memory_at(instruction_.address);
    if (fact != nullptr && fact->sectors)
        result_.sector_drain->of_access = std::min(lanes.hi, fact->sectors->max);
}

Result<InstructionTiming> LookUp::timing() {
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
        result_.initiation = form_value("initiation");
        if (timing_->values.find("line-interval") != nullptr)
            result_.line_interval = class_value("line-interval");
        if (result_.passes.hi > 1) result_.pass_cost = class_value("pass-cost");
        if (has_latency_of_form) result_.latency = with_passes_of_form(result_.latency);
        if (has_sources_of_form) result_.source_read = with_passes_of_form(result_.source_read);
        find_queue();
        check_order();
        result_.enters_write_buffer = is_buffered_store(instruction_.opcode_class);
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

} // namespace

bool counts_passes(const Instruction& instruction) {
    return pass_rule(instruction) != PassRule::None;
}

std::vector<Result<InstructionTiming>> instruction_timings(const assembly::Function& function,
                                                           const Architecture& architecture,
                                                           const FlowFacts& facts) {
    std::vector<Result<InstructionTiming>> timings;
    timings.reserve(function.instructions.size());
    for (const auto& instruction : function.instructions)
        timings.push_back(LookUp{instruction, function, architecture, facts}.timing());
    return timings;
}

std::vector<std::string> missing_values(const assembly::Function& function, std::size_t instruction,
                                        const Architecture& architecture, const FlowFacts& facts) {
    LookUp look_up{function.instructions[instruction], function, architecture, facts};
    static_cast<void>(look_up.timing());
    return look_up.missing();
}

} // namespace warpbound::models
