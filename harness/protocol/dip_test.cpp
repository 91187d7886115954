#include "harness/protocol/dip_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace warpbound::harness {

namespace {

struct CriticalDip {
    double samples;
    double dip;
};
constexpr std::array<CriticalDip, 21> critical_dips{
    {{4, 0.23180},     {5, 0.19651},    {6, 0.19186},      {7, 0.18412},      {8, 0.17299},
     {9, 0.16416},     {10, 0.15968},   {15, 0.13598},     {20, 0.12062},     {30, 0.10148},
     {50, 0.08120},    {100, 0.05902},  {200, 0.04269},    {500, 0.02745},    {1000, 0.01961},
     {2000, 0.01397},  {5000, 0.00886}, {10'000, 0.00628}, {20'000, 0.00446}, {40'000, 0.00316},
     {72'000, 0.00236}}};

/// Indices of the knots of a curve through the points (x, i), in increasing order.
using Knots = std::vector<std::size_t>;

/// Cross product of a-b and b-c: positive where the curve turns upward at b.
double turn(std::span<const double> x, std::size_t a, std::size_t b, std::size_t c) {
    return (x[b] - x[a]) * static_cast<double>(c - b) - (x[c] - x[b]) * static_cast<double>(b - a);
}

/// The greatest convex minorant (`convex`) or least concave majorant of the points low .. high.
Knots hull(std::span<const double> x, std::size_t low, std::size_t high, bool convex) {
    Knots knots;
    for (std::size_t i = low; i <= high; ++i) {
        while (knots.size() > 1) {
            const double bend = turn(x, knots[knots.size() - 2], knots.back(), i);
            if (convex ? bend > 0 : bend < 0) break;
            knots.pop_back();
        }
        knots.push_back(i);
    }
    return knots;
}

/// The height of the line through the points a and b at a place.
double height_at(std::span<const double> x, std::size_t a, std::size_t b, double place) {
    const double run = x[b] - x[a];
    if (run <= 0) return static_cast<double>(b);
    return static_cast<double>(a) + (place - x[a]) * static_cast<double>(b - a) / run;
}

/// The largest distance of the two curves, at a knot of either. `Unit:` 1 / n.
struct Widest {
    double distance = 0;
    std::size_t begin = 0; ///< Knot of the minorant at or before it: the modal interval begins.
    std::size_t end = 0;   ///< Knot of the majorant at or after it.
};
Widest widest_distance(std::span<const double> x, const Knots& minorant, const Knots& majorant) {
    Widest widest{-1, minorant.front(), majorant.back()};
    const auto consider = [&](double distance, std::size_t begin, std::size_t end) {
        if (distance > widest.distance) widest = {distance, begin, end};
    };
    std::size_t above = 1; // End of the majorant's segment over the knot.
    for (const std::size_t knot : minorant) {
        while (above + 1 < majorant.size() && majorant[above] < knot)
            ++above;
        const double line = height_at(x, majorant[above - 1], majorant[above], x[knot]);
        consider(line - static_cast<double>(knot) + 1, knot, majorant[above]);
    }
    std::size_t below = 1; // End of the minorant's segment under the knot.
    for (const std::size_t knot : majorant) {
        while (below + 1 < minorant.size() && minorant[below] <= knot)
            ++below;
        const double line = height_at(x, minorant[below - 1], minorant[below], x[knot]);
        consider(static_cast<double>(knot) - line + 1, minorant[below - 1], knot);
    }
    return widest;
}

/// The largest distance between the steps of the empirical distribution and a curve, over the
/// segments between two indices. `convex`: the curve lies below the steps, else above.
double distance_from_steps(std::span<const double> x, const Knots& knots, std::size_t from,
                           std::size_t to, bool convex) {
    double largest = 1;
    for (std::size_t segment = 1; segment < knots.size(); ++segment) {
        const std::size_t a = knots[segment - 1];
        const std::size_t b = knots[segment];
        if (a < from || b > to || b - a < 2 || x[a] == x[b]) continue;
        for (std::size_t i = a; i <= b; ++i) {
            const double line = height_at(x, a, b, x[i]);
            const double step = static_cast<double>(i);
            largest = std::max(largest, convex ? step - line + 1 : line - step + 1);
        }
    }
    return largest;
}

} // namespace

double dip_of(std::span<const double> sorted) {
    const std::size_t count = sorted.size();
    if (count < 2 || sorted.front() == sorted.back()) return 0;
    double dip = 1; // Twice the dip. `Unit:` 1 / n.
    std::size_t low = 0;
    std::size_t high = count - 1;
    while (low < high) {
        const Knots minorant = hull(sorted, low, high, true);
        const Knots majorant = hull(sorted, low, high, false);
        const Widest widest = widest_distance(sorted, minorant, majorant);
        if (widest.distance <= dip) break;
        dip = std::max({dip, distance_from_steps(sorted, minorant, low, widest.begin, true),
                        distance_from_steps(sorted, majorant, widest.end, high, false)});
        if (widest.begin == low && widest.end == high) break;
        low = widest.begin;
        high = widest.end;
    }
    return dip / (2 * static_cast<double>(count));
}

double critical_dip(std::size_t samples) {
    const auto n = static_cast<double>(samples);
    if (n < critical_dips.front().samples) return std::numeric_limits<double>::infinity();
    const auto scaled = [](const CriticalDip& entry) {
        return entry.dip * std::sqrt(entry.samples);
    };
    const auto* const above =
        std::find_if(critical_dips.begin(), critical_dips.end(),
                     [&](const CriticalDip& entry) { return entry.samples >= n; });
    if (above == critical_dips.end()) return scaled(critical_dips.back()) / std::sqrt(n);
    if (above == critical_dips.begin()) return above->dip;
    const CriticalDip& below = *(above - 1);
    const double share = (n - below.samples) / (above->samples - below.samples);
    return (scaled(below) + share * (scaled(*above) - scaled(below))) / std::sqrt(n);
}

} // namespace warpbound::harness
