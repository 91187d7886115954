#pragma once
/// \file
/// How control comes from an instruction to the one after it in the text.

#include "certification/verify/flow/control_flow.hpp"

#include <vector>

namespace warpbound::certification::verify {

/// Per instruction: whether the next one in the text may be reached from it by falling through, and
/// by a transfer of control.
struct NextInText {
    bool falls = false;
    bool transfers = false;
};

/// Of the last instructions of blocks, of lanes that stay together.
std::vector<NextInText> next_in_text(const KernelCase& kernel, const ControlFlow& of_code);

} // namespace warpbound::certification::verify
