#include "models/formulas/prediction/pattern_accesses.hpp"

#include <algorithm>

namespace warpbound::models::prediction {

PatternAccesses::PatternAccesses(const AddressPattern& pattern, const AccessRule& rule,
                                 std::int64_t lanes, std::uint64_t sector)
    : pattern_{pattern}, rule_{rule}, active_{all_lanes(lanes)}, sector_{sector},
      period_{std::max<std::uint64_t>({1, rule.line, rule.banks * rule.width})},
      alike_{alike_below()} {}

const PatternAccesses::AccessedLines& PatternAccesses::at(const WarpAccess& access) {
    const std::uint64_t first = addresses_of(pattern_, access, 1, rule_.bytes).address[0];
    if (first - pattern_.base >= alike_) {
        found_ = find(access, 0);
        return found_;
    }
    const std::uint64_t origin = first - first % period_;
    auto& known = known_[first - origin];
    if (known.passes == 0) known = find(access, origin);
    found_ = known;
    for (auto& line : found_.lines)
        line.address += origin;
    return found_;
}

std::uint64_t PatternAccesses::alike_below() const {
    constexpr std::uint64_t far = std::uint64_t{1} << 40U;
    if (pattern_.random || pattern_.thread_stride > far || pattern_.row_stride > far) return 0;
    AddressPattern from_zero = pattern_;
    from_zero.base = 0;
    from_zero.footprint = AddressPattern{}.footprint;
    const auto lanes = addresses_of(from_zero, {}, active_, rule_.bytes);
    const std::uint64_t span = *std::ranges::max_element(lanes.address) + rule_.bytes;
    const std::uint64_t end =
        std::min(pattern_.footprint, AddressPattern{}.footprint - pattern_.base);
    return end > span ? end - span : 0;
}

PatternAccesses::AccessedLines PatternAccesses::find(const WarpAccess& access,
                                                     std::uint64_t origin) const {
    const auto lanes = addresses_of(pattern_, access, active_, rule_.bytes);
    AccessedLines found{.passes = passes_of(rule_, lanes)};
    if (sector_ == 0) return found;
    coalesce(lanes, rule_.line, sector_, found.lines);
    for (auto& line : found.lines)
        line.address -= origin;
    return found;
}

} // namespace warpbound::models::prediction
