#pragma once
/// \file
/// A microbenchmark: a question with axes, and the code that answers it at one point.

#include "assembly/isa/program.hpp"
#include "harness/copy.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/suite/emission/emission.hpp"
#include "harness/suite/emission/ptx_emission.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// The axes of a point and their values.
using Axes = std::vector<std::pair<std::string, std::int64_t>>;
/// The value of an axis, or `otherwise` if there is no such axis.
std::int64_t axis_value(const Axes& axes, std::string_view name, std::int64_t otherwise);

/// What a benchmark executes.
struct Region {
    std::vector<Operation> before; ///< Before the first clock read.
    std::vector<Operation> timed;  ///< Between the two clock reads.
    std::int64_t trips =
        1; ///< Iterations of a loop with the timed operations as its body; 1: no loop.
    /// PTX only, after the timed operations: prevents the compiler from reading the clock before
    /// their results are available.
    std::vector<Operation> closing{};
    /// The region only has to last until all blocks that fit have begun; as PTX, blocks wait for
    /// each other instead (`emit_semaphore`).
    bool semaphore = false;
};

/// One point of a benchmark's axes, ready to run: the region and its listing or PTX, or a copy.
struct BenchmarkPoint {
    std::string name;      ///< "dependent-add/n=5/warps=1": benchmark name and axis values.
    std::string benchmark; ///< "dependent-add"
    Axes axes;
    Region region;
    std::optional<Copy> copy;     ///< A copy point has no region, and its text names the copy.
    std::string text;             ///< The listing, in the bare form; empty where there is PTX.
    std::optional<PtxKernel> ptx; ///< For devices that compile.
    models::FlowFacts facts;      ///< Facts about the listing; for PTX and copies the digest only.
    models::Launch launch;        ///< Unused by copies.
    Quantity quantity = Quantity::Region;
    std::int64_t most_runs = 0; ///< As `Benchmark` has it.
    bool adds_to_empty = false; ///< As `Benchmark` has it.
    bool is_stated = false;     ///< As `Benchmark` has it.

    /// The code that runs, as text.
    [[nodiscard]] const std::string& code() const { return ptx ? ptx->text : text; }
};

/// What a report draws for a benchmark in addition to its times.
enum class Picture {
    Times,     ///< Nothing else.
    IssueRate, ///< Operations per cycle of all warps, from axes `n` and `warps`.
    UnitShare, ///< fu(c): the time over that of one warp, along the axis `warps`.
    Bandwidth, ///< Bytes per cycle along the axis `warps`: see `bytes_of_warp`.
    Residency, ///< N_slot against 1 / usage: blocks that begin before the first one ends.
    Copies,    ///< Start-up and bandwidth, and bytes per cycle along the axis `bytes`.
};

/// A microbenchmark of the catalogue. The axes `warps` (of a block, else 1), `blocks`, `registers`
/// and `shared-memory` are those of its launch; `region` defines the meaning of the others.
struct Benchmark {
    std::string name;
    std::string question; ///< The question that it answers, in one sentence.
    std::string relation; ///< Expected relation, e.g. "time = 24 + 6 n".
    std::string source;   ///< "V14 Table 19"
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes;
    std::function<Region(const Axes&, const models::Architecture&)> region;
    /// What `calibrate` reads from it: paths of values ("classes/float-add/latency"), the scope of
    /// a port ("classes/float-add/port"), "policy".
    std::vector<std::string> calibrates{};
    Quantity quantity = Quantity::Region;
    /// Only for machines with hardware interlocks: if the encoding determines the issue times, no
    /// time shows when a result is available.
    bool interlocked = false;
    /// Only for machines with encoded issue control: its code states every control field and needs
    /// no value of the machine (`emit_stated`).
    bool stated = false;
    /// Runs beyond which nothing new is expected, because the times are not random. 0: no limit.
    std::int64_t most_runs = 0;
    /// Whether its time is exactly that of the empty region plus `n` operations.
    bool adds_to_empty = false;
    Picture picture = Picture::Times;
    std::int64_t bytes_of_warp = 0; ///< Bytes that a warp transfers, for `Picture::Bandwidth`.
    /// Its points are copies in this direction; the axis `bytes` is their size. There is no region.
    std::optional<models::HostOperationKind> copies{};
};

} // namespace warpbound::harness
