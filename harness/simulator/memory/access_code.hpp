#pragma once
/// \file
/// Where an instruction finds its addresses.

#include "models/architecture/instruction_timing.hpp"
#include "models/facts/address_pattern.hpp"

namespace warpbound::harness::simulator {

/// One instruction with an address pattern or recorded addresses.
struct AccessCode {
    models::AddressPattern pattern; ///< Unused where the launch is recorded.
    models::AccessRule rule;
    bool same_passes = false; ///< With all lanes active, passes are the same at every execution.
};

/// The addresses of the active lanes of one execution.
inline models::LaneAddresses addresses_of(const AccessCode& access,
                                          const models::AccessPlace& place, std::uint64_t active) {
    return models::addresses_of(access.pattern, place, active, access.rule.bytes);
}

} // namespace warpbound::harness::simulator
