#pragma once
/// \file
/// What makes a warp leave the active set of the two-level policy (C19).

#include "assembly/isa/opcode.hpp"

namespace warpbound::models {

/// Whether a warp that waits for a result of such an instruction stands outside meanwhile: a load
/// or atomic of global or local memory, or a texture access. What waits for shared memory,
/// constants or arithmetic stays inside.
constexpr bool is_waited_for_outside(assembly::OpcodeClass opcode_class) {
    switch (opcode_class) {
    case assembly::OpcodeClass::LoadGlobal:
    case assembly::OpcodeClass::LoadLocal:
    case assembly::OpcodeClass::AtomicGlobal:
    case assembly::OpcodeClass::Texture:
        return true;
    default:
        return false;
    }
}

} // namespace warpbound::models
