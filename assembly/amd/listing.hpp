#pragma once
/// \file
/// Code of AMD as text for people: what the reader made of a code object.

#include "assembly/isa/program.hpp"

#include <string>

namespace warpbound::assembly::amd {

/// One line per instruction: address, first eight bytes of its encoding, instruction, and behind
/// `;` the counter that counts it and whether it may execute for no lane (C99, C100 of the timing
/// contract). Requires: a function of AMD.
std::string listing_of(const Function& function);

} // namespace warpbound::assembly::amd
