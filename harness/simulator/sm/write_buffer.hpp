#pragma once
/// \file
/// The write buffer of an SM: stores drain from it in order (C8, C15).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

class WriteBuffer {
public:
    /// Requires: `entries` is at least 1.
    explicit WriteBuffer(std::size_t entries) : drains_(entries, 0) {}

    /// The first cycle in which an entry is free, if no store enters before.
    [[nodiscard]] std::int64_t free_at() const { return drains_[next_]; }
    /// Adds an entry that occupies the exit for `cycles`. Returns when it drains. Requires: now >=
    /// free_at().
    std::int64_t enter(std::int64_t now, std::int64_t cycles) {
        last_drain_ = (now > last_drain_ ? now : last_drain_) + cycles;
        drains_[next_] = last_drain_;
        next_ = next_ + 1 == drains_.size() ? 0 : next_ + 1;
        return last_drain_;
    }
    /// When the last entry so far drains; 0 without any.
    [[nodiscard]] std::int64_t last_drain() const { return last_drain_; }

private:
    std::vector<std::int64_t>
        drains_; ///< Drain times of the last entries; the oldest is at `next_`.
    std::size_t next_ = 0;
    std::int64_t last_drain_ = 0;
};

} // namespace warpbound::harness::simulator
