#pragma once
/// \file
/// What a texture or surface access asks of the texture units and of memory (C101).

#include "assembly/isa/program.hpp"

#include <cstdint>

namespace warpbound::models {

/// Of one lane, at most. A texel is aligned to its size, of at most 16 bytes: it lies in one
/// sector.
struct TextureWork {
    /// Texels that the lane reads or writes, whatever the sampler's state.
    std::int64_t texels = 1;
    /// Bilinear samples that are combined: of at most four texels each.
    std::int64_t samples = 1;
};

/// The work of an instruction for which `assembly::accesses_texture` holds.
/// Side: upper. A cube's sample lies on one face or on the seam of several; anisotropic filters
/// take up to 16 probes, where the instruction has derivatives.
TextureWork texture_work(const assembly::Instruction& instruction);

} // namespace warpbound::models
