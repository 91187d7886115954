#pragma once
/// \file
/// Instruction counts of one warp, as the published formulas take them.

#include <cstdint>

namespace warpbound::models {

/// Warp instructions of one warp. `Unit:` instructions.
struct KernelProfile {
    std::int64_t arithmetic_independent = 0;  ///< Arithmetic that does not wait for its predecessor's result.
    std::int64_t arithmetic_dependent = 0;    ///< Arithmetic that does (read after write).
    std::int64_t shared_loads = 0;
    std::int64_t shared_stores = 0;
    std::int64_t global_loads = 0;
    std::int64_t global_stores = 0;

    friend bool operator==(const KernelProfile&, const KernelProfile&) = default;
};

} // namespace warpbound::models
