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
    /// Of threads that represent their warps, where facts speak of them.
    std::optional<ControlFlow> of_representatives{};
    /// Of the upper side, of warps that may be within their loops (S74).
    std::optional<ControlFlow> of_beginnings{};

    [[nodiscard]] const ControlFlow& of(bool upper) const {
        return upper && of_warp ? *of_warp : of_code;
    }
    /// The flow whose paths a certificate bounds. What lies between two blocks is that of any warp.
    [[nodiscard]] const ControlFlow& of(const Certificate& certificate) const {
        if (certificate.is_of_beginnings() && of_beginnings) return *of_beginnings;
        const bool of_launch = !certificate.upper && !certificate.between;
        return of_launch && of_representatives ? *of_representatives : of(certificate.upper);
    }
};

/// Checks the control flow against the listing and, where lanes may part, that the sequence of
/// blocks of every warp is a path of the bundle's copies, with its loops bounded as those of a lane
/// (S19e of docs/theory). Without copies the lanes must have one path (S86). Throws `Finding`.
SideFlows check_flows(const KernelCase& kernel);

} // namespace warpbound::certification::verify
