#include "certification/verify/memory/least_traffic.hpp"

#include "certification/verify/machine_values.hpp"
#include "certification/verify/memory/memory_layout.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using models::times;

/// Lines that caches hold at the start. Side: upper.
struct LinesAtStart {
    std::int64_t l1 = 0; ///< Of all SMs that run the launch.
    std::int64_t l2 = 0;
};

/// Of one cache, by its ways and sets or by its size, whichever is more. `sets`: of all of it.
std::int64_t lines_that_fit(const KernelCase& kernel, const char* level, std::int64_t sets,
                            std::uint64_t line) {
    const models::ValueGroup& group = *kernel.architecture.memory(level);
    const std::string path = fmt::format("memories/{}", level);
    const std::int64_t by_sets = times(known_value(kernel, group, path.c_str(), "ways").hi, sets);
    const models::SourcedValue* const size = group.find("size");
    if (size == nullptr || !size->interval) return by_sets;
    const auto bytes = static_cast<std::int64_t>(line);
    return std::max(by_sets, size->interval->hi / bytes + (size->interval->hi % bytes > 0 ? 1 : 0));
}

/// C79: an L1 that every launch invalidates holds nothing.
LinesAtStart lines_at_start(const KernelCase& kernel, const MemoryLayout& layout,
                            std::int64_t multiprocessors) {
    LinesAtStart lines;
    const auto* const invalidate = kernel.architecture.memory("l1")->find("invalidate");
    const bool begins_empty =
        invalidate != nullptr && invalidate->interval && invalidate->interval->lo > 0;
    if (!begins_empty)
        lines.l1 =
            times(lines_that_fit(kernel, "l1", layout.l1_sets.hi, layout.line), multiprocessors);
    lines.l2 =
        lines_that_fit(kernel, "l2", times(layout.l2_sets.hi, layout.slices.hi), layout.l2_line);
    return lines;
}

/// What one of `servers` serves at least, but for those that do not count; then the last one's
/// rest.
std::vector<Term> sum_of_server(std::int64_t units, std::int64_t servers, std::int64_t uncounted,
                                std::int64_t apart, std::int64_t rest) {
    if (units <= 0) return {};
    const std::int64_t count = (units - 1) / servers + 1 - uncounted;
    if (count <= 0) return {};
    return {{count, apart, ""}, {1, std::max<std::int64_t>(rest, 0), ""}};
}

} // namespace

std::vector<std::vector<Term>> sums_of_loaded_data(const KernelCase& kernel,
                                                   std::int64_t multiprocessors,
                                                   const LoadedDataRow& loaded) {
    const MemoryLayout layout = read_memory_layout(kernel);
    const LinesAtStart held = lines_at_start(kernel, layout, multiprocessors);
    const std::int64_t transits = layout.transit.hi - layout.transit.lo;
    const std::int64_t unloaded = std::min(layout.l2_latency.lo, layout.dram_latency.lo);
    std::vector<std::vector<Term>> sums;
    const auto add = [&](std::vector<Term> terms) {
        if (!terms.empty()) sums.push_back(std::move(terms));
    };
    const auto is_unit = [&](std::uint64_t bytes) {
        return static_cast<std::uint64_t>(loaded.bytes) == bytes;
    };
    if (is_unit(layout.l2_sector)) {
        const auto of_l2_line = static_cast<std::int64_t>(layout.l2_line / layout.l2_sector);
        // Sectors of an L1 may be smaller than those of the L2.
        const auto of_l1_line =
            static_cast<std::int64_t>(layout.line / std::min(layout.sector, layout.l2_sector));
        const std::int64_t present =
            models::plus(times(held.l2, of_l2_line), times(held.l1, of_l1_line));
        add(sum_of_server(loaded.units - present, layout.channels.hi, of_l2_line, layout.row_hit.lo,
                          layout.dram_latency.lo - transits));
    }
    if (is_unit(layout.line)) {
        const std::int64_t requested = loaded.units - held.l1;
        add(sum_of_server(requested, layout.slices.hi, 1, layout.slice_service_lo,
                          unloaded - transits));
        add(sum_of_server(requested, multiprocessors, 1, layout.link_service.lo, unloaded));
    }
    if (sums.empty())
        refuted(fmt::format("{}: caches may hold all of {} units of {} bytes at the start",
                            kernel.id, loaded.units, loaded.bytes));
    return sums;
}

} // namespace warpbound::certification::verify
