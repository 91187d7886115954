#pragma once
/// \file
/// Which states of the product of control flow and reconvergence stack are one node.

#include <cstddef>
#include <optional>

namespace warpbound::analyzer {

/// How much of the stack tells nodes of one block apart.
struct NodeDetail {
    enum class Kind {
        Groups,  ///< Which groups are pending.
        Newest,  ///< Which groups are pending that may go on next above each point.
        Targets, ///< At which blocks some groups go on.
        /// Which groups are pending that go on earlier in the code than the active lanes, and above
        /// the innermost point of these the newest other group, and whether lanes wait.
        Innermost
    };
    Kind kind = Kind::Groups;
    /// Of branches whose sets of groups make as many nodes as that: only how many are pending.
    std::optional<std::size_t> counted{};
};

} // namespace warpbound::analyzer
