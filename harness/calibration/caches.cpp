#include "harness/calibration/levels.hpp"
#include "harness/protocol/statistics.hpp"
#include "harness/suite/benchmarks/cache_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::harness {

namespace {

/// The cache relations of one campaign.
class CacheRelations {
public:
    CacheRelations(const Measurements& measurements, const Basis& basis, Levels levels,
                   Ledger& ledger)
        : measurements_{measurements}, basis_{basis}, levels_{std::move(levels)}, ledger_{ledger} {}

    void read_ways();
    void read_sizes();
    void read_sectors();

private:
    /// Records a value that the selected points show. `known`: paths of the values that it depends
    /// on.
    void read(const std::string& path, std::int64_t value, const std::string& benchmark,
              const std::vector<std::string>& known = {}) {
        auto series = supporting_series();
        for (const auto& other : known) {
            const auto of_other = ledger_.series(other);
            series.insert(series.end(), of_other.begin(), of_other.end());
        }
        ledger_.read(path, {{value, value, value}, Sharpness::Exact, benchmark, std::move(series)});
    }
    /// The series of the selected points and of the reference loads.
    [[nodiscard]] std::vector<const RecordedSeries*> supporting_series() const {
        auto series = selected_;
        series.insert(series.end(), levels_.series().begin(), levels_.series().end());
        return series;
    }
    /// Selects the points for the following readings.
    Result<void> select(const std::vector<std::string>& points);
    /// The number of leading points that a level serves; it must not serve any later point.
    [[nodiscard]] Result<std::size_t> held(Level level) const;
    /// Cache size divided by ways: the smallest stride at which lines map to one set. Empty, with a
    /// reason in the ledger, if it cannot be identified.
    std::optional<std::int64_t> period(const std::string& path, std::int64_t ways, Level level);

    const Measurements& measurements_;
    const Basis& basis_;
    Levels levels_;
    Ledger& ledger_;
    std::vector<const RecordedSeries*> selected_;
};

Result<void> CacheRelations::select(const std::vector<std::string>& points) {
    selected_.clear();
    for (const auto& point : points) {
        selected_.push_back(measurements_.find(point));
        if (selected_.back() == nullptr) return Failure{measurements_.why_not(point)};
    }
    return boost::outcome_v2::success();
}

Result<std::size_t> CacheRelations::held(Level level) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < selected_.size(); ++i) {
        const auto within = levels_.within(level, *selected_[i]);
        if (!within) return within.as_failure();
        if (within.value() && count < i)
            return Failure{"a load that hits follows one that misses: the replacement is not least "
                           "recently used"};
        if (within.value()) ++count;
    }
    return count;
}

void CacheRelations::read_ways() {
    const std::string benchmark = "cache-ways";
    std::vector<std::string> points;
    for (std::int64_t lines = 2; lines <= most_ways + 1; ++lines)
        points.push_back(fmt::format("{}/lines={}", benchmark, lines));
    const auto measured = select(points);
    // With one line only, that line always hits.
    const auto ways = [&](const std::string& path, Level level) -> std::optional<std::int64_t> {
        const auto further = measured ? held(level) : Result<std::size_t>{measured.as_failure()};
        if (!further) {
            ledger_.unidentified(path, further.error().what);
            return std::nullopt;
        }
        return static_cast<std::int64_t>(further.value()) + 1;
    };
    const auto take = [&](const std::string& path, std::int64_t count) {
        if (count <= most_ways)
            read(path, count, benchmark);
        else
            ledger_.unidentified(path, fmt::format("at least {}", count));
    };
    const std::string l2_path = "memories/l2/ways";
    const auto of_l1 = ways("memories/l1/ways", Level::L1);
    if (of_l1) take("memories/l1/ways", *of_l1);
    const auto of_l2 = ways(l2_path, Level::L2);
    if (!of_l2) return;
    if (!of_l1) return ledger_.unidentified(l2_path, "the ways of the L1 are not known");
    if (*of_l2 == *of_l1)
        return ledger_.unidentified(l2_path, *of_l1 > most_ways
                                                 ? std::string{"the L1 holds every line"}
                                                 : fmt::format("of {} lines none was seen in it: "
                                                               "the L1 hides them, or its time is "
                                                               "that of DRAM",
                                                               *of_l1 + 1));
    read_distance("memories/l2/latency", fmt::format("{}/lines={}", benchmark, *of_l2), 1,
                  measurements_, basis_, ledger_, supporting_series());
    take(l2_path, *of_l2);
}

std::optional<std::int64_t> CacheRelations::period(const std::string& path, std::int64_t ways,
                                                   Level level) {
    const auto nothing = [&](const std::string& why) -> std::optional<std::int64_t> {
        ledger_.unidentified(path, why);
        return std::nullopt;
    };
    const std::int64_t lines = *std::find_if(line_tries.begin(), line_tries.end(),
                                             [&](std::int64_t tried) { return tried > ways; });
    std::vector<std::int64_t> strides = cache_strides();
    std::sort(strides.begin(), strides.end());
    std::vector<std::string> points;
    for (const std::int64_t stride : strides)
        points.push_back(fmt::format("cache-sets/stride={}/lines={}", stride, lines));
    if (auto measured = select(points); !measured) return nothing(measured.error().what);
    std::size_t first = 0;
    for (; first < strides.size(); ++first) {
        const auto within = levels_.within(level, *selected_[first]);
        if (!within) return nothing(within.error().what);
        if (!within.value()) break;
    }
    if (first == strides.size())
        return nothing(fmt::format("{} lines at no stride up to {} bytes map to one set of {}",
                                   lines, strides.back(), ways));
    if (level == Level::L1) return strides[first];
    // A hit in the L1 does not show whether the L2 holds the line. Lines at a multiple of the
    // stride can show it: if lines at the stride mapped to one set, so would those.
    const auto comes_from_l2 = [&](std::size_t i) {
        const auto of_l1 = levels_.within(Level::L1, *selected_[i]);
        const auto of_l2 = levels_.within(Level::L2, *selected_[i]);
        return of_l1 && of_l2 && !of_l1.value() && of_l2.value();
    };
    for (std::size_t i = 0; i < first; ++i) {
        bool shows = comes_from_l2(i);
        for (std::size_t j = i + 1; j < strides.size() && !shows; ++j)
            shows = strides[j] % strides[i] == 0 && comes_from_l2(j);
        if (!shows) return nothing(fmt::format("the L1 hides lines {} bytes apart", strides[i]));
    }
    return strides[first];
}

void CacheRelations::read_sizes() {
    constexpr const char* no_ways = "the number of ways is not known";
    const auto l1_ways = ledger_.number("memories/l1/ways");
    const auto l1 = l1_ways ? period("memories/l1/size", *l1_ways, Level::L1) : std::nullopt;
    if (!l1_ways) ledger_.unidentified("memories/l1/size", no_ways);
    if (l1) {
        read("memories/l1/size", *l1_ways * *l1, "cache-sets", {"memories/l1/ways"});
        const auto line = ledger_.number("memories/l1/line");
        if (line && *l1 % *line == 0)
            read("memories/l1/sets", *l1 / *line, "cache-sets",
                 {"memories/l1/ways", "memories/l1/line"});
        else
            ledger_.unidentified("memories/l1/sets", "the line is not known");
    } else {
        ledger_.unidentified("memories/l1/sets", "the size is not known");
    }
    const auto l2_ways = ledger_.number("memories/l2/ways");
    if (!l2_ways) return ledger_.unidentified("memories/l2/size", no_ways);
    if (const auto l2 = period("memories/l2/size", *l2_ways, Level::L2))
        read("memories/l2/size", *l2_ways * *l2, "cache-sets", {"memories/l2/ways"});
}

void CacheRelations::read_sectors() {
    std::vector<std::string> points;
    for (const std::int64_t offset : sector_offsets)
        points.push_back(fmt::format("cache-sector/offset={}", offset));
    const auto measured = select(points);
    const auto read_sector = [&](const std::string& path, Level level, std::size_t hidden) {
        const auto none = [&](const std::string& why) { ledger_.unidentified(path, why); };
        if (!measured) return none(measured.error().what);
        const auto inside = held(level);
        if (!inside) return none(inside.error().what);
        if (inside.value() == 0 || inside.value() == sector_offsets.size())
            return none("no end of a sector shows");
        if (inside.value() == hidden)
            return none(fmt::format("at most {}: the L1 hides it", sector_offsets[hidden]));
        read(path, sector_offsets[inside.value()], "cache-sector");
    };
    read_sector("memories/l1/sector", Level::L1, 0);
    const auto of_l1 = measured ? held(Level::L1) : Result<std::size_t>{measured.as_failure()};
    read_sector("memories/l2/sector", Level::L2, of_l1 ? of_l1.value() : 0);
}

/// The line size: the smallest distance of lanes at which each lane accesses its own line.
void read_line(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    constexpr const char* path = "memories/l1/line";
    std::vector<const RecordedSeries*> series;
    std::vector<Summary> times;
    for (const std::int64_t distance : lane_distances) {
        const std::string point = fmt::format("coalescing/distance={}", distance);
        const auto* one = measurements.find(point);
        if (one == nullptr) return ledger.unidentified(path, measurements.why_not(point));
        series.push_back(one);
        times.push_back(summarise(distances(*one, basis)));
    }
    // Up to the line size, twice the distance takes twice the transactions. The first point takes
    // one transaction. Means of equal loads differ by five standard errors in one of a million
    // pairs.
    const auto grows = [&](std::size_t i) {
        const auto variance = [](const Summary& of) {
            return of.standard_deviation * of.standard_deviation / static_cast<double>(of.count);
        };
        const double growth = times[i].mean - times[i - 1].mean;
        return growth > (times[i].mean - times.front().mean) / 4 &&
               growth > 5 * std::sqrt(variance(times[i]) + variance(times[i - 1]));
    };
    std::size_t last = times.size() - 1;
    while (last > 1 && !grows(last))
        --last;
    if (last == times.size() - 1 || last == 1)
        return ledger.unidentified(path, "no distance of lanes shows the line size");
    const std::int64_t line = lane_distances[last];
    ledger.read(path, {{line, line, line}, Sharpness::Exact, "coalescing", std::move(series)});
}

} // namespace

void read_caches(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    read_line(measurements, basis, ledger);
    auto levels = Levels::of(measurements, basis);
    if (!levels) {
        for (const char* path :
             {"memories/l1/ways", "memories/l2/ways", "memories/l1/size", "memories/l1/sets",
              "memories/l2/size", "memories/l1/sector", "memories/l2/sector"})
            ledger.unidentified(path, levels.error().what);
        return;
    }
    read_distance("memories/l1/latency", loaded_point, 1, measurements, basis, ledger,
                  {measurements.find(cold_point)});
    CacheRelations relations{measurements, basis, std::move(levels).value(), ledger};
    relations.read_ways();
    relations.read_sizes();
    relations.read_sectors();
}

} // namespace warpbound::harness
