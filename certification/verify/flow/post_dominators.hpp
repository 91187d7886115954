#pragma once
/// \file
/// Where all ways from a block meet, by leaving out one block after the other.

#include "certification/verify/flow/control_flow.hpp"

#include <optional>
#include <vector>

namespace warpbound::certification::verify {

class PostDominators {
public:
    /// `flow` must live as long.
    explicit PostDominators(const ControlFlow& flow) : flow_{flow}, known_(flow.blocks.size()) {}

    /// The first block behind this one on all ways of the code from it to an EXIT; none where only
    /// the end is, or no EXIT is reached.
    std::optional<std::size_t> behind(std::size_t block);

private:
    [[nodiscard]] std::optional<std::size_t> find(std::size_t block) const;
    /// Blocks that are reached from one, itself included, not through `without`.
    [[nodiscard]] std::vector<bool> reached(std::size_t block,
                                            std::optional<std::size_t> without) const;
    [[nodiscard]] bool exits(const std::vector<bool>& blocks) const;

    const ControlFlow& flow_;
    std::vector<std::optional<std::optional<std::size_t>>> known_; ///< Where it was asked for.
};

} // namespace warpbound::certification::verify
