#pragma once
/// \file
/// Immediate post-dominators, each found by leaving out one block after another.

#include "certification/verify/flow/control_flow.hpp"

#include <optional>
#include <vector>

namespace warpbound::certification::verify {

class PostDominators {
public:
    /// `flow` must live as long.
    explicit PostDominators(const ControlFlow& flow) : flow_{flow}, known_(flow.blocks.size()) {}

    /// The first block after this one on all paths of the code from it to an EXIT; none where they
    /// have no block in common, or no EXIT is reached.
    std::optional<std::size_t> immediate(std::size_t block);

private:
    [[nodiscard]] std::optional<std::size_t> find(std::size_t block) const;
    /// Blocks that can be reached from `block`, itself included, on paths that avoid `without`.
    [[nodiscard]] std::vector<bool> reached(std::size_t block,
                                            std::optional<std::size_t> without) const;
    [[nodiscard]] bool exits(const std::vector<bool>& blocks) const;

    const ControlFlow& flow_;
    std::vector<std::optional<std::optional<std::size_t>>>
        known_; ///< Of the blocks asked for so far.
};

} // namespace warpbound::certification::verify
