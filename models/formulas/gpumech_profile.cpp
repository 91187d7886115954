#include "models/formulas/gpumech_profile.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

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

/// Follows the instructions of a warp, and skips iterations of a loop that equal the previous one.
class IssueTracer {
public:
    IssueTracer(std::span<const TracedInstruction> kinds, std::span<const std::uint32_t> order)
        : kinds_{kinds}, order_{order}, done_(order.size()), seen_(kinds.size()) {
        trace_.gaps.reserve(order.size());
    }

    Result<IssueTrace> trace() {
        for (std::size_t k = 0; k < order_.size(); k += 1 + skip_after(k)) {
            if (const auto wrong = objection(k)) return *wrong;
            issue(k);
        }
        trace_.tail.cycles = trace_.tail.cycles - issue_;
        return std::move(trace_);
    }

private:
    using Gap = IssueTrace::Gap;

    [[nodiscard]] const TracedInstruction& at(std::size_t k) const { return kinds_[order_[k]]; }
    static StallCause cause_of(const TracedInstruction& instruction) {
        return instruction.memory ? StallCause::Memory : StallCause::Dependence;
    }

    [[nodiscard]] std::optional<Failure> objection(std::size_t k) const {
        if (order_[k] >= kinds_.size())
            return Failure{fmt::format(
                "gpumech: instruction {} is of step kind {}, which is unknown", k, order_[k])};
        for (const std::int64_t distance : at(k).distances)
            if (distance > static_cast<std::int64_t>(k))
                return Failure{fmt::format("gpumech: instruction {} reads a result {} instructions "
                                           "back, before the first",
                                           k, distance)};
        return std::nullopt;
    }

    void issue(std::size_t k) {
        const TracedInstruction& instruction = at(k);
        if (k > 0) {
            Cycles next = issue_ + at(k - 1).gap;
            StallCause cause = StallCause::Dependence;
            for (const std::int64_t distance : instruction.distances) {
                const std::size_t producer = k - static_cast<std::size_t>(distance);
                if (done_[producer] < next) continue;
                const StallCause of_producer = cause_of(at(producer));
                if (done_[producer] > next || of_producer == StallCause::Memory)
                    cause = of_producer;
                next = done_[producer];
            }
            trace_.gaps.push_back({next - issue_, cause});
            issue_ = next;
        }
        finish(k, issue_ + instruction.latency);
    }

    /// Notes when the result is ready; the tail holds that of the last one.
    void finish(std::size_t k, Cycles done) {
        done_[k] = done;
        Gap& last = trace_.tail;
        if (done > last.cycles || (done == last.cycles && at(k).memory))
            last = {done, cause_of(at(k))};
    }

    /// Instructions after k that repeat what was just followed, and need not be followed.
    std::size_t skip_after(std::size_t k) {
        note_period(k);
        if (matched_ < needed_ || trace_.gaps.back().cycles == 1_cycles) return 0;
        // Producers of the next iterations lie within the longest distance of their instructions.
        for (std::size_t back = 0; back < period_; ++back)
            for (const std::int64_t distance : at(k - back).distances)
                needed_ = std::max(needed_, static_cast<std::size_t>(distance));
        if (matched_ < needed_) return 0;
        std::size_t end = k + 1;
        while (end < order_.size() && order_[end] == order_[end - period_])
            ++end;
        const std::size_t iterations = (end - k - 1) / period_;
        if (iterations > 0)
            repeat(k, iterations);
        else
            needed_ = never;
        return iterations * period_;
    }

    /// Counts the instructions up to k that equal those one period before, gaps included. Where one
    /// differs, the next period to try is the distance to the last one of its kind.
    void note_period(std::size_t k) {
        const std::optional<std::size_t> before = std::exchange(seen_[order_[k]], k);
        if (period_ != 0 && k > period_ && order_[k] == order_[k - period_] &&
            trace_.gaps[k - 1] == trace_.gaps[k - 1 - period_]) {
            ++matched_;
            return;
        }
        matched_ = 0;
        period_ = before ? k - *before : 0;
        needed_ = before ? period_ : never;
    }

    /// Appends so many iterations like the one that ends at k.
    void repeat(std::size_t k, std::size_t iterations) {
        auto& gaps = trace_.gaps;
        Cycles of_iteration;
        for (std::size_t gap = k - period_; gap < k; ++gap)
            of_iteration += gaps[gap].cycles;
        const std::size_t last = k + iterations * period_;
        trace_.repetitions.push_back(
            {k - period_, period_, static_cast<std::int64_t>(iterations) + 1});
        for (std::size_t next = k + 1; next <= last; ++next) {
            gaps.push_back(gaps[next - 1 - period_]);
            done_[next] = done_[next - period_] + of_iteration;
        }
        issue_ += static_cast<std::int64_t>(iterations) * of_iteration;
        for (std::size_t next = last - period_ + 1; next <= last; ++next) {
            finish(next, done_[next]);
            seen_[order_[next]] = next;
        }
    }

    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    std::span<const TracedInstruction> kinds_;
    std::span<const std::uint32_t> order_;
    IssueTrace trace_;
    Cycles issue_;
    std::vector<Cycles> done_;                     ///< By instruction.
    std::vector<std::optional<std::size_t>> seen_; ///< By step kind: its last instruction.
    std::size_t period_ = 0; ///< Instructions after which they may repeat; 0: none.
    std::size_t matched_ = 0;
    std::size_t needed_ = 0; ///< Instructions to follow before iterations are skipped.
};

} // namespace

Result<IssueTrace> issue_trace(std::span<const TracedInstruction> kinds,
                               std::span<const std::uint32_t> order) {
    InputCheck check{"gpumech"};
    check.require(!order.empty(), "no instructions");
    for (const auto& kind : kinds) {
        check.count("latency of an instruction", kind.latency.count(), 1, longest)
            .count("gap of an instruction", kind.gap.count(), 1, longest);
        for (const std::int64_t distance : kind.distances)
            check.count("distance to a producer", distance, 1);
    }
    if (check.failure()) return *check.failure();
    return IssueTracer{kinds, order}.trace();
}

Result<std::vector<Interval>> intervals_of(const IssueTrace& trace) {
    InputCheck check{"gpumech"};
    for (const auto& gap : trace.gaps)
        check.count("gap between issues", gap.cycles.count(), 1, longest);
    check.count("wait after the last issue", trace.tail.cycles.count(), 1, longest);
    std::size_t end = 0;
    for (const auto& [first, length, times] : trace.repetitions) {
        const std::size_t gap_count = trace.gaps.size();
        if (length == 0 || times < 1 || first < end || first > gap_count ||
            static_cast<std::size_t>(times) > (gap_count - first) / length ||
            trace.gaps[first + length - 1].cycles == 1_cycles ||
            (first > 0 && trace.gaps[first - 1].cycles == 1_cycles))
            check.require(false, "a repetition that is not in the gaps");
        else
            end = first + length * static_cast<std::size_t>(times);
    }
    if (check.failure()) return *check.failure();

    std::vector<Interval> intervals;
    std::size_t start = 0; // Of the interval.
    const auto close = [&](std::size_t next, const IssueTrace::Gap& gap) {
        intervals.push_back({.instructions = static_cast<std::int64_t>(next - start),
                             .stall = gap.cycles - 1_cycles,
                             .cause = gap.cause,
                             .first = start});
        start = next;
    };
    const auto follow = [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            if (trace.gaps[k].cycles > 1_cycles) close(k + 1, trace.gaps[k]);
    };
    std::size_t done = 0; // Gaps.
    for (const auto& [first, length, times] : trace.repetitions) {
        follow(done, first);
        const std::size_t before = intervals.size();
        follow(first, first + length);
        for (std::size_t k = before; k < intervals.size(); ++k)
            intervals[k].times = times;
        done = first + length * static_cast<std::size_t>(times);
        start = done;
    }
    follow(done, trace.gaps.size());
    close(trace.gaps.size() + 1, trace.tail);
    return intervals;
}

Result<WarpPerformance> performance_of(std::span<const Interval> intervals, double issue_rate) {
    InputCheck check{"gpumech"};
    check.require(!intervals.empty(), "no intervals").positive("issue rate", issue_rate);
    WarpPerformance found;
    for (const auto& interval : intervals) {
        check.count("instructions of an interval", interval.instructions, 1)
            .count("stall of an interval", interval.stall.count(), 0, longest)
            .count("times of an interval", interval.times, 1);
        const double times = real(interval.times);
        found.instructions += times * real(interval.instructions);
        found.cycles +=
            times * (real(interval.instructions) / issue_rate + real(interval.stall.count()));
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
