#pragma once
/// \file
/// How often warps execute instructions, and which ways through the code threads may take, by their
/// indices: the verifier's own execution on sets of numbers (S79, S85 and S88 of docs/theory).
/// Shares no code with the analysis.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "certification/verify/flow/affine_form.hpp"
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

/// Side: upper.
struct PossibleWays {
    std::vector<bool> edges; ///< Per edge: some thread may take it.
    std::vector<bool> ends;  ///< Per block: at its end some thread may end.
};

class WarpExecution {
public:
    /// All but `of_others` must outlive this object. `of_others`: registers that other lanes of the
    /// warp may write between two instructions of a lane; nothing is known of them.
    WarpExecution(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                  const models::Launch& launch, const std::set<assembly::Register>& of_others);

    /// By instruction, in how many iterations of the loops around it a lane of a warp of these
    /// threads may execute it with its guard true; none: not known. Where no lanes diverge, how
    /// often the warp does. Side: upper.
    [[nodiscard]] std::vector<std::optional<std::int64_t>> most(const ThreadIndices& warp) const;
    /// By instruction, how often one thread is sure to execute it with its guard true, as far as so
    /// many instructions lead. Side: lower.
    [[nodiscard]] std::vector<std::int64_t> least(const ThreadIndices& thread,
                                                  std::int64_t instructions) const;
    /// Of all threads of a box.
    [[nodiscard]] PossibleWays ways(const ThreadBox& box) const;
    [[nodiscard]] PossibleWays ways(const ThreadIndices& threads) const;
    /// Of smaller boxes that make up the box, halved until in each no index decides or a limit of
    /// work is reached (S88).
    [[nodiscard]] std::vector<PossibleWays> ways_of_parts(const ThreadBox& box) const;

private:
    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const models::Launch& launch_;
    DecidingCode deciding_;
};

} // namespace warpbound::certification::verify
