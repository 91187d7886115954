#pragma once
/// \file
/// Which instructions push, reach and leave reconvergence points (C40).

#include "assembly/isa/program.hpp"

#include <optional>

namespace warpbound::analyzer {

/// Whether the instruction pushes a point: SSY, PBK, PCNT, BSSY.
bool pushes_point(assembly::ControlFlow flow);
/// The kind of instruction that pushed the points at which this one arrives; none: at none.
std::optional<assembly::ControlFlow> arrives_at(assembly::ControlFlow flow);
/// Whether lanes leave points by it without arriving: BREAK, or a BMOV that clears.
bool leaves_point(const assembly::Instruction& instruction);

} // namespace warpbound::analyzer
