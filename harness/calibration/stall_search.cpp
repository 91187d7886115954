/// \file
/// Fixed latencies of machines with encoded issue control: below its latency a result is not in its
/// register yet, and the consumer reads what was there before (C97).

#include "harness/suite/benchmarks/stall_search.hpp"

#include "harness/calibration/relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness {

namespace {

/// What the consumers of a class read.
struct Reads {
    std::int64_t longest_wrong = 0;             ///< Stall count of a wrong word; 0: none was wrong.
    std::optional<std::int64_t> shortest_right; ///< Of a right word after exactly so many cycles.
    std::vector<const RecordedSeries*> series;
};

/// Refuses, with the reason, times that contradict the stall counts.
Result<Reads> reads_of(const std::string& benchmark, const Measurements& measurements,
                       const Basis& basis) {
    Reads reads;
    for (std::int64_t stall = 1; stall <= longest_search; ++stall) {
        const std::string point = fmt::format("{}/stall={}", benchmark, stall);
        const auto* series = measurements.find(point);
        if (series == nullptr) return Failure{measurements.why_not(point)};
        const std::int64_t stated = basis.empty_region + stated_cycles_of_search(stall);
        for (const auto& sample : series->samples)
            for (std::size_t i = 0; i + 1 < sample.times.size(); i += 2) {
                const std::int64_t time = sample.times[i];
                if (time < stated)
                    return Failure{fmt::format("{} took {} cycles; its stall counts state {}",
                                               point, time, stated)};
                // A consumer that was delayed read later than stated: that it read the right word
                // shows nothing.
                if (sample.times[i + 1] != 0)
                    reads.longest_wrong = stall;
                else if (time == stated && !reads.shortest_right)
                    reads.shortest_right = stall;
            }
        reads.series.push_back(series);
    }
    return reads;
}

} // namespace

void read_searches(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    for (const auto& name : searched_classes()) {
        const std::string path = fmt::format("classes/{}/latency", name);
        const std::string benchmark = "search-" + name;
        ledger.withdraw(path, {}); // Its benchmark is for machines with interlocks.
        auto found = reads_of(benchmark, measurements, basis);
        if (!found) {
            ledger.unidentified(path, found.error().what);
            continue;
        }
        auto& [longest_wrong, shortest_right, series] = found.value();
        const std::int64_t highest = longest_wrong + 1;
        if (!shortest_right)
            ledger.unidentified(path, fmt::format("{}: no consumer reads the result within {} "
                                                  "cycles, or all were delayed",
                                                  benchmark, longest_search));
        else if (longest_wrong == 0)
            // Then the search may not see wrong words at all.
            ledger.unidentified(path, fmt::format("{}: no consumer reads a wrong word; it is {} at "
                                                  "most, if one can",
                                                  benchmark, *shortest_right));
        else if (longest_wrong == longest_search)
            ledger.unidentified(path, fmt::format("{}: at least {}", benchmark, highest));
        else if (*shortest_right > highest)
            ledger.unidentified(path, fmt::format("{}: every consumer between {} and {} cycles was "
                                                  "delayed",
                                                  benchmark, highest, *shortest_right));
        else
            ledger.read(path, {{*shortest_right, std::nullopt, highest},
                               *shortest_right == highest ? Sharpness::Exact : Sharpness::Range,
                               benchmark,
                               std::move(series)});
    }
}

} // namespace warpbound::harness
