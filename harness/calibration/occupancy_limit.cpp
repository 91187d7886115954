/// \file
/// Register file and shared memory of an SM, from the number of resident blocks as a function of
/// the resources per block.

#include "harness/calibration/relations.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace warpbound::harness {

namespace {

/// Sizes of register files and shared memories are multiples of this, for all compute capabilities
/// (cuda_occupancy.h). `Unit:` registers or bytes.
constexpr std::int64_t size_unit = 1024;

/// A point of a residency benchmark.
struct ResidencyPoint {
    std::int64_t use = 0; ///< Registers of a thread, or bytes of a block.
    std::int64_t warps = 1;
    std::int64_t lanes = 32; ///< Of a warp.
    std::int64_t blocks = 0; ///< N_slot.
    bool is_limited =
        false; ///< The resource limits the residency: without it there would be more blocks.
};

/// A candidate allocation rule of a resource.
struct AllocationRule {
    std::int64_t unit = 1;  ///< The granularity.
    std::int64_t other = 0; ///< Partitions of the register file, or reserved bytes of a block.
};
using Taken = std::int64_t (*)(const AllocationRule& rule, const ResidencyPoint& point,
                               std::int64_t blocks);

std::int64_t round_up(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / unit * unit;
}

/// The warps of all blocks are assigned to the partitions round-robin: the first partition is the
/// fullest.
std::int64_t registers_taken(const AllocationRule& rule, const ResidencyPoint& point,
                             std::int64_t blocks) {
    return round_up(blocks * point.warps, rule.other) *
           round_up(point.use * point.lanes, rule.unit);
}

std::int64_t shared_memory_taken(const AllocationRule& rule, const ResidencyPoint& point,
                                 std::int64_t blocks) {
    return blocks * round_up(point.use + rule.other, rule.unit);
}

/// A resource, with the paths of its values in architecture descriptions.
struct Resource {
    std::string benchmark;
    std::string size_path;
    std::string unit_path;
    std::string other_path;
    std::string other_name; ///< Name used in messages.
    Taken taken = nullptr;
    std::vector<std::int64_t>
        units; ///< Candidate granularities; every combination with `others` is a rule.
    std::vector<std::int64_t> others;
    std::int64_t finest_unit = 1; ///< The benchmark cannot distinguish smaller granularities.
};

/// The smallest and largest size consistent with all points under a rule; empty if there is none.
/// `Source:` G23 eq. 3.10, 3.11 and 3.13, with the allocation of C30.
std::optional<models::Interval> sizes_by(const Resource& resource, const AllocationRule& rule,
                                         const std::vector<ResidencyPoint>& points) {
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const auto& point : points) {
        least = std::max(least, resource.taken(rule, point, point.blocks));
        if (point.is_limited)
            most = std::min(most, resource.taken(rule, point, point.blocks + 1) - 1);
    }
    least = round_up(least, size_unit);
    if (most < std::numeric_limits<std::int64_t>::max()) most = most / size_unit * size_unit;
    return least <= most ? std::optional<models::Interval>{{least, std::nullopt, most}}
                         : std::nullopt;
}

/// A reading is unique among the tried candidates only: the counts do not exclude other sizes,
/// granularities or other values.
std::string assumption_of(const Resource& resource) {
    return fmt::format("taken from sizes that are multiples of {}, granularities {}, and {} {}",
                       size_unit, fmt::join(resource.units, ", "), resource.other_name,
                       fmt::join(resource.others, ", "));
}

std::vector<AllocationRule> rules_of(const Resource& resource) {
    std::vector<AllocationRule> rules;
    for (const auto unit : resource.units)
        for (const auto other : resource.others)
            rules.push_back({unit, other});
    return rules;
}

void read_resource(const Resource& resource, const std::vector<ResidencyPoint>& points,
                   const std::vector<const RecordedSeries*>& series, Ledger& ledger) {
    std::set<std::int64_t> sizes;
    std::set<std::int64_t> units;
    std::set<std::int64_t> others;
    bool is_bounded = true;
    for (const auto& rule : rules_of(resource)) {
        const auto fitting = sizes_by(resource, rule, points);
        if (!fitting) continue;
        units.insert(rule.unit);
        others.insert(rule.other);
        sizes.insert({fitting->lo, fitting->hi});
        is_bounded = is_bounded && fitting->hi < std::numeric_limits<std::int64_t>::max();
    }
    const auto put = [&](const std::string& path, const std::set<std::int64_t>& values) {
        if (values.empty())
            return ledger.unidentified(path, "no allocation rule gives the counts of " +
                                                 resource.benchmark);
        if (!is_bounded)
            return ledger.unidentified(path, resource.benchmark +
                                                 ": no use reduces the number of blocks");
        if (values.size() > 1)
            return ledger.unidentified(path, fmt::format("{}: {} to {} show the same counts",
                                                         resource.benchmark, *values.begin(),
                                                         *values.rbegin()));
        const std::int64_t value = *values.begin();
        ledger.read(path, {{value, value, value},
                           Sharpness::Exact,
                           resource.benchmark,
                           series,
                           assumption_of(resource)});
    };
    put(resource.size_path, sizes);
    put(resource.other_path, others);
    if (units.size() == 1 && *units.begin() == resource.finest_unit)
        return ledger.unidentified(
            resource.unit_path,
            fmt::format("{}: at most {}", resource.benchmark, resource.finest_unit));
    put(resource.unit_path, units);
}

/// Reads the points of a benchmark that show how many blocks the resource admits.
void read_points(const Resource& resource, const std::vector<std::int64_t>& uses,
                 const std::vector<std::int64_t>& block_sizes, std::string_view axis,
                 std::int64_t launched, const Measurements& measurements, Ledger& ledger) {
    std::vector<ResidencyPoint> points;
    std::vector<const RecordedSeries*> series;
    std::string why;
    for (const std::int64_t warps : block_sizes) {
        const std::string free_point =
            fmt::format("resident-warps/warps={}/blocks={}", warps, resident_at_most);
        const auto unlimited = constant_time(measurements.find(free_point));
        for (const std::int64_t use : uses) {
            const std::string point = fmt::format("{}/{}={}/warps={}/blocks={}", resource.benchmark,
                                                  axis, use, warps, launched);
            const auto blocks = constant_time(measurements.find(point));
            if (why.empty() && (!blocks || !unlimited))
                why = !blocks ? measurements.why_not(point) : measurements.why_not(free_point);
            if (!blocks || !unlimited) continue;
            series.push_back(measurements.find(point));
            points.push_back({use, warps, lanes_of_warp(measurements.target()), *blocks,
                              *blocks < std::min(*unlimited, launched)});
        }
        if (unlimited) series.push_back(measurements.find(free_point));
    }
    if (points.empty()) {
        for (const auto& path : {resource.size_path, resource.unit_path, resource.other_path})
            ledger.unidentified(path, why.empty() ? "the blocks differ between runs" : why);
        return;
    }
    read_resource(resource, points, series, ledger);
}

} // namespace

void read_occupancy_limits(const Measurements& measurements, Ledger& ledger) {
    const Resource registers{
        "resident-registers",          "limits/registers", "limits/register-granularity",
        "limits/register-partitions",  "partitions",       registers_taken,
        {32, 64, 128, 256, 512, 1024}, {1, 2, 4, 8},       32};
    read_points(registers, resident_registers(),
                {resident_block_sizes.begin(), resident_block_sizes.end()}, "registers",
                resident_wide_blocks, measurements, ledger);
    const Resource shared{"resident-shared-memory",
                          "limits/shared-memory",
                          "limits/shared-granularity",
                          "limits/shared-reserved",
                          "reserved bytes",
                          shared_memory_taken,
                          {64, 128, 256, 512, 1024, 2048, 4096},
                          {0, 1024, 2048},
                          64};
    read_points(shared, resident_bytes(), {1}, "shared-memory", resident_at_most, measurements,
                ledger);
}

} // namespace warpbound::harness
