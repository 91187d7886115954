#pragma once
/// \file
/// Where the lanes of a warp that parts are, block by block: rules C38 to C40 of the timing
/// contract followed step by step, apart from the code that the analysis uses.

#include "certification/verify/flow/control_flow.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// What is known of groups that wait above each other and parted at one block after the other.
enum class Waiting {
    Each, ///< All of them.
    Last  ///< Who parted last: others may wait below or not. More ways than a warp has.
};

/// What a warp may do whose lanes may part at the stated branches.
struct WarpStates {
    struct State {
        std::size_t block = 0;         ///< That the active lanes execute.
        std::vector<std::size_t> next; ///< States.
        bool ends = false;             ///< No lane may be left behind it.
        bool together = false;         ///< No lane waits elsewhere.
    };
    std::vector<State> states; ///< The first is the start.
    /// Who may wait for their turn: the block behind which they parted and where they go on.
    std::set<std::pair<std::size_t, std::size_t>> groups;
    /// Headers of loops that some may execute while others wait for their turn: by the block behind
    /// which these parted and the one where they go on.
    std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> turned;
    std::set<std::size_t> behind_points; ///< Blocks where lanes go on that waited at a point.
    Waiting known = Waiting::Each;
};

/// None: too many states. Throws `Finding` at code that it does not follow: named in
/// docs/reference/evidence-format.md.
std::optional<WarpStates> follow_lanes(const KernelCase& kernel, const ControlFlow& flow,
                                       Waiting known);
/// By what is known of each, or where that are too many states, of the last.
WarpStates follow_lanes(const KernelCase& kernel, const ControlFlow& flow);

} // namespace warpbound::certification::verify
