#pragma once
/// \file
/// The earliest cycle in which each warp of a scheduler may issue, kept while nothing changes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace warpbound::harness::simulator {

/// A warp may issue when it is ready and the resources that its next instruction needs are free.
/// The first changes only with the warp, so it is kept, in one row for all warps; the others change
/// with every issue, so the warp keeps where they stand. `Unit:` core cycles.
class IssueTimes {
public:
    /// When a resource is free. It must outlive the use.
    using Gate = const std::int64_t*;
    static constexpr std::size_t most_gates = 4;

    /// No warp is ready.
    explicit IssueTimes(std::size_t warps);

    /// The next instruction of the warp needs these, of which a null one is left out.
    void set_gates(std::size_t warp, std::initializer_list<Gate> gates);
    void set_ready_at(std::size_t warp, std::int64_t at) { ready_at_[warp] = at; }
    /// The warp's own conditions hold from then on. No warp may issue before.
    [[nodiscard]] std::int64_t ready_at(std::size_t warp) const { return ready_at_[warp]; }
    [[nodiscard]] std::int64_t earliest(std::size_t warp) const {
        std::int64_t at = ready_at_[warp];
        const auto& gates = gates_[warp];
        for (std::size_t gate = 0; gate < most_gates && gates[gate] != nullptr; ++gate)
            at = std::max(at, *gates[gate]);
        return at;
    }

private:
    std::vector<std::int64_t> ready_at_;
    std::vector<std::array<Gate, most_gates>> gates_; ///< Of each warp; those in use come first.
};

} // namespace warpbound::harness::simulator
