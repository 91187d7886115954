#pragma once
/// \file
/// Which blocks can be resident on an SM at the same time (C20, C30).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::harness::simulator {

/// An unlimited amount.
inline constexpr std::int64_t plenty = std::numeric_limits<std::int64_t>::max();

/// The resources of an SM for its blocks.
struct Capacity {
    std::int64_t warps = 0;
    std::int64_t blocks = 0;
    std::int64_t register_partitions = 1;
    std::int64_t registers = plenty;     ///< Of each partition.
    std::int64_t shared_memory = plenty; ///< `Unit:` bytes.
};

/// The resources that a block occupies on its SM, rounded up to the allocation units.
struct Demand {
    std::int64_t warps = 1;
    std::int64_t registers = 0;     ///< Of each warp.
    std::int64_t shared_memory = 0; ///< `Unit:` bytes.

    friend bool operator==(const Demand&, const Demand&) = default;
};

enum class Resource { Warps, Blocks, Registers, SharedMemory };
std::string_view to_string(Resource resource);

/// The resources occupied and free on one SM. A block occupies the lowest free warp slots. The
/// registers of the warp in slot k are in partition k mod partitions.
class Residency {
public:
    using WarpSlots = std::vector<std::uint32_t>;

    explicit Residency(const Capacity& capacity);

    [[nodiscard]] std::int64_t blocks() const { return blocks_; }
    /// The first resource of which too little is free for the block; none when the block fits.
    [[nodiscard]] std::optional<Resource> missing(const Demand& demand) const;
    [[nodiscard]] bool fits(const Demand& demand) const { return !missing(demand); }
    /// How many such blocks fit, one after the other (C98).
    [[nodiscard]] std::int64_t room_for(const Demand& demand) const;
    /// Allocates a block. Returns the warp slots of its warps on the SM, ascending. Requires:
    /// fits(demand).
    WarpSlots enter(const Demand& demand);
    /// Releases what `enter` allocated.
    void leave(const Demand& demand, const WarpSlots& warp_slots);

private:
    [[nodiscard]] WarpSlots lowest_free(std::int64_t warps) const;

    Capacity capacity_;
    std::int64_t blocks_ = 0;
    std::int64_t free_warps_;
    std::int64_t shared_memory_ = 0;      ///< Occupied.
    std::vector<bool> occupied_;          ///< Per warp slot.
    std::uint32_t first_free_ = 0;        ///< No lower warp slot is free.
    std::vector<std::int64_t> registers_; ///< Occupied, per partition.
};

} // namespace warpbound::harness::simulator
