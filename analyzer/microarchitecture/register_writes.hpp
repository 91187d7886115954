#pragma once
/// \file
/// Which banks of a register file with write ports instructions write (C108 of
/// docs/reference/timing-contract.md).

#include "analyzer/microarchitecture/register_reads.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct RegisterWrites {
    /// By instruction: general registers that it writes, by bank, when it executes.
    std::vector<BankCounts> registers;

    /// The most registers of one bank that an instruction writes.
    [[nodiscard]] std::int64_t most_of_a_bank(std::size_t instruction) const;
    /// Whether two instructions write registers of one bank.
    [[nodiscard]] bool share_a_bank(std::size_t one, std::size_t other) const;
};

/// None for a machine without write ports. Refuses values that are absent or not supported.
/// `reads`: those of the machine.
Result<std::optional<RegisterWrites>> register_writes(const assembly::Function& function,
                                                      const std::optional<RegisterReads>& reads,
                                                      const models::Architecture& architecture);

/// Refuses an instruction whose writes the rule does not cover. Requires: it is one of `function`.
Result<void> check_register_writes(const RegisterWrites& writes, const RegisterReads& reads,
                                   std::size_t instruction,
                                   const models::InstructionTiming& timing);

} // namespace warpbound::analyzer
