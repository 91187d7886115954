#pragma once
/// \file
/// How often warps execute instructions, by the indices of their threads: the verifier's own
/// execution on sets of numbers (S85 of docs/theory). Shares no code with the analysis.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "models/launch/launch.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::certification::verify {

/// On what guards and branches depend, in any order of execution.
struct DecidingCode {
    std::set<assembly::Register> registers;
    std::vector<bool> instructions; ///< That write some of them.
};

class WarpExecution {
public:
    /// All must outlive this object.
    WarpExecution(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                  const models::Launch& launch);

    /// By instruction, how often a warp of these threads may execute it with its guard true for a
    /// lane; none: not known. Side: upper. Sound when: no lanes of the warp part at a branch.
    [[nodiscard]] std::vector<std::optional<std::int64_t>> most(const ThreadIndices& warp) const;
    /// By instruction, how often one thread is sure to execute it with its guard true, as far as so
    /// many instructions lead. Side: lower.
    [[nodiscard]] std::vector<std::int64_t> least(const ThreadIndices& thread,
                                                  std::int64_t instructions) const;

private:
    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const models::Launch& launch_;
    DecidingCode deciding_;
};

} // namespace warpbound::certification::verify
