#pragma once
/// \file
/// How far a description was held against times of whole kernels, measured on its card.

#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::models {

/// Measured launches that were compared with bounds and simulated times (whole_kernels.csv, which
/// scripts/kernels.sh and scripts/ktt.sh write). Nothing here is a bound.
struct WholeKernels {
    std::int64_t launches = 0;
    std::int64_t inside = 0;    ///< Whose time lies between its bounds.
    std::int64_t simulated = 0; ///< With a simulated time.
    double error = 0;           ///< Mean of the absolute errors of these. `Unit:` percent.

    friend bool operator==(const WholeKernels&, const WholeKernels&) = default;
};

/// Of all sets of launches; none for a machine without any, and for a description that differs
/// from the shipped one.
std::optional<WholeKernels> whole_kernels_of(const Architecture& machine);

/// "whole kernels: 34 of 34 measured times inside the bounds, 15 simulated with an error of 11.5
/// %"; "no whole kernel compared".
std::string to_string(const std::optional<WholeKernels>& kernels);

} // namespace warpbound::models
