#include "harness/calibration/relations.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "harness/suite/benchmarks/specimens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness {

namespace {

/// The cost of one more transaction, from an access with one transaction and one with many.
void read_pass_cost(const std::string& path, const std::string& benchmark,
                    const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const std::string of_one = benchmark + "/passes=1";
    const std::string of_many = fmt::format("{}/passes={}", benchmark, many_passes);
    const auto* one = measurements.find(of_one);
    const auto* many = measurements.find(of_many);
    if (one == nullptr || many == nullptr)
        return ledger.unidentified(path, measurements.why_not(one == nullptr ? of_one : of_many));
    const auto single = distances(*one, basis);
    auto samples = distances(*many, basis);
    const auto [lowest, highest] = std::minmax_element(single.begin(), single.end());
    if (*lowest <= basis.step)
        return ledger.unidentified(path, "the latency of one transaction does not show");
    constexpr std::int64_t further = many_passes - 1;
    if (*highest - *lowest < further) {
        // The latency is known more precisely than the effect of one cycle of pass cost.
        for (auto& sample : samples)
            sample = nearest(2 * sample - *lowest - *highest, 2 * further);
        return ledger.read(path, reading_of(std::move(samples), benchmark, {one, many}));
    }
    // Only the extremes can be related: latency and pass cost were both small, or both large.
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
    const std::int64_t lo = nearest(*least - *lowest, further);
    const std::int64_t hi = nearest(*most - *highest, further);
    if (lo > hi || lo < 0)
        return ledger.unidentified(path, "it is smaller than the variation of the latency");
    // A range even if both ends round to one number: the samples were not all equal.
    ledger.read(path, {{lo, std::nullopt, hi}, Sharpness::Range, benchmark, {one, many}});
}

/// Latency from the slope of a dependence chain: independent of the delay of a single result.
void read_chain(const std::string& benchmark, const std::string& path,
                const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    std::vector<const RecordedSeries*> series;
    std::vector<std::int64_t> times;
    constexpr std::array<std::int64_t, 5> counts{1, 2, 4, 8, 16};
    for (const std::int64_t n : counts) {
        series.push_back(measurements.find(fmt::format("{}/n={}", benchmark, n)));
        const auto time = constant_time(series.back());
        if (!time) return; // Not measured, or not constant: the result delay is the only reading.
        times.push_back(*time);
    }
    const std::int64_t slope = times[1] - times[0];
    for (std::size_t i = 1; i < times.size(); ++i)
        if (times[i] - times[0] != slope * (counts[i] - counts[0])) return;
    // The chain may wait for the port instead of the result.
    const auto initiation = ledger.interval(path.substr(0, path.rfind('/')) + "/initiation");
    if (slope > basis.step && initiation && slope > initiation->hi)
        ledger.read(path, {{slope, slope, slope}, Sharpness::Exact, benchmark, std::move(series)});
}

} // namespace

std::vector<std::int64_t> all_times(const RecordedSeries& series) {
    std::vector<std::int64_t> times;
    for (const auto& sample : series.samples)
        times.insert(times.end(), sample.times.begin(), sample.times.end());
    return times;
}

std::optional<std::int64_t> constant_time(const RecordedSeries* series) {
    if (series == nullptr) return std::nullopt;
    const auto times = all_times(*series);
    const bool same =
        std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>{}) == times.end();
    return same ? std::optional{times.front()} : std::nullopt;
}

std::int64_t nearest(std::int64_t dividend, std::int64_t divisor) {
    const std::int64_t twice = 2 * dividend + divisor;
    const std::int64_t quotient = twice / (2 * divisor);
    return twice % (2 * divisor) < 0 ? quotient - 1 : quotient;
}

std::vector<std::int64_t> distances(const RecordedSeries& series, const Basis& basis) {
    std::vector<std::int64_t> found = all_times(series);
    for (auto& time : found)
        time -= basis.empty_region + (2 * padding + 1) * basis.step;
    return found;
}

Reading reading_of(std::vector<std::int64_t> samples, std::string benchmark,
                   std::vector<const RecordedSeries*> series) {
    std::sort(samples.begin(), samples.end());
    Reading reading;
    reading.interval = {samples.front(), samples[(samples.size() - 1) / 2], samples.back()};
    reading.sharpness = samples.front() == samples.back() ? Sharpness::Exact : Sharpness::Range;
    reading.benchmark = std::move(benchmark);
    reading.series = std::move(series);
    return reading;
}

void read_distance(const std::string& path, const std::string& point, std::int64_t least,
                   const Measurements& measurements, const Basis& basis, Ledger& ledger,
                   const std::vector<const RecordedSeries*>& also) {
    const auto* series = measurements.find(point);
    if (series == nullptr) return ledger.unidentified(path, measurements.why_not(point));
    std::vector<const RecordedSeries*> all{series};
    all.insert(all.end(), also.begin(), also.end());
    auto samples = distances(*series, basis);
    const auto [lowest, highest] = std::minmax_element(samples.begin(), samples.end());
    if (*lowest < basis.step)
        return ledger.unidentified(
            path, fmt::format("{} took less time than its instructions need", point));
    const std::string benchmark = point.substr(0, point.find('/'));
    if (*highest > basis.step)
        return ledger.read(path, reading_of(std::move(samples), benchmark, std::move(all)));
    ledger.read(path,
                {{least, std::nullopt, basis.step}, Sharpness::AtMost, benchmark, std::move(all)});
}

void read_port_time(const std::string& name, const Measurements& measurements, const Basis& basis,
                    Ledger& ledger) {
    const std::string path = fmt::format("classes/{}/initiation", name);
    const std::string benchmark = "port-" + name;
    const auto* series = measurements.find(benchmark);
    if (series == nullptr) return ledger.unidentified(path, measurements.why_not(benchmark));
    auto samples = distances(*series, basis);
    if (*std::min_element(samples.begin(), samples.end()) <= basis.step)
        return ledger.unidentified(path,
                                   benchmark + ": many transactions take no longer than a step");
    for (auto& sample : samples) {
        if (sample % many_passes != 0)
            return ledger.unidentified(
                path,
                fmt::format("{}: {} cycles are not a whole number for each of {} transactions",
                            benchmark, sample, many_passes));
        sample /= many_passes;
    }
    ledger.read(path, reading_of(std::move(samples), benchmark, {series}));
}

std::optional<Basis> read_steps(const Measurements& measurements, Ledger& ledger) {
    const std::string benchmark = "switched-off";
    constexpr const char* step_path = "schedulers/same-warp-interval";
    constexpr const char* clock_path = "classes/clock-read/latency";
    std::vector<const RecordedSeries*> series;
    constexpr auto counts = line_counts;
    std::array<std::int64_t, counts.size()> times{};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::string point = fmt::format("{}/n={}", benchmark, counts[i]);
        series.push_back(measurements.find(point));
        const auto time = constant_time(series.back());
        if (!time) {
            const std::string why = series.back() == nullptr ? measurements.why_not(point)
                                                             : "the samples are not constant";
            ledger.unidentified(step_path, why);
            ledger.unidentified(clock_path, why);
            return std::nullopt;
        }
        times[i] = *time;
    }
    Basis basis;
    basis.step = (times[2] - times[1]) / (counts[2] - counts[1]);
    basis.empty_region = times[2] - counts[2] * basis.step;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (times[i] != basis.empty_region + counts[i] * basis.step || basis.step < 1) {
            const std::string why = fmt::format("times {} of n = {} are not linear in n",
                                                fmt::join(times, ", "), fmt::join(counts, ", "));
            ledger.unidentified(step_path, why);
            ledger.unidentified(clock_path, why);
            return std::nullopt;
        }
    // The instruction after the first clock read waits for the clock value.
    const std::int64_t latency = basis.empty_region - basis.step;
    if (latency > basis.step)
        ledger.read(clock_path,
                    {{latency, latency, latency}, Sharpness::Exact, benchmark, std::move(series)});
    else
        ledger.read(
            clock_path,
            {{0, std::nullopt, basis.step}, Sharpness::AtMost, benchmark, std::move(series)});
    return basis;
}

void read_delays(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const auto read = [&](const std::string& path, const std::string& point, std::int64_t least) {
        read_distance(path, point, least, measurements, basis, ledger);
    };
    for (const auto& of : calibrated_classes()) {
        const std::string path = "classes/" + of.name;
        // Stores may wait for the write buffer.
        if (!of.is_buffered) read(path + "/initiation", "spacing-" + of.name, 1);
        if (!of.is_buffered && of.has_passes) read_port_time(of.name, measurements, basis, ledger);
        if (of.result_point.empty()) continue;
        read(path + "/latency", of.result_point, 0);
        if (of.has_passes)
            read_pass_cost(path + "/pass-cost", "result-" + of.name, measurements, basis, ledger);
    }
    for (const std::string level : {"l1", "l2", "dram"}) {
        read("memories/" + level + "/latency", "result-" + level + "/passes=1", 1);
        read_pass_cost("classes/load-global/pass-cost", "result-" + level, measurements, basis,
                       ledger);
    }
    for (const std::string direction : {"branch-taken", "branch-not-taken"})
        read("control-flow/" + direction, direction, 0);
    read("classes/barrier/latency", "barrier", 0);
    for (const auto& [chain, name] : {std::pair{"dependent-add", "float-add"},
                                      {"dependent-mul", "float-multiply"},
                                      {"dependent-mad", "float-multiply-add"},
                                      {"dependent-cos", "special-function"}})
        read_chain(chain, fmt::format("classes/{}/latency", name), measurements, basis, ledger);
    for (const auto& of : calibrated_classes())
        read_chain("dependent-" + of.name, fmt::format("classes/{}/latency", of.name), measurements,
                   basis, ledger);
}

} // namespace warpbound::harness
