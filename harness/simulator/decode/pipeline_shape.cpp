#include "harness/simulator/decode/pipeline_shape.hpp"

#include "assembly/isa/operand_reads.hpp"
#include "harness/simulator/decode/architecture_values.hpp"
#include "harness/simulator/decode/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpbound::harness::simulator {

namespace {

CollectorShape collector_of(ArchitectureValues& values,
                            const ArchitectureValues::Group& collector) {
    return CollectorShape{.issue_slots = values.count(collector, "issue-slots"),
                          .entry_ports = values.count(collector, "entry-ports"),
                          .collectors = values.count(collector, "collectors"),
                          .exit_ports = values.count(collector, "exit-ports"),
                          .dispatch_slots = values.count(collector, "dispatch-slots"),
                          .execution_units = values.count(collector, "execution-units")};
}

const assembly::RegisterOperand* general_register(const assembly::Instruction& instruction,
                                                  std::size_t operand) {
    if (operand >= instruction.operands.size()) return nullptr;
    const auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands[operand]);
    return reg != nullptr && reg->file == assembly::RegisterFile::General && reg->index ? reg
                                                                                        : nullptr;
}

/// Whether the reuse cache holds the register for every operand that names it.
bool is_kept(const assembly::Instruction& instruction, int index,
             const assembly::Instruction& before) {
    bool named = false;
    for (std::size_t operand = 1; operand < instruction.operands.size(); ++operand) {
        const auto* reg = general_register(instruction, operand);
        if (reg == nullptr || *reg->index != index) continue;
        const auto* kept = general_register(before, operand);
        if (kept == nullptr || *kept->index != index ||
            std::find(kept->suffixes.begin(), kept->suffixes.end(), "reuse") ==
                kept->suffixes.end())
            return false;
        named = true;
    }
    return named;
}

} // namespace

std::vector<std::uint64_t> lines_of(const assembly::Function& function, std::uint64_t line) {
    std::vector<std::uint64_t> lines;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    for (const auto& instruction : function.instructions) {
        size = static_cast<std::uint64_t>(instruction.address) - address;
        address = static_cast<std::uint64_t>(instruction.address);
        lines.push_back(address / line);
    }
    lines.push_back((address + size) / line);
    return lines;
}

Result<std::optional<FetchShape>> fetch_of(const models::Architecture& architecture) {
    const models::ValueGroup& described = architecture.fetch;
    if (!architecture.has_fetch_ports()) return std::optional<FetchShape>{};
    ArchitectureValues values{architecture};
    values.expect(!architecture.has_instruction_caches(),
                  "fetch describes fetch ports (C43 to C46) and instruction caches (C66 to C70); "
                  "expected one of them");
    const ArchitectureValues::Group group{&described, "fetch"};
    FetchShape fetch;
    fetch.delivered = std::min(values.count(group, "buffer"), values.count(group, "width"));
    fetch.ports = values.count(group, "ports");
    const bool cached =
        std::any_of(described.values.begin(), described.values.end(),
                    [](const auto& value) { return value.name.starts_with("cache-"); });
    if (cached)
        fetch.cache = LineCacheShape{.sets = values.count(group, "cache-sets"),
                                     .ways = values.count(group, "cache-ways"),
                                     .line = values.count(group, "cache-line"),
                                     .miss = values.range(group, "cache-miss")};
    if (values.failure()) return *values.failure();
    return std::optional{fetch};
}

Result<std::optional<RegisterFileShape>> register_file_of(const models::Architecture& architecture,
                                                          std::size_t schedulers) {
    ArchitectureValues values{architecture};
    if (architecture.has_read_ports()) {
        values.expect(architecture.operand_collectors.empty(),
                      "register-file/read-ports and operand-collectors; expected one of them");
        if (values.failure()) return *values.failure();
        return std::optional<RegisterFileShape>{};
    }
    if (architecture.register_file.values.empty() && architecture.operand_collectors.empty())
        return std::optional<RegisterFileShape>{};
    const ArchitectureValues::Group group{&architecture.register_file, "register-file"};
    RegisterFileShape file;
    file.banks = values.count(group, "banks");
    file.result_slots = values.count(group, "result-slots");
    file.write_back = values.number(group, "write-back", 1, count_limit);
    for (const models::Unit& unit : architecture.units) {
        const models::ValueGroup* described = architecture.operand_collector(unit.name);
        file.pool_of_unit.emplace_back();
        if (described == nullptr) continue;
        const CollectorShape collector =
            collector_of(values, {described, fmt::format("operand-collectors/{}", unit.name)});
        file.pool_of_unit.back() = file.pools.size();
        const std::size_t pools = unit.scope == models::UnitScope::Partition ? schedulers : 1;
        constexpr std::size_t entry_limit = std::size_t{1} << 16U; // Limits host memory.
        const std::size_t entries =
            pools * (collector.collectors + collector.exit_ports + collector.execution_units);
        values.expect(
            entries <= entry_limit,
            fmt::format("operand-collectors/{} has {} collectors, exit ports and units on "
                        "an SM; expected at most {}",
                        unit.name, entries, entry_limit));
        if (values.failure()) break;
        file.pools.insert(file.pools.end(), pools, collector);
    }
    if (values.failure()) return *values.failure();
    return std::optional{std::move(file)};
}

Result<std::optional<ReadPortsShape>> read_ports_of(const models::Architecture& architecture) {
    ArchitectureValues values{architecture};
    if (!architecture.has_read_ports()) {
        values.expect(!architecture.has_write_ports(),
                      "register-file/write-ports without register-file/read-ports; expected both");
        values.expect(!architecture.has_variable_latency_reads(),
                      "register-file/variable-latency-reads without register-file/read-ports; "
                      "expected both");
        if (values.failure()) return *values.failure();
        return std::optional<ReadPortsShape>{};
    }
    constexpr std::int64_t limit = 64;
    const ArchitectureValues::Group group{&architecture.register_file, "register-file"};
    ReadPortsShape shape;
    values.number(group, "read-ports", 1, 1);
    shape.banks = static_cast<std::size_t>(values.number(group, "banks", 1, limit));
    shape.window = values.number(group, "read-window", 1, limit);
    shape.reuse_slots = static_cast<std::size_t>(values.number(group, "reuse-slots", 0, limit));
    shape.has_write_ports = architecture.has_write_ports();
    if (shape.has_write_ports) {
        values.number(group, "write-ports", 1, 1);
        values.expect(architecture.issue_control == models::IssueControl::Encoded,
                      "register-file/write-ports on a machine with interlocks; expected one with "
                      "encoded control fields");
    }
    shape.has_variable_latency_reads = architecture.has_variable_latency_reads();
    if (shape.has_variable_latency_reads) {
        values.number(group, "variable-latency-reads", 1, 1);
        values.expect(architecture.issue_control == models::IssueControl::Encoded,
                      "register-file/variable-latency-reads on a machine with interlocks; expected "
                      "one with encoded control fields");
        values.expect(!architecture.has_memory_queue(),
                      "register-file/variable-latency-reads beside memory-queue, which hands over "
                      "in order; expected a description without one of them, or --assume "
                      "memory-queue=none");
    }
    if (values.failure()) return *values.failure();
    return std::optional{shape};
}

Result<std::optional<MemoryQueueShape>> memory_queue_of(const models::Architecture& architecture) {
    if (!architecture.has_memory_queue()) return std::optional<MemoryQueueShape>{};
    ArchitectureValues values{architecture};
    values.expect(architecture.operand_collectors.empty(),
                  "memory-queue and operand-collectors; expected one of them");
    const ArchitectureValues::Group group{&architecture.memory_queue, "memory-queue"};
    constexpr std::int64_t most_places = 1024;
    MemoryQueueShape shape;
    shape.places = static_cast<std::size_t>(values.number(group, "places", 1, most_places));
    shape.least_entry = architecture.least_queue_entry().value_or(shape.least_entry);
    if (values.failure()) return *values.failure();
    return std::optional{shape};
}

std::vector<BankRead> bank_reads_of(const assembly::Instruction& instruction,
                                    assembly::Target target, const ReadPortsShape& ports) {
    constexpr int pair = 2; // A wider operand has several registers for one place of a bank.
    std::vector<BankRead> reads;
    for (const assembly::OperandRead& operand : assembly::operand_reads(instruction, target)) {
        const bool has_place =
            operand.position && static_cast<std::size_t>(*operand.position) < ports.reuse_slots;
        for (int i = 0; i < operand.registers; ++i) {
            const auto reg = static_cast<std::size_t>(operand.first + i);
            reads.push_back(
                {.reg = static_cast<std::uint16_t>(reg),
                 .bank = static_cast<std::uint8_t>(reg % ports.banks),
                 .position = static_cast<std::int8_t>(has_place ? *operand.position : -1),
                 .is_kept = operand.is_reused && operand.has_width && operand.registers <= pair,
                 .is_certain = i == 0 || operand.has_width});
        }
    }
    return reads;
}

std::vector<BankRegisters> queued_reads_of(const assembly::Instruction& instruction,
                                           assembly::Target target, const ReadPortsShape& ports) {
    std::vector<BankRegisters> reads;
    const auto registers = bank_reads_of(instruction, target, ports);
    for (std::size_t bank = 0; bank < ports.banks; ++bank) {
        const auto count = std::count_if(registers.begin(), registers.end(),
                                         [&](const BankRead& read) { return read.bank == bank; });
        if (count > 0)
            reads.push_back({.bank = static_cast<std::uint8_t>(bank),
                             .registers = static_cast<std::uint8_t>(count)});
    }
    return reads;
}

Result<std::vector<BankRegisters>> bank_writes_of(const assembly::Instruction& instruction,
                                                  const Operation& operation,
                                                  const ReadPortsShape& ports) {
    std::vector<BankRegisters> writes;
    for (std::size_t bank = 0; bank < ports.banks; ++bank) {
        const auto registers =
            std::count_if(instruction.effects.writes.begin(), instruction.effects.writes.end(),
                          [&](const assembly::Register& reg) {
                              return reg.file == assembly::RegisterFile::General &&
                                     static_cast<std::size_t>(reg.index) % ports.banks == bank;
                          });
        if (registers > 0)
            writes.push_back({.bank = static_cast<std::uint8_t>(bank),
                              .registers = static_cast<std::uint8_t>(registers)});
    }
    if (writes.empty()) return writes;
    const bool is_wide = has_fixed_result(operation) &&
                         std::any_of(writes.begin(), writes.end(), [](const BankRegisters& write) {
                             return write.registers > 1;
                         });
    if (!is_wide && (operation.result_is_notified || operation.latency.lo > 0)) return writes;
    return Failure{fmt::format("it {}; with register-file/write-ports, expected a latency of at "
                               "least one cycle, and of fixed latency one register a bank, or "
                               "--assume register-file=none",
                               is_wide ? "writes several registers of a bank"
                                       : "has a result in the cycle of its issue"),
                   "", 0, 0};
}

Result<std::optional<LineCacheShape>> constants_of(const models::Architecture& architecture) {
    const models::ValueGroup* const described = architecture.memory("constant");
    if (described == nullptr || described->values.empty() || architecture.has_operand_caches())
        return std::optional<LineCacheShape>{};
    ArchitectureValues values{architecture};
    values.expect(described->find("warm") == nullptr,
                  "memories/constant/warm without memories/constant/hold; expected both: one cache "
                  "of an SM begins empty");
    const ArchitectureValues::Group group{described, "memories/constant"};
    LineCacheShape cache;
    cache.sets = values.count(group, "sets");
    cache.ways = values.count(group, "ways");
    cache.line = static_cast<std::size_t>(values.bytes(group, "line"));
    cache.miss = values.range(group, "miss", 1);
    if (values.failure()) return *values.failure();
    return std::optional{cache};
}

Result<std::optional<OperandCacheShape>>
operand_caches_of(const models::Architecture& architecture) {
    if (!architecture.has_operand_caches()) return std::optional<OperandCacheShape>{};
    ArchitectureValues values{architecture};
    const models::ValueGroup* const described = architecture.memory("constant");
    const ArchitectureValues::Group group{described, "memories/constant"};
    OperandCacheShape caches;
    caches.sets = values.count(group, "sets");
    caches.ways = values.range(group, "ways", 1, count_limit);
    caches.line = static_cast<std::size_t>(values.bytes(group, "line"));
    caches.miss = values.range(group, "miss", 1);
    caches.hold = values.range(group, "hold", 1);
    caches.is_warm = described->find("warm") != nullptr && values.flag(group, "warm");
    if (values.failure()) return *values.failure();
    return std::optional{caches};
}

Result<std::vector<std::uint64_t>> constant_lines(const assembly::Instruction& instruction,
                                                  std::size_t line, bool by_address) {
    std::vector<std::uint64_t> lines;
    for (const assembly::Operand& operand : instruction.operands) {
        const auto* const constant = std::get_if<assembly::ConstantOperand>(&operand);
        if (constant == nullptr) continue;
        const bool indexed = constant->index_register.value_or(-1) >= 0;
        if (constant->uniform_register || constant->bank_register || (indexed && !by_address))
            return Failure{"the address of its constant is in a register; with memories/constant "
                           "described, expected a load with an address pattern, an address that "
                           "is known, or --assume memories/constant=none",
                           "", 0, 0};
        if (!indexed)
            lines.push_back(constant_line(static_cast<std::uint64_t>(constant->bank),
                                          static_cast<std::uint64_t>(constant->offset), line));
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

std::vector<std::uint16_t> bank_reads(const assembly::Instruction& instruction,
                                      const std::vector<assembly::Register>& reads,
                                      const assembly::Instruction* before) {
    std::vector<std::uint16_t> banked;
    for (const assembly::Register& reg : reads) {
        if (reg.file != assembly::RegisterFile::General) continue;
        if (before != nullptr && is_kept(instruction, reg.index, *before)) continue;
        banked.push_back(static_cast<std::uint16_t>(reg.index));
    }
    return banked;
}

} // namespace warpbound::harness::simulator
