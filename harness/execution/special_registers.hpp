#pragma once
/// \file
/// Special registers, by the name that S2R and CS2R give.

#include "harness/execution/step.hpp"

#include <optional>
#include <string_view>

namespace warpbound::harness::execution {

/// The value for every lane. Clocks count the instructions that the warp has issued: cycles are
/// known only to the timing simulator. Nothing: a register that is not known.
std::optional<Words> special_register(const Step& step, std::string_view name);

} // namespace warpbound::harness::execution
