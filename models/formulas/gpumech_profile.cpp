#include "models/formulas/gpumech_profile.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace warpbound::models::gpumech {
namespace {

constexpr std::int64_t longest = std::int64_t{1} << 40; // Cycles of one latency, gap or stall.

/// Performance and instructions of a warp, each over its mean.
struct Point {
    double performance = 0;
    double instructions = 0;
};

double distance(const Point& a, const Point& b) {
    const double x = a.performance - b.performance;
    const double y = a.instructions - b.instructions;
    return x * x + y * y;
}

std::vector<Point> features_of(std::span<const WarpPerformance> warps) {
    std::vector<Point> points;
    Point mean;
    const auto count = static_cast<double>(warps.size());
    for (const auto& warp : warps) {
        points.push_back({warp.instructions / warp.cycles, warp.instructions});
        mean.performance += points.back().performance / count;
        mean.instructions += points.back().instructions / count;
    }
    for (auto& point : points) {
        point.performance /= mean.performance;
        point.instructions /= mean.instructions;
    }
    return points;
}

/// Which of the two centres each point is nearer to; the first on a tie.
std::vector<bool> assigned(const std::vector<Point>& points, const std::array<Point, 2>& centres) {
    std::vector<bool> second;
    for (const auto& point : points)
        second.push_back(distance(point, centres[1]) < distance(point, centres[0]));
    return second;
}

/// Requires: a point on that side.
Point centre_of(const std::vector<Point>& points, const std::vector<bool>& second, bool side) {
    Point sum;
    double count = 0;
    for (std::size_t warp = 0; warp < points.size(); ++warp) {
        if (second[warp] != side) continue;
        sum.performance += points[warp].performance;
        sum.instructions += points[warp].instructions;
        count += 1;
    }
    return {sum.performance / count, sum.instructions / count};
}

/// The clusters of 2-means. It stops when nothing changes, at the latest after 100 rounds: rounding
/// could make two assignments alternate.
std::vector<bool> clusters_of(const std::vector<Point>& points) {
    const Point slowest = *std::ranges::min_element(points, {}, &Point::performance);
    const Point farthest = *std::ranges::max_element(
        points, {}, [&](const Point& point) { return distance(point, slowest); });
    std::vector<bool> second = assigned(points, {slowest, farthest});
    for (int round = 0; round < 100; ++round) {
        if (std::ranges::find(second, true) == second.end()) return second; // All points are equal.
        const auto next =
            assigned(points, {centre_of(points, second, false), centre_of(points, second, true)});
        if (next == second) break;
        second = next;
    }
    return second;
}

} // namespace

Result<IssueTrace> issue_trace(std::span<const TracedInstruction> instructions) {
    InputCheck check{"gpumech"};
    check.require(!instructions.empty(), "no instructions");
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        check.count("latency of an instruction", instructions[k].latency.count(), 1, longest)
            .count("gap of an instruction", instructions[k].gap.count(), 1, longest);
        for (const std::size_t producer : instructions[k].producers)
            if (producer >= k)
                check.require(false, fmt::format("instruction {} reads the result of {}, which is "
                                                 "not earlier",
                                                 k, producer));
    }
    if (check.failure()) return *check.failure();

    const auto cause_of = [&](std::size_t instruction) {
        return instructions[instruction].memory ? StallCause::Memory : StallCause::Dependence;
    };
    IssueTrace trace;
    std::vector<Cycles> done;
    Cycles issue;
    IssueTrace::Gap last; // Until everything so far is done; from 0 until the end of the loop.
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        if (k > 0) {
            Cycles next = issue + instructions[k - 1].gap;
            StallCause cause = StallCause::Dependence;
            for (const std::size_t producer : instructions[k].producers) {
                if (done[producer] > next) cause = cause_of(producer);
                if (done[producer] == next && cause_of(producer) == StallCause::Memory)
                    cause = StallCause::Memory;
                next = std::max(next, done[producer]);
            }
            trace.gaps.push_back({next - issue, cause});
            issue = next;
        }
        done.push_back(issue + instructions[k].latency);
        if (done.back() > last.cycles ||
            (done.back() == last.cycles && cause_of(k) == StallCause::Memory))
            last = {done.back(), cause_of(k)};
    }
    trace.tail = {last.cycles - issue, last.cause};
    return trace;
}

Result<std::vector<Interval>> intervals_of(const IssueTrace& trace) {
    InputCheck check{"gpumech"};
    for (const auto& gap : trace.gaps)
        check.count("gap between issues", gap.cycles.count(), 1, longest);
    check.count("wait after the last issue", trace.tail.cycles.count(), 1, longest);
    if (check.failure()) return *check.failure();

    std::vector<Interval> intervals;
    std::int64_t instructions = 1;
    for (const auto& gap : trace.gaps) {
        if (gap.cycles > 1_cycles) {
            intervals.push_back({instructions, gap.cycles - 1_cycles, gap.cause});
            instructions = 0;
        }
        ++instructions;
    }
    intervals.push_back({instructions, trace.tail.cycles - 1_cycles, trace.tail.cause});
    return intervals;
}

Result<WarpPerformance> performance_of(std::span<const Interval> intervals, double issue_rate) {
    InputCheck check{"gpumech"};
    check.require(!intervals.empty(), "no intervals").positive("issue rate", issue_rate);
    WarpPerformance found;
    for (const auto& interval : intervals) {
        check.count("instructions of an interval", interval.instructions, 1)
            .count("stall of an interval", interval.stall.count(), 0, longest);
        found.instructions += real(interval.instructions);
        found.cycles += real(interval.instructions) / issue_rate + real(interval.stall.count());
    }
    if (check.failure()) return *check.failure();
    return found;
}

Result<Representative> representative(std::span<const WarpPerformance> warps) {
    InputCheck check{"gpumech"};
    check.require(!warps.empty(), "no warps");
    for (const auto& warp : warps)
        check.positive("instructions of a warp", warp.instructions)
            .positive("cycles of a warp", warp.cycles);
    if (check.failure()) return *check.failure();

    const std::vector<Point> points = features_of(warps);
    const std::vector<bool> second = clusters_of(points);
    const auto of_second = static_cast<std::size_t>(std::ranges::count(second, true));
    const std::size_t of_first = points.size() - of_second;
    const bool side = of_second == of_first ? second.front() : of_second > of_first;
    const Point centre = centre_of(points, second, side);
    std::optional<std::size_t> nearest;
    for (std::size_t warp = 0; warp < points.size(); ++warp)
        if (second[warp] == side &&
            (!nearest || distance(points[warp], centre) < distance(points[*nearest], centre)))
            nearest = warp;
    return Representative{.warp = *nearest, .cluster_size = side ? of_second : of_first};
}

Result<double> memory_latency(const MemoryLatencies& latencies, double l1_miss_rate,
                              double l2_miss_rate) {
    if (const auto wrong = InputCheck{"gpumech"}
                               .positive("L1 latency", latencies.l1)
                               .positive("L2 latency", latencies.l2)
                               .positive("DRAM latency", latencies.dram)
                               .within("L1 miss rate", l1_miss_rate, 0, 1)
                               .within("L2 miss rate", l2_miss_rate, 0, 1)
                               .failure())
        return *wrong;
    return latencies.l1 + l1_miss_rate * (latencies.l2 + l2_miss_rate * latencies.dram);
}

} // namespace warpbound::models::gpumech
