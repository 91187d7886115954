#pragma once
/// \file
/// Registers of texture and surface instructions from Volta on.
///
/// `TEX.LL R6, R4, R8, R5, UR4, 0x0, 3D, 0xf` writes the first two components that its mask selects
/// to R4 and R5 and the others to R6 and R7. It reads the coordinates R8 to R10 and the level R5.

#include "assembly/isa/operand_width.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/isa/target.hpp"

#include <cstddef>

namespace warpbound::assembly {

/// Whether the instruction goes through the texture units: TEX, TLD, SULD, SUST, SURED, ..
bool accesses_texture(const Instruction& instruction);

/// The dimensions that a texture or surface instruction names.
struct TextureShape {
    int dimensions = 0;    ///< 1 to 3; a cube has 3. 0: not known.
    bool is_array = false; ///< An index of the layer comes on top.
    bool is_cube = false;
};
TextureShape texture_shape(const Instruction& instruction);

/// Whether the handle of the texture or surface is in a general register, so that it may differ
/// from lane to lane.
bool has_handle_of_lane(const Instruction& instruction);

/// Destinations of an instruction that accesses a texture.
Destinations texture_destinations(const Instruction& instruction);

/// Registers of the operand at `position` of an instruction that accesses a texture; not known for
/// forms that compilers for CUDA do not write.
/// Source: listings by ptxas 13.0 for sm_75 to sm_90, in which other instructions write and read
/// these registers.
Width texture_width(const Instruction& instruction, std::size_t position, Target target);

/// Registers of the coordinates in the brackets of a surface instruction. Width as above.
Width surface_coordinates(const Instruction& instruction, Target target);

} // namespace warpbound::assembly
