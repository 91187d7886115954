#pragma once
/// \file
/// Immediate post-dominators, as the nearest block that the post-dominators of all successors have
/// in common.

#include "certification/verify/flow/control_flow.hpp"

#include <optional>
#include <vector>

namespace warpbound::certification::verify {

class PostDominators {
public:
    explicit PostDominators(const ControlFlow& flow);

    /// The first block after this one on all paths of the code from it to an EXIT; none where they
    /// have no block in common, or no EXIT is reached.
    [[nodiscard]] std::optional<std::size_t> immediate(std::size_t block) const {
        const std::size_t parent = parents_[block];
        return parent < parents_.size() ? std::optional{parent} : std::nullopt;
    }

private:
    static constexpr std::size_t unknown = SIZE_MAX;

    /// Blocks from which an EXIT is reached: those from which it is reached only on paths through
    /// another block come after that one.
    void order_from_exits(const ControlFlow& flow);
    /// The nearest block that is on all paths to an EXIT from both, each itself included.
    [[nodiscard]] std::size_t nearest_common(std::size_t a, std::size_t b) const;

    std::vector<std::size_t> order_; ///< Towards the entry.
    std::vector<std::size_t> rank_;  ///< In `order_`, from 1; the end of all paths: 0.
    /// Per block its immediate post-dominator; the number of blocks: the end of all paths.
    std::vector<std::size_t> parents_;
};

} // namespace warpbound::certification::verify
