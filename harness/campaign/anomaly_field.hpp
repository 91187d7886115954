#pragma once
/// \file
/// The name of a run's anomaly in stored campaigns.

#include <cstdint>

namespace warpbound::harness {

/// The field with a run's anomaly in a campaign of that version, a file or its JSON: from 4 on
/// "anomaly". Earlier ones have another name, which stands here alone.
constexpr const char* anomaly_field(std::int64_t campaign_version) {
    return campaign_version < 4 ? "trouble" : "anomaly";
}

} // namespace warpbound::harness
