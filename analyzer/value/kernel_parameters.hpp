#pragma once
/// \file
/// Kernel parameters that the user states: words of constant bank 0.

#include "assembly/isa/program.hpp"

#include <cstdint>
#include <map>

namespace warpbound::analyzer {

/// A word that equals `value` in its lowest `bits` bits; 32: it is `value`.
struct KernelParameter {
    std::uint32_t value = 0;
    unsigned bits = 32;
    friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

/// Keyed by the offset in constant bank 0, in bytes; a multiple of 4.
using KernelParameters = std::map<std::int64_t, KernelParameter>;

/// A copy of the function in which parameters whose 32 bits are known stand as immediates, for the
/// value analysis. Operands that read part of a word are not changed.
assembly::Function with_parameters(const assembly::Function& function,
                                   const KernelParameters& parameters);

} // namespace warpbound::analyzer
