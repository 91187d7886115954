#pragma once
/// \file
/// A microbenchmark: a question with axes, and the code that answers it at one point.

#include "assembly/isa/program.hpp"
#include "harness/copy.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/suite/emission.hpp"
#include "harness/suite/ptx_emission.hpp"
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
/// The value of an axis, or `otherwise` when there is no such axis.
std::int64_t axis_value(const Axes& axes, std::string_view name, std::int64_t otherwise);

/// What a benchmark executes.
struct Region {
    std::vector<Operation> before; ///< Before the first clock read.
    std::vector<Operation> timed;  ///< Between the two clock reads.
    std::int64_t trips = 1; ///< Of a loop with the timed operations as its body; 1: there is none.
    /// Behind the timed ones, of PTX only: what keeps a compiler from reading the clock before
    /// their results are there.
    std::vector<Operation> closing{};
    /// It shall only take long enough for all blocks that fit to begin: as PTX, blocks wait for
    /// each other instead (`emit_semaphore`).
    bool semaphore = false;
};

/// One point of a benchmark's axes, ready to run: what it executes, and that as a listing or as
/// PTX; or a copy.
struct BenchmarkPoint {
    std::string name;      ///< "dependent-add/n=5/warps=1": benchmark name and axis values.
    std::string benchmark; ///< "dependent-add"
    Axes axes;
    Region region;
    std::optional<Copy> copy;     ///< Then there is no region, and the text names the copy.
    std::string text;             ///< The listing, in the bare form; empty where there is PTX.
    std::optional<PtxKernel> ptx; ///< For devices that compile.
    models::FlowFacts facts;      ///< About the listing; of PTX and copies the digest only.
    models::Launch launch;        ///< Of a copy it means nothing.
    Quantity quantity = Quantity::Region;
    std::int64_t most_runs = 0; ///< That of the benchmark.
    bool adds_to_empty = false; ///< That of the benchmark.

    /// The code that runs, as text.
    [[nodiscard]] const std::string& code() const { return ptx ? ptx->text : text; }
};

/// What a report draws of a benchmark beside its times.
enum class Picture {
    Times,     ///< Nothing else.
    IssueRate, ///< Operations per cycle of all warps, from axes `n` and `warps`.
    UnitShare, ///< fu(c): the time over that of one warp, along the axis `warps`.
    Bandwidth, ///< Bytes per cycle along the axis `warps`: see `bytes_of_warp`.
    Residency, ///< N_slot against 1 / usage: blocks that begin before the first one ends.
    Copies,    ///< Start-up and bandwidth, and bytes per cycle along the axis `bytes`.
};

/// A kept microbenchmark. The axes `warps` (of a block, else 1), `blocks`, `registers` and
/// `shared-memory` are those of its launch; what the others mean `region` says.
struct Benchmark {
    std::string name;
    std::string question; ///< What it answers, one sentence.
    std::string relation; ///< Expected relation, e.g. "time = 24 + 6 n".
    std::string source;   ///< "V14 Table 19"
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes;
    std::function<Region(const Axes&, const models::Architecture&)> region;
    /// What `calibrate` reads off it: paths of values ("classes/float-add/latency"), who shares a
    /// port ("classes/float-add/port"), "policy".
    std::vector<std::string> calibrates{};
    Quantity quantity = Quantity::Region;
    /// Only for machines that make instructions wait for their operands: where the encoding does
    /// that, no time shows when a result is there.
    bool interlocked = false;
    /// Runs beyond which nothing new is to be expected: times without chance. 0: no such number.
    std::int64_t most_runs = 0;
    /// Whether its time is that of the empty region and of `n` operations: nothing else is in it.
    bool adds_to_empty = false;
    Picture picture = Picture::Times;
    std::int64_t bytes_of_warp = 0; ///< That a warp moves, for `Picture::Bandwidth`.
    /// Its points are copies in this direction, of so many bytes as the axis `bytes` says; it has
    /// no region.
    std::optional<models::HostOperationKind> copies{};
};

} // namespace warpbound::harness
