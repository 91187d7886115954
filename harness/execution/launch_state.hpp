#pragma once
/// \file
/// What the warps of a launch share: constants, global memory; and of a block: shared memory.

#include "harness/execution/device_memory.hpp"
#include "models/launch/launch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::execution {

using Extents = std::array<std::int64_t, 3>; ///< x, y, z.

/// A constant bank; bytes that no argument states are not known.
struct ConstantBank {
    std::vector<std::byte> bytes;
    std::vector<bool> known; ///< By 4-byte word.
};

struct LaunchState {
    Extents grid{1, 1, 1};
    Extents block{1, 1, 1};
    int sm = 75; ///< Of the code.
    std::map<std::int64_t, ConstantBank> constants;
    DeviceMemory memory;
    /// Of a block. `Unit:` bytes.
    std::size_t shared_bytes = 0;
    std::int64_t warps_per_block = 1;

    [[nodiscard]] Extents index_of(std::int64_t number) const {
        return {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
    }
};

struct BlockState {
    std::int64_t number = 0;
    Extents index{};
    std::vector<std::byte> shared;
};

} // namespace warpbound::harness::execution
