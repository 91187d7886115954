#pragma once
/// \file
/// The recorded identity of a CUDA card, and the compilation target that it contains.

#include "assembly/isa/program.hpp"
#include "harness/device.hpp"

#include <string>
#include <string_view>

namespace warpbound::harness {

inline constexpr std::string_view card_prefix = "cuda:";

/// Whether the device name is that of a CUDA card.
bool is_card(std::string_view device);

/// The detail of a card's identity: "Tesla T4, sm_75, CUDA driver 13.0".
std::string card_detail(std::string_view name, assembly::Target target, std::string_view driver);
/// The compilation target in the identity. Refuses an identity that is not a card's or contains no
/// target.
Result<assembly::Target> target_of_card(const DeviceIdentity& identity);

} // namespace warpbound::harness
