#include "harness/calibration/measurements.hpp"

#include "assembly/amd/processor.hpp"
#include "harness/card_identity.hpp"
#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/benchmarks/stated_benchmarks.hpp"
#include "harness/suite/emission/stated_emission.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace warpbound::harness {

namespace {

/// Generations with hardware interlocks, for which the suite needs no architecture description.
constexpr std::array<assembly::Target, 2> interlocked_targets{{{20}, {21}}};
/// Targets of machines with encoded issue control for which the suite states control fields.
constexpr auto stated_targets =
    std::to_array<int>({70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121});

struct Expected {
    std::string kernel_digest;
    std::string facts_digest;
    models::Launch launch;
    Quantity quantity = Quantity::Region;
    std::int64_t runs = 0; ///< Minimum number.
};

bool is_interlocked(assembly::Target target) {
    return std::find(interlocked_targets.begin(), interlocked_targets.end(), target) !=
           interlocked_targets.end();
}

/// A machine of which the target alone is known.
models::Architecture stranger(assembly::Target target) {
    models::Architecture machine;
    machine.name = to_string(target);
    machine.target = target;
    return machine;
}

Expected expectation_of(const BenchmarkPoint& point) {
    return {assembly::digest_of(point.code()),
            assembly::digest_of(models::write_flow_facts(point.facts)), point.launch,
            point.quantity,
            point.most_runs > 0 ? std::min(point.most_runs, enough_runs) : enough_runs};
}

/// Who recorded the series: cards and simulated machines of AMD run other texts.
enum class Recorder { Card, Simulated };

Result<std::vector<BenchmarkPoint>> points_on(const Benchmark& benchmark, assembly::Target target,
                                              Recorder recorder) {
    const bool runs_listings =
        is_interlocked(target) || (is_amd(target) && recorder == Recorder::Simulated);
    return runs_listings ? points_of(benchmark.name, stranger(target))
                         : card_points_of(benchmark.name, target);
}

/// The points of the suite for a machine of that generation: listings if the hardware interlocks,
/// else PTX of the benchmarks that do not need interlocks.
Result<std::map<std::string, Expected>> expected_points(assembly::Target target,
                                                        Recorder recorder) {
    std::map<std::string, Expected> expected;
    for (const auto& benchmark : benchmarks()) {
        if (benchmark.calibrates.empty()) continue;
        if (!is_interlocked(target) && benchmark.interlocked) continue;
        const auto points = points_on(benchmark, target, recorder);
        if (!points && is_amd(target)) continue; // What AMD's code cannot be.
        if (!points) return points.as_failure();
        for (const auto& point : points.value())
            expected[point.name] = expectation_of(point);
    }
    return expected;
}

/// Whether one of the series is of the kernels that simulated machines of the target run.
Result<bool> is_of(const std::vector<RecordedSeries>& series, assembly::Target target) {
    const auto expected = expected_points(target, Recorder::Simulated);
    if (!expected) return expected.as_failure();
    return std::ranges::any_of(series, [&](const RecordedSeries& one) {
        const auto found = expected.value().find(one.key.name);
        return found != expected.value().end() &&
               found->second.kernel_digest == one.key.kernel_digest;
    });
}

std::string benchmark_of(const SeriesKey& key) {
    return key.name.substr(0, key.name.find('/'));
}

/// Adds the points with stated control fields of the benchmarks that the series are of.
Result<void> expect_stated(const std::vector<RecordedSeries>& series, assembly::Target target,
                           std::map<std::string, Expected>& expected) {
    if (is_interlocked(target) || target.sm < first_stated_target)
        return boost::outcome_v2::success();
    std::set<std::string> named;
    for (const auto& one : series)
        named.insert(benchmark_of(one.key));
    for (const auto& benchmark : benchmarks_of_encoded_machines()) {
        if (!named.contains(benchmark.name)) continue;
        const auto points = points_of(benchmark.name, stranger(target));
        if (!points) return points.as_failure();
        for (const auto& point : points.value())
            expected[point.name] = expectation_of(point);
    }
    return boost::outcome_v2::success();
}

bool is_stated(const std::string& point) {
    return point.starts_with(stated_prefix);
}

/// The target whose code a series with stated control fields ran; empty: none.
Result<std::optional<assembly::Target>> stated_target_of(const SeriesKey& key) {
    for (const int sm : stated_targets) {
        const auto points = points_of(benchmark_of(key), stranger({sm}));
        if (!points) return points.as_failure();
        for (const auto& point : points.value())
            if (point.name == key.name && assembly::digest_of(point.code()) == key.kernel_digest)
                return std::optional{assembly::Target{sm}};
    }
    return std::optional<assembly::Target>{};
}

Result<void> check(const SeriesKey& key, const Expected& expected, const SeriesKey& first) {
    const auto differs = [&](std::string_view what, const std::string& is,
                             const std::string& wanted) {
        return Failure{fmt::format("was recorded with {} '{}'; expected '{}'", what, is, wanted),
                       key.name};
    };
    if (key.kernel_digest != expected.kernel_digest)
        return differs("the kernel", key.kernel_digest, expected.kernel_digest);
    if (key.facts_digest != expected.facts_digest)
        return differs("the facts", key.facts_digest, expected.facts_digest);
    if (const auto launch = models::to_string(expected.launch); key.launch != launch)
        return differs("the launch", key.launch, launch);
    if (const std::string quantity{to_string(expected.quantity)}; key.quantity != quantity)
        return differs("the quantity", key.quantity, quantity);
    if (key.device != first.device) return differs("device", key.device, first.device);
    if (key.device_detail != first.device_detail)
        return differs("machine", key.device_detail, first.device_detail);
    if (key.protocol != first.protocol) return differs("protocol", key.protocol, first.protocol);
    return boost::outcome_v2::success();
}

/// Several targets have the same PTX, so the kernel alone does not identify the target of a card.
Result<void> check_card(const SeriesKey& key, assembly::Target target) {
    if (!is_card(key.device)) return boost::outcome_v2::success();
    const auto of_card = target_of_card({key.device, key.device_detail});
    if (!of_card) return of_card.as_failure();
    if (of_card.value() == target) return boost::outcome_v2::success();
    return Failure{fmt::format("was recorded on a card of {}; expected {}",
                               to_string(of_card.value()), to_string(target)),
                   key.name};
}

/// Checks that the times of a run are valid for the quantity; imported samples may hold anything.
Result<void> check(const Sample& sample, const SeriesKey& key, const Expected& expected) {
    const auto wrong = [&](const std::string& what) {
        return Failure{fmt::format("run {} {}", sample.run, what), key.name};
    };
    const auto& times = sample.times;
    if (const auto what = contradiction_in(times, expected.quantity, expected.launch);
        !what.empty())
        return wrong(what);
    if (expected.quantity == Quantity::ResidentBlocks) return boost::outcome_v2::success();
    for (const auto time : times)
        if (time < 0 || time > models::largest_cycles)
            return wrong(
                fmt::format("has a time of {}; expected 0 to {}", time, models::largest_cycles));
    if (expected.quantity != Quantity::Clocks) return boost::outcome_v2::success();
    for (std::size_t i = 0; i < times.size(); i += 2)
        if (times[i + 1] < times[i])
            return wrong(fmt::format("has the clocks {} and {} of one warp; expected the first one "
                                     "to be no later",
                                     times[i], times[i + 1]));
    if (*std::min_element(times.begin(), times.end()) != 0)
        return wrong("has no clock 0; expected clocks since the earliest");
    return boost::outcome_v2::success();
}

} // namespace

std::int64_t lanes_of_warp(assembly::Target target) {
    const auto dialect = amd_dialect(target);
    return dialect ? dialect.value().lanes : 32;
}

std::string why_few_values(assembly::Target target) {
    return is_amd(target) ? "of AMD's machines only occupancy limits are calibrated"
                          : encoded_times_issue;
}

bool calibrates(const SeriesKey& key) {
    const std::string_view name = std::string_view{key.name}.substr(0, key.name.find('/'));
    const auto is_it = [&](const Benchmark& benchmark) {
        return benchmark.name == name && !benchmark.calibrates.empty();
    };
    return std::ranges::any_of(benchmarks(), is_it) ||
           std::ranges::any_of(benchmarks_of_encoded_machines(), is_it);
}

Result<assembly::Target> target_of(const std::vector<RecordedSeries>& series) {
    for (const auto& one : series)
        if (calibrates(one.key) && is_card(one.key.device))
            return target_of_card({one.key.device, one.key.device_detail});
    std::vector<assembly::Target> targets = assembly::amd::processor_targets();
    targets.insert(targets.begin(), interlocked_targets.begin(), interlocked_targets.end());
    for (const assembly::Target target : targets) {
        const auto found = is_of(series, target);
        if (!found) return found.as_failure();
        if (found.value()) return target;
    }
    for (const auto& one : series) {
        if (!calibrates(one.key) || !is_stated(one.key.name)) continue;
        const auto target = stated_target_of(one.key);
        if (!target) return target.as_failure();
        if (target.value()) return *target.value();
    }
    std::vector<std::string> names;
    for (const assembly::Target target : interlocked_targets)
        names.push_back(to_string(target));
    return Failure{fmt::format("holds no series of this version's calibration suite; `measure "
                               "--suite calibration` records them on machines of {}, `measure "
                               "--suite calibration-encoded` on simulated ones of sm_{} and later, "
                               "`measure --suite residence` what can be calibrated on cards and "
                               "AMD's machines: {}",
                               fmt::join(names, " and "), first_stated_target, encoded_times_issue),
                   "campaign"};
}

std::string digest_of_series(const std::vector<const RecordedSeries*>& series) {
    std::string text;
    for (const auto* one : series) {
        const SeriesKey& key = one->key;
        for (const auto* field :
             {&key.name, &key.device, &key.device_detail, &key.protocol, &key.kernel_digest,
              &key.facts_digest, &key.launch, &key.quantity})
            text += fmt::format("{}:{}\n", field->size(), *field);
        for (const Sample& sample : one->samples) {
            text += fmt::format("{} {} {}", sample.run, sample.seed, fmt::join(sample.times, " "));
            if (sample.remark.anomaly != RunAnomaly::None)
                text += fmt::format(" {} {}:{}", to_string(sample.remark.anomaly),
                                    sample.remark.text.size(), sample.remark.text);
            text += '\n';
        }
    }
    return assembly::digest_of(text);
}

Result<Measurements> Measurements::of(std::vector<RecordedSeries> series, assembly::Target target) {
    const bool is_of_card = std::ranges::any_of(
        series, [](const RecordedSeries& one) { return is_card(one.key.device); });
    auto expected = expected_points(target, is_of_card ? Recorder::Card : Recorder::Simulated);
    if (!expected) return expected.as_failure();
    if (auto added = expect_stated(series, target, expected.value()); !added)
        return added.as_failure();
    Measurements measurements;
    measurements.target_ = target;
    measurements.interlocks_ = is_interlocked(target);
    for (auto& one : series) {
        const auto found = expected.value().find(one.key.name);
        if (found == expected.value().end() || one.samples.empty()) continue;
        const SeriesKey& first = measurements.by_point_.empty()
                                     ? one.key
                                     : measurements.by_point_.begin()->second.series.key;
        if (auto same = check(one.key, found->second, first); !same) return same.as_failure();
        if (auto card = check_card(one.key, target); !card) return card.as_failure();
        if (auto good = check_anomalies(one.key, one.samples, runs_without_anomaly); !good)
            return good.as_failure();
        for (const auto& sample : one.samples)
            if (auto whole = check(sample, one.key, found->second); !whole)
                return whole.as_failure();
        measurements.device_ = one.key.device;
        const std::string point = one.key.name;
        if (!measurements.by_point_.try_emplace(point, Kept{std::move(one), found->second.runs})
                 .second)
            return Failure{"there are two series of this point; expected one", point};
    }
    if (measurements.by_point_.empty() && !measurements.interlocks_)
        return Failure{fmt::format("holds no series that calibrates {}, which `measure --suite "
                                   "residence` records on a card{}; {}",
                                   to_string(target),
                                   is_amd(target) ? " or a simulated machine" : "",
                                   why_few_values(target)),
                       "campaign"};
    if (measurements.by_point_.empty())
        return Failure{"holds no series of the calibration suite; `measure --suite calibration` "
                       "records them",
                       "campaign"};
    measurements.states_control_ = std::ranges::any_of(
        measurements.by_point_, [](const auto& one) { return is_stated(one.first); });
    return measurements;
}

Measurements::ByPoint::const_iterator Measurements::located(const std::string& point) const {
    const auto found = by_point_.find(point);
    return found == by_point_.end() && !interlocks_
               ? by_point_.find(std::string{stated_prefix} + point)
               : found;
}

const RecordedSeries* Measurements::find(const std::string& point) const {
    const auto found = located(point);
    return found == by_point_.end() || !why_not(point).empty() ? nullptr : &found->second.series;
}

std::string Measurements::why_not(const std::string& point) const {
    const auto found = located(point);
    if (found == by_point_.end())
        return (states_control_ ? std::string{stated_prefix} : std::string{}) + point +
               " was not measured";
    const auto runs = static_cast<std::int64_t>(found->second.series.samples.size());
    if (runs >= found->second.runs_needed) return {};
    return fmt::format("{} has {} run{}; {} are needed", point, runs, runs == 1 ? "" : "s",
                       found->second.runs_needed);
}

} // namespace warpbound::harness
