#pragma once
/// \file
/// What one run of a kernel showed.

#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::models {

struct WarpObservation {
    std::int64_t block = 0;
    std::int64_t warp = 0;             ///< Within the block.
    std::int64_t multiprocessor = 0;   ///< Number of the SM that it ran on.
    std::optional<Cycles> first_clock; ///< Value of the first clock read, when its read completed.
    std::optional<Cycles>
        last_clock;  ///< Value of the last clock read; none with fewer than two reads.
    Cycles finished; ///< When the warp's EXIT issued.
    /// Whether its last store to global memory stored the word that it stores when every result is
    /// in its register in time; none if the run was not asked for it.
    std::optional<bool> stored_right{};

    /// Time between the two clock reads. `Unit:` core cycles.
    [[nodiscard]] std::optional<Cycles> region() const {
        if (!first_clock || !last_clock) return std::nullopt;
        return *last_clock - *first_clock;
    }
    friend bool operator==(const WarpObservation&, const WarpObservation&) = default;
};

struct Observation {
    std::uint64_t seed = 0;
    Cycles execution_time;              ///< As docs/reference/timing-contract.md defines it.
    std::vector<WarpObservation> warps; ///< By block, then warp.

    friend bool operator==(const Observation&, const Observation&) = default;
};

} // namespace warpbound::models
