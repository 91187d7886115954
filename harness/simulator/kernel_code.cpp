#include "harness/simulator/kernel_code.hpp"

#include "harness/simulator/memory/shape.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;
using assembly::OpcodeClass;

/// Keeps every sum of times inside 64 bits.
constexpr std::int64_t cycle_limit = std::int64_t{1} << 31U;
constexpr std::int64_t pass_limit = 1024;
constexpr std::int64_t warp_limit = std::int64_t{1} << 20U;
constexpr std::int64_t count_limit = std::int64_t{1} << 16U;
constexpr int barrier_limit = 16;

/// Translates one kernel; collects the registers as it meets them.
class Translator {
public:
    Translator(const models::Architecture& architecture, const Kernel& kernel,
               const models::WarpPolicy& policy, std::int64_t multiprocessors)
        : architecture_{architecture}, kernel_{kernel}, multiprocessors_{multiprocessors} {
        code_.machine.policy = policy;
    }

    Result<KernelCode> translate();

private:
    Failure refuse(const Instruction& instruction, std::string_view what) const;
    Result<Range> described(const models::ValueGroup& group, std::string_view path,
                            std::string_view value, std::int64_t lowest) const;
    Result<std::int64_t> described_count(const models::ValueGroup& group, std::string_view path,
                                         std::string_view value) const;
    Result<void> add_multiprocessors();
    Result<void> add_geometry();
    Result<void> add_capacity();
    Result<void> add_registers_of_block();
    Result<void> add_shared_memory_of_block();
    Result<void> add_places();
    [[nodiscard]] Failure no_room(Resource resource) const;
    Result<std::int64_t> limit_of(std::string_view value, std::int64_t least) const;
    void add_ports();
    Result<void> add_instructions();
    Result<void> add_convergence();
    Result<Operation> operation_of(const Instruction& instruction,
                                   const models::InstructionTiming& timing);
    Result<void> add_pipeline();
    Result<void> add_collection(const assembly::BasicBlock& block, std::size_t index,
                                const models::InstructionTiming& timing, Operation& operation);
    RegisterSpan add_bank_registers(const std::vector<std::uint16_t>& registers);
    Result<void> add_times(const Instruction& instruction, const models::InstructionTiming& timing,
                           Operation& operation) const;
    Result<void> add_barrier(const Instruction& instruction, Operation& operation);
    Result<void> add_scoreboards(const Instruction& instruction, Operation& operation);
    RegisterSpan add_registers(const std::vector<assembly::Register>& registers);

    const models::Architecture& architecture_;
    const Kernel& kernel_;
    std::int64_t multiprocessors_;
    KernelCode code_;
    std::vector<PortName> ports_; ///< Per unit.
    std::map<assembly::Register, std::uint16_t> numbers_;
    std::map<std::int64_t, std::int64_t> barrier_warps_; ///< As in `Operation`, by barrier.
};

/// Control transfers and EXIT always execute, whatever their guard (C10).
bool always_executes(ControlFlow flow) {
    return assembly::transfers_control(flow) || flow == ControlFlow::Exit;
}

/// What the two-level policy does not wait for inside its active set (C19).
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

std::int64_t round_up(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / unit * unit;
}

/// Fermi allocates some numbers of registers in double units (C30).
bool needs_double_unit(std::int64_t registers, const models::Architecture& architecture) {
    constexpr std::array<std::int64_t, 8> doubled{21, 22, 29, 30, 37, 38, 45, 46};
    return assembly::generation_of(architecture.target) == assembly::Generation::Fermi &&
           std::find(doubled.begin(), doubled.end(), registers) != doubled.end();
}

/// Blocks of a launch that an SM holds at a time, at most `blocks`.
std::int64_t slots_of(const Capacity& capacity, const Demand& demand, std::int64_t blocks) {
    Residence residence{capacity};
    std::int64_t slots = 0;
    for (; slots < blocks && residence.has_room(demand); ++slots)
        residence.enter(demand);
    return slots;
}

Failure Translator::refuse(const Instruction& instruction, std::string_view what) const {
    return Failure{fmt::format("{} at 0x{:04x}: {}", assembly::opcode_text(instruction),
                               instruction.address, what),
                   kernel_.function->name, instruction.position.line, instruction.position.column};
}

Result<Range> Translator::described(const models::ValueGroup& group, std::string_view path,
                                    std::string_view value, std::int64_t lowest) const {
    const auto interval = models::require(architecture_, group, path, value);
    if (!interval) return interval.as_failure();
    const Range range{interval.value().lo, interval.value().hi};
    if (range.lo < lowest || range.hi > cycle_limit || range.lo > range.hi)
        return Failure{fmt::format("{}/{} is {}..{}; expected at least {} and at most {}", path,
                                   value, range.lo, range.hi, lowest, cycle_limit),
                       architecture_.name, 0, 0};
    return range;
}

Result<std::int64_t> Translator::described_count(const models::ValueGroup& group,
                                                 std::string_view path,
                                                 std::string_view value) const {
    const auto range = described(group, path, value, 1);
    if (!range) return range.as_failure();
    if (range.value().lo != range.value().hi || range.value().hi > count_limit)
        return Failure{fmt::format("{}/{} is {}..{}; expected one number of at most {}", path,
                                   value, range.value().lo, range.value().hi, count_limit),
                       architecture_.name, 0, 0};
    return range.value().lo;
}

Result<void> Translator::add_multiprocessors() {
    std::int64_t most = 1;
    if (multiprocessors_ != 1) {
        const auto described_most =
            described_count(architecture_.geometry, "geometry", "multiprocessors");
        if (!described_most) return described_most.as_failure();
        most = described_most.value();
    }
    if (multiprocessors_ < 1 || multiprocessors_ > most)
        return Failure{fmt::format("{} SMs; expected 1 to geometry/multiprocessors, which is {}",
                                   multiprocessors_, most),
                       architecture_.name, 0, 0};
    code_.machine.multiprocessors = static_cast<std::size_t>(multiprocessors_);
    return boost::outcome_v2::success();
}

Result<void> Translator::add_geometry() {
    if (const auto added = add_multiprocessors(); !added) return added;
    const auto warp_size = described_count(architecture_.geometry, "geometry", "warp-size");
    if (!warp_size) return warp_size.as_failure();
    code_.all_lanes = models::all_lanes(warp_size.value());
    const auto schedulers = described_count(architecture_.schedulers, "schedulers", "count");
    if (!schedulers) return schedulers.as_failure();
    const auto slot = described(architecture_.schedulers, "schedulers", "issue-slot", 1);
    if (!slot) return slot.as_failure();
    code_.machine.schedulers = static_cast<std::size_t>(schedulers.value());
    code_.machine.issue_slot = slot.value();
    const models::Launch& launch = kernel_.launch;
    if (launch.blocks < 1 || launch.threads < 1 || launch.blocks > warp_limit ||
        launch.threads > warp_limit)
        return Failure{fmt::format("launch {}x{}: expected at least one block of one thread and at "
                                   "most {} of each",
                                   launch.blocks, launch.threads, warp_limit),
                       "", 0, 0};
    code_.warp_size = warp_size.value();
    code_.threads = launch.threads;
    code_.demand.warps = launch.warps_per_block(code_.warp_size);
    code_.blocks = launch.blocks;
    if (code_.blocks * code_.demand.warps > warp_limit)
        return Failure{fmt::format("launch of more than {} warps", warp_limit), "", 0, 0};
    return add_capacity();
}

Result<void> Translator::add_capacity() {
    Capacity& capacity = code_.machine.capacity;
    const auto max_warps = described_count(architecture_.limits, "limits", "max-warps");
    if (!max_warps) return max_warps.as_failure();
    capacity.warps = max_warps.value();
    capacity.blocks = 1;
    if (code_.blocks > 1) {
        const auto max_blocks = described_count(architecture_.limits, "limits", "max-blocks");
        if (!max_blocks) return max_blocks.as_failure();
        capacity.blocks = max_blocks.value();
    }
    if (const auto added = add_registers_of_block(); !added) return added;
    if (const auto added = add_shared_memory_of_block(); !added) return added;
    if (const auto missing = Residence{capacity}.missing(code_.demand)) return no_room(*missing);
    return add_places();
}

Failure Translator::no_room(Resource resource) const {
    const Capacity& capacity = code_.machine.capacity;
    const Demand& demand = code_.demand;
    std::string words;
    if (resource == Resource::Registers)
        words = fmt::format("it takes {} registers a warp of each partition's {}", demand.registers,
                            capacity.registers);
    else if (resource == Resource::SharedMemory)
        words =
            fmt::format("it takes {} bytes of {}", demand.shared_memory, capacity.shared_memory);
    else
        words = fmt::format("it takes {} of {}", demand.warps, capacity.warps);
    return Failure{fmt::format("a block of {} warps fits no SM by its {}: {}", demand.warps,
                               to_string(resource), words),
                   architecture_.name, 0, 0};
}

Result<std::int64_t> Translator::limit_of(std::string_view value, std::int64_t least) const {
    const auto range = described(architecture_.limits, "limits", value, least);
    if (!range) return range.as_failure();
    if (range.value().lo == range.value().hi) return range.value().lo;
    return Failure{fmt::format("limits/{} is {}..{}; expected one number", value, range.value().lo,
                               range.value().hi),
                   architecture_.name, 0, 0};
}

Result<void> Translator::add_registers_of_block() {
    auto registers = kernel_.launch.registers;
    const int listed = kernel_.function->register_count.value_or(0);
    if (!registers && code_.blocks > 1 && listed > 0) registers = listed;
    if (!registers) return boost::outcome_v2::success();
    std::int64_t unit = 0;
    std::int64_t of_thread = 0;
    std::int64_t of_block = 0;
    std::int64_t all = 0;
    Capacity& capacity = code_.machine.capacity;
    for (const auto& [name, place] : {std::pair{"register-granularity", &unit},
                                      {"registers-per-thread", &of_thread},
                                      {"registers-per-block", &of_block},
                                      {"registers", &all},
                                      {"register-partitions", &capacity.register_partitions}}) {
        const auto value = limit_of(name, 1);
        if (!value) return value.as_failure();
        *place = value.value();
    }
    const auto too_many = [&](std::int64_t wanted, std::int64_t most, std::string_view whose) {
        return Failure{fmt::format("a block of {} warps fits no SM by its registers: it takes {} "
                                   "of the {} that {} may have",
                                   code_.demand.warps, wanted, most, whose),
                       architecture_.name, 0, 0};
    };
    if (*registers > of_thread) return too_many(*registers, of_thread, "a thread");
    if (capacity.register_partitions > capacity.warps)
        return Failure{fmt::format("limits/register-partitions is {}; expected at most "
                                   "limits/max-warps, which is {}",
                                   capacity.register_partitions, capacity.warps),
                       architecture_.name, 0, 0};
    if (needs_double_unit(*registers, architecture_)) unit *= 2;
    capacity.registers = all / capacity.register_partitions;
    code_.demand.registers = round_up(*registers * code_.warp_size, unit);
    const std::int64_t wanted =
        code_.demand.registers * round_up(code_.demand.warps, capacity.register_partitions);
    if (wanted > of_block) return too_many(wanted, of_block, "a block");
    return boost::outcome_v2::success();
}

Result<void> Translator::add_shared_memory_of_block() {
    const auto bytes = kernel_.launch.shared_memory;
    if (!bytes) return boost::outcome_v2::success();
    const auto all = limit_of("shared-memory", 1);
    if (!all) return all.as_failure();
    const auto of_block = limit_of("shared-memory-per-block", 1);
    if (!of_block) return of_block.as_failure();
    const auto unit = limit_of("shared-granularity", 1);
    if (!unit) return unit.as_failure();
    const auto reserved = limit_of("shared-reserved", 0);
    if (!reserved) return reserved.as_failure();
    if (*bytes > of_block.value())
        return Failure{fmt::format("a block of {} warps fits no SM by its shared memory: it takes "
                                   "{} of the {} bytes that a block may have",
                                   code_.demand.warps, *bytes, of_block.value()),
                       architecture_.name, 0, 0};
    code_.machine.capacity.shared_memory = all.value();
    code_.demand.shared_memory = round_up(*bytes + reserved.value(), unit.value());
    return boost::outcome_v2::success();
}

Result<void> Translator::add_places() {
    const std::int64_t slots = slots_of(code_.machine.capacity, code_.demand, code_.blocks);
    code_.machine.warp_places = slots * code_.demand.warps;
    if (code_.blocks <= slots * static_cast<std::int64_t>(code_.machine.multiprocessors))
        return boost::outcome_v2::success();
    const auto replacement = described(architecture_.blocks, "blocks", "replacement", 0);
    if (!replacement) return replacement.as_failure();
    const auto start = described(architecture_.blocks, "blocks", "start", 0);
    if (!start) return start.as_failure();
    code_.machine.replacement = replacement.value();
    code_.machine.start = start.value();
    return boost::outcome_v2::success();
}

void Translator::add_ports() {
    for (const models::Unit& unit : architecture_.units) {
        std::size_t& count = unit.scope == models::UnitScope::Warp ? code_.machine.warp_ports
                             : unit.scope == models::UnitScope::Partition
                                 ? code_.machine.partition_ports
                                 : code_.machine.core_ports;
        ports_.push_back(PortName{unit.scope, count++});
    }
}

RegisterSpan Translator::add_registers(const std::vector<assembly::Register>& registers) {
    RegisterSpan span{.first = static_cast<std::uint32_t>(code_.registers.size())};
    for (const assembly::Register& reg : registers) {
        const auto next = static_cast<std::uint16_t>(numbers_.size());
        code_.registers.push_back(numbers_.emplace(reg, next).first->second);
        ++span.count;
    }
    return span;
}

Result<void> Translator::add_times(const Instruction& instruction,
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
                           {&timing.passes, &operation.passes, "passes"}};
    for (const Named& value : named) {
        const std::int64_t lowest = value.name == "passes" ? 1 : 0;
        const std::int64_t highest = value.name == "passes" ? pass_limit : cycle_limit;
        if (value.interval->lo < lowest || value.interval->hi > highest ||
            value.interval->lo > value.interval->hi)
            return refuse(instruction,
                          fmt::format("{} is {}..{}; expected {}..{}", value.name,
                                      value.interval->lo, value.interval->hi, lowest, highest));
        *value.range = Range{value.interval->lo, value.interval->hi};
    }
    return boost::outcome_v2::success();
}

Result<void> Translator::add_barrier(const Instruction& instruction, Operation& operation) {
    const bool arrives_only = instruction.has_modifier("ARV");
    if (!arrives_only && !instruction.has_modifier("SYNC") && !instruction.has_modifier("RED"))
        return refuse(instruction, "only BAR.SYNC, BAR.RED and BAR.ARV are simulated");
    std::vector<std::optional<std::int64_t>> numbers; // The barrier, then its threads.
    for (const assembly::Operand& operand : instruction.operands) {
        const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
        if (reg != nullptr && reg->file != assembly::RegisterFile::General) continue; // BAR.RED's.
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
                                      "at most the {} of the block's warps",
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

Result<void> Translator::add_scoreboards(const Instruction& instruction, Operation& operation) {
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
    if (instruction.mnemonic != "DEPBAR") return boost::outcome_v2::success();
    for (const assembly::Operand& operand : instruction.operands) {
        if (const auto* scoreboard = std::get_if<assembly::ScoreboardOperand>(&operand)) {
            if (operation.counted_scoreboard || !number(scoreboard->index))
                return refuse(instruction, "expected one scoreboard SB0..SB5");
            operation.counted_scoreboard = number(scoreboard->index);
        } else if (const auto* limit = std::get_if<assembly::ImmediateOperand>(&operand);
                   limit != nullptr && limit->integer && *limit->integer >= 0 &&
                   *limit->integer < 64) {
            operation.counted_limit = *limit->integer;
        } else {
            return refuse(instruction, "expected a scoreboard and a count of 0..63");
        }
    }
    code_.scoreboard_depth =
        std::max(code_.scoreboard_depth, static_cast<std::size_t>(operation.counted_limit) + 1);
    return boost::outcome_v2::success();
}

Result<Operation> Translator::operation_of(const Instruction& instruction,
                                           const models::InstructionTiming& timing) {
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
    const assembly::Effects effects = assembly::effects_of(instruction, kernel_.function->target);
    if (timing.waits_for_registers) {
        std::vector<assembly::Register> touched = effects.reads;
        touched.insert(touched.end(), effects.writes.begin(), effects.writes.end());
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        operation.waits = add_registers(touched);
        operation.writes = add_registers(effects.writes);
    }
    if (instruction.guard && !always_executes(instruction.control_flow) &&
        !instruction.guard->always())
        operation.execution = instruction.guard->never() ? Execution::Never : Execution::Guarded;
    operation.enters_write_buffer = timing.enters_write_buffer;
    if (timing.access.rule != models::PassRule::None) {
        operation.access = static_cast<std::uint32_t>(code_.accesses.size());
        const auto& pattern = kernel_.facts->memory_at(instruction.address)->pattern;
        code_.accesses.push_back({.pattern = *pattern,
                                  .rule = timing.access,
                                  .same_passes = operation.passes.lo == operation.passes.hi});
    }
    operation.through_caches = timing.through_caches;
    operation.result_is_told = timing.through_caches && !timing.enters_write_buffer;
    operation.takes_place = operation.enters_write_buffer || operation.result_is_told;
    operation.reads_clock = effects.reads_clock;
    operation.is_long = is_long(instruction.opcode_class);
    return operation;
}

RegisterSpan Translator::add_bank_registers(const std::vector<std::uint16_t>& registers) {
    const RegisterSpan span{.first = static_cast<std::uint32_t>(code_.bank_registers.size()),
                            .count = static_cast<std::uint32_t>(registers.size())};
    code_.bank_registers.insert(code_.bank_registers.end(), registers.begin(), registers.end());
    return span;
}

Result<void> Translator::add_collection(const assembly::BasicBlock& block, std::size_t index,
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
    const assembly::Effects effects = assembly::effects_of(instruction, kernel_.function->target);
    // Addresses are not read through the operands that can be kept.
    const Instruction* before =
        index > block.first && !effects.memory ? &instructions[index - 1] : nullptr;
    if (before != nullptr && before->guard && !before->guard->always()) before = nullptr;
    operation.collection = Collection{
        .pool = *pool,
        .pool_per_scheduler = unit.scope == models::UnitScope::Partition,
        .reads = add_bank_registers(bank_reads(instruction, effects.reads, before)),
        .writes = add_bank_registers(bank_reads(instruction, effects.writes, nullptr)),
        .reserves_result = !effects.memory && operation.latency.lo == operation.latency.hi};
    return boost::outcome_v2::success();
}

Result<void> Translator::add_pipeline() {
    const auto fetch = fetch_of(architecture_);
    if (!fetch) return fetch.as_failure();
    code_.machine.fetch = fetch.value();
    if (code_.machine.fetch) code_.lines = lines_of(*kernel_.function, *code_.machine.fetch);
    auto file = register_file_of(architecture_, code_.machine.schedulers);
    if (!file) return file.as_failure();
    code_.machine.register_file = std::move(file.value());
    return boost::outcome_v2::success();
}

Result<void> Translator::add_instructions() {
    const assembly::Function& function = *kernel_.function;
    const auto timings = models::instruction_timings(function, architecture_, *kernel_.facts);
    code_.operations.resize(function.instructions.size());
    std::vector<bool> translated(function.instructions.size(), false);
    bool stores = false;
    bool caches = false;
    for (std::size_t block = 0; block < kernel_.graph->blocks.size(); ++block) {
        if (!code_.paths.visits(block)) continue;
        const assembly::BasicBlock& basic = kernel_.graph->blocks[block];
        for (std::size_t index = basic.first; index <= basic.last; ++index) {
            if (translated[index]) continue;
            translated[index] = true;
            const auto& timing = timings[index];
            if (!timing) return timing.as_failure();
            auto operation = operation_of(function.instructions[index], timing.value());
            if (!operation) return operation.as_failure();
            if (code_.machine.register_file)
                if (const auto added =
                        add_collection(basic, index, timing.value(), operation.value());
                    !added)
                    return added.as_failure();
            stores = stores || operation.value().enters_write_buffer;
            caches = caches || operation.value().through_caches;
            code_.operations[index] = operation.value();
        }
    }
    code_.register_count = numbers_.size();
    if (caches) {
        if (code_.machine.register_file)
            return Failure{
                "accesses through the caches are not simulated on a machine with operand "
                "collectors in this version: state their level",
                architecture_.name, 0, 0};
        auto memory = read_memory_shape(architecture_);
        if (!memory) return memory.as_failure();
        code_.machine.memory = memory.value();
    }
    if (!stores) return boost::outcome_v2::success();
    const auto entries = described(architecture_.write_buffer, "write-buffer", "entries", 1);
    if (!entries) return entries.as_failure();
    const auto drain = described(architecture_.write_buffer, "write-buffer", "drain", 0);
    if (!drain) return drain.as_failure();
    if (entries.value().hi > count_limit)
        return Failure{fmt::format("write-buffer/entries is above {}", count_limit),
                       architecture_.name, 0, 0};
    code_.machine.buffer_entries = entries.value();
    code_.machine.buffer_drain = drain.value();
    return boost::outcome_v2::success();
}

Result<void> Translator::add_convergence() {
    if (kernel_.facts->divergents.empty()) return boost::outcome_v2::success();
    if (code_.warp_size > lane_limit)
        return Failure{fmt::format("geometry/warp-size is {}; lanes that part are simulated in "
                                   "warps of at most {}",
                                   code_.warp_size, lane_limit),
                       architecture_.name, 0, 0};
    std::vector<bool> visited;
    for (std::size_t block = 0; block < kernel_.graph->blocks.size(); ++block)
        visited.push_back(code_.paths.visits(block));
    auto found = find_convergence(kernel_, visited);
    if (!found) return found.as_failure();
    for (std::size_t index = 0; index < code_.operations.size(); ++index)
        code_.operations[index].parts_lanes = found.value().parts[index];
    code_.convergence = std::move(found.value());
    return boost::outcome_v2::success();
}

Result<KernelCode> Translator::translate() {
    code_.graph = kernel_.graph;
    auto paths = PathChooser::make(*kernel_.graph, *kernel_.facts);
    if (!paths) return paths.as_failure();
    code_.paths = std::move(paths.value());
    if (const auto added = add_geometry(); !added) return added.as_failure();
    add_ports();
    if (const auto added = add_pipeline(); !added) return added.as_failure();
    if (const auto added = add_instructions(); !added) return added.as_failure();
    if (const auto added = add_convergence(); !added) return added.as_failure();
    return std::move(code_);
}

} // namespace

Result<KernelCode> translate(const models::Architecture& architecture, const Kernel& kernel,
                             const models::WarpPolicy& policy, std::int64_t multiprocessors) {
    return Translator{architecture, kernel, policy, multiprocessors}.translate();
}

} // namespace warpbound::harness::simulator
