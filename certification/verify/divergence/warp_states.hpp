#pragma once
/// \file
/// States of a warp whose lanes may diverge, block by block: rules C38 to C40 of the timing
/// contract, applied step by step (S19e in docs/soundness.md). Shares no code with the analysis.

#include "certification/verify/flow/control_flow.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// What is known of pending groups that are above each other and diverged at different blocks.
enum class Waiting {
    Each, ///< Every group.
    Last  ///< The group that diverged last: others may be below or not. More paths than a warp has.
};

/// What a warp whose lanes may diverge at the stated branches may do.
struct WarpStates {
    struct State {
        std::size_t block = 0;         ///< That the active lanes execute.
        std::vector<std::size_t> next; ///< States.
        bool ends = false;             ///< All lanes may have ended after it.
        bool converged = false;        ///< No lane is pending or waits elsewhere.
    };
    std::vector<State> states; ///< The first is the start.
    /// Groups that may be pending: the block after which they diverged and where they go on.
    std::set<std::pair<std::size_t, std::size_t>> groups;
    /// Headers of loops that some lanes may execute while others are pending: by the block after
    /// which these diverged and the one where they go on.
    std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> turned;
    std::set<std::size_t>
        resumed_blocks; ///< Blocks where lanes go on that waited at a reconvergence point.
    Waiting known = Waiting::Each;
};

/// None: too many states. Throws `Finding` at code that it does not follow: named in
/// docs/reference/evidence-format.md.
std::optional<WarpStates> follow_lanes(const KernelCase& kernel, const ControlFlow& flow,
                                       Waiting known);
/// With every pending group known, or where that gives too many states, only the last one.
WarpStates follow_lanes(const KernelCase& kernel, const ControlFlow& flow);

} // namespace warpbound::certification::verify
