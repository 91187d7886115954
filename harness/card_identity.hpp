#pragma once
/// \file
/// How a card is named in what is recorded of it, and which target that says.

#include "assembly/isa/program.hpp"
#include "harness/device.hpp"

#include <string>
#include <string_view>

namespace warpbound::harness {

inline constexpr std::string_view card_prefix = "cuda:";

/// Whether a device of that name is a card.
bool is_card(std::string_view device);

/// The detail of a card's identity: "Tesla T4, sm_75, CUDA driver 13.0".
std::string card_detail(std::string_view name, assembly::Target target, std::string_view driver);
/// The target in it. Refuses an identity that is no card's or names none.
Result<assembly::Target> target_of_card(const DeviceIdentity& identity);

} // namespace warpbound::harness
