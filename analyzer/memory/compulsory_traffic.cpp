#include "analyzer/memory/compulsory_traffic.hpp"

#include "analyzer/launch/memory_parameters.hpp"
#include "models/formulas/whole_numbers.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t far = std::int64_t{1} << 40U;

/// The larger end of a value; nothing where it is not known or too large.
std::optional<std::int64_t> most_of(const models::Architecture& machine, const char* level,
                                    const char* name) {
    const models::ValueGroup* const group = machine.memory(level);
    const models::SourcedValue* const value = group == nullptr ? nullptr : group->find(name);
    if (value == nullptr || !value->interval || value->interval->hi > far) return std::nullopt;
    return value->interval->hi;
}

/// Lines that one cache may hold: by its size or by its sets, whichever is more. `sets`: of the
/// whole cache, for each way.
std::int64_t capacity_in_lines(const models::Architecture& machine, const char* level,
                               std::int64_t sets, std::int64_t line) {
    const auto ways = most_of(machine, level, "ways");
    if (!ways) return unlimited;
    const auto size = most_of(machine, level, "size").value_or(0);
    return std::max(models::times(*ways, sets), models::divide_up(size, line));
}

/// What the caches hold at the start, at most.
struct Present {
    std::int64_t lines_of_first_level = 0; ///< Of all L1s.
    std::int64_t lines_of_second_level = 0;
};

std::optional<Present> most_present(const models::Architecture& machine,
                                    const MemoryParameters& memory, std::int64_t multiprocessors) {
    const auto sets = most_of(machine, "l1", "sets");
    const auto second_sets = most_of(machine, "l2", "sets");
    if (!sets || !second_sets) return std::nullopt;
    Present present;
    const models::ValueGroup* const l1 = machine.memory("l1");
    const models::SourcedValue* const invalidate = l1->find("invalidate");
    const bool starts_empty =
        invalidate != nullptr && invalidate->interval && invalidate->interval->lo > 0; // C79
    const auto bytes = [](std::uint64_t size) { return static_cast<std::int64_t>(size); };
    if (!starts_empty)
        present.lines_of_first_level = capacity_in_lines(machine, "l1", *sets, bytes(memory.line));
    present.lines_of_second_level = capacity_in_lines(
        machine, "l2", models::times(*second_sets, memory.slices.hi), bytes(memory.second_line));
    if (present.lines_of_first_level > far || present.lines_of_second_level > far)
        return std::nullopt;
    present.lines_of_first_level = models::times(present.lines_of_first_level, multiprocessors);
    return present;
}

} // namespace

std::optional<CompulsoryTraffic> compulsory_traffic(const TimedKernel& kernel,
                                                    const LaunchGeometry& shape,
                                                    const models::Launch& launch) {
    const auto memory = read_memory_parameters(*kernel.architecture);
    if (!memory) return std::nullopt;
    const MemoryParameters& caches = memory.value();
    const auto present = most_present(*kernel.architecture, caches, shape.multiprocessors);
    if (!present) return std::nullopt;
    CompulsoryTraffic traffic;
    traffic.loaded = least_loaded_data(
        *kernel.function, *kernel.graph, launch, *kernel.stated,
        {static_cast<std::int64_t>(caches.second_sector), static_cast<std::int64_t>(caches.line)});
    const auto add = [&](const char* what, std::int64_t count, std::int64_t cycles,
                         const char* last, std::int64_t after) {
        if (count > 0)
            traffic.bounds.push_back(
                {{what, count, cycles}, {last, 1, std::max<std::int64_t>(0, after)}});
    };
    const std::int64_t spread = caches.transit.hi - caches.transit.lo;
    const auto [sectors, lines] = traffic.loaded.units;
    const auto of_line = static_cast<std::int64_t>(caches.second_line / caches.second_sector);
    const auto of_first_line =
        static_cast<std::int64_t>(caches.line / std::min(caches.sector, caches.second_sector));
    const std::int64_t fetched = sectors - present->lines_of_second_level * of_line -
                                 present->lines_of_first_level * of_first_line;
    if (fetched > 0)
        add("sectors that a channel transfers as no cache can hold them at the start, before the "
            "last transfer",
            models::divide_up(fetched, caches.channels.hi) - of_line, caches.row_hit.lo,
            "the last transfer", caches.dram_latency_lo - spread);
    const std::int64_t requests = lines - present->lines_of_first_level;
    if (requests > 0) {
        add("transactions of loads that a slice serves, as no L1 can hold their lines at the start",
            models::divide_up(requests, caches.slices.hi) - 1, caches.slice_service.lo,
            "the last transaction", caches.round_trip_lo - spread);
        add("transactions of loads that leave one multiprocessor, as no L1 can hold their lines at "
            "the start",
            models::divide_up(requests, shape.multiprocessors) - 1, caches.link_service.lo,
            "the last transaction", caches.round_trip_lo);
    }
    if (traffic.bounds.empty()) return std::nullopt;
    return traffic;
}

bool add_compulsory_traffic(const CompulsoryTraffic& traffic, Alternatives& all) {
    models::Cycles most{0};
    for (const SideAnswer& one : all)
        most = std::max(most, one.execution.proved);
    bool added = false;
    for (const auto& terms : traffic.bounds) {
        if (sum_of(terms) <= most) continue;
        SideAnswer answer = all.front();
        BoundExpression sum;
        sum.text = terms.front().text;
        sum.terms = terms;
        sum.has_evidence = false;
        set_bound(answer.execution, std::move(sum));
        answer.execution.proof = Proof::ResponseTime;
        answer.execution.best_found.reset();
        all.push_back(std::move(answer));
        added = true;
    }
    return added;
}

std::string assumption_of(const CompulsoryTraffic& traffic) {
    std::string text =
        "Loads and stores whose addresses follow from the code go through L1 and L2; what these "
        "hold "
        "at the start is not known, and no more than the description says (S79); no other launch "
        "runs meanwhile; what the kernel accesses through one pointer lies within 4 GiB";
    if (traffic.loaded.trusts_read_only)
        text += "; nothing writes what loads of read-only data access (LDG.CONSTANT)";
    if (traffic.loaded.trusts_buffers)
        text += "; buffers that the launch states as disjoint do not overlap";
    return text + ".";
}

} // namespace warpbound::analyzer
