#pragma once
/// \file
/// Abstract execution: loop bounds and infeasible paths by running the code on ranges of values,
/// iteration by iteration (S16a).

#include "analyzer/flow/loop_bounds.hpp"
#include "analyzer/value/range_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/launch/launch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// What the runs of all threads can execute.
struct AbstractRun {
    std::vector<bool> reached; ///< Per block.
    std::vector<bool> taken;   ///< Per edge.
    std::vector<bool> exits;   ///< Per block: an EXIT at its end may terminate a thread.
    /// Per loop of the graph; nothing: no bound was found, or the loop is not entered.
    std::vector<std::optional<DerivedLoop>> loops;
};

/// Threads of a block, and blocks of a grid, by their indices x, y, z.
struct IndexBox {
    std::array<std::int64_t, 3> first_thread{0, 0, 0};
    std::array<std::int64_t, 3> last_thread{0, 0, 0};       ///< Inclusive.
    std::optional<std::array<std::int64_t, 3>> first_block; ///< None: all blocks.
    std::array<std::int64_t, 3> last_block{0, 0, 0};
    /// Of the index x of the threads: how many low bits they have as the first one has.
    unsigned low_bits_of_x = 0;

    friend bool operator==(const IndexBox&, const IndexBox&) = default;
};

/// `shared`: registers that other lanes may write while a thread waits; nothing is known of them.
/// Sound for the run of every thread of the launch (S16a), or of those of a box alone (S46).
/// Source: Gustafsson, Ermedahl, Sandberg, Lisper, RTSS 2006.
AbstractRun execute_abstractly(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph,
                               const models::Launch& launch,
                               const std::set<assembly::Register>& shared,
                               const IndexBox* box = nullptr);

/// How often a warp may execute an instruction with its guard true, at most. `Shape:` [instruction]
using ExecutionCounts = std::vector<std::int64_t>;
/// Of an instruction that is not counted, or in a loop without a bound.
constexpr std::int64_t uncounted = std::numeric_limits<std::int64_t>::max();

/// Of each index, extent and lane index. `Shape:` [Geometry]
using RangesOfGeometry =
    std::array<ValueRange, static_cast<std::size_t>(Geometry::Lane) + std::size_t{1}>;
/// Those of all threads of the launch.
RangesOfGeometry ranges_of_geometry(const models::Launch& launch);
/// Those of the threads of a box.
RangesOfGeometry ranges_of_geometry(const models::Launch& launch, const IndexBox& box);

/// How long iterations are executed on their own: instructions executed in one entry of a loop, and
/// in all.
struct ExecutionLimits {
    std::int64_t of_an_entry = std::int64_t{1} << 19U;
    std::int64_t of_all = std::int64_t{1} << 21U;
};

/// Executes one function several times, for different threads. The arguments must outlive it.
class AbstractExecution {
public:
    /// `counted`: per instruction, whether its executions are counted; empty: none is.
    AbstractExecution(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                      const std::set<assembly::Register>& shared,
                      const std::vector<bool>& counted = {});
    ~AbstractExecution();

    /// `not_sought`: per loop, whether a bound is not sought; its registers become unknown instead.
    AbstractRun run(const RangesOfGeometry& geometry, ExecutionLimits limits,
                    std::vector<bool> not_sought);
    /// Instructions of the last run, and one for each of its blocks.
    [[nodiscard]] std::int64_t executed() const;
    /// Whether the last run entered the loop and found no bound.
    [[nodiscard]] bool is_unbounded(std::size_t loop) const;
    /// How often a thread of the last run may execute instructions with its guard true, and a warp
    /// whose lanes are all of that run and diverge at no branch; else in how many iterations of the
    /// loops around them some thread may (S85).
    [[nodiscard]] ExecutionCounts counts() const;

private:
    class Run;
    std::unique_ptr<Run> run_;
};

} // namespace warpbound::analyzer
