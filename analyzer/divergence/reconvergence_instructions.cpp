#include "analyzer/divergence/reconvergence_instructions.hpp"

namespace warpbound::analyzer {

using assembly::ControlFlow;
using assembly::Instruction;

bool pushes_point(ControlFlow flow) {
    return flow == ControlFlow::PushReconvergence || flow == ControlFlow::PushBreak ||
           flow == ControlFlow::PushContinue || flow == ControlFlow::ConvergenceSet;
}

std::optional<ControlFlow> arrives_at(ControlFlow flow) {
    switch (flow) {
    case ControlFlow::PopReconvergence:
        return ControlFlow::PushReconvergence;
    case ControlFlow::PopBreak:
        return ControlFlow::PushBreak;
    case ControlFlow::PopContinue:
        return ControlFlow::PushContinue;
    case ControlFlow::ConvergenceWait:
        return ControlFlow::ConvergenceSet;
    default:
        return std::nullopt;
    }
}

bool leaves_point(const Instruction& instruction) {
    return instruction.control_flow == ControlFlow::ConvergenceBreak ||
           (instruction.mnemonic == "BMOV" && instruction.has_modifier("CLEAR"));
}

} // namespace warpbound::analyzer
