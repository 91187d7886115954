#pragma once
/// \file
/// The recorded identity of a card, and the compilation target that it contains.

#include "assembly/isa/program.hpp"
#include "harness/device.hpp"

#include <string>
#include <string_view>

namespace warpbound::harness {

/// How the names of cards begin: of NVIDIA, of AMD.
inline constexpr std::string_view card_prefix = "cuda:";
inline constexpr std::string_view amd_card_prefix = "hip:";

/// Whether the device name is that of a card: `cuda:<n>` or `hip:<n>`.
bool is_card(std::string_view device);

/// The detail of a card's identity: "Tesla T4, sm_75, CUDA driver 13.0", "AMD Instinct MI210,
/// gfx90a, HIP runtime 6.2.41134".
std::string card_detail(std::string_view name, assembly::Target target, std::string_view driver);
/// The part of a detail before the target: "Tesla T4".
std::string_view name_in_detail(std::string_view detail);
/// The compilation target in the identity. Refuses an identity that is not a card's or contains no
/// target.
Result<assembly::Target> target_of_card(const DeviceIdentity& identity);

} // namespace warpbound::harness
