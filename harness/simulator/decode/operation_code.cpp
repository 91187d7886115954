#include "harness/simulator/decode/operation_code.hpp"

#include "assembly/amd/counters.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/isa/operand_reads.hpp"
#include "harness/recorded_launch.hpp"
#include "harness/simulator/decode/architecture_values.hpp"
#include "models/architecture/pass_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::simulator {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;
using assembly::OpcodeClass;

constexpr std::int64_t pass_limit = 8192; // Of a texture: 32 lanes with 256 texels.
constexpr int barrier_limit = 16;

/// Control transfers and EXIT always execute, whatever their guard (C10).
bool always_executes(ControlFlow flow) {
    return assembly::transfers_control(flow) || flow == ControlFlow::Exit;
}

/// A warp that waits for such an operation leaves the active set of the two-level policy (C19).
bool is_long(OpcodeClass opcode_class) {
    switch (opcode_class) {
    case OpcodeClass::LoadGlobal:
    case OpcodeClass::LoadLocal:
    case OpcodeClass::AtomicGlobal:
    case OpcodeClass::Texture:
        return true;
    default:
        return false;
    }
}

} // namespace

OperationTranslator::OperationTranslator(const models::Architecture& architecture,
                                         const Kernel& kernel, std::vector<PortName> ports,
                                         KernelCode& code)
    : architecture_{architecture}, kernel_{kernel}, ports_{std::move(ports)}, code_{code} {}

Failure OperationTranslator::refuse(const Instruction& instruction, std::string_view what) const {
    return Failure{fmt::format("{} at 0x{:04x}: {}", assembly::opcode_text(instruction),
                               instruction.address, what),
                   kernel_.function->name, instruction.position.line, instruction.position.column};
}

RegisterSpan OperationTranslator::add_registers(const std::vector<assembly::Register>& registers) {
    RegisterSpan span{.first = static_cast<std::uint32_t>(code_.registers.size())};
    for (const assembly::Register& reg : registers) {
        const auto next = static_cast<std::uint16_t>(numbers_.size());
        code_.registers.push_back(numbers_.emplace(reg, next).first->second);
        ++span.count;
    }
    return span;
}

Result<void> OperationTranslator::add_times(const Instruction& instruction,
                                            const models::InstructionTiming& timing,
                                            Operation& operation) const {
    struct Named {
        const models::Interval* interval;
        Range* range;
        std::string_view name;
    };
    const Named named[] = {{&timing.gap, &operation.gap, "gap"},
                           {&timing.gap_taken, &operation.gap_taken, "gap when taken"},
                           {&timing.latency, &operation.latency, "latency"},
                           {&timing.source_read, &operation.source_read, "source-read"},
                           {&timing.initiation, &operation.initiation, "initiation"},
                           {&timing.pass_cost, &operation.pass_cost, "pass-cost"},
                           {&timing.least_occupancy, &operation.least_occupancy, "path-interval"},
                           {&timing.slice_time, &operation.slice_time, "time at the L2"},
                           {&timing.passes, &operation.passes, "passes"}};
    for (const Named& value : named) {
        const std::int64_t lowest = value.name == "passes" ? 1 : 0;
        const std::int64_t highest = value.name == "passes" ? pass_limit : cycle_limit;
        if (value.interval->lo < lowest || value.interval->hi > highest ||
            value.interval->lo > value.interval->hi)
            return refuse(instruction,
                          fmt::format("{} is {}..{}; expected {}..{}", value.name,
                                      value.interval->lo, value.interval->hi, lowest, highest));
        *value.range = Range{value.interval->lo, value.interval->hi, value.interval->typical};
    }
    operation.most_sectors = timing.sector_drain ? timing.sector_drain->of_access : 0;
    operation.line_interval.reset();
    if (timing.line_interval) {
        const models::Interval& lines = *timing.line_interval;
        if (lines.lo < 1 || lines.hi > cycle_limit || lines.lo > lines.hi)
            return refuse(instruction, fmt::format("line-interval is {}..{}; expected 1..{}",
                                                   lines.lo, lines.hi, cycle_limit));
        operation.line_interval = Range{lines.lo, lines.hi, lines.typical};
        add_sectors(instruction, operation);
    }
    return boost::outcome_v2::success();
}

namespace {

/// Of loads that go to the L2: only these ask for no more sectors than their lanes touch (C112).
bool is_load_beyond_l1(const Instruction& instruction) {
    return (instruction.opcode_class == assembly::OpcodeClass::LoadGlobal ||
            instruction.opcode_class == assembly::OpcodeClass::LoadLocal) &&
           models::passes_the_l1(instruction);
}

} // namespace

void OperationTranslator::add_sectors(const Instruction& instruction, Operation& operation) const {
    const bool counts_lines = is_load_beyond_l1(instruction) &&
                              models::lines_per_pass_of(instruction, architecture_) <= 1;
    const auto timing = architecture_.classes.find(instruction.opcode_class);
    const models::ValueGroup* const l1 = architecture_.memory("l1");
    if (!counts_lines || timing == architecture_.classes.end() || l1 == nullptr) return;
    const models::SourcedValue* const of_sector = timing->second.values.find("sector-interval");
    const models::SourcedValue* const size = l1->find("sector");
    if (of_sector == nullptr || !of_sector->interval || size == nullptr || !size->interval) return;
    operation.sector_interval = of_sector->interval->hi;
    operation.sector_bytes = size->interval->hi;
}

Result<void> OperationTranslator::add_barrier(const Instruction& instruction,
                                              Operation& operation) {
    if (assembly::is_amd(kernel_.function->target)) { // S_BARRIER, of all wavefronts.
        operation.barrier = 0;
        return boost::outcome_v2::success();
    }
    const bool arrives_only = instruction.has_modifier("ARV");
    if (!arrives_only && !instruction.has_modifier("SYNC") && !instruction.has_modifier("RED"))
        return refuse(instruction, "only BAR.SYNC, BAR.RED and BAR.ARV are simulated");
    std::vector<std::optional<std::int64_t>> numbers; // The barrier, then its thread count.
    for (const assembly::Operand& operand : instruction.operands) {
        const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
        if (reg != nullptr && reg->file != assembly::RegisterFile::General) continue; // Of BAR.RED.
        const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand);
        if (reg != nullptr && !reg->index)
            numbers.emplace_back(0); // RZ
        else
            numbers.push_back(immediate != nullptr ? immediate->integer : std::nullopt);
    }
    if (numbers.size() > 2) return refuse(instruction, "expected a barrier and a thread count");
    const auto barrier = numbers.empty() ? 0 : numbers.front();
    if (!barrier || *barrier < 0 || *barrier >= barrier_limit)
        return refuse(instruction,
                      fmt::format("expected a barrier number 0..{}", barrier_limit - 1));
    operation.barrier = static_cast<std::uint8_t>(*barrier);
    operation.waits_at_barrier = !arrives_only;
    if (arrives_only && numbers.size() < 2)
        return refuse(instruction, "expected the number of threads that the barrier counts");
    if (numbers.size() == 2) {
        const auto& threads = numbers.back();
        const std::int64_t most = code_.demand.warps * code_.warp_size;
        if (!threads || *threads < code_.warp_size || *threads % code_.warp_size != 0 ||
            *threads > most)
            return refuse(instruction,
                          fmt::format("expected a thread count that is known, a multiple of {} and "
                                      "at most the {} threads of the block's warps",
                                      code_.warp_size, most));
        operation.barrier_warps = *threads / code_.warp_size;
    }
    const auto [counted, first] = barrier_warps_.emplace(*barrier, operation.barrier_warps);
    if (!first && counted->second != operation.barrier_warps)
        return refuse(instruction, fmt::format("barrier {} is used with several thread counts; "
                                               "expected one",
                                               *barrier));
    return boost::outcome_v2::success();
}

Result<void> OperationTranslator::add_scoreboards(const Instruction& instruction,
                                                  Operation& operation) {
    const auto number = [](std::optional<int> scoreboard) -> std::optional<std::uint8_t> {
        if (!scoreboard || *scoreboard < 0 || *scoreboard >= assembly::scoreboard_count)
            return std::nullopt;
        return static_cast<std::uint8_t>(*scoreboard);
    };
    if (instruction.control) {
        operation.wait_mask = instruction.control->wait_mask;
        operation.write_barrier = number(instruction.control->write_barrier);
        operation.read_barrier = number(instruction.control->read_barrier);
    }
    if (assembly::is_amd(kernel_.function->target)) {
        add_counters(instruction, operation);
        return boost::outcome_v2::success();
    }
    if (instruction.mnemonic != "DEPBAR") return boost::outcome_v2::success();
    std::int64_t counted_limit = 0;
    for (const assembly::Operand& operand : instruction.operands) {
        if (const auto* scoreboard = std::get_if<assembly::ScoreboardOperand>(&operand)) {
            if (!operation.counted.empty() || !number(scoreboard->index))
                return refuse(instruction, "expected one scoreboard SB0..SB5");
            operation.counted.push_back({*number(scoreboard->index), 0});
        } else if (const auto* limit = std::get_if<assembly::ImmediateOperand>(&operand);
                   limit != nullptr && limit->integer && *limit->integer >= 0 &&
                   *limit->integer < 64) {
            counted_limit = *limit->integer;
        } else if (!instruction.control ||
                   !std::holds_alternative<assembly::TextOperand>(operand)) {
            // Scoreboards in a list are among those of the wait mask.
            return refuse(instruction, "expected a scoreboard and a count of 0..63");
        }
    }
    for (CountedWait& wait : operation.counted)
        wait.limit = counted_limit;
    keep_releases(operation);
    return boost::outcome_v2::success();
}

void OperationTranslator::keep_releases(const Operation& operation) {
    for (const CountedWait& wait : operation.counted)
        code_.scoreboard_depth =
            std::max(code_.scoreboard_depth, static_cast<std::size_t>(wait.limit) + 1);
}

void OperationTranslator::add_counters(const Instruction& instruction, Operation& operation) {
    operation.releases_in_order = assembly::amd::releases_in_order(instruction);
    for (const auto& wait : assembly::amd::counted_waits(instruction, kernel_.function->target))
        operation.counted.push_back({static_cast<std::uint8_t>(wait.scoreboard), wait.most});
    keep_releases(operation);
}

void OperationTranslator::add_registers_of(const assembly::Effects& effects, Operation& operation) {
    std::vector<assembly::Register> accessed = effects.reads;
    accessed.insert(accessed.end(), effects.writes.begin(), effects.writes.end());
    std::sort(accessed.begin(), accessed.end());
    accessed.erase(std::unique(accessed.begin(), accessed.end()), accessed.end());
    operation.dependences = add_registers(accessed);
    operation.writes = add_registers(effects.writes);
}

void OperationTranslator::add_access(const Instruction& instruction,
                                     const models::InstructionTiming& timing,
                                     Operation& operation) {
    if (timing.access.rule != models::PassRule::None) {
        operation.access = static_cast<std::uint32_t>(code_.accesses.size());
        const models::MemoryFact* const fact = kernel_.facts->memory_at(instruction.address);
        code_.accesses.push_back({.pattern = fact != nullptr && fact->pattern
                                                 ? *fact->pattern
                                                 : models::AddressPattern{},
                                  .rule = timing.access,
                                  .same_passes = operation.passes.lo == operation.passes.hi});
    }
    operation.enters_write_buffer = timing.enters_write_buffer;
    operation.through_caches = timing.through_caches;
    operation.is_atomic = models::is_atomic_at_l2(timing);
    operation.result_is_notified = timing.through_caches && !timing.enters_write_buffer;
    operation.needs_entry_at_issue = operation.enters_write_buffer || operation.result_is_notified;
}

Result<Operation> OperationTranslator::translate(const assembly::BasicBlock& block,
                                                 std::size_t index,
                                                 const models::InstructionTiming& timing) {
    const Instruction& instruction = kernel_.function->instructions[index];
    Operation operation;
    if (const auto added = add_times(instruction, timing, operation); !added)
        return added.as_failure();
    if (const auto added = add_scoreboards(instruction, operation); !added)
        return added.as_failure();
    if (instruction.opcode_class == OpcodeClass::Barrier) {
        if (const auto added = add_barrier(instruction, operation); !added)
            return added.as_failure();
        code_.barrier_latency = operation.latency;
    }
    if (timing.unit >= ports_.size()) return refuse(instruction, "its unit is not described");
    operation.port = ports_[timing.unit];
    if (timing.queue) {
        operation.queues = true;
        const models::Interval& entry = timing.queue->entry;
        operation.entry = {entry.lo, entry.hi, entry.typical};
        const models::Interval& interval = timing.queue->interval;
        operation.hand_over_interval = {interval.lo, interval.hi, interval.typical};
    }
    const auto& effects = instruction.effects;
    if (timing.waits_for_registers) add_registers_of(effects, operation);
    if (kernel_.recorded == nullptr)
        operation.if_taken = assembly::barrier_if_taken(*kernel_.function, index, block.last);
    if (guard_decides_execution(instruction))
        operation.execution = Execution::Guarded;
    else if (instruction.guard && instruction.guard->never() &&
             !always_executes(instruction.control_flow))
        operation.execution = Execution::Never;
    operation.is_recorded = kernel_.recorded != nullptr && has_recorded_addresses(instruction);
    add_access(instruction, timing, operation);
    const bool is_operand = instruction.opcode_class != OpcodeClass::LoadConstant; // C81
    if (code_.machine.constants || (code_.machine.operand_caches && is_operand))
        if (const auto added = add_constants(instruction, operation); !added)
            return added.as_failure();
    operation.reads_clock = effects.reads_clock;
    operation.is_long = is_long(instruction.opcode_class);
    add_bank_reads(instruction, operation);
    if (const auto added = add_bank_writes(instruction, operation); !added)
        return added.as_failure();
    if (const auto added = add_queued_reads(instruction, operation); !added)
        return added.as_failure();
    if (code_.machine.register_file)
        if (const auto added = add_collection(block, index, timing, operation); !added)
            return added.as_failure();
    return operation;
}

Result<void> OperationTranslator::add_constants(const Instruction& instruction,
                                                Operation& operation) {
    const bool by_address =
        operation.access && instruction.opcode_class == OpcodeClass::LoadConstant;
    const MachineShape& machine = code_.machine;
    const std::size_t line =
        machine.operand_caches ? machine.operand_caches->line : machine.constants->line;
    const auto lines = constant_lines(instruction, line, by_address);
    if (!lines) return refuse(instruction, lines.error().what);
    operation.constants = {.first = static_cast<std::uint32_t>(code_.constant_lines.size()),
                           .count = static_cast<std::uint32_t>(lines.value().size())};
    code_.constant_lines.insert(code_.constant_lines.end(), lines.value().begin(),
                                lines.value().end());
    if (!by_address) return boost::outcome_v2::success();
    for (const assembly::Operand& operand : instruction.operands)
        if (const auto* const constant = std::get_if<assembly::ConstantOperand>(&operand))
            operation.constant_bank = static_cast<std::uint8_t>(constant->bank);
    return boost::outcome_v2::success();
}

RegisterSpan OperationTranslator::add_bank_registers(const std::vector<std::uint16_t>& registers) {
    const RegisterSpan span{.first = static_cast<std::uint32_t>(code_.bank_registers.size()),
                            .count = static_cast<std::uint32_t>(registers.size())};
    code_.bank_registers.insert(code_.bank_registers.end(), registers.begin(), registers.end());
    return span;
}

void OperationTranslator::add_bank_reads(const Instruction& instruction, Operation& operation) {
    if (!code_.machine.read_ports || !assembly::has_fixed_latency(instruction)) return;
    operation.has_fixed_latency = true;
    const auto reads =
        bank_reads_of(instruction, kernel_.function->target, *code_.machine.read_ports);
    operation.bank_reads = {.first = static_cast<std::uint32_t>(code_.bank_reads.size()),
                            .count = static_cast<std::uint32_t>(reads.size())};
    for (auto read = reads.begin(); read != reads.end(); ++read) {
        operation.has_unknown_width = operation.has_unknown_width || !read->is_certain;
        operation.repeats_register = operation.repeats_register ||
                                     std::any_of(reads.begin(), read, [&](const BankRead& before) {
                                         return before.reg == read->reg;
                                     });
    }
    code_.bank_reads.insert(code_.bank_reads.end(), reads.begin(), reads.end());
}

Result<void> OperationTranslator::add_bank_writes(const Instruction& instruction,
                                                  Operation& operation) {
    const auto& ports = code_.machine.read_ports;
    if (!ports || !ports->has_write_ports) return boost::outcome_v2::success();
    const auto writes = bank_writes_of(instruction, operation, *ports);
    if (!writes) return refuse(instruction, writes.error().what);
    operation.bank_writes = {.first = static_cast<std::uint32_t>(code_.bank_writes.size()),
                             .count = static_cast<std::uint32_t>(writes.value().size())};
    operation.waits_for_write = !has_fixed_result(operation) && operation.bank_writes.count > 0;
    code_.bank_writes.insert(code_.bank_writes.end(), writes.value().begin(), writes.value().end());
    return boost::outcome_v2::success();
}

Result<void> OperationTranslator::add_queued_reads(const Instruction& instruction,
                                                   Operation& operation) {
    const auto& ports = code_.machine.read_ports;
    if (!ports || !ports->has_variable_latency_reads || operation.has_fixed_latency)
        return boost::outcome_v2::success();
    operation.has_result = assembly::has_result(instruction);
    if (!operation.has_result && !operation.read_barrier) return boost::outcome_v2::success();
    const auto reads = queued_reads_of(instruction, kernel_.function->target, *ports);
    if (reads.empty()) return boost::outcome_v2::success();
    if (operation.result_is_notified || operation.is_atomic)
        return refuse(instruction,
                      fmt::format("its result comes from {}, which register-file/"
                                  "variable-latency-reads does not cover; expected a memory fact "
                                  "with a level in place of its addresses, or --assume "
                                  "register-file=none",
                                  operation.is_atomic ? "a slice of the L2" : "the caches"));
    if (operation.source_read.lo < 1 || (operation.has_result && operation.latency.lo < 1))
        return refuse(instruction, "it reads its sources or has its result in the cycle of its "
                                   "issue; with register-file/variable-latency-reads, expected "
                                   "latency and source-read of at least one cycle, or --assume "
                                   "register-file=none");
    operation.queued_reads = {.first = static_cast<std::uint32_t>(code_.queued_reads.size()),
                              .count = static_cast<std::uint32_t>(reads.size())};
    code_.queued_reads.insert(code_.queued_reads.end(), reads.begin(), reads.end());
    return boost::outcome_v2::success();
}

Result<void> OperationTranslator::add_collection(const assembly::BasicBlock& block,
                                                 std::size_t index,
                                                 const models::InstructionTiming& timing,
                                                 Operation& operation) {
    const auto& instructions = kernel_.function->instructions;
    const Instruction& instruction = instructions[index];
    const auto& pool = code_.machine.register_file->pool_of_unit[timing.unit];
    const models::Unit& unit = architecture_.units[timing.unit];
    if (!pool)
        return refuse(instruction, fmt::format("operand-collectors/{} is absent from architecture "
                                               "{}, which has a register-file",
                                               unit.name, architecture_.name));
    const auto& effects = instruction.effects;
    // The reuse cache does not serve address operands.
    const Instruction* before =
        index > block.first && !effects.memory ? &instructions[index - 1] : nullptr;
    if (before != nullptr && assembly::is_guarded(*before)) before = nullptr;
    operation.collection = Collection{
        .pool = *pool,
        .pool_per_scheduler = unit.scope == models::UnitScope::Partition,
        .reads = add_bank_registers(bank_reads(instruction, effects.reads, before)),
        .writes = add_bank_registers(bank_reads(instruction, effects.writes, nullptr)),
        .reserves_result = !effects.memory && operation.latency.lo == operation.latency.hi};
    return boost::outcome_v2::success();
}

} // namespace warpbound::harness::simulator
