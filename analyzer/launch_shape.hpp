#pragma once
/// \file
/// How a launch sits on one multiprocessor (rules C20 and C30 of docs/timing-contract.md).

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct LaunchShape {
    std::int64_t blocks = 1;
    std::int64_t warps_per_block = 1;
    std::int64_t resident = 1; ///< Blocks that are on the multiprocessor together, at most.
    /// Of a thread and of a block, as far as the launch or the listing states them; what is not
    /// stated is taken not to limit the resident blocks.
    std::optional<std::int64_t> registers{};
    std::optional<std::int64_t> shared_memory{};
    /// Shared memory is that of the listing: dynamic shared memory is taken to be 0.
    bool static_shared_memory = false;
    std::int64_t schedulers = 1;
    models::Interval issue_slot{1, 1, 1}; ///< `Unit:` core cycles.
    /// From the end of a block to the first issue of the one that takes its slot; 0 when there is
    /// none. `Unit:` core cycles.
    models::Interval refill{0, 0, 0};

    [[nodiscard]] std::int64_t warps() const { return blocks * warps_per_block; }
    /// Of any so many warps with consecutive indices, on one scheduler at most.
    [[nodiscard]] std::int64_t on_one_scheduler(std::int64_t warps) const {
        return (warps + schedulers - 1) / schedulers;
    }
    /// Blocks that one slot runs after another when all run equally many.
    [[nodiscard]] std::int64_t waves() const { return (blocks + resident - 1) / resident; }
};

/// Refuses a block that does not fit and a description that lacks what the launch needs, naming it.
Result<LaunchShape> shape_of(const models::Launch& launch, const assembly::Function& function,
                             const models::Architecture& architecture);

} // namespace warpbound::analyzer
