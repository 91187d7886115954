#pragma once
/// \file
/// Which blocks fit an SM together (C20, C30).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::harness::simulator {

/// An amount that never runs out.
inline constexpr std::int64_t plenty = std::numeric_limits<std::int64_t>::max();

/// What an SM has for its blocks.
struct Capacity {
    std::int64_t warps = 0;
    std::int64_t blocks = 0;
    std::int64_t register_partitions = 1;
    std::int64_t registers = plenty;     ///< Of each partition.
    std::int64_t shared_memory = plenty; ///< `Unit:` bytes.
};

/// What a block takes of its SM, as it is allocated.
struct Demand {
    std::int64_t warps = 1;
    std::int64_t registers = 0;     ///< Of each warp.
    std::int64_t shared_memory = 0; ///< `Unit:` bytes.

    friend bool operator==(const Demand&, const Demand&) = default;
};

enum class Resource { Warps, Blocks, Registers, SharedMemory };
std::string_view to_string(Resource resource);

/// What is taken and what is free on one SM. A block takes the lowest free warp indices; the
/// registers of the warp with index k lie in partition k mod partitions.
class Residency {
public:
    using Places = std::vector<std::uint32_t>;

    explicit Residency(const Capacity& capacity);

    [[nodiscard]] std::int64_t blocks() const { return blocks_; }
    /// The first resource of which too little is free for the block; none when it fits.
    [[nodiscard]] std::optional<Resource> missing(const Demand& demand) const;
    [[nodiscard]] bool has_room(const Demand& demand) const { return !missing(demand); }
    /// Takes the room of a block. Returns the indices of its warps on the SM, ascending. Requires:
    /// has_room(demand).
    Places enter(const Demand& demand);
    /// Gives back what `enter` took.
    void leave(const Demand& demand, const Places& places);

private:
    [[nodiscard]] Places lowest_free(std::int64_t warps) const;

    Capacity capacity_;
    std::int64_t blocks_ = 0;
    std::int64_t free_warps_;
    std::int64_t shared_memory_ = 0;      ///< Taken.
    std::vector<bool> taken_;             ///< Per warp index.
    std::uint32_t first_free_ = 0;        ///< No lower warp index is free.
    std::vector<std::int64_t> registers_; ///< Taken, per partition.
};

} // namespace warpbound::harness::simulator
