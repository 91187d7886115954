#include "harness/calibration/calibrate.hpp"
#include "harness/calibration/levels.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"
#include "models/architecture/value_path.hpp"
#include "models/warp_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace warpbound::harness {
namespace {

models::Architecture fermi() {
    return models::load_architecture("fermi-gtx470").value();
}

/// What a simulated machine gives of some benchmarks.
std::vector<RecordedSeries> measured_on(const models::Architecture& machine,
                                        const std::vector<std::string>& names,
                                        std::int64_t repetitions, const std::string& policy) {
    const auto device = simulated_device(machine, models::read_policy(policy).value());
    Protocol protocol;
    protocol.repetitions = repetitions;
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

/// What the simulated card gives.
std::vector<RecordedSeries> measured(const std::vector<std::string>& names,
                                     std::int64_t repetitions = 400,
                                     const std::string& policy = "lrr") {
    return measured_on(fermi(), names, repetitions, policy);
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

const Unidentified* reason(const Calibration& calibration, const std::string& path) {
    const auto& all = calibration.unidentified;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Unidentified& candidate) {
        return candidate.path == path;
    });
    return found == all.end() ? nullptr : &*found;
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

// V14 left size and drain open (9.2); the description assumes 8 entries and 5 to 8 cycles each.
TEST(Calibrate, ReadsTheWriteBufferOffTheCard) {
    const auto calibration = calibrated(measured(
        {"switched-off", "start-order", "crowd-switched-off", "spacing-store-global",
         "port-store-global", "store-plug", "store-burst", "store-train", "store-train-next"},
        500));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto* entries = finding(calibration.value(), "write-buffer/entries");
    const auto* drain = finding(calibration.value(), "write-buffer/drain");
    const auto* port = finding(calibration.value(), "classes/store-global/initiation");
    ASSERT_TRUE(entries != nullptr && drain != nullptr && port != nullptr);
    EXPECT_EQ(entries->interval.lo, 8);
    EXPECT_EQ(entries->interval.hi, 8);
    EXPECT_EQ(drain->interval.lo, 5);
    EXPECT_EQ(drain->interval.hi, 8);
    EXPECT_EQ(port->interval.lo, 34); // V14 Table 7
}

/// The card with another write buffer, and stores that go through a port of that scope.
models::Architecture with_stores(std::int64_t initiation, models::Interval drain,
                                 std::int64_t entries, models::UnitScope scope) {
    auto machine = fermi();
    const auto put = [&](const std::string& path, models::Interval interval) {
        models::SourcedValue value;
        value.interval = interval;
        value.source = "made for this test";
        value.grade = models::Grade::Assumed;
        value.reason = "made for this test";
        EXPECT_TRUE(models::set_value(machine, path, value));
    };
    put("classes/store-global/initiation", {initiation, std::nullopt, initiation});
    put("write-buffer/drain", drain);
    put("write-buffer/entries", {entries, std::nullopt, entries});
    for (auto& unit : machine.units)
        if (unit.name == "global-path") unit.scope = scope;
    return machine;
}

// Under `oldest` the warps that have stored go on before others store, and delay their clocks.
TEST(Calibrate, ReadsTheWriteBufferThoughOlderWarpsGoOnFirst) {
    auto machine = with_stores(6, {7, std::nullopt, 7}, 9, models::UnitScope::Warp);
    ASSERT_TRUE(models::override_value(machine, "schedulers/count", 1));
    const auto calibration =
        calibrated(measured_on(machine,
                               {"switched-off", "start-order", "crowd-switched-off",
                                "spacing-store-global", "port-store-global", "store-burst"},
                               20, "oldest"));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto* entries = finding(calibration.value(), "write-buffer/entries");
    const auto* drain = finding(calibration.value(), "write-buffer/drain");
    ASSERT_TRUE(entries != nullptr && drain != nullptr)
        << reason(calibration.value(), "write-buffer/entries")->why;
    EXPECT_EQ(entries->interval.lo, 9);
    EXPECT_EQ(drain->interval.lo, 7);
    EXPECT_EQ(drain->interval.hi, 7);
}

// The first store that finds no room may come late for its entry, because its port is busy: the
// next entry then seems to have drained faster.
TEST(Calibrate, ReadsTheWriteBufferThoughAStoreWaitedForItsPort) {
    auto machine = with_stores(2, {7, std::nullopt, 12}, 8, models::UnitScope::Partition);
    ASSERT_TRUE(models::override_value(machine, "schedulers/count", 2));
    const auto calibration =
        calibrated(measured_on(machine,
                               {"switched-off", "start-order", "crowd-switched-off",
                                "spacing-store-global", "port-store-global", "store-burst"},
                               200, "lrr"));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto* entries = finding(calibration.value(), "write-buffer/entries");
    const auto* drain = finding(calibration.value(), "write-buffer/drain");
    ASSERT_TRUE(entries != nullptr && drain != nullptr)
        << reason(calibration.value(), "write-buffer/entries")->why;
    EXPECT_EQ(entries->interval.lo, 8);
    EXPECT_EQ(drain->interval.lo, 7);
    EXPECT_EQ(drain->interval.hi, 12);
}

// Where its port lets a warp store faster than the buffer drains, one warp shows both.
TEST(Calibrate, ReadsTheWriteBufferOffOneWarp) {
    const auto machine = with_stores(3, {9, std::nullopt, 14}, 11, models::UnitScope::Core);
    const auto calibration = calibrated(
        measured_on(machine,
                    {"switched-off", "start-order", "crowd-switched-off", "spacing-store-global",
                     "port-store-global", "store-train", "store-train-next"},
                    500, "srr"));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto* entries = finding(calibration.value(), "write-buffer/entries");
    const auto* drain = finding(calibration.value(), "write-buffer/drain");
    const auto* port = finding(calibration.value(), "classes/store-global/initiation");
    ASSERT_TRUE(entries != nullptr && drain != nullptr && port != nullptr);
    EXPECT_EQ(entries->interval.lo, 11);
    EXPECT_EQ(drain->interval.lo, 9);
    EXPECT_EQ(drain->interval.hi, 14);
    EXPECT_EQ(port->interval.lo, 3); // Below the step of 6 cycles.
    EXPECT_EQ(port->interval.hi, 3);
}

TEST(Calibrate, TellsPoliciesApartByWhoGoesFirst) {
    for (const std::string policy : {"lrr", "gto", "oldest", "srr", "two-level:active=5"}) {
        const auto calibration = calibrated(measured(
            {"switched-off", "start-order", "crowd-switched-off", "wake-order"}, 500, policy));
        ASSERT_TRUE(calibration) << to_string(calibration.error());
        EXPECT_EQ(calibration.value().policy.value_or("unknown"), policy);
    }
}

// A warp that gets its slots only is slow although the other one sleeps.
TEST(Calibrate, LeavesAPolicyWithoutARuleUnknown) {
    const auto calibration =
        calibrated(measured({"switched-off", "start-order", "crowd-switched-off", "wake-order"},
                            500, "variable-rate:fast=0,every=2"));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    EXPECT_FALSE(calibration.value().policy);
    ASSERT_NE(reason(calibration.value(), "policy"), nullptr);
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
    const auto* step = reason(calibration.value(), "schedulers/same-warp-interval");
    ASSERT_NE(step, nullptr);
    EXPECT_NE(step->why.find("lie on no line"), std::string::npos);
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

TEST(Calibrate, RefusesRunsThatNoLaunchGives) {
    const auto series = measured({"start-order", "barrier"}, 3);
    const auto clocks_at = static_cast<std::size_t>(
        std::find_if(series.begin(), series.end(),
                     [](const auto& one) { return one.key.name == "start-order/warps=32"; }) -
        series.begin());
    const std::size_t barrier_at = 1 - clocks_at;
    ASSERT_EQ(series.size(), 2U);
    using Times = std::vector<std::int64_t>;
    const auto refusal = [&](std::size_t at, const std::function<void(Times&)>& damage) {
        auto damaged = series;
        damage(damaged[at].samples.back().times);
        const auto measurements = Measurements::of(damaged, {20});
        return measurements ? std::string{} : to_string(measurements.error());
    };
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.clear(); }),
              "barrier: run 2 has 0 times; expected 1");
    EXPECT_EQ(refusal(clocks_at, [](Times& times) { times.pop_back(); }),
              "start-order/warps=32: run 2 has 63 times; expected 64");
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.push_back(1); }),
              "barrier: run 2 has 2 times; expected 1");
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.front() = -1; }),
              "barrier: run 2 has a time of -1; expected 0 to 1000000000");
    EXPECT_EQ(refusal(barrier_at, [](Times& times) { times.front() = 1'000'000'001; }),
              "barrier: run 2 has a time of 1000000001; expected 0 to 1000000000");
    EXPECT_EQ(refusal(clocks_at,
                      [](Times& times) {
                          for (auto& time : times)
                              ++time;
                      }),
              "start-order/warps=32: run 2 has no clock 0; expected clocks since the earliest");
    // Were last clocks alone 0, no warp would be the first.
    EXPECT_EQ(refusal(clocks_at,
                      [](Times& times) {
                          for (std::size_t i = 0; i < times.size(); i += 2) {
                              times[i] = 5;
                              times[i + 1] = 0;
                          }
                      }),
              "start-order/warps=32: run 2 has the clocks 5 and 0 of one warp; expected the first "
              "one to be no later");
}

TEST(Calibrate, RefusesTwoSeriesOfOnePoint) {
    auto series = measured({"barrier"}, 20);
    series.push_back(series.front());
    const auto measurements = Measurements::of(series, {20});
    ASSERT_FALSE(measurements);
    EXPECT_EQ(to_string(measurements.error()),
              "barrier: there are two series of this point; expected one");
}

TEST(Calibrate, RefusesMachinesWhoseEncodingTimesTheIssue) {
    const auto series = measured({"barrier"}, 20);
    const auto encoded = Measurements::of(series, {70});
    ASSERT_FALSE(encoded);
    EXPECT_NE(encoded.error().what.find("no calibration for sm_70: where the encoding times"),
              std::string::npos);
    EXPECT_EQ(target_of(series).value(), assembly::Target{20});
    auto others = series;
    others.front().key.kernel_digest = "sha256:0";
    const auto none = target_of(others);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().what.find("on machines of sm_20 and sm_21"), std::string::npos);
}

// Of one run every value is one number.
TEST(Calibrate, ReadsNothingOffFewRuns) {
    const auto few = calibrated(measured(some, 1));
    ASSERT_TRUE(few) << to_string(few.error());
    EXPECT_TRUE(few.value().findings.empty());
    EXPECT_TRUE(few.value().scopes.empty());
    EXPECT_FALSE(few.value().policy);
    const auto enough = calibrated(measured(some, enough_runs));
    ASSERT_TRUE(enough);
    const auto* barrier = finding(enough.value(), "classes/barrier/latency");
    ASSERT_NE(barrier, nullptr);
    EXPECT_EQ(static_cast<int>(barrier->sharpness), static_cast<int>(Sharpness::Range));
    auto mixed = measured(some, enough_runs);
    for (auto& one : mixed)
        if (one.key.name == "barrier") one.samples.pop_back();
    const auto without = calibrated(mixed);
    ASSERT_TRUE(without);
    EXPECT_EQ(finding(without.value(), "classes/barrier/latency"), nullptr);
    ASSERT_NE(reason(without.value(), "classes/barrier/latency"), nullptr);
    EXPECT_EQ(reason(without.value(), "classes/barrier/latency")->why,
              "barrier has 19 runs; 20 are needed");
}

TEST(Calibrate, NamesEveryValueThatABenchmarkShows) {
    auto series = measured(some);
    for (const bool with_steps : {true, false}) {
        if (!with_steps)
            std::erase_if(series,
                          [](const auto& one) { return one.key.name == "switched-off/n=16"; });
        const auto calibration = calibrated(series);
        ASSERT_TRUE(calibration);
        for (const auto& benchmark : benchmarks())
            for (const auto& path : benchmark.calibrates) {
                const auto& scopes = calibration.value().scopes;
                const bool is_found =
                    finding(calibration.value(), path) != nullptr ||
                    (path == "policy" && calibration.value().policy) ||
                    std::any_of(scopes.begin(), scopes.end(), [&](const ScopeFinding& scope) {
                        return "classes/" + scope.opcode_class + "/port" == path;
                    });
                EXPECT_NE(is_found, reason(calibration.value(), path) != nullptr) << path;
            }
        const auto& rest = calibration.value().without_benchmark;
        for (const char* path : {"limits/registers-per-block", "blocks/start",
                                 "classes/exit/initiation", "memories/dram/bandwidth"})
            EXPECT_NE(std::find(rest.begin(), rest.end(), path), rest.end()) << path;
        EXPECT_EQ(std::find(rest.begin(), rest.end(), "classes/float-add/latency"), rest.end());
    }
}

// Nobody saw who shares the port of additions, so a time of theirs would bound nothing.
TEST(Calibrate, GivesNoInitiationToAClassWhosePortsScopeDidNotShow) {
    const auto calibration = calibrated(measured(some));
    ASSERT_TRUE(calibration);
    const auto* port = reason(calibration.value(), "classes/float-add/port");
    ASSERT_NE(port, nullptr);
    ASSERT_NE(finding(calibration.value(), "classes/float-add/initiation"), nullptr);
    const auto initiation = [&](std::optional<models::Architecture> base) {
        const auto machine =
            describe(calibration.value(), {"card", "a card", "c.db", std::move(base)});
        EXPECT_TRUE(machine) << to_string(machine.error());
        return *machine.value()
                    .classes.at(assembly::OpcodeClass::FloatAdd)
                    .values.find("initiation");
    };
    EXPECT_FALSE(initiation(std::nullopt).interval);
    EXPECT_EQ(initiation(std::nullopt).source,
              "who shares the port was not measured: " + port->why);
    EXPECT_TRUE(initiation(fermi()).interval);
}

// Stores whose distance varies come earlier than its largest value has them: none of them waits.
TEST(Calibrate, InventsNoEntriesWhereNoStoreWaits) {
    auto series = measured({"switched-off", "spacing-store-global", "store-plug"}, 20);
    for (auto& one : series) {
        if (one.key.name == "spacing-store-global") one.samples.back().times.front() += 2;
        if (one.key.name == "store-plug/n=2" || one.key.name == "store-plug/n=3")
            one.samples.back().times.front() -= 1;
    }
    const auto calibration = calibrated(series);
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    EXPECT_EQ(finding(calibration.value(), "write-buffer/entries"), nullptr);
    const auto* entries = reason(calibration.value(), "write-buffer/entries");
    ASSERT_NE(entries, nullptr);
    EXPECT_NE(entries->why.find("closer than their distance alone"), std::string::npos);
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

TEST(Levels, LeaveOpenWhatIsNearlyAsOftenOneAsTheOther) {
    EXPECT_TRUE(most_are(20, 20, "a").value());
    EXPECT_TRUE(most_are(17, 20, "a").value());
    EXPECT_FALSE(most_are(3, 20, "a").value());
    for (const std::int64_t inside : {4, 9, 10, 11, 16})
        EXPECT_FALSE(most_are(inside, 20, "a")) << inside;
    EXPECT_EQ(most_are(11, 20, "cache-ways/lines=22").error().what,
              "of 20 loads of cache-ways/lines=22 11 are faster than the next level: who serves "
              "them is chance");
}

// Where a further pass costs nothing no distance of lanes is slower, but for chance.
TEST(Calibrate, TakesNoSpreadOfALatencyForTheEndOfALine) {
    auto machine = fermi();
    for (const bool costs : {true, false}) {
        if (!costs) {
            ASSERT_TRUE(models::override_value(machine, "classes/load-global/pass-cost", 0));
        }
        models::SourcedValue latency;
        latency.interval = {40, std::nullopt, 80};
        latency.source = "made for this test";
        latency.grade = models::Grade::Assumed;
        latency.reason = "made for this test";
        ASSERT_TRUE(models::set_value(machine, "memories/l1/latency", latency));
        const auto calibration =
            calibrated(measured_on(machine, {"switched-off", "coalescing"}, 500, "lrr"));
        ASSERT_TRUE(calibration) << to_string(calibration.error());
        const auto* line = finding(calibration.value(), "memories/l1/line");
        EXPECT_EQ(line != nullptr, costs);
        if (line != nullptr) {
            EXPECT_EQ(line->interval.lo, 128);
        }
        EXPECT_EQ(reason(calibration.value(), "memories/l1/line") != nullptr, !costs);
    }
}

/// The card with the caches of another one, and loads that a warp issues as fast as anything.
models::Architecture with_caches(std::int64_t mshr_entries) {
    auto machine = fermi();
    machine.memories = models::load_architecture("gtx480-gpgpusim").value().memories;
    EXPECT_TRUE(models::override_value(machine, "classes/load-global/initiation", 2));
    EXPECT_TRUE(models::override_value(machine, "memories/l1/mshr-entries", mshr_entries));
    return machine;
}

TEST(Calibrate, ReadsHowManyMissesAreInFlightAtOnce) {
    const auto measured_with = [](std::int64_t entries) {
        return calibrated(measured_on(
            with_caches(entries), {"switched-off", "cache-levels", "cache-reload", "cache-misses"},
            100, "lrr"));
    };
    const auto few = measured_with(9);
    ASSERT_TRUE(few) << to_string(few.error());
    const auto* found = finding(few.value(), "memories/l1/mshr-entries");
    ASSERT_NE(found, nullptr) << reason(few.value(), "memories/l1/mshr-entries")->why;
    EXPECT_EQ(found->interval.lo, 9);
    EXPECT_EQ(found->interval.hi, 9);
    // The first miss is back before a warp has sent so many.
    const auto many = measured_with(200);
    ASSERT_TRUE(many) << to_string(many.error());
    EXPECT_EQ(finding(many.value(), "memories/l1/mshr-entries"), nullptr);
    EXPECT_NE(reason(many.value(), "memories/l1/mshr-entries"), nullptr);
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

TEST(Ledger, TakesANumberInsideARangeForARange) {
    Ledger ledger;
    const RecordedSeries series{{}, {{0, 1, {1}}}};
    ledger.read("a/b", {{5, 5, 5}, Sharpness::Exact, "chain", {&series}});
    ledger.read("a/b", {{4, 5, 6}, Sharpness::Range, "delay", {&series}});
    const auto findings = ledger.findings();
    ASSERT_TRUE(findings);
    EXPECT_EQ(findings.value().front().interval.lo, 4);
    EXPECT_EQ(findings.value().front().interval.hi, 6);
    EXPECT_EQ(static_cast<int>(findings.value().front().sharpness),
              static_cast<int>(Sharpness::Range));
}

TEST(Nearest, RoundsHalvesUpward) {
    EXPECT_EQ(nearest(5, 2), 3);
    EXPECT_EQ(nearest(-5, 2), -2);
    EXPECT_EQ(nearest(-7, 4), -2);
    EXPECT_EQ(nearest(158, 32), 5);
}

} // namespace
} // namespace warpbound::harness
