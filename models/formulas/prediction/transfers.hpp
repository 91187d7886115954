#pragma once
/// \file
/// Copies before and after a kernel on a described machine.

#include "models/estimate.hpp"
#include "models/formulas/prediction/inputs.hpp"
#include "models/formulas/quantities.hpp"
#include "models/units.hpp"

#include <span>
#include <string_view>

namespace warpbound::models::prediction {

enum class CopyDirection { HostToDevice, DeviceToHost };
std::string_view to_string(CopyDirection direction);

struct Copy {
    CopyDirection direction = CopyDirection::HostToDevice;
    std::int64_t bytes = 0;
};

/// Reads "host-to-device=4096". Refuses other directions, and sizes below 1 byte or above 2^50: the
/// time of an empty copy is a separate measured value, which no description has.
Result<Copy> parse_copy(std::string_view text);

/// Estimate, not a bound. The copies in sequence, each by eq. 5.5 of Gajger 2017 with the
/// description's start-up and reached bandwidth (lambda included).
/// Unit: seconds. Nothing when a value is missing, which `inputs` then names.
std::optional<Estimate<Seconds>> copy_time(std::span<const Copy> copies, Inputs& inputs);

/// Estimate, not a bound. A kernel's cycles at the description's clock after and before the copies,
/// none of them at the same time. Unit: seconds. Nothing as `copy_time`.
std::optional<Estimate<Seconds>> end_to_end(Estimate<Cycles> kernel, std::span<const Copy> copies,
                                            Inputs& inputs);

} // namespace warpbound::models::prediction
