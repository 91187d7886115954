#include "certification/verify/memory/unlisted_accesses.hpp"

#include "certification/verify/memory/service_times.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <limits>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t not_known = std::numeric_limits<std::int64_t>::max();

std::int64_t pieces_of_a_line(const MemoryLayout& layout, std::uint64_t size) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(layout.line / size));
}

} // namespace

Footprint footprint_at_any_addresses(const TimedCode& code, const MemoryLayout& layout) {
    Footprint any;
    any.is_listed = false;
    any.lines_of.assign(code.timings.size(), {0, std::nullopt, 0});
    for (std::size_t i = 0; i < any.lines_of.size(); ++i) {
        if (!code.reachable[i] || !code.timings[i].value().through_caches) continue;
        const models::Interval& passes = code.timings[i].value().passes;
        any.lines_of[i] = {std::max<std::int64_t>(1, passes.lo), std::nullopt, passes.hi};
    }
    any.load_lines = any.not_alone = any.most_at_a_line = any.l2_sectors = not_known;
    any.last_line_alone.assign(code.timings.size(), false);
    any.most_sectors = pieces_of_a_line(layout, layout.sector);
    any.most_l2_sectors = any.most_stored_l2_sectors = pieces_of_a_line(layout, layout.l2_sector);
    any.further_sectors = models::times(
        models::times(most_lines(code, true, false), code.geometry.warps), any.most_sectors - 1);
    return any;
}

} // namespace warpbound::certification::verify
