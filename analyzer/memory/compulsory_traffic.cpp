#include "analyzer/memory/compulsory_traffic.hpp"

#include "analyzer/launch/memory_parameters.hpp"
#include "models/formulas/whole_numbers.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
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

/// Sums of the servers that bring the data, from what caches do not hold.
class TrafficSums {
public:
    TrafficSums(const MemoryParameters& caches, const Present& present,
                std::int64_t multiprocessors)
        : caches_{caches}, present_{present}, multiprocessors_{multiprocessors} {}

    void add(const LoadedData& data, const std::function<bool(const LoadedUnits&)>& has_evidence,
             std::vector<TrafficBound>& bounds) const {
        const auto sector = static_cast<std::int64_t>(caches_.second_sector);
        const auto line = static_cast<std::int64_t>(caches_.line);
        const auto add_sum = [&](std::size_t size, std::vector<BoundTerm> terms) {
            if (terms.front().count <= 0) return;
            LoadedUnits loaded{size == 0 ? sector : line, data.units[size], data.sets[size]};
            const bool is_shown = has_evidence(loaded);
            bounds.push_back({std::move(terms), std::move(loaded), is_shown});
        };
        add_sum(0, of_channels(data.units[0]));
        add_sum(1, of_slices(data.units[1]));
        add_sum(1, of_links(data.units[1]));
    }

private:
    static BoundTerm last_one(const char* text, std::int64_t after) {
        return {text, 1, std::max<std::int64_t>(0, after)};
    }
    [[nodiscard]] std::int64_t spread() const { return caches_.transit.hi - caches_.transit.lo; }

    /// The share of one of `servers`, without `uncounted`; 0 where caches may hold all.
    static std::int64_t share(std::int64_t units, std::int64_t servers, std::int64_t uncounted) {
        return units > 0 ? models::divide_up(units, servers) - uncounted : 0;
    }

    [[nodiscard]] std::vector<BoundTerm> of_channels(std::int64_t sectors) const {
        const auto of_line = static_cast<std::int64_t>(caches_.second_line / caches_.second_sector);
        const auto of_first_line = static_cast<std::int64_t>(
            caches_.line / std::min(caches_.sector, caches_.second_sector));
        const std::int64_t fetched = sectors - present_.lines_of_second_level * of_line -
                                     present_.lines_of_first_level * of_first_line;
        return {{"sectors that a channel transfers as no cache can hold them at the start, before "
                 "the last transfer",
                 share(fetched, caches_.channels.hi, of_line), caches_.row_hit.lo},
                last_one("the last transfer", caches_.dram_latency_lo - spread())};
    }
    [[nodiscard]] std::vector<BoundTerm> of_slices(std::int64_t lines) const {
        return {{"transactions of loads that a slice serves, as no L1 can hold their lines at the "
                 "start",
                 share(lines - present_.lines_of_first_level, caches_.slices.hi, 1),
                 caches_.slice_service.lo},
                last_one("the last transaction", caches_.round_trip_lo - spread())};
    }
    [[nodiscard]] std::vector<BoundTerm> of_links(std::int64_t lines) const {
        return {{"transactions of loads that leave one multiprocessor, as no L1 can hold their "
                 "lines at the start",
                 share(lines - present_.lines_of_first_level, multiprocessors_, 1),
                 caches_.link_service.lo},
                last_one("the last transaction", caches_.round_trip_lo)};
    }

    const MemoryParameters& caches_;
    Present present_;
    std::int64_t multiprocessors_;
};

models::Cycles value_with_evidence(const SideAnswer& answer) {
    const auto shown = with_evidence(answer.execution.bound, Side::Lower);
    return shown ? value_of(*shown) : models::Cycles{0};
}

} // namespace

std::optional<CompulsoryTraffic>
compulsory_traffic(const TimedKernel& kernel, const LaunchGeometry& shape, const Request& request) {
    const auto memory = read_memory_parameters(*kernel.architecture);
    if (!memory) return std::nullopt;
    const MemoryParameters& caches = memory.value();
    const auto present = most_present(*kernel.architecture, caches, shape.multiprocessors);
    if (!present) return std::nullopt;
    const MemoryUnits sizes{static_cast<std::int64_t>(caches.second_sector),
                            static_cast<std::int64_t>(caches.line)};
    const auto data_by = [&](EdgesBy edges) {
        return least_loaded_data(*kernel.function, *kernel.graph, request.launch, *kernel.stated,
                                 sizes, edges);
    };
    const LoadedData all = data_by(EdgesBy::Execution);
    const LoadedData shown = data_by(EdgesBy::Forms);
    const TrafficSums sums{caches, *present, shape.multiprocessors};
    CompulsoryTraffic traffic;
    const auto is_shown = [&](const LoadedUnits& loaded) {
        return !request.is_shown || request.is_shown(loaded);
    };
    sums.add(
        shown, [](const LoadedUnits&) { return true; }, traffic.bounds);
    if (all.units != shown.units) sums.add(all, is_shown, traffic.bounds);
    if (traffic.bounds.empty()) return std::nullopt;
    traffic.trusts_read_only = all.trusts_read_only || shown.trusts_read_only;
    traffic.trusts_buffers = all.trusts_buffers || shown.trusts_buffers;
    return traffic;
}

void add_compulsory_traffic(const CompulsoryTraffic& traffic, Alternatives& all, bool certifies) {
    models::Cycles most{0};
    models::Cycles most_shown{0};
    for (const SideAnswer& one : all) {
        most = std::max(most, one.execution.proved);
        most_shown = std::max(most_shown, value_with_evidence(one));
    }
    const SideAnswer path = all.front();
    for (const TrafficBound& bound : traffic.bounds) {
        const models::Cycles least =
            certifies && bound.has_evidence ? std::min(most, most_shown) : most;
        if (sum_of(bound.terms) <= least) continue;
        BoundExpression sum;
        sum.text = bound.terms.front().text;
        sum.terms = bound.terms;
        sum.has_evidence = bound.has_evidence;
        SideAnswer answer = path;
        set_bound(answer.execution, std::move(sum));
        answer.execution.proof = Proof::ResponseTime;
        answer.execution.best_found.reset();
        answer.execution.loaded = bound.loaded;
        all.push_back(std::move(answer));
    }
}

Result<void> check_contains_traffic(const TimedKernel& kernel, const SideResult& lower,
                                    const SideResult& upper) {
    if (!lower.loaded || lower.proved <= upper.proved) return boost::outcome_v2::success();
    const models::ValueGroup* const dram = kernel.architecture->memory("dram");
    const models::SourcedValue* const latency = dram == nullptr ? nullptr : dram->find("latency");
    const BoundTerm& traffic = lower.terms.front();
    return Failure{
        fmt::format(
            "{} takes at least {} cycles by the data that it loads ({} x {}: {}), and at most "
            "{} by the latencies of loads (memories/dram/latency is {}). Latencies contain "
            "the queueing delay of a launch: state larger ones, as with --assume "
            "memories/dram/latency=LO..HI",
            kernel.function->name, lower.proved.count(), traffic.count, traffic.cycles,
            traffic.text, upper.proved.count(),
            latency == nullptr || !latency->interval
                ? std::string{"not known"}
                : fmt::format("{}..{}", latency->interval->lo, latency->interval->hi)),
        kernel.architecture->name};
}

std::string assumption_of(const CompulsoryTraffic& traffic) {
    std::string text =
        "Loads and stores whose addresses follow from the code go through L1 and L2; what these "
        "hold "
        "at the start is not known, and no more than the description says (S79); no other launch "
        "runs meanwhile; what the kernel accesses through one pointer lies within 4 GiB";
    if (traffic.trusts_read_only)
        text += "; nothing writes what loads of read-only data access (LDG.CONSTANT)";
    if (traffic.trusts_buffers)
        text += "; buffers that the launch states as disjoint do not overlap";
    return text + ".";
}

} // namespace warpbound::analyzer
