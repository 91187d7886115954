#pragma once
/// \file
/// Instructions whose pending results make a warp leave the active set of the two-level policy
/// (C19).

#include "assembly/isa/opcode.hpp"

namespace warpbound::models {

/// Whether a warp that waits for the result of such an instruction leaves the active set: a load or
/// atomic of global or local memory, or a texture access. A warp that waits for shared memory,
/// constants or arithmetic remains active.
constexpr bool leaves_active_set(assembly::OpcodeClass opcode_class) {
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
