#pragma once
/// \file
/// Words of constant bank 0, where kernels find their parameters, that somebody states.

#include "assembly/isa/program.hpp"

#include <cstdint>
#include <map>

namespace warpbound::analyzer {

/// Agrees with `value` in its lowest `bits` bits; 32: it is the value.
struct KernelParameter {
    std::uint32_t value = 0;
    unsigned bits = 32;
    friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

/// By offset in constant bank 0, a multiple of 4.
using KernelParameters = std::map<std::int64_t, KernelParameter>;

/// The function with such words that are known in place of their names, for what follows its
/// numbers. Operands that take part of a word are left alone.
assembly::Function with_words(const assembly::Function& function, const KernelParameters& words);

} // namespace warpbound::analyzer
