#pragma once
/// \file
/// The barriers of one resident block.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpbound::harness::simulator {

/// Counts arrivals. A barrier completes when its stated number of warps has arrived, or without one
/// when all warps of the block that have not ended have arrived (C9).
class BlockBarriers {
public:
    static constexpr std::size_t count = 16;

    explicit BlockBarriers(std::int64_t warps = 0) : live_{warps} {}

    /// Returns whether this arrival completes the barrier, which is then empty again. `needed`: the
    /// stated number of warps, or 0.
    bool arrive(std::uint8_t barrier, std::int64_t needed = 0) {
        counts_[barrier] = needed != 0;
        if (++arrived_[barrier] != (needed != 0 ? needed : live_)) return false;
        arrived_[barrier] = 0;
        return true;
    }
    /// A warp ended. Returns the barrier that its end completes.
    std::optional<std::uint8_t> end() {
        --live_;
        for (std::uint8_t barrier = 0; barrier < count; ++barrier) {
            if (counts_[barrier] || arrived_[barrier] == 0 || arrived_[barrier] != live_) continue;
            arrived_[barrier] = 0;
            return barrier;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::int64_t live() const { return live_; }

private:
    std::int64_t live_;
    std::array<std::int64_t, count> arrived_{};
    std::array<bool, count> counts_{}; ///< The barrier has a stated number of warps.
};

} // namespace warpbound::harness::simulator
