#pragma once
/// \file
/// Enumerates the accesses of a launch through the caches, one by one, from their address patterns.

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// One execution of a load or store by a warp.
struct Access {
    std::size_t instruction = 0;
    std::int64_t warp = 0; ///< Index in the launch.
    bool load = true;
    bool certain = false; ///< Every run executes it.
    const std::vector<models::TouchedLine>* lines =
        nullptr; ///< Lines of the L1, in order of access.
};

class AccessEnumeration {
public:
    /// None: there are too many accesses. What it is made of must live as long.
    static std::optional<AccessEnumeration>
    of(const TimedKernel& kernel, const LaunchGeometry& shape, const MemoryParameters& caches);

    /// Calls `each(access)` for every access that loop bounds allow: warp by warp, and within a
    /// warp instruction by instruction.
    template <class Each> void for_each(Each each) const {
        std::vector<models::TouchedLine> lines;
        for (std::int64_t warp = 0; warp < warps(); ++warp)
            for (std::size_t i = 0; i < executions_.size(); ++i)
                for (std::int64_t execution = 0; execution < executions_[i].most; ++execution) {
                    find_lines(i, warp, execution, lines);
                    each(Access{i, warp, is_load(i), execution < executions_[i].least, &lines});
                }
    }
    /// Largest number of executions by one warp.
    [[nodiscard]] std::int64_t executions(std::size_t instruction) const {
        return executions_[instruction].most;
    }
    [[nodiscard]] bool is_load(std::size_t instruction) const;

private:
    struct Executions {
        std::int64_t least = 0;
        std::int64_t most = 0;
    };

    AccessEnumeration(const TimedKernel& kernel, const LaunchGeometry& shape,
                      const MemoryParameters& caches)
        : kernel_{&kernel}, shape_{&shape}, caches_{&caches} {}
    /// False when there are too many accesses.
    bool count();
    [[nodiscard]] std::int64_t warps() const;
    void find_lines(std::size_t instruction, std::int64_t warp, std::int64_t execution,
                    std::vector<models::TouchedLine>& lines) const;

    const TimedKernel* kernel_;
    const LaunchGeometry* shape_;
    const MemoryParameters* caches_;
    std::vector<Executions> executions_; ///< Per instruction, of one warp.
};

} // namespace warpbound::analyzer
