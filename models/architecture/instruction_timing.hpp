#pragma once
/// \file
/// The description's values for one instruction: a look-up in the description, no timing rule.

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/pass_rule.hpp"
#include "models/facts/flow_facts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::models {

/// How an instruction passes the memory queue of its scheduler (C71 to C74). `Unit:` core cycles.
struct QueueTiming {
    std::int64_t places = 1;         ///< Of the queue. `Unit:` instructions.
    Interval entry;                  ///< Issue to hand-over without waits.
    Interval interval;               ///< Between this hand-over and the next one of the scheduler.
    std::int64_t sources_before = 0; ///< A read barrier is released at most so long before the
                                     ///< hand-over (C74).
};

/// What a store drains by its sectors (C94). `Unit:` core cycles.
struct SectorDrain {
    Interval time;              ///< Of a sector.
    std::int64_t of_line = 1;   ///< Sectors of a line.
    std::int64_t of_access = 1; ///< That the lanes of a warp touch, at most.
};

/// What docs/reference/timing-contract.md calls the parameters of an instruction. `Unit:` core
/// cycles unless said otherwise.
struct InstructionTiming {
    std::size_t unit = 0;         ///< Index into `Architecture::units`.
    Interval gap;                 ///< Until the warp's next issue, when control falls through.
    Interval gap_taken;           ///< The same, when the instruction transfers control.
    Interval latency;             ///< Issue to result with one pass.
    Interval source_read;         ///< Issue to sources read, with one pass.
    Interval initiation{1, 1, 1}; ///< Port occupancy per pass.
    /// Port occupancy per pass where that is less than `initiation` for an instruction (C95).
    std::optional<Interval> line_interval{};
    Interval passes{1, 1, 1};    ///< `Unit:` passes.
    Interval pass_cost{0, 0, 0}; ///< Further latency per pass beyond the first.
    /// Of a global atomic: time of a transaction at its slice of the L2 (C57). 0: goes to none.
    Interval slice_time{0, 0, 0};
    /// Least occupancy of its port, however few passes (C71); 0: none.
    Interval least_occupancy{0, 0, 0};
    /// Of a memory instruction behind a memory queue (C71 to C74).
    std::optional<QueueTiming> queue;
    bool enters_write_buffer = false; ///< Stores to global and local memory.
    /// Of a store, where the description has the value.
    std::optional<SectorDrain> sector_drain{};
    AccessRule access; ///< Of an access with an address pattern.
    /// Its address pattern leads through the described caches (C23): the simulator finds its level
    /// and, for a load, `latency` spans all of them.
    bool through_caches = false;
    bool waits_for_registers = false; ///< Interlocked machines.
    bool is_barrier_wait = false; ///< BAR.SYNC, BAR.RED: the warp's next issue waits for the block.
    /// Values used that have a caveat (models/caveat.hpp), each with its caveat:
    /// "classes/move/latency (assumed)".
    std::vector<std::string> values_with_caveat;
};

/// Whether an instruction accesses memory in several transactions or bank-conflict passes, which a
/// memory fact may state: shared and global accesses, and constant loads with an index register,
/// whose lanes may address different words.
bool counts_passes(const assembly::Instruction& instruction);

/// One entry per instruction of the function. An entry is a failure when the description lacks a
/// value that the instruction needs, or the text lacks its control field on a machine with encoded
/// issue control; it names the value, the instruction's address and its line. An access without a
/// memory fact may take 1..32 passes at any level. The pass-cost of a class is needed only where
/// more than one pass may happen. An address pattern gives the passes (C22), over all warps of
/// a block of `threads` threads and all executions. A description may leave out the latency of a
/// class whose instructions write no register and name no write barrier: it is then 0. Barriers
/// always need theirs. A constant load with an index register counts its passes like a global one.
/// A store also needs the write buffer. Side: none; intervals of the description are passed on
/// unchanged.
std::vector<Result<InstructionTiming>> instruction_timings(const assembly::Function& function,
                                                           const Architecture& architecture,
                                                           const FlowFacts& facts,
                                                           std::int64_t threads);

/// How long the instruction occupies the port of its unit (C7, C71, C95).
Interval occupancy_of_port(const InstructionTiming& timing);
/// The same at most, with so many passes.
std::int64_t longest_occupancy_of_port(const InstructionTiming& timing, std::int64_t passes);
/// Lets the instruction hold no port.
void free_port(InstructionTiming& timing);
/// How long a store drains (C15, C94). `drain`: of a transaction.
Interval drain_of_store(const InstructionTiming& timing, const Interval& drain);

/// Whether the instruction is served at a slice of the L2 like an atomic (C57).
inline bool is_atomic_at_l2(const InstructionTiming& timing) {
    return timing.slice_time.hi > 0;
}

/// Whether the machine takes the issue of instructions from their encoding, which the listing of
/// this one does not have.
inline bool lacks_control_field(const assembly::Instruction& instruction,
                                const Architecture& architecture) {
    return architecture.issue_control == IssueControl::Encoded && !instruction.control;
}

/// Paths of the values that the timing of an instruction needs and the description lacks, such as
/// "memories/l2/latency". None where it has a timing, or lacks more than values.
std::vector<std::string> missing_values(const assembly::Function& function, std::size_t instruction,
                                        const Architecture& architecture, const FlowFacts& facts);

} // namespace warpbound::models
