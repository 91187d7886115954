#pragma once
/// \file
/// Arguments with data: buffers and numbers that --arg states for every parameter of a kernel.

#include "assembly/binary/cubin.hpp"
#include "assembly/support/result.hpp"
#include "harness/execution/device_memory.hpp"
#include "models/launch/launch.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::cli {

/// `NAME=VALUE`; the name is empty where there is no `=`.
std::pair<std::string, std::string> name_and_value(const std::string& text);

/// Adds the buffers to the memory, and numbers and addresses to the words. Refuses what
/// `read_buffer` and `add_arguments_to` refuse, and parameters that are not stated in full, all at
/// once. `parameters`: none: not known.
Result<void>
add_data_arguments(const std::vector<std::string>& arguments,
                   const std::optional<std::vector<assembly::KernelParameterLayout>>& parameters,
                   harness::execution::DeviceMemory& memory, models::ArgumentWords& words);

/// Of everything that decides what the launch does: configuration, arguments, buffers and constant
/// banks.
std::string digest_of_inputs(const models::Launch& launch,
                             const harness::execution::DeviceMemory& memory,
                             const std::map<std::int64_t, std::vector<std::byte>>& constants);

} // namespace warpbound::cli
