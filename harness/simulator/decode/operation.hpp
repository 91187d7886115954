#pragma once
/// \file
/// An instruction as the simulated SM executes it: times, ports, registers and scoreboards.

#include "harness/simulator/clock/random.hpp"
#include "models/architecture/architecture.hpp"

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <optional>

namespace warpbound::harness::simulator {

/// A port: of each warp, of each scheduler or of the SM, by scope.
struct PortName {
    models::UnitScope scope = models::UnitScope::Partition;
    std::size_t index = 0; ///< Among the ports of that scope.
};

/// The range of an operation's registers in `KernelCode::registers`.
struct RegisterSpan {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// The register-file resources that an operation uses (C47 to C50).
struct Collection {
    std::size_t pool = 0;
    bool pool_per_scheduler = false; ///< The pool of scheduler k is `pool` + k.
    RegisterSpan reads;              ///< In `KernelCode::bank_registers`.
    RegisterSpan writes;             ///< Likewise.
    bool reserves_result = false;    ///< Fixed latency: needs a result slot.
};

/// A wait until at most `limit` operations of the scoreboard are unreleased.
struct CountedWait {
    std::uint8_t scoreboard = 0;
    std::int64_t limit = 0;
};
using CountedWaits = boost::container::static_vector<CountedWait, 4>;

/// Whether the instruction executes when it issues (C10).
enum class Execution { Always, Never, Guarded };

/// `Unit:` core cycles; passes are counts.
struct Operation {
    Range gap;
    Range gap_taken;
    Range latency;
    Range source_read;
    Range initiation;
    std::int64_t most_sectors = 0;      ///< Of a store, that its lanes touch (C94).
    std::optional<Range> line_interval; ///< Of its port, for each pass (C95).
    std::int64_t sector_interval = 0;   ///< The most of a sector of these lines (C112); 0: any.
    std::int64_t sector_bytes = 0;      ///< With it: size of a sector.
    Range passes{1, 1};
    Range pass_cost;
    Range slice_time;      ///< Of an atomic: time of one transaction at its slice of the L2 (C57).
    Range least_occupancy; ///< Of its port, however few passes.
    PortName port;
    RegisterSpan dependences; ///< Registers that must be ready; empty where none delays issue.
    RegisterSpan writes;      ///< Registers that become ready with the result.
    Execution execution = Execution::Always;
    std::uint8_t wait_mask = 0;
    std::optional<std::uint8_t> write_barrier;
    std::optional<std::uint8_t> read_barrier;
    CountedWaits counted;           ///< Of DEPBAR.LE at most one, of S_WAITCNT one for a counter.
    bool releases_in_order = false; ///< On its write barrier, after those issued before (C99).
    std::optional<std::uint8_t> barrier; ///< BAR: the barrier at which the warp arrives.
    bool waits_at_barrier = true;        ///< BAR.SYNC, BAR.RED; not BAR.ARV.
    std::int64_t barrier_warps = 0; ///< Arrivals that open it; 0: of all warps that have not ended.
    std::optional<bool> if_taken;   ///< It executes where the branch behind it is taken, or not.
    bool may_diverge = false;       ///< Its guard may differ between lanes (C38).
    /// Allocates an entry of the write buffer or the load queue when it issues.
    bool needs_entry_at_issue = false;
    bool enters_write_buffer = false;
    bool reads_clock = false;
    /// Its result time is unknown at issue; the load/store unit sends it. `latency` is unused.
    bool result_is_notified = false;
    Collection collection;          ///< Used when the machine has a register file.
    bool has_fixed_latency = false; ///< Reads its registers in the stages before the units (C60).
    RegisterSpan bank_reads;        ///< In `KernelCode::bank_reads`.
    RegisterSpan bank_writes;       ///< In `KernelCode::bank_writes`.
    bool waits_for_write = false;   ///< Its result waits for write ports of banks (C108).
    RegisterSpan queued_reads;      ///< In `KernelCode::queued_reads`; empty: they delay nothing.
    bool has_result = false;        ///< Something may wait for it.
    bool repeats_register = false;  ///< It names a register at several operand positions.
    bool has_unknown_width = false; ///< Of an operand.
    bool is_long = false;           ///< Its result comes from global or local memory, or a texture.
    /// Lines of constants that it needs, in `KernelCode::constant_lines` (C51).
    RegisterSpan constants;
    std::optional<std::uint8_t> constant_bank; ///< Of a load whose lines depend on its addresses.
    std::optional<std::uint32_t> access; ///< Index into `KernelCode::accesses`; gives the passes.
    bool is_recorded = false;            ///< Its executions have recorded addresses (C56).
    bool through_caches = false;         ///< The caches determine its level (C23).
    bool queues = false;                 ///< Waits in the memory queue of its scheduler (C71).
    Range entry;                         ///< From its issue to the hand-over, without waits.
    Range hand_over_interval;            ///< From its hand-over to the next one of its scheduler.
    bool is_atomic = false; ///< Served at slices of the L2, which send its result time (C57).
};

/// Whether the grant of its reads decides its result time (C60): it waits in no queue (C74).
inline bool has_fixed_result(const Operation& operation) {
    return operation.has_fixed_latency && !operation.queues;
}

} // namespace warpbound::harness::simulator
