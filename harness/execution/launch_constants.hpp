#pragma once
/// \file
/// Constant bank 0 of a launch, as the compiler's launch convention places its values.

#include "assembly/isa/program.hpp"
#include "harness/execution/launch_state.hpp"
#include "models/launch/launch.hpp"

#include <vector>

namespace warpbound::harness::execution {

/// Where values lie in constant bank 0. `Unit:` bytes. Source: code that nvcc 13.0 makes.
struct ConstantLayout {
    std::int64_t block_extents = 0;
    std::int64_t grid_extents = 0xc;
    std::int64_t stack_top = 0x28;
    std::int64_t parameters = 0x160;
};
/// Refuses targets before sm_70, whose code is not executed.
Result<ConstantLayout> constant_layout(assembly::Target target);

/// The bank with extents, stack and arguments: a word of the parameters is known where the launch
/// states all its bits.
ConstantBank launch_constants(const ConstantLayout& layout, const models::Launch& launch,
                              const Extents& block, const Extents& grid);

/// Words of the parameters that instructions of the function name and that are not known, by
/// offset.
std::vector<std::int64_t> unknown_arguments(const assembly::Function& function,
                                            const ConstantLayout& layout, const ConstantBank& bank);

/// The constant banks other than 0 that instructions of the function name.
std::vector<std::int64_t> named_banks(const assembly::Function& function);

} // namespace warpbound::harness::execution
