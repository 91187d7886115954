#include "models/architecture/texture_work.hpp"

#include "assembly/isa/texture_registers.hpp"

#include <string_view>

namespace warpbound::models {
namespace {

using assembly::Instruction;

constexpr std::int64_t texels_of_sample = 4;

/// Bilinear samples at one level of detail.
std::int64_t samples_of_level(const Instruction& instruction) {
    const assembly::TextureShape shape = assembly::texture_shape(instruction);
    const bool is_volume = shape.dimensions == 0 || (shape.dimensions == 3 && !shape.is_cube);
    return is_volume ? 2 : 1;
}

/// Levels that are blended.
std::int64_t levels_of(const Instruction& instruction) {
    return instruction.has_modifier("LZ") ? 1 : 2;
}

/// Probes of an anisotropic filter: CUDA and Vulkan limit the ratio to 16. A stated level leaves no
/// derivatives that could stretch the footprint.
std::int64_t probes_of(const Instruction& instruction) {
    constexpr std::int64_t largest_ratio = 16;
    return instruction.has_modifier("LZ") || instruction.has_modifier("LL") ? 1 : largest_ratio;
}

} // namespace

TextureWork texture_work(const Instruction& instruction) {
    const std::string_view name = instruction.mnemonic;
    if (name == "TLD4") return {.texels = texels_of_sample};
    const bool samples = name == "TEX" || name == "TEXS" || name == "TXD" || name == "TXA";
    if (!samples) return {};
    const std::int64_t count =
        samples_of_level(instruction) * levels_of(instruction) * probes_of(instruction);
    return {.texels = texels_of_sample * count, .samples = count};
}

} // namespace warpbound::models
