#pragma once
/// \file
/// Launch configuration: grid size, block size and resources of a block.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::models {

struct Launch {
    std::int64_t blocks = 1;
    std::int64_t threads = 32; ///< Per block.
    /// Registers per thread; if none is stated, those of the listing apply where it gives them.
    std::optional<std::int64_t> registers{};
    /// Shared memory of a block, static plus dynamic. `Unit:` bytes.
    std::optional<std::int64_t> shared_memory{};

    /// Rounded up.
    [[nodiscard]] std::int64_t warps_per_block(std::int64_t warp_size = 32) const {
        return (threads + warp_size - 1) / warp_size;
    }
    friend bool operator==(const Launch&, const Launch&) = default;
};

/// Reads `GxB[,registers=R][,shared-memory=BYTES]`: blocks, then threads per block, both at least 1
/// and threads at most 1024; registers of a thread, at least 1; bytes of a block.
Result<Launch> parse_launch(std::string_view text);
/// In the form that `parse_launch` reads.
std::string to_string(const Launch& launch);

} // namespace warpbound::models
