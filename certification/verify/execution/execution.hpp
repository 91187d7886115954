#pragma once
/// \file
/// The step `execution`: facts that are said to follow from the code, against threads that execute
/// it.

#include "certification/verify/evidence.hpp"
#include "certification/verify/verdict.hpp"

namespace warpbound::certification::verify {

/// Executes some thread blocks of each launch on data of its own choice. What one of its threads
/// does, each bound must cover: a fact in use that it contradicts is refuted. Where an execution
/// contradicts a fact that the inputs state, it is none that the bounds speak of. Not applicable
/// where no block can be executed: another machine's code, instructions without semantics, no end
/// within a limit, accesses outside of the chosen buffers.
StepResult check_execution(const Evidence& evidence);

} // namespace warpbound::certification::verify
