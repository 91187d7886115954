#pragma once
/// \file
/// Kernel parameters that the user states: words of constant bank 0.

#include "assembly/isa/program.hpp"
#include "models/launch/launch.hpp"

namespace warpbound::analyzer {

using KernelParameter = models::ArgumentWord;
using KernelParameters = models::ArgumentWords;

/// A copy of the function in which parameters whose 32 bits are known stand as immediates, for the
/// value analysis. Operands that read part of a word are not changed. A load of several words has
/// an operand for each (`loaded_word`).
assembly::Function with_parameters(const assembly::Function& function,
                                   const KernelParameters& parameters);

/// The block extents in constant bank 0, as the compiler's launch convention places them
/// (blockDim.x, .y, .z at 0x0 from sm_70 to sm_90, at 0x8 from sm_50 to sm_62, at 0x360 from sm_100
/// to sm_121). Nothing for other targets. Source: code that nvcc 11.8 and 13.0 make.
KernelParameters block_extents(assembly::Target target, const models::BlockShape& shape);
/// Likewise the grid extents (gridDim.x, .y, .z), which follow the block extents, from 0x370 on for
/// sm_100 to sm_121.
KernelParameters grid_extents(assembly::Target target, const models::GridShape& shape);

/// The code reads a thread index or a block extent in y or z, so that facts about threads need the
/// shape of the blocks.
bool reads_block_shape(const assembly::Function& function);

/// The words of constant bank 0 that a launch determines: the extents of its blocks where it states
/// their shape or the code reads none of it, and of its grid where it states that.
KernelParameters launch_words(const assembly::Function& function, const models::Launch& launch);

} // namespace warpbound::analyzer
