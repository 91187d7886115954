#pragma once
/// \file
/// The events of a run, as values. Listeners turn them into traces and counts.

#include "harness/simulator/divergence/lanes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

namespace warpbound::harness::simulator {

/// Reasons for which a warp's next instruction does not issue. A cycle with several reasons counts
/// for the first one of this list.
enum class Stall {
    Gap,         ///< The interval after the predecessor (C4).
    Barrier,     ///< A barrier that has not opened (C9).
    Fetch,       ///< It is not in the warp's instruction buffer (C43), or its line has not arrived
                 ///< (C67).
    Register,    ///< A register that is not ready (C5).
    Scoreboard,  ///< A scoreboard that is not clear (C6).
    Constant,    ///< A line of constants that is not in the constant cache (C52).
    Port,        ///< The port of its unit is occupied (C7), or the memory queue is full (C71).
    Collector,   ///< The latch of its operand collectors (C47) or Control (C60) is occupied.
    WriteBuffer, ///< The write buffer is full (C8).
    LoadQueue,   ///< The load queue of the L1 is full (C25).
    NotChosen    ///< None of these: its scheduler chose another warp or none (C19).
};
inline constexpr std::size_t stall_count = static_cast<std::size_t>(Stall::NotChosen) + 1;

/// The cycle at which each stall of an instruction ended; 0 for a stall that did not occur.
/// Shape: one per `Stall` before NotChosen.
struct StallEnds {
    std::array<std::int64_t, stall_count - 1> until{};

    std::int64_t& operator[](Stall stall) { return until[static_cast<std::size_t>(stall)]; }
    std::int64_t operator[](Stall stall) const { return until[static_cast<std::size_t>(stall)]; }
    friend bool operator==(const StallEnds&, const StallEnds&) = default;
};

/// A warp of a new block got its warp slot. `Unit:` cycles from the start of the execution time, in
/// all events. Warps are numbered through the launch: block * warps per block + warp.
struct WarpStarted {
    std::int64_t cycle = 0; ///< The first cycle in which it may issue.
    int warp = 0;
    int multiprocessor = 0;
    int scheduler = 0;       ///< Of the SM.
    int warp_slot = 0;       ///< In the scheduler; reused by later warps.
    std::int64_t placed = 0; ///< The cycle in which its block was dispatched.
    friend bool operator==(const WarpStarted&, const WarpStarted&) = default;
};
/// An instruction issued.
struct Issued {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t block = 0;       ///< Basic block of the control-flow graph.
    std::size_t instruction = 0; ///< Index into the function.
    std::int64_t number = 0;     ///< Among the instructions that the warp issued, from 0 on.
    LaneMask lanes = 0;          ///< The active lanes, which issue it (C37).
    LaneMask executing = 0;      ///< The active lanes that are not predicated off.
    bool executed = true;        ///< False when all active lanes are predicated off.
    std::int64_t passes = 1;
    std::int64_t port_until = 0; ///< The first cycle in which its port is free again.
    std::int64_t since = 0;      ///< The cycle after its predecessor's issue, or of the start.
    StallEnds stalls;            ///< What delayed it from `since` on.
    friend bool operator==(const Issued&, const Issued&) = default;
};
/// The source registers of an instruction with a read barrier have been read.
struct SourcesRead {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    friend bool operator==(const SourcesRead&, const SourcesRead&) = default;
};
/// The last register of an instruction of variable latency was read through its port (C111).
struct QueuedRead {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t waited = 0; ///< Up to `cycle`, while ports were taken.
    friend bool operator==(const QueuedRead&, const QueuedRead&) = default;
};
/// The result of an instruction is ready.
struct Completed {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t waited = 0; ///< For write ports of banks (C108).
    friend bool operator==(const Completed&, const Completed&) = default;
};
/// A write-buffer entry drained.
struct Drained {
    std::int64_t cycle = 0;
    int warp = 0;
    friend bool operator==(const Drained&, const Drained&) = default;
};
struct WarpEnded {
    std::int64_t cycle = 0;
    int warp = 0;
    friend bool operator==(const WarpEnded&, const WarpEnded&) = default;
};
/// `count` instructions from this one on entered the warp's empty buffer (C43, C44).
struct InstructionsFetched {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t count = 0;
    friend bool operator==(const InstructionsFetched&, const InstructionsFetched&) = default;
};
/// A bank of the register file was read for an instruction (C48).
struct OperandRead {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::size_t bank = 0;
    friend bool operator==(const OperandRead&, const OperandRead&) = default;
};
/// An instruction left its operand collector (C48).
struct Collected {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t since = 0; ///< The cycle in which it entered the collector.
    friend bool operator==(const Collected&, const Collected&) = default;
};
/// An instruction entered its unit from an operand collector (C49).
struct UnitEntered {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t until = 0; ///< The first cycle in which the unit is free again.
    friend bool operator==(const UnitEntered&, const UnitEntered&) = default;
};
/// An instruction of fixed latency was granted its reads (C61).
struct ReadsGranted {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    bool reads = true;               ///< False: it is predicated off and reads nothing.
    std::vector<std::int64_t> banks; ///< Reads of each bank.
    friend bool operator==(const ReadsGranted&, const ReadsGranted&) = default;
};
/// The memory path of the SM took an instruction from the memory queue of its scheduler (C72).
struct HandedOver {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t entry = 0; ///< From the issue, without waits.
    std::int64_t next = 0;  ///< The first cycle in which the scheduler may hand over again.
    std::int64_t until = 0; ///< The first cycle in which the path is free again.
    friend bool operator==(const HandedOver&, const HandedOver&) = default;
};
enum class CacheLevel { L1, L2, Constant, InstructionL0, InstructionL1, Operand };
inline constexpr int cache_level_count = static_cast<int>(CacheLevel::Operand) + 1;
/// Sectors of a line were filled into a cache. Here and below bit i of a mask is the i-th sector.
struct LineFilled {
    std::int64_t cycle = 0;
    int warp = 0; ///< 0: several warps may have requested it.
    CacheLevel level = CacheLevel::L1;
    /// The SM, the slice of the L2, or of an L0 and of the constant operands of a scheduler the SM
    /// times the schedulers of an SM plus the scheduler.
    int unit = 0;
    std::uint64_t address = 0;
    std::uint64_t sectors = 0;
    friend bool operator==(const LineFilled&, const LineFilled&) = default;
};
/// A load, a store, an instruction with constant operands or a fetch looked up a line in a cache.
/// Lines of constants and instructions have one sector; the address of constants is that of C51.
struct LineAccessed {
    std::int64_t cycle = 0;
    int warp = 0;
    CacheLevel level = CacheLevel::L1;
    int unit = 0;
    std::uint64_t address = 0;
    bool write = false;
    std::uint64_t hit = 0;       ///< Sectors that were present.
    std::uint64_t merged = 0;    ///< Sectors that were outstanding already.
    std::uint64_t missed = 0;    ///< Sectors that were requested; of a write, those not present.
    std::uint64_t streamed = 0;  ///< Lines that a miss in an L0 requested behind its own (C68).
    std::int64_t held_until = 0; ///< Of a constant operand: the scheduler chooses nobody before.
    friend bool operator==(const LineAccessed&, const LineAccessed&) = default;
};
/// A slice of the L2 began the transactions of a global atomic (C57).
struct AtomicServed {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
    std::int64_t number = 0;
    std::int64_t arrived = 0; ///< The cycle in which the atomic issued or entered its unit.
    std::int64_t slice = 0;
    std::int64_t transactions = 1;
    std::int64_t until = 0; ///< The first cycle in which the slice is free again.
    friend bool operator==(const AtomicServed&, const AtomicServed&) = default;
};
/// A DRAM channel began to transfer sectors.
struct DramServed {
    std::int64_t cycle = 0;
    int warp = 0;
    int channel = 0;
    int bank = 0;
    std::uint64_t row = 0;
    bool row_hit = false;
    bool write = false;
    std::int64_t until = 0; ///< The first cycle in which the channel is free again.
    friend bool operator==(const DramServed&, const DramServed&) = default;
};
/// The steps of an operation of the host (C32 to C36).
enum class OperationStep {
    Issued,     ///< Entered its stream.
    Queued,     ///< Entered the queue of its engine.
    Started,    ///< A copy began.
    Dispatched, ///< The last block of a launch was dispatched.
    Ended,      ///< A copy ended, or a launch completed (C2).
    Left        ///< Left its stream.
};
struct OperationStepped {
    std::int64_t cycle = 0;
    int warp = 0; ///< 0: the event concerns no warp.
    std::size_t operation = 0;
    OperationStep step = OperationStep::Issued;
    friend bool operator==(const OperationStepped&, const OperationStepped&) = default;
};
using Event =
    std::variant<WarpStarted, Issued, QueuedRead, SourcesRead, Completed, Drained, WarpEnded,
                 InstructionsFetched, OperandRead, Collected, UnitEntered, ReadsGranted, HandedOver,
                 LineFilled, LineAccessed, AtomicServed, DramServed, OperationStepped>;

/// Receives every event of a run, in time order. An exception that it throws ends the run and
/// propagates out of `run`.
using Listener = std::function<void(const Event&)>;

} // namespace warpbound::harness::simulator
