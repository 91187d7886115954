#pragma once
/// \file
/// The path of a thread, where the facts leave one (steps S17, S25 and S86 of docs/theory).

#include "certification/verify/flow/control_flow.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// Whether a warp may also end at a guarded EXIT on its path.
enum class EarlyEnds { None, Allowed };

/// A block on a path.
struct PassedBlock {
    std::size_t block = 0;
    bool transfers = false; ///< The block before transfers control to it.
};

/// The blocks on the path through `flow`, of the code or of its nodes, up to the EXIT at which it
/// ends. None: there may be other paths than `early` says, or it has more than `most` issues.
std::optional<std::vector<PassedBlock>> only_blocks_of(const KernelCase& kernel,
                                                       const ControlFlow& of_code,
                                                       const ControlFlow& flow, EarlyEnds early,
                                                       std::size_t most);

/// Whether the lanes of a warp take one path, or beginnings of it, and nothing on it sets them
/// apart: then they diverge at no branch, whatever the facts say of it (S86).
bool lanes_follow_one_path(const KernelCase& kernel, const ControlFlow& of_code);

} // namespace warpbound::certification::verify
