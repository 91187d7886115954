#include "harness/calibration/relations.hpp"
#include "harness/suite/cache_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpbound::harness {

namespace {

/// Where a load was served.
enum class Served { L1, L2, Dram };

/// Tells by time who served a load.
class Levels {
public:
    /// Of a load of a line that was loaded before, and of one that nobody has loaded.
    Levels(const RecordedSeries& hit, const RecordedSeries& cold, const Basis& basis)
        : basis_{basis} {
        const auto near = distances(hit, basis);
        const auto far = distances(cold, basis);
        slowest_hit_ = *std::max_element(near.begin(), near.end());
        fastest_cold_ = *std::min_element(far.begin(), far.end());
    }
    [[nodiscard]] bool differ() const { return slowest_hit_ < fastest_cold_; }

    /// By most of the samples.
    [[nodiscard]] Served of(const RecordedSeries& series) const {
        const auto times = distances(series, basis_);
        const auto most = [&](auto holds) {
            return 2 * std::count_if(times.begin(), times.end(), holds) >
                   static_cast<std::ptrdiff_t>(times.size());
        };
        if (most([&](std::int64_t time) { return time <= slowest_hit_; })) return Served::L1;
        return most([&](std::int64_t time) { return time < fastest_cold_; }) ? Served::L2
                                                                             : Served::Dram;
    }

private:
    const Basis& basis_;
    std::int64_t slowest_hit_ = 0;
    std::int64_t fastest_cold_ = 0;
};

/// The relations of one campaign.
class CacheRelations {
public:
    CacheRelations(const Measurements& measurements, const Basis& basis, const Levels& levels,
                   Ledger& ledger)
        : measurements_{measurements}, basis_{basis}, levels_{levels}, ledger_{ledger} {}

    void read_ways();
    void read_sizes();
    void read_sectors();

private:
    void read(const std::string& path, std::int64_t value, const std::string& benchmark,
              std::vector<const RecordedSeries*> series) {
        ledger_.read(path, {{value, value, value}, Sharpness::Exact, benchmark, std::move(series)});
    }
    /// Size over ways: the smallest stride at which lines fall on one set. Nothing, with the
    /// reason, where it does not show.
    std::optional<std::int64_t> period(const std::string& path, std::int64_t ways, bool of_l2);

    const Measurements& measurements_;
    const Basis& basis_;
    const Levels& levels_;
    Ledger& ledger_;
    std::vector<const RecordedSeries*> looked_at_;
};

void CacheRelations::read_ways() {
    const std::string benchmark = "cache-ways";
    std::vector<Served> served;
    std::vector<const RecordedSeries*> series;
    for (std::int64_t lines = 1; lines <= most_ways + 1; ++lines) {
        const std::string point = fmt::format("{}/lines={}", benchmark, lines);
        const auto* one = measurements_.find(point);
        if (one == nullptr) {
            for (const char* path : {"memories/l1/ways", "memories/l2/ways"})
                ledger_.unidentified(path, measurements_.why_not(point));
            return;
        }
        series.push_back(one);
        served.push_back(levels_.of(*one));
    }
    if (!std::is_sorted(served.begin(), served.end())) {
        for (const char* path : {"memories/l1/ways", "memories/l2/ways"})
            ledger_.unidentified(path, "with more lines a load is faster: not by least recent use");
        return;
    }
    const std::int64_t in_l1 = std::count(served.begin(), served.end(), Served::L1);
    const std::int64_t in_l2 = std::count(served.begin(), served.end(), Served::L2);
    const std::int64_t in_both = in_l1 + in_l2;
    if (in_l1 <= most_ways)
        read("memories/l1/ways", in_l1, benchmark, series);
    else
        ledger_.unidentified("memories/l1/ways", fmt::format("at least {}", in_l1));
    if (in_l2 == 0)
        return ledger_.unidentified("memories/l2/ways",
                                    in_l1 > most_ways
                                        ? std::string{"the L1 holds every line"}
                                        : fmt::format("of {} lines none was seen in it: the L1 "
                                                      "hides them, or its time is that of DRAM",
                                                      in_l1 + 1));
    const std::string of_l2 = fmt::format("{}/lines={}", benchmark, in_both);
    read_distance("memories/l2/latency", of_l2, 1, measurements_, basis_, ledger_);
    if (in_both <= most_ways)
        read("memories/l2/ways", in_both, benchmark, series);
    else
        ledger_.unidentified("memories/l2/ways", fmt::format("at least {}", in_both));
}

std::optional<std::int64_t> CacheRelations::period(const std::string& path, std::int64_t ways,
                                                   bool of_l2) {
    const auto nothing = [&](const std::string& why) -> std::optional<std::int64_t> {
        ledger_.unidentified(path, why);
        return std::nullopt;
    };
    const std::int64_t lines = *std::find_if(line_tries.begin(), line_tries.end(),
                                             [&](std::int64_t tried) { return tried > ways; });
    std::vector<std::int64_t> strides = cache_strides();
    std::sort(strides.begin(), strides.end());
    looked_at_.clear();
    std::vector<Served> served;
    for (const std::int64_t stride : strides) {
        const std::string point = fmt::format("cache-sets/stride={}/lines={}", stride, lines);
        const auto* series = measurements_.find(point);
        if (series == nullptr) return nothing(measurements_.why_not(point));
        looked_at_.push_back(series);
        served.push_back(levels_.of(*series));
    }
    const Served driven_out = of_l2 ? Served::Dram : Served::L2;
    std::size_t first = 0;
    while (first < strides.size() && served[first] < driven_out)
        ++first;
    if (first == strides.size())
        return nothing(fmt::format("{} lines at no stride up to {} bytes fall on one set of {}",
                                   lines, strides.back(), ways));
    if (!of_l2) return strides[first];
    // What the L1 has says nothing of the L2, unless lines of a multiple of the stride do: were
    // the first on one set, so were those.
    for (std::size_t i = 0; i < first; ++i) {
        bool shows = served[i] == Served::L2;
        for (std::size_t j = i + 1; j < strides.size() && !shows; ++j)
            shows = strides[j] % strides[i] == 0 && served[j] == Served::L2;
        if (!shows) return nothing(fmt::format("the L1 hides lines {} bytes apart", strides[i]));
    }
    return strides[first];
}

void CacheRelations::read_sizes() {
    constexpr const char* no_ways = "the ways are not known";
    const auto l1_ways = ledger_.number("memories/l1/ways");
    const auto l1 = l1_ways ? period("memories/l1/size", *l1_ways, false) : std::nullopt;
    if (!l1_ways) ledger_.unidentified("memories/l1/size", no_ways);
    if (l1) {
        read("memories/l1/size", *l1_ways * *l1, "cache-sets", looked_at_);
        const auto line = ledger_.number("memories/l1/line");
        if (line && *l1 % *line == 0)
            read("memories/l1/sets", *l1 / *line, "cache-sets", looked_at_);
        else
            ledger_.unidentified("memories/l1/sets", "the line is not known");
    } else {
        ledger_.unidentified("memories/l1/sets", "the size is not known");
    }
    const auto l2_ways = ledger_.number("memories/l2/ways");
    if (!l2_ways) return ledger_.unidentified("memories/l2/size", no_ways);
    if (const auto l2 = period("memories/l2/size", *l2_ways, true))
        read("memories/l2/size", *l2_ways * *l2, "cache-sets", looked_at_);
}

void CacheRelations::read_sectors() {
    std::vector<const RecordedSeries*> series;
    std::vector<Served> served;
    const auto neither = [&](const std::string& why) {
        for (const char* path : {"memories/l1/sector", "memories/l2/sector"})
            if (!ledger_.knows(path)) ledger_.unidentified(path, why);
    };
    for (const std::int64_t offset : sector_offsets) {
        const std::string point = fmt::format("cache-sector/offset={}", offset);
        const auto* one = measurements_.find(point);
        if (one == nullptr) return neither(measurements_.why_not(point));
        series.push_back(one);
        served.push_back(levels_.of(*one));
    }
    if (!std::is_sorted(served.begin(), served.end()))
        return neither("bytes further away are served faster");
    const auto in_l1 =
        static_cast<std::size_t>(std::count(served.begin(), served.end(), Served::L1));
    const auto in_l2 =
        static_cast<std::size_t>(std::count(served.begin(), served.end(), Served::L2));
    if (in_l1 == 0 || in_l1 == served.size()) return neither("no end of a sector shows");
    read("memories/l1/sector", sector_offsets[in_l1], "cache-sector", series);
    if (in_l2 == 0)
        return neither(fmt::format("at most {}: the L1 hides it", sector_offsets[in_l1]));
    if (in_l1 + in_l2 == served.size()) return neither("no end of a sector shows");
    read("memories/l2/sector", sector_offsets[in_l1 + in_l2], "cache-sector", series);
}

/// The distance of lanes from which on each touches a line of its own.
void read_line(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    constexpr const char* path = "memories/l1/line";
    std::vector<const RecordedSeries*> series;
    std::vector<double> times;
    for (const std::int64_t distance : lane_distances) {
        const std::string point = fmt::format("coalescing/distance={}", distance);
        const auto* one = measurements.find(point);
        if (one == nullptr) return ledger.unidentified(path, measurements.why_not(point));
        const auto samples = distances(*one, basis);
        series.push_back(one);
        times.push_back(
            static_cast<double>(std::accumulate(samples.begin(), samples.end(), std::int64_t{0})) /
            static_cast<double>(samples.size()));
    }
    // Twice the distance takes twice the passes, up to the line. The first one takes one pass.
    const auto grows = [&](std::size_t i) {
        return times[i] - times[i - 1] > (times[i] - times.front()) / 4;
    };
    std::size_t last = times.size() - 1;
    while (last > 1 && !grows(last))
        --last;
    if (last == times.size() - 1 || last == 1)
        return ledger.unidentified(path, "no distance of lanes shows the end of a line");
    const std::int64_t line = lane_distances[last];
    ledger.read(path, {{line, line, line}, Sharpness::Exact, "coalescing", std::move(series)});
}

} // namespace

void read_caches(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    read_line(measurements, basis, ledger);
    const std::string hit_point = "cache-ways/lines=1";
    const std::string cold_point = "cache-ways/lines=0";
    const auto* hit = measurements.find(hit_point);
    const auto* cold = measurements.find(cold_point);
    const auto none = [&](const std::string& why) {
        for (const char* path :
             {"memories/l1/ways", "memories/l2/ways", "memories/l1/size", "memories/l1/sets",
              "memories/l2/size", "memories/l1/sector", "memories/l2/sector"})
            ledger.unidentified(path, why);
    };
    if (hit == nullptr || cold == nullptr)
        return none(measurements.why_not(hit == nullptr ? hit_point : cold_point));
    const Levels levels{*hit, *cold, basis};
    if (!levels.differ()) return none("a line that was loaded before is no faster");
    read_distance("memories/l1/latency", hit_point, 1, measurements, basis, ledger);
    CacheRelations relations{measurements, basis, levels, ledger};
    relations.read_ways();
    relations.read_sizes();
    relations.read_sectors();
}

} // namespace warpbound::harness
