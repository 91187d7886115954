#pragma once
/// \file
/// The text of a microbenchmark, with control fields for machines with encoded issue control.

#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness {

/// One instruction of a microbenchmark. Registers are general ones, by number.
struct Operation {
    std::string text; ///< "FADD R4, R2, R3"
    assembly::OpcodeClass opcode_class = assembly::OpcodeClass::Nop;
    int destination = -1; ///< -1: none.
    std::vector<int> sources;
    std::optional<models::MemoryFact> fact{}; ///< How it accesses memory; its address is not set.
    std::string ptx{}; ///< The same operation as PTX, see `emit_ptx`; empty: none exists.
    /// A compiler would move or merge it, so that it is code for assemblers only (`emit_amd`).
    bool needs_assembler = false;
    /// Cycles from its issue to that of the next operation, where the listing states them
    /// (`emit_stated`); 0: as many as all others.
    std::int64_t stall = 0;
};

/// Kernel text and the address of each operation.
struct EmittedKernel {
    std::string text;
    std::vector<std::int64_t> addresses; ///< Per operation. `Unit:` bytes.
};

/// Longer stalls are effective only with the yield bit; without it the hardware waits 1 to 2 cycles
/// (Huerta et al., MICRO 2025; maxas). `Unit:` cycles.
inline constexpr std::int64_t longest_plain_stall = 11;

/// Writes a bare listing. On machines with encoded issue control each result of fixed latency is
/// protected by stall counts (NOPs beyond 15, the yield bit beyond 11) and each result of variable
/// latency by a scoreboard, which must be set when its consumer tests it: the consumer issues at
/// least 2 cycles later. Refuses a latency that the description lacks.
Result<EmittedKernel> emit(const std::string& kernel, const std::vector<Operation>& operations,
                           const models::Architecture& architecture);

} // namespace warpbound::harness
