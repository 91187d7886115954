/// \file
/// Calibrated values are read again off the bundle's samples; every planted change shows.

#include "certification/verify/refit.hpp"
#include "harness/calibration/calibrate.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace warpbound::certification::verify {
namespace {

using testing::HasSubstr;

std::vector<harness::RecordedSeries> measured() {
    const auto machine = models::load_architecture("fermi-gtx470").value();
    const auto device = harness::simulated_device(machine, {});
    harness::Protocol protocol;
    protocol.repetitions = 60;
    std::vector<harness::RecordedSeries> all;
    for (const char* name : {"switched-off", "spacing-float-add", "result-float-add", "barrier"}) {
        const auto points = harness::points_of(name, machine);
        for (const auto& point : points.value())
            all.push_back(
                {harness::series_key(point, device->identity(), protocol),
                 harness::measure_point(*device, point, protocol, nullptr).value().samples});
    }
    return all;
}

/// A bundle whose description was read off its samples.
Evidence calibrated() {
    Evidence evidence;
    const auto recorded = measured();
    for (const auto& series : recorded)
        evidence.calibration.push_back({series.key.name, series.key, series.samples});
    const auto calibration =
        harness::calibrate(harness::Measurements::of(recorded, assembly::Target{20}).value());
    const auto base = models::load_architecture("fermi-gtx470").value();
    auto kernel = std::make_unique<KernelCase>();
    kernel->architecture_path = "model/card.xml";
    kernel->architecture =
        harness::describe(calibration.value(), {"card", "a card", "c.db", base}).value();
    evidence.kernels.push_back(std::move(kernel));
    return evidence;
}

/// Changes the samples of a series.
template <class Change>
void change_samples(Evidence& evidence, const std::string& name, const Change& change) {
    for (auto& series : evidence.calibration)
        if (series.key.name == name) {
            auto samples = series.samples.unpacked();
            change(samples);
            series.samples = samples;
            return;
        }
    throw std::runtime_error{"no series " + name};
}

TEST(Refit, HoldsWhereTheSamplesShowWhatTheDescriptionSays) {
    const auto step = check_refit(calibrated());
    EXPECT_EQ(step.verdict, Verdict::Holds) << step.detail;
}

TEST(Refit, FindsAnOutlierThatWasRemoved) {
    Evidence evidence = calibrated();
    change_samples(evidence, "barrier", [](auto& samples) {
        samples.erase(
            std::max_element(samples.begin(), samples.end(),
                             [](const auto& a, const auto& b) { return a.times < b.times; }));
    });
    const auto step = check_refit(evidence);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("a run was left out"));
}

TEST(Refit, FindsATimeThatWasLowered) {
    Evidence evidence = calibrated();
    change_samples(evidence, "result-float-add", [](auto& samples) {
        for (auto& sample : samples)
            sample.times.front() -= 1;
    });
    const auto step = check_refit(evidence);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("classes/float-add/latency is 18, and the samples show 17"));
}

TEST(Refit, FindsALatencyThatWasLowered) {
    Evidence evidence = calibrated();
    for (auto& value : evidence.kernels.front()
                           ->architecture.classes.at(assembly::OpcodeClass::FloatAdd)
                           .values.values)
        if (value.name == "latency") value.interval = models::Interval{17, 17, 17};
    const auto step = check_refit(evidence);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("is 17, and the samples show 18"));
}

TEST(Refit, FindsAValueThatNamesOtherSamples) {
    Evidence evidence = calibrated();
    // The middle sample alone changes neither end of the range: only the digest tells.
    change_samples(evidence, "barrier", [](auto& samples) {
        std::vector<std::int64_t> times;
        for (const auto& sample : samples)
            times.push_back(sample.times.front());
        std::sort(times.begin(), times.end());
        const std::int64_t middle = times[(times.size() - 1) / 2];
        for (auto& sample : samples)
            if (sample.times.front() > middle && sample.times.front() < times.back()) {
                sample.times.front() -= 1;
                break;
            }
    });
    const auto step = check_refit(evidence);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("names other samples"));
}

TEST(Refit, FindsARangeThatDoesNotSayWhatItIs) {
    Evidence evidence = calibrated();
    auto& values = evidence.kernels.front()
                       ->architecture.classes.at(assembly::OpcodeClass::Barrier)
                       .values.values;
    int taken = 0;
    for (auto& value : values)
        if (value.grade == models::Grade::Measured && !value.reason.empty()) {
            value.reason.clear();
            ++taken;
        }
    ASSERT_GT(taken, 0);
    const auto step = check_refit(evidence);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("does not say so"));
}

TEST(Refit, FailsOnSamplesThatNoLaunchGives) {
    const std::vector<std::function<void(harness::Sample&)>> damages{
        [](auto& sample) { sample.times.clear(); }, [](auto& sample) { sample.times.push_back(1); },
        [](auto& sample) { sample.times.front() = std::numeric_limits<std::int64_t>::max(); },
        [](auto& sample) { sample.times.front() = -1; }};
    for (const auto& damage : damages) {
        Evidence evidence = calibrated();
        change_samples(evidence, "barrier", [&](auto& samples) { damage(samples.front()); });
        const auto step = check_refit(evidence);
        EXPECT_EQ(step.verdict, Verdict::Failed);
        EXPECT_THAT(step.detail, HasSubstr("barrier: run 0 has"));
    }
}

TEST(Refit, IsIncompleteWithoutTheSamples) {
    Evidence evidence = calibrated();
    evidence.calibration.clear();
    EXPECT_EQ(check_refit(evidence).verdict, Verdict::Incomplete);
}

} // namespace
} // namespace warpbound::certification::verify
