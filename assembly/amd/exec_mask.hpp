#pragma once
/// \file
/// Where the execution mask of a wavefront may be empty.

#include "assembly/isa/program.hpp"

namespace warpbound::assembly::amd {

/// Guards by EXEC each vector instruction in front of which EXEC may be empty: it then has no
/// effect. EXEC has a lane at the start, and behind S_CBRANCH_EXECZ that falls through; what writes
/// EXEC may empty it, unless masks that were copied from it show that it does not. Of code without
/// a control-flow graph, and of wavefronts of 32 lanes once EXEC is written, nothing is known.
/// Requires: a function of AMD.
void add_exec_guards(Function& function);

} // namespace warpbound::assembly::amd
