#pragma once
/// \file
/// Passes and cache lines of the single accesses of an address pattern.

#include "models/architecture/pass_rule.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpbound::models::prediction {

/// Computes accesses with the same offset within lines and banks once.
class PatternAccesses {
public:
    struct AccessedLines {
        std::int64_t passes = 0;
        std::vector<TouchedLine> lines{}; ///< Empty if no lines are requested.
    };

    /// A sector size other than 0 requests lines, of the rule's size. `Unit:` bytes.
    PatternAccesses(const AddressPattern& pattern, const AccessRule& rule, std::int64_t lanes,
                    std::uint64_t sector);

    /// All lanes active. Valid until the next call. Requires: `objection_to` has none to the rule,
    /// and its line and the sector fit together.
    const AccessedLines& at(const WarpAccess& access);

private:
    /// Upper limit of the first lane's offset from the base so that no lane wraps around.
    [[nodiscard]] std::uint64_t alike_below() const;
    [[nodiscard]] AccessedLines find(const WarpAccess& access, std::uint64_t origin) const;

    AddressPattern pattern_;
    AccessRule rule_;
    std::uint64_t active_;
    std::uint64_t sector_;
    std::uint64_t period_; ///< Passes and offsets in lines depend on addresses modulo this.
    std::uint64_t alike_;
    std::unordered_map<std::uint64_t, AccessedLines> known_; ///< By address within the period.
    AccessedLines found_;
};

} // namespace warpbound::models::prediction
