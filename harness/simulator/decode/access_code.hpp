#pragma once
/// \file
/// The addresses that an instruction accesses.

#include "models/architecture/instruction_timing.hpp"
#include "models/facts/address_pattern.hpp"

namespace warpbound::harness::simulator {

/// One instruction with an address pattern or recorded addresses.
struct AccessCode {
    models::AddressPattern pattern; ///< Unused for a recorded launch.
    models::AccessRule rule;
    bool same_passes = false; ///< With all lanes active, every execution takes the same passes.
};

/// The addresses of the active lanes of one execution.
inline models::LaneAddresses addresses_of(const AccessCode& access, const models::WarpAccess& place,
                                          std::uint64_t active) {
    return models::addresses_of(access.pattern, place, active, access.rule.bytes);
}

} // namespace warpbound::harness::simulator
