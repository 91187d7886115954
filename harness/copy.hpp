#pragma once
/// \file
/// A single copy between host and device.

#include "models/launch/workload.hpp"

#include <cstdint>
#include <string>

namespace warpbound::harness {

struct Copy {
    /// Requires: a copy direction, not a launch.
    models::HostOperationKind direction = models::HostOperationKind::CopyToDevice;
    std::int64_t bytes = 0; ///< At least 1.
};
/// "copy host-to-device 4096 bytes"
std::string to_string(const Copy& copy);

} // namespace warpbound::harness
