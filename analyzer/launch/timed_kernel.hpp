#pragma once
/// \file
/// A kernel as one warp executes it on a machine: its control flow, what flow facts allow of it,
/// and how long its instructions take.

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/launch/instruction_lines.hpp"
#include "analyzer/launch/operand_lines.hpp"
#include "analyzer/microarchitecture/register_reads.hpp"
#include "analyzer/microarchitecture/register_writes.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/shared_vector.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// The ports of the register file.
struct RegisterPorts {
    std::optional<RegisterReads> reads; ///< Present where the machine has read ports.
    /// Present where the machine has write ports, and with it `reads`.
    std::optional<RegisterWrites> writes;
};

/// The caches that deliver instructions and their constant operands.
struct InstructionDelivery {
    std::optional<InstructionLines> lines; ///< None where instruction fetch costs nothing (C17).
    std::optional<OperandLines> operands;  ///< None where constant operands cost nothing (C17).
};

/// The write buffer of a multiprocessor. All 0 where no store on a path enters it.
struct WriteBuffer {
    models::Interval entries{0, 0, 0};
    models::Interval drain{0, 0, 0}; ///< Of one transaction. `Unit:` core cycles.
};

/// What it points to must live as long.
struct TimedKernel {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr; ///< Whose paths a warp takes.
    const models::Architecture* architecture = nullptr;
    const models::FlowFacts* stated = nullptr; ///< The flow facts of the request.
    std::int64_t warp_size = 32;               ///< Lanes of a warp.
    ResolvedFacts facts;                       ///< What is known of the paths of `graph`.
    assembly::SharedVector<Result<models::InstructionTiming>> timings; ///< Per instruction.
    std::vector<bool> used; ///< Per instruction: on a path that the facts allow.
    /// Lanes may diverge: `graph` is serialized, or of one lane (docs/theory, S19d).
    bool lanes_diverge = false;
    /// Per instruction: scoreboards for whose latest operation it may not wait (C85).
    std::vector<unsigned> unseen_counters;
    RegisterPorts registers;
    InstructionDelivery delivery;
    WriteBuffer write_buffer;
};

/// By instruction: it can be reached without entering a block that is never executed.
/// `never`: by block.
std::vector<bool> used_instructions(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const assembly::PerBlock<bool>& never);

/// A failure that names the address of the instruction.
Failure refuse_at(const assembly::Function& function, std::size_t instruction,
                  const std::string& what);

} // namespace warpbound::analyzer
