#pragma once
/// \file
/// The accesses of an address pattern one by one: passes and lines.

#include "models/architecture/pass_rule.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpbound::models::prediction {

/// Accesses that lie alike within lines and banks are found once.
class PatternAccesses {
public:
    struct Touched {
        std::int64_t passes = 0;
        std::vector<TouchedLine> lines{}; ///< Where lines are wanted.
    };

    /// With a sector, lines of the rule's size are wanted. `Unit:` of the sector, bytes.
    PatternAccesses(const AddressPattern& pattern, const AccessRule& rule, std::int64_t lanes,
                    std::uint64_t sector);

    /// All lanes active. Valid until the next call. Requires: `objection_to` has none to the rule,
    /// and its line and the sector fit together.
    const Touched& at(const AccessPlace& place);

private:
    /// Where the first lane must lie, from the base on, for none to wrap around.
    [[nodiscard]] std::uint64_t alike_below() const;
    [[nodiscard]] Touched find(const AccessPlace& place, std::uint64_t origin) const;

    AddressPattern pattern_;
    AccessRule rule_;
    std::uint64_t active_;
    std::uint64_t sector_;
    std::uint64_t period_; ///< Of what addresses mean for passes and lines.
    std::uint64_t alike_;
    std::unordered_map<std::uint64_t, Touched> known_; ///< By address within the period.
    Touched found_;
};

} // namespace warpbound::models::prediction
