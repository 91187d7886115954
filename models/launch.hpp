#pragma once
/// \file
/// How many blocks of how many threads.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpbound::models {

struct Launch {
    std::int64_t blocks = 1;
    std::int64_t threads = 32; ///< Per block.

    /// Rounded up.
    [[nodiscard]] std::int64_t warps_per_block(std::int64_t warp_size = 32) const {
        return (threads + warp_size - 1) / warp_size;
    }
    friend bool operator==(const Launch&, const Launch&) = default;
};

/// Reads `GxB`: blocks, then threads per block, both at least 1 and threads at most 1024.
Result<Launch> parse_launch(std::string_view text);
std::string to_string(const Launch& launch);

} // namespace warpbound::models
