#pragma once
/// \file
/// The accesses through the caches that a launch makes, one by one, as address patterns give them.

#include "models/facts/address_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct AnalysisContext;

/// One execution of a load or store by a warp.
struct Access {
    std::size_t instruction = 0;
    std::int64_t warp = 0; ///< Of the launch.
    bool load = true;
    bool sure = false;                                       ///< Every run makes it.
    const std::vector<models::TouchedLine>* lines = nullptr; ///< Of the L1, in their order.
};

class AccessEnumeration {
public:
    /// None: there are too many to list them. Requires: `context.caches`.
    static std::optional<AccessEnumeration> of(const AnalysisContext& context);

    /// Calls `each(access)` for every access that loop bounds allow, warp by warp, those of one
    /// instruction and warp behind each other.
    template <class Each> void for_each(Each each) const {
        std::vector<models::TouchedLine> lines;
        for (std::int64_t warp = 0; warp < warps(); ++warp)
            for (std::size_t i = 0; i < executions_.size(); ++i)
                for (std::int64_t execution = 0; execution < executions_[i].most; ++execution) {
                    find_lines(i, warp, execution, lines);
                    each(Access{i, warp, is_load(i), execution < executions_[i].least, &lines});
                }
    }
    /// By one warp, at most.
    [[nodiscard]] std::int64_t executions(std::size_t instruction) const {
        return executions_[instruction].most;
    }
    [[nodiscard]] bool is_load(std::size_t instruction) const;

private:
    struct Executions {
        std::int64_t least = 0;
        std::int64_t most = 0;
    };

    explicit AccessEnumeration(const AnalysisContext& context) : context_{&context} {}
    /// False when there are too many in all.
    bool count();
    [[nodiscard]] std::int64_t warps() const;
    void find_lines(std::size_t instruction, std::int64_t warp, std::int64_t execution,
                    std::vector<models::TouchedLine>& lines) const;

    const AnalysisContext* context_;
    std::vector<Executions> executions_; ///< Per instruction, by a warp.
};

} // namespace warpbound::analyzer
