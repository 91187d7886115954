/// \file
/// Instructions that change no register and no memory here: control flow, which the warp's walk
/// follows, barriers, which the block resolves, fences and hints.

#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <array>

namespace warpbound::harness::execution {

namespace {

void trap(Step& step) {
    step.fail("comes to a trap, as of __trap() or assert(), which ends the launch with an error");
}

} // namespace

std::span<const SemanticsRow> control_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"BRA EXIT CALL RET BSSY BSYNC BREAK JMP KILL", nullptr, "U DIV", NumberType::Integer,
         false},
        {"BPT", trap, "TRAP", NumberType::Integer, false},
        {"WARPSYNC", nullptr, "ALL COLLECTIVE", NumberType::Integer, false},
        {"BAR", nullptr, "SYNC RED ARV AND OR POPC", NumberType::Integer, false},
        {"BMOV", nullptr, "32 64 CLEAR", NumberType::Integer, false},
        {"NOP YIELD NANOSLEEP ERRBAR LDGDEPBAR ENDCOLLECTIVE", nullptr, "", NumberType::Integer,
         false},
        {"MEMBAR FENCE CCTL CCTLL DEPBAR", nullptr, "ALL LE", NumberType::Integer, false},
    });
    return rows;
}

} // namespace warpbound::harness::execution
