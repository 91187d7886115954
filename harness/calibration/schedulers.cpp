#include "harness/calibration/relations.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbound::harness {

namespace {

std::int64_t end_of(const Sample& sample) {
    return *std::max_element(sample.times.begin(), sample.times.end());
}

/// Median over the runs of the time until all warps have issued their operations.
std::int64_t median_end(const RecordedSeries& series) {
    std::vector<std::int64_t> ends;
    for (const auto& sample : series.samples)
        ends.push_back(end_of(sample));
    std::sort(ends.begin(), ends.end());
    return ends[(ends.size() - 1) / 2];
}

/// Increase of the time of many contending warps ("crowd" benchmarks) for additional operations per
/// warp, and the series that show it.
struct Growth {
    std::int64_t cycles = 0;
    std::int64_t operations = 0; ///< Additional operations per warp.
    std::vector<const RecordedSeries*> series;
};

/// Refuses if the contending warps were not measured.
Result<Growth> growth_of(const Measurements& measurements, const std::string& benchmark,
                         std::int64_t warps) {
    Growth growth;
    growth.operations = contention_counts.many - contention_counts.few;
    for (const std::int64_t n : {contention_counts.few, contention_counts.many}) {
        const std::string point = fmt::format("{}/n={}/warps={}", benchmark, n, warps);
        const auto* series = measurements.find(point);
        if (series == nullptr) return Failure{measurements.why_not(point)};
        growth.cycles = median_end(*series) - growth.cycles;
        growth.series.push_back(series);
    }
    return growth;
}

/// Cycles between two issues to a resource for which `warps` warps contend. Under some policies the
/// last few warps run without contention, which adds less than a step to each operation; the eighth
/// of a cycle covers effects at start and end. Empty if a step is too large relative to the rate.
std::optional<std::int64_t> rate_of(const Growth& growth, std::int64_t warps, std::int64_t step) {
    if (8 * step >= 7 * warps) return std::nullopt;
    return (8 * growth.cycles / growth.operations + warps) / (8 * warps);
}

/// Number of warps that read the clock first; empty unless equal in every run. `next`: the earliest
/// clock of the others.
std::optional<std::int64_t> first_issues(const RecordedSeries& series, std::int64_t* next) {
    std::set<std::int64_t> counts;
    for (const auto& sample : series.samples) {
        std::int64_t count = 0;
        std::int64_t second = end_of(sample);
        for (const auto& clocks : clocks_of(sample))
            if (clocks.first == 0)
                ++count;
            else
                second = std::min(second, clocks.first);
        counts.insert(count);
        *next = second;
    }
    return counts.size() == 1 ? std::optional{*counts.begin()} : std::nullopt;
}

/// Whether the time of contending warps is determined by the most loaded scheduler and not by the
/// total number of warps.
bool same_growth(const Growth& a, const Growth& b, std::int64_t tolerance) {
    return std::abs(a.cycles - b.cycles) <= tolerance;
}

bool is_store(const std::string& name) {
    return name == "store-global" || name == "store-local";
}

void read_port(const std::string& name, bool has_passes, const Measurements& measurements,
               const Basis& basis, Ledger& ledger) {
    const std::string path = fmt::format("classes/{}/initiation", name);
    const std::string benchmark = "crowd-" + name;
    const std::int64_t schedulers = *basis.schedulers;
    const std::int64_t slot = *basis.slot;
    const std::int64_t of_scheduler = contending_warps / schedulers;
    const auto scope = [&](models::UnitScope found) {
        ledger.read_scope({name, found, benchmark});
    };
    const auto no_scope = [&](const std::string& why) {
        ledger.unidentified(fmt::format("classes/{}{}", name, port_of_class), why);
    };
    const auto neither = [&](const std::string& why) {
        ledger.unidentified(path, why);
        no_scope(why);
    };
    const auto all = growth_of(measurements, benchmark, contending_warps);
    // The most loaded scheduler has as many warps as before, the SM has fewer.
    const auto uneven = growth_of(measurements, benchmark, contending_warps - schedulers + 1);
    if (!all) return neither(all.error().what);
    if (!uneven) return neither(uneven.error().what);
    const auto alone = ledger.number(path);
    if (alone && (*alone > basis.step || has_passes)) {
        // Time for one operation of every warp: shows which port they wait for.
        const std::int64_t per_operation = all.value().cycles / all.value().operations;
        std::int64_t free = std::max({of_scheduler * slot, basis.step, *alone});
        const std::int64_t partition = of_scheduler * *alone;
        const std::int64_t core = contending_warps * *alone;
        // The last warps may run without contention.
        const auto shows = [&](std::int64_t slow, std::int64_t fast) {
            return slow - fast > 2 * basis.step;
        };
        const auto between = [](std::int64_t a, std::int64_t b) { return (a + b) / 2; };
        if (is_store(name)) {
            const auto drain = ledger.interval("write-buffer/drain");
            if (!drain)
                return no_scope(
                    "the port can only be identified if the write buffer is known and faster");
            free = std::max(free, contending_warps * drain->hi);
        }
        const std::int64_t otherwise = std::max(partition, free);
        if (schedulers > 1 && shows(core, otherwise) && per_operation > between(core, otherwise))
            return scope(models::UnitScope::Core);
        if (!shows(partition, free)) return no_scope("contending warps do not wait for the port");
        return scope(per_operation > between(partition, free) ? models::UnitScope::Partition
                                                              : models::UnitScope::Warp);
    }
    const auto rate = rate_of(all.value(), of_scheduler, basis.step);
    if (!rate) return neither("too few warps to observe it below a step");
    std::vector<const RecordedSeries*> series = all.value().series;
    series.insert(series.end(), uneven.value().series.begin(), uneven.value().series.end());
    if (*rate <= slot) {
        ledger.read(path, {{1, std::nullopt, slot}, Sharpness::AtMost, benchmark, series});
        return no_scope("contending warps never wait for the port");
    }
    if (is_store(name)) return neither("the contending warps may wait for the write buffer");
    const bool partition =
        same_growth(all.value(), uneven.value(), *rate * all.value().operations / 4);
    if (!partition && *rate % schedulers != 0)
        return neither("the contending warps share a port, but not at a whole number of cycles");
    const std::int64_t initiation = partition ? *rate : *rate / schedulers;
    scope(partition ? models::UnitScope::Partition : models::UnitScope::Core);
    ledger.read(path, {{initiation, initiation, initiation}, Sharpness::Exact, benchmark, series});
}

} // namespace

std::vector<WarpClocks> clocks_of(const Sample& sample) {
    std::vector<WarpClocks> clocks;
    for (std::size_t i = 0; i + 1 < sample.times.size(); i += 2)
        clocks.push_back({sample.times[i], sample.times[i + 1]});
    return clocks;
}

void read_schedulers(const Measurements& measurements, Basis& basis, Ledger& ledger) {
    constexpr const char* count_path = "schedulers/count";
    constexpr const char* slot_path = "schedulers/issue-slot";
    constexpr const char* step_path = "schedulers/same-warp-interval";
    const auto neither = [&](const std::string& why) {
        for (const char* path : {count_path, slot_path, step_path})
            ledger.unidentified(path, why);
    };
    const std::string start_point = fmt::format("start-order/warps={}", contending_warps);
    const auto* start = measurements.find(start_point);
    if (start == nullptr) return neither(measurements.why_not(start_point));
    const auto contention = growth_of(measurements, contention_without_port, contending_warps);
    if (!contention) return neither(contention.error().what);
    std::int64_t next = 0;
    const auto count = first_issues(*start, &next);
    if (!count || contending_warps % *count != 0)
        return neither("the number of warps that start at once is not the same in all runs, or "
                       "does not divide them evenly");
    const auto slot = rate_of(contention.value(), contending_warps / *count, basis.step);
    if (!slot || *slot < 1) return neither("too few warps of a scheduler to fill its issue slots");
    // If the clock's port delayed further warps, there could be more schedulers.
    if (*count < contending_warps && next < *slot)
        return neither(fmt::format("{} warps start at once, but others {} cycles later, before an "
                                   "issue slot of {} is over",
                                   *count, next, *slot));
    if (next > *slot)
        return neither(fmt::format("warps read the clock {} cycles apart and issue {} apart: the "
                                   "clock's port hides how many start at once",
                                   next, *slot));
    const auto uneven =
        growth_of(measurements, contention_without_port, contending_warps - *count + 1);
    if (!uneven) return neither(uneven.error().what);
    if (!same_growth(contention.value(), uneven.value(), *slot * contention.value().operations / 4))
        return neither(fmt::format("{} warps start at once, but {} warps fewer take less time",
                                   *count, *count - 1));
    ledger.read(count_path, {{*count, *count, *count}, Sharpness::Exact, "start-order", {start}});
    ledger.read(slot_path, {{*slot, *slot, *slot},
                            Sharpness::Exact,
                            contention_without_port,
                            contention.value().series});
    std::vector<const RecordedSeries*> steps;
    for (const auto n : line_counts)
        steps.push_back(measurements.find(fmt::format("switched-off/n={}", n)));
    if (basis.step > *slot)
        ledger.read(step_path, {{basis.step, basis.step, basis.step},
                                Sharpness::Exact,
                                "switched-off",
                                std::move(steps)});
    else
        ledger.read(
            step_path,
            {{1, std::nullopt, *slot}, Sharpness::AtMost, "switched-off", std::move(steps)});
    basis.schedulers = count;
    basis.slot = slot;
}

void read_ports(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    for (const auto& of : calibrated_classes()) {
        if (basis.schedulers && basis.slot)
            read_port(of.name, of.has_passes, measurements, basis, ledger);
        else
            for (const std::string_view value : {std::string_view{"/initiation"}, port_of_class})
                ledger.unidentified(fmt::format("classes/{}{}", of.name, value),
                                    "schedulers and issue slot are not known");
    }
}

} // namespace warpbound::harness
