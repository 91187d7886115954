#pragma once
/// \file
/// How control comes from an instruction to the next one of the warp.

#include "certification/verify/flow/control_flow.hpp"

#include <vector>

namespace warpbound::certification::verify {

/// Of the last instructions of blocks: to the next one in the text, of lanes that stay together.
std::vector<EdgeGaps> next_in_text(const KernelCase& kernel, const ControlFlow& of_code);

/// Of an edge of the flow, by the states of lanes if it has them. `in_text`: of the code.
EdgeGaps gaps_of_edge(const ControlFlow& flow, const std::vector<EdgeGaps>& in_text,
                      std::size_t from, std::size_t to);

} // namespace warpbound::certification::verify
