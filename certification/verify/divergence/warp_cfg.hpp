#pragma once
/// \file
/// The control flow that the paths of each side of a bound follow, held against what the lanes of a
/// warp may do that part.

#include "certification/verify/flow/control_flow.hpp"

#include <optional>

namespace warpbound::certification::verify {

struct SideFlows {
    ControlFlow of_code; ///< Of each lane, hence of a warp whose lanes stay together.
    std::optional<ControlFlow> of_warp; ///< Of copies of blocks, where lanes may part.

    [[nodiscard]] const ControlFlow& of(bool upper) const {
        return upper && of_warp ? *of_warp : of_code;
    }
};

/// Checks the control flow against the listing and, where lanes may part, that the sequence of
/// blocks of every warp is a path of the bundle's copies, with its loops bounded as those of a lane
/// (S19e of docs/soundness.md). Throws `Finding`.
SideFlows check_flows(const KernelCase& kernel);

} // namespace warpbound::certification::verify
