#pragma once
/// \file
/// Launch configuration: size and shape of grid and block, and resources of a block.

#include "assembly/support/result.hpp"
#include "models/launch/argument_words.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::models {

/// Threads of a block in each dimension.
struct BlockShape {
    std::array<std::int64_t, 3> threads{1, 1, 1}; ///< x, y, z.

    [[nodiscard]] std::int64_t count() const { return threads[0] * threads[1] * threads[2]; }
    friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// Blocks of a grid in each dimension.
struct GridShape {
    std::array<std::int64_t, 3> blocks{1, 1, 1}; ///< x, y, z.

    [[nodiscard]] std::int64_t count() const { return blocks[0] * blocks[1] * blocks[2]; }
    friend bool operator==(const GridShape&, const GridShape&) = default;
};

struct Launch {
    std::int64_t blocks = 1;
    std::int64_t threads = 32; ///< Per block.
    /// Registers per thread; if none is stated, those of the listing apply where it gives them.
    std::optional<std::int64_t> registers{};
    /// Shared memory of a block, static plus dynamic. `Unit:` bytes.
    std::optional<std::int64_t> shared_memory{};
    /// Of `threads` threads; none: all of them in x.
    std::optional<BlockShape> shape{};
    /// Of `blocks` blocks; none: not stated, and block indices are only known to lie below
    /// `blocks`.
    std::optional<GridShape> grid{};
    /// What is stated of the kernel's arguments.
    ArgumentWords arguments{};

    /// Rounded up.
    [[nodiscard]] std::int64_t warps_per_block(std::int64_t warp_size = 32) const {
        return (threads + warp_size - 1) / warp_size;
    }
    friend bool operator==(const Launch&, const Launch&) = default;
};

/// X, XxY or XxYxZ threads (or with commas: X,Y,Z), each at least 1, at most 1024 in all.
Result<BlockShape> parse_block_shape(std::string_view text);
/// X, XxY or XxYxZ blocks (or with commas), each at least 1, at most 2^31 - 1 in x, 65535 in y and
/// in z, and 2^31 - 1 in all.
Result<GridShape> parse_grid_shape(std::string_view text);
/// In the form that is read, with `x` and without trailing dimensions of 1.
std::string to_string(const BlockShape& shape);
std::string to_string(const GridShape& shape);
/// The shape of the launch's blocks: as stated, or all threads in x.
BlockShape block_shape_of(const Launch& launch);

/// Reads `GxB[,registers=R][,shared-memory=BYTES][,block=XxYxZ][,grid=XxYxZ][,OFFSET=VALUE]`:
/// blocks, then threads per block, both at least 1 and threads at most 1024; registers of a thread,
/// at least 1; bytes of a block; the shape of a block of B threads; the shape of a grid of G
/// blocks; words of the arguments, as in 0x160=512 (`add_argument_word`).
Result<Launch> parse_launch(std::string_view text);
/// In the form that `parse_launch` reads.
std::string to_string(const Launch& launch);

} // namespace warpbound::models
