#pragma once
/// \file
/// The recorded identity of a simulated device.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

inline constexpr std::string_view simulated_prefix = "simulated:";

/// What the detail of a simulated device's identity says.
struct SimulatedDetail {
    std::string description; ///< Digest.
    std::string policy;      ///< As `models::read_policy` takes it.
    std::int64_t multiprocessors = 1;

    friend bool operator==(const SimulatedDetail&, const SimulatedDetail&) = default;
};

/// "sha256:.., policy lrr, 4 multiprocessors"; one multiprocessor is not named.
std::string to_string(const SimulatedDetail& detail);
/// None where the text is not of that form.
std::optional<SimulatedDetail> parse_simulated_detail(std::string_view text);

} // namespace warpbound::harness
