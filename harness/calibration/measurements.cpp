#include "harness/calibration/measurements.hpp"

#include "harness/suite/benchmark.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

namespace {

struct Expected {
    std::string kernel_digest;
    std::string facts_digest;
    std::string launch;
    std::string quantity;
};

/// What the suite would run on a machine of that generation, by point.
Result<std::map<std::string, Expected>> expected_points(assembly::Target target) {
    models::Architecture machine;
    machine.name = to_string(target);
    machine.target = target;
    std::map<std::string, Expected> expected;
    for (const auto& benchmark : benchmarks()) {
        if (benchmark.calibrates.empty()) continue;
        const auto points = points_of(benchmark.name, machine);
        if (!points) return points.as_failure();
        for (const auto& point : points.value())
            expected[point.name] = {assembly::digest_of(point.text),
                                    assembly::digest_of(models::write_flow_facts(point.facts)),
                                    models::to_string(point.launch),
                                    std::string{to_string(point.quantity)}};
    }
    return expected;
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
    if (key.launch != expected.launch) return differs("the launch", key.launch, expected.launch);
    if (key.quantity != expected.quantity)
        return differs("the quantity", key.quantity, expected.quantity);
    if (key.device != first.device) return differs("device", key.device, first.device);
    if (key.device_detail != first.device_detail)
        return differs("machine", key.device_detail, first.device_detail);
    if (key.protocol != first.protocol) return differs("protocol", key.protocol, first.protocol);
    return boost::outcome_v2::success();
}

} // namespace

std::string digest_of_series(const std::vector<const RecordedSeries*>& series) {
    std::string text;
    for (const auto* one : series) {
        const SeriesKey& key = one->key;
        for (const auto* field :
             {&key.name, &key.device, &key.device_detail, &key.protocol, &key.kernel_digest,
              &key.facts_digest, &key.launch, &key.quantity})
            text += fmt::format("{}:{}\n", field->size(), *field);
        for (const Sample& sample : one->samples)
            text +=
                fmt::format("{} {} {}\n", sample.run, sample.seed, fmt::join(sample.times, " "));
    }
    return assembly::digest_of(text);
}

Result<Measurements> Measurements::of(std::vector<RecordedSeries> series, assembly::Target target) {
    const auto expected = expected_points(target);
    if (!expected) return expected.as_failure();
    Measurements measurements;
    measurements.target_ = target;
    for (auto& one : series) {
        const auto found = expected.value().find(one.key.name);
        if (found == expected.value().end() || one.samples.empty()) continue;
        const SeriesKey& first =
            measurements.by_point_.empty() ? one.key : measurements.by_point_.begin()->second.key;
        if (auto same = check(one.key, found->second, first); !same) return same.as_failure();
        measurements.device_ = one.key.device;
        measurements.by_point_.emplace(one.key.name, std::move(one));
    }
    if (measurements.by_point_.empty())
        return Failure{"holds no series of the calibration suite; `measure --suite calibration` "
                       "records them",
                       "campaign"};
    return measurements;
}

const RecordedSeries* Measurements::find(const std::string& point) const {
    const auto found = by_point_.find(point);
    return found == by_point_.end() ? nullptr : &found->second;
}

} // namespace warpbound::harness
