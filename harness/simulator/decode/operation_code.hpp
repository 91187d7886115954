#pragma once
/// \file
/// Translates instructions for the simulated SM.

#include "harness/simulator/decode/kernel_code.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <map>
#include <string_view>
#include <vector>

namespace warpbound::harness::simulator {

/// Translates the instructions of one kernel one by one. Appends the registers, bank registers and
/// accesses to which operations refer to the kernel's code.
class OperationTranslator {
public:
    /// Requires: `code` has the machine, the warp size and the demand of a block. `ports`: per unit
    /// of the description.
    OperationTranslator(const models::Architecture& architecture, const Kernel& kernel,
                        std::vector<PortName> ports, KernelCode& code);

    /// The instruction at the index, which is in the block. Refuses, by address, values out of
    /// range and instructions that are not simulated.
    Result<Operation> translate(const assembly::BasicBlock& block, std::size_t index,
                                const models::InstructionTiming& timing);
    /// Distinct registers so far.
    [[nodiscard]] std::size_t register_count() const { return numbers_.size(); }

private:
    [[nodiscard]] Failure refuse(const assembly::Instruction& instruction,
                                 std::string_view what) const;
    Result<void> add_times(const assembly::Instruction& instruction,
                           const models::InstructionTiming& timing, Operation& operation) const;
    /// C112.
    void add_sectors(const assembly::Instruction& instruction, Operation& operation) const;
    Result<void> add_scoreboards(const assembly::Instruction& instruction, Operation& operation);
    /// The counters of AMD (C99).
    void add_counters(const assembly::Instruction& instruction, Operation& operation);
    /// Scoreboards keep as many releases as the operation may leave, and one more.
    void keep_releases(const Operation& operation);
    Result<void> add_barrier(const assembly::Instruction& instruction, Operation& operation);
    void add_registers_of(const assembly::Effects& effects, Operation& operation);
    void add_access(const assembly::Instruction& instruction,
                    const models::InstructionTiming& timing, Operation& operation);
    Result<void> add_collection(const assembly::BasicBlock& block, std::size_t index,
                                const models::InstructionTiming& timing, Operation& operation);
    void add_bank_reads(const assembly::Instruction& instruction, Operation& operation);
    /// Write ports: C108.
    Result<void> add_bank_writes(const assembly::Instruction& instruction, Operation& operation);
    /// Read ports of what has variable latency: C111.
    Result<void> add_queued_reads(const assembly::Instruction& instruction, Operation& operation);
    RegisterSpan add_registers(const std::vector<assembly::Register>& registers);
    Result<void> add_constants(const assembly::Instruction& instruction, Operation& operation);
    RegisterSpan add_bank_registers(const std::vector<std::uint16_t>& registers);

    const models::Architecture& architecture_;
    const Kernel& kernel_;
    std::vector<PortName> ports_;
    KernelCode& code_;
    std::map<assembly::Register, std::uint16_t> numbers_;
    std::map<std::int64_t, std::int64_t> barrier_warps_; ///< As in `Operation`, by barrier.
};

} // namespace warpbound::harness::simulator
