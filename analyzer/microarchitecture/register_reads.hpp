#pragma once
/// \file
/// How many registers instructions read from the banks of a register file with read ports (rules
/// C60 to C62 of docs/reference/timing-contract.md).

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Reads of one instruction, by bank.
using BankCounts = std::vector<std::int64_t>;

struct RegisterReads {
    std::size_t banks = 0;
    std::int64_t window = 0; ///< Cycles after the grant in which the reads take place.
    /// By instruction: whether it passes Allocate (C60).
    std::vector<bool> has_fixed_latency;
    /// By instruction. Side: upper, of a warp that has its scheduler to itself: operands that the
    /// reuse cache serves in every run do not count.
    std::vector<BankCounts> most_alone;
    /// Side: upper, among several warps: every operand counts.
    std::vector<BankCounts> most;
    /// Side: lower: operands that the reuse cache may serve do not count, nor do those of an
    /// instruction that may be predicated off.
    std::vector<BankCounts> least;
    /// By instruction of variable latency: what it reads through ports that others take (C111).
    /// Empty where such reads wait for none. Side: upper.
    std::vector<BankCounts> queued;

    /// Cycles between the grants of an instruction and of the one before it on its scheduler that
    /// suffice for its reads among several warps; 0 for an instruction that does not pass Allocate.
    /// Side: upper.
    [[nodiscard]] std::int64_t spacing(std::size_t instruction) const;
};

/// The longest lag of a grant behind its issue. `most_reads`: the largest `spacing`;
/// `longest_use`: the longest occupancy of a latch by an instruction of fixed latency. Side: upper.
/// `Source:` docs/theory, S33, lemma 3.
std::int64_t longest_lag_of_grants(std::int64_t most_reads, std::int64_t longest_use);

/// Refuses an instruction whose reads of variable latency the rule does not cover. Requires: it is
/// one of those that `reads` is about.
Result<void> check_queued_reads(const RegisterReads& reads, std::size_t instruction,
                                bool has_result, const models::InstructionTiming& timing);

/// None for a machine without read ports. Refuses values that are absent or not supported.
Result<std::optional<RegisterReads>> register_reads(const assembly::Function& function,
                                                    const assembly::ControlFlowGraph& graph,
                                                    const models::Architecture& architecture);

} // namespace warpbound::analyzer
