#pragma once
/// \file
/// Parameters of the described front end, constant cache and register file of an SM. Each of them
/// is perfect where it is not described (C17).

#include "assembly/isa/program.hpp"
#include "harness/simulator/clock/random.hpp"
#include "models/architecture/architecture.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

struct Operation;

/// A cache whose miss latency is known.
struct LineCacheShape {
    std::size_t sets = 1;
    std::size_t ways = 1;
    std::size_t line = 1; ///< Unit: bytes.
    Range miss;           ///< Unit: core cycles.
};

/// The cache of constant operands of a scheduler (C81, C82).
struct OperandCacheShape {
    std::size_t sets = 1;
    Range ways{1, 1};     ///< Drawn once for each cache and run.
    std::size_t line = 1; ///< Unit: bytes.
    Range miss;           ///< Unit: core cycles.
    Range hold;           ///< In which the scheduler chooses nobody. Unit: core cycles.
    bool is_warm = false;
    /// Where `is_warm`: the lines that have entered all caches before the run, in their order.
    std::vector<std::uint64_t> entered{};
};

/// Instruction buffers, fetch ports and instruction cache (C43 to C46).
struct FetchShape {
    std::size_t delivered = 1; ///< Instructions that a fetch puts into an empty buffer, at most.
    std::size_t ports = 1;
    std::optional<LineCacheShape> cache; ///< None: every look-up hits.
};

/// The operand-collection stages of a unit, from issue to execution (C47 to C49). All are counts.
struct CollectorShape {
    std::size_t issue_slots = 1;
    std::size_t entry_ports = 1;
    std::size_t collectors = 1;
    std::size_t exit_ports = 1;
    std::size_t dispatch_slots = 1;
    std::size_t execution_units = 1;
};

struct RegisterFileShape {
    std::size_t banks = 1;
    std::size_t result_slots = 1;
    std::int64_t write_back = 1; ///< Unit: core cycles.
    /// Of each unit with operand collectors: one pool for the SM, or one per scheduler, by scope.
    std::vector<CollectorShape> pools;
    std::vector<std::optional<std::size_t>> pool_of_unit; ///< Index of its first pool.
};

/// The stages in front of the units, and the ports through which they read registers (C60 to C62).
struct ReadPortsShape {
    std::size_t banks = 1;
    std::int64_t window = 1;      ///< Cycles after the grant in which all reads take place.
    std::size_t reuse_slots = 0;  ///< Operand positions of which a register is kept, per bank.
    bool has_write_ports = false; ///< Results of variable latency wait for write ports (C108).
    bool has_variable_latency_reads = false; ///< Their reads wait for read ports (C111).
};

/// The memory queue of a scheduler, in front of the memory path of the SM (C71 to C74).
struct MemoryQueueShape {
    std::size_t places = 1;
    std::int64_t least_entry = 2; ///< From an issue to the hand-over, of any class.
};

/// One register that an instruction reads.
struct BankRead {
    std::uint16_t reg = 0;
    std::uint8_t bank = 0;
    std::int8_t position = -1; ///< Of the operand; -1: a position that keeps no register.
    bool is_kept = false;      ///< `.reuse`
    bool is_certain = true;    ///< False where the width of the operand is not known.
};

/// Registers of one bank that an instruction reads or writes.
struct BankRegisters {
    std::uint8_t bank = 0;
    std::uint8_t registers = 0;
};

/// None without values of C43 to C46. Refuses values that are absent or not a single count, and
/// values of C66 to C70 beside them.
Result<std::optional<FetchShape>> fetch_of(const models::Architecture& architecture);
/// The constant cache (C51 to C53); none without values of `<memory name="constant">`. Refuses as
/// `fetch_of`.
Result<std::optional<LineCacheShape>> constants_of(const models::Architecture& architecture);
/// The line of so many bytes of each instruction, and of the address after the last one.
std::vector<std::uint64_t> lines_of(const assembly::Function& function, std::uint64_t line);
/// None without `<register-file>` and `<operand-collectors>`. One of them requires the other.
Result<std::optional<RegisterFileShape>> register_file_of(const models::Architecture& architecture,
                                                          std::size_t schedulers);

/// None without `read-ports` in `<register-file>`. Refuses as `fetch_of`, and several ports.
Result<std::optional<ReadPortsShape>> read_ports_of(const models::Architecture& architecture);
/// None without `<memory-queue>`. Refuses as `fetch_of`, and operand collectors beside it.
Result<std::optional<MemoryQueueShape>> memory_queue_of(const models::Architecture& architecture);
/// What an instruction of fixed latency reads through the ports, by operand and register.
std::vector<BankRead> bank_reads_of(const assembly::Instruction& instruction,
                                    assembly::Target target, const ReadPortsShape& ports);

/// What an instruction writes to the banks, by bank. Refuses what C108 refuses.
Result<std::vector<BankRegisters>> bank_writes_of(const assembly::Instruction& instruction,
                                                  const Operation& operation,
                                                  const ReadPortsShape& ports);

/// What an instruction of variable latency reads from the banks, by bank (C111).
std::vector<BankRegisters> queued_reads_of(const assembly::Instruction& instruction,
                                           assembly::Target target, const ReadPortsShape& ports);

/// The caches of constant operands (C81, C82); none without `hold` in that group. Refuses as
/// `fetch_of`.
Result<std::optional<OperandCacheShape>>
operand_caches_of(const models::Architecture& architecture);
/// The lines that an instruction reads through its constant operands (C51). Refuses an operand with
/// an index in a register, unless the instruction is a load with an address pattern (`by_address`):
/// its lines depend on the lane addresses.
Result<std::vector<std::uint64_t>> constant_lines(const assembly::Instruction& instruction,
                                                  std::size_t line, bool by_address);
/// The line of an offset in a constant bank (C51).
inline std::uint64_t constant_line(std::uint64_t bank, std::uint64_t offset, std::size_t line) {
    return ((bank << 16U) + offset) / line;
}

/// The general registers that an instruction has to read from the banks, each once. `before` is the
/// preceding instruction of its block, which always executes, or null. A register that `before`
/// keeps for the same operand (`.reuse`) is not read again (C48).
std::vector<std::uint16_t> bank_reads(const assembly::Instruction& instruction,
                                      const std::vector<assembly::Register>& reads,
                                      const assembly::Instruction* before);

} // namespace warpbound::harness::simulator
