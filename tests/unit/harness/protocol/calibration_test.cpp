#include "harness/calibration/calibrate.hpp"
#include "harness/calibration/relations.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpbound::harness {
namespace {

models::Architecture fermi() {
    return models::load_architecture("fermi-gtx470").value();
}

/// What the simulated card gives of some benchmarks.
std::vector<RecordedSeries> measured(const std::vector<std::string>& names) {
    const auto machine = fermi();
    const auto device = simulated_device(machine, {});
    Protocol protocol;
    protocol.repetitions = 400;
    std::vector<RecordedSeries> all;
    for (const auto& name : names) {
        const auto points = points_of(name, machine);
        EXPECT_TRUE(points) << to_string(points.error());
        for (const auto& point : points.value()) {
            const auto series = measure_point(*device, point, protocol, nullptr);
            EXPECT_TRUE(series) << to_string(series.error());
            all.push_back(
                {series_key(point, device->identity(), protocol), series.value().samples});
        }
    }
    return all;
}

const std::vector<std::string> some{
    "switched-off", "spacing-float-add",  "result-float-add", "dependent-add", "barrier",
    "start-order",  "crowd-switched-off", "crowd-float-add",  "result-dram",   "wake-order"};

Result<Calibration> calibrated(std::vector<RecordedSeries> series) {
    const auto measurements = Measurements::of(std::move(series), {20});
    if (!measurements) return measurements.as_failure();
    return calibrate(measurements.value());
}

const Finding* finding(const Calibration& calibration, const std::string& path) {
    const auto found =
        std::find_if(calibration.findings.begin(), calibration.findings.end(),
                     [&](const Finding& candidate) { return candidate.path == path; });
    return found == calibration.findings.end() ? nullptr : &*found;
}

TEST(Calibrate, ReadsVoudourisNumbersOffTheCard) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto expect = [&](const std::string& path, std::int64_t value) {
        const auto* found = finding(calibration.value(), path);
        ASSERT_NE(found, nullptr) << path;
        EXPECT_EQ(found->interval.lo, value) << path;
        EXPECT_EQ(found->interval.hi, value) << path;
    };
    expect("schedulers/same-warp-interval", 6);
    expect("schedulers/issue-slot", 2);
    expect("schedulers/count", 2);
    expect("classes/float-add/latency", 18);
    expect("classes/clock-read/latency", 18);
    EXPECT_EQ(finding(calibration.value(), "classes/float-add/latency")->benchmarks,
              (std::vector<std::string>{"result-float-add", "dependent-add"}));
    EXPECT_EQ(calibration.value().policy, "lrr");
}

TEST(Calibrate, NamesWhatWasNotMeasuredAndLeavesItUnknown) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration);
    const auto& missing = calibration.value().unidentified;
    EXPECT_TRUE(std::any_of(missing.begin(), missing.end(), [](const Unidentified& one) {
        return one.path == "write-buffer/entries" && !one.why.empty();
    }));
    const auto machine = describe(calibration.value(), {"card", "a card", "c.db", std::nullopt});
    ASSERT_TRUE(machine) << to_string(machine.error());
    const auto* entries = machine.value().write_buffer.find("entries");
    ASSERT_NE(entries, nullptr);
    EXPECT_FALSE(entries->interval);
}

TEST(Calibrate, RefusesTwoBenchmarksThatContradictEachOther) {
    auto series = measured(some);
    for (auto& one : series)
        if (one.key.name.substr(0, 13) == "dependent-add") {
            const std::int64_t n = std::stoll(one.key.name.substr(16));
            for (auto& sample : one.samples)
                sample.times.front() += n; // Each link of the chain takes a cycle longer.
        }
    const auto calibration = calibrated(std::move(series));
    ASSERT_FALSE(calibration);
    EXPECT_EQ(calibration.error().where, "classes/float-add/latency");
    EXPECT_NE(calibration.error().what.find("18 by result-float-add"), std::string::npos);
    EXPECT_NE(calibration.error().what.find("19 by dependent-add"), std::string::npos);
}

TEST(Calibrate, ReadsNothingWhereTheTimesLieOnNoLine) {
    auto series = measured(some);
    for (auto& one : series)
        if (one.key.name == "switched-off/n=16")
            for (auto& sample : one.samples)
                sample.times.front() += 1;
    const auto calibration = calibrated(std::move(series));
    ASSERT_TRUE(calibration);
    EXPECT_TRUE(calibration.value().findings.empty());
    const auto& missing = calibration.value().unidentified;
    ASSERT_FALSE(missing.empty());
    EXPECT_NE(missing.front().why.find("lie on no line"), std::string::npos);
}

TEST(Calibrate, RefusesSeriesOfAnotherKernelOrOfTwoMachines) {
    auto other_kernel = measured({"switched-off"});
    other_kernel.front().key.kernel_digest = "sha256:0";
    EXPECT_FALSE(Measurements::of(other_kernel, {20}));
    auto two = measured({"switched-off"});
    two.back().key.device_detail = "another";
    EXPECT_FALSE(Measurements::of(two, {20}));
    EXPECT_FALSE(Measurements::of({}, {20}));
}

TEST(Calibrate, SaysWhichSamplesAValueRestsOn) {
    auto series = measured({"switched-off", "spacing-float-add", "result-float-add"});
    const auto before = calibrated(series);
    ASSERT_TRUE(before);
    series.back().samples.back().seed += 1;
    const auto after = calibrated(series);
    ASSERT_TRUE(after);
    const std::string path = "classes/float-add/latency";
    const auto* first = finding(before.value(), path);
    const auto* second = finding(after.value(), path);
    ASSERT_TRUE(first != nullptr && second != nullptr);
    EXPECT_NE(first->digest, second->digest);
    EXPECT_EQ(source_of(*first, "c.db"), "campaign c.db: result-float-add (" + first->digest + ")");
}

TEST(Calibrate, WritesADescriptionThatReadsBackAndKeepsTheBaseForTheRest) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration);
    const auto machine = describe(calibration.value(), {"card", "a card", "c.db", fermi()});
    ASSERT_TRUE(machine) << to_string(machine.error());
    const auto back =
        models::read_architecture({"card.xml", models::write_architecture(machine.value())});
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_TRUE(models::same_machine(machine.value(), back.value()));
    const auto& add = machine.value().classes.at(assembly::OpcodeClass::FloatAdd).values;
    EXPECT_EQ(static_cast<int>(add.find("latency")->grade),
              static_cast<int>(models::Grade::Measured));
    EXPECT_EQ(machine.value().write_buffer.find("entries")->source, "V14 Fig. 25, 63");
}

TEST(Ledger, KeepsTheSharpestReading) {
    Ledger ledger;
    const RecordedSeries series{{}, {{0, 1, {1}}}};
    ledger.read("a/b", {{1, std::nullopt, 6}, Sharpness::AtMost, "coarse", {&series}});
    ledger.read("a/b", {{4, 4, 4}, Sharpness::Exact, "fine", {&series}});
    const auto findings = ledger.findings();
    ASSERT_TRUE(findings);
    EXPECT_EQ(findings.value().front().interval.lo, 4);
    EXPECT_EQ(ledger.number("a/b"), 4);
}

TEST(Nearest, RoundsHalvesUpward) {
    EXPECT_EQ(nearest(5, 2), 3);
    EXPECT_EQ(nearest(-5, 2), -2);
    EXPECT_EQ(nearest(-7, 4), -2);
    EXPECT_EQ(nearest(158, 32), 5);
}

} // namespace
} // namespace warpbound::harness
