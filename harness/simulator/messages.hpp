#pragma once
/// \file
/// What the components of the SM say to each other.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpbound::harness::simulator {

/// A scheduler asks for what the whole SM shares: a core port, a place in the write buffer.
struct IssueRequest {
    std::optional<std::size_t> port; ///< A core port.
    std::int64_t occupancy = 0;      ///< Cycles for which the port is taken.
    bool store = false;              ///< Wants a place in the write buffer.
    std::int64_t passes = 1;         ///< Of the store.
    int warp = 0;                    ///< Of the launch.
};

/// The answer, one step later.
struct IssueAnswer {
    bool granted = false;
};

/// A warp came to a barrier or to its end in this cycle.
struct WarpReport {
    std::size_t slot = 0;                ///< Of the block on the SM.
    std::optional<std::uint8_t> barrier; ///< None: the warp ended.
};

/// A block starts in a slot, or its warps may leave a barrier.
struct BlockOrder {
    enum class Kind { Start, Release };
    Kind kind = Kind::Start;
    std::size_t slot = 0;
    std::int64_t block = 0;   ///< Of the launch, for Start.
    std::uint8_t barrier = 0; ///< For Release.
    std::int64_t at = 0;      ///< The first cycle in which the warps may issue.
};

} // namespace warpbound::harness::simulator
