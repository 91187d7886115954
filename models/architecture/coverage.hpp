#pragma once
/// \file
/// How far a description was held against silicon: values, and whole kernels.

#include "models/architecture/architecture.hpp"
#include "models/architecture/whole_kernels.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::models {

/// Numbers of values. A value counts once, by the first of these that applies.
struct Coverage {
    std::int64_t unknown = 0;
    std::int64_t assumed = 0;
    std::int64_t card = 0;    ///< Measured on the described card.
    std::int64_t family = 0;  ///< Measured on another card of its family.
    std::int64_t vendor = 0;  ///< Stated by the vendor.
    std::int64_t derived = 0; ///< Derived from others, or taken from published work.
    std::optional<WholeKernels> whole_kernels{}; ///< None: no whole kernel was compared.

    [[nodiscard]] std::int64_t total() const {
        return unknown + assumed + card + family + vendor + derived;
    }
    friend bool operator==(const Coverage&, const Coverage&) = default;
};
Coverage coverage_of(const Architecture& machine);

/// "12 of 40 values measured on this card, 9 on its family, 5 stated by the vendor, 4 derived, 8
/// assumed, 2 unknown; no whole kernel compared".
std::string to_string(const Coverage& coverage);

} // namespace warpbound::models
