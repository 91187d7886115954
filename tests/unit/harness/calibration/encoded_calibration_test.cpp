// Calibration of machines with encoded issue control, from code that states its control fields.
#include "harness/suite/emission/stated_emission.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/unit/harness/calibration/calibrated_card.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

void make_exact(models::ValueGroup& group) {
    for (auto& value : group.values)
        if (value.interval)
            value.interval =
                models::Interval{value.interval->lo, value.interval->lo, value.interval->lo};
}

void set(models::Architecture& machine, const std::string& path, std::int64_t lo, std::int64_t hi) {
    ASSERT_TRUE(models::override_value(machine, path, lo)) << path;
    auto value = *models::find_value(machine, path);
    value.interval = models::Interval{lo, std::nullopt, hi};
    ASSERT_TRUE(models::set_value(machine, path, value)) << path;
}

/// A Turing without instruction caches of which each value is one number.
models::Architecture turing() {
    auto machine = models::load_architecture("turing-t4").value();
    machine.name = "exact";
    machine.fetch.values.clear();
    for (auto* group : {&machine.schedulers, &machine.write_buffer, &machine.control_flow})
        make_exact(*group);
    for (auto& memory : machine.memories)
        make_exact(memory);
    for (auto& [opcode_class, timing] : machine.classes)
        make_exact(timing.values);
    return machine;
}

const std::vector<std::string> basis{"stated-switched-off", "stated-start-order",
                                     "stated-crowd-switched-off"};

Result<Calibration> calibrated(const models::Architecture& machine,
                               std::vector<std::string> benchmarks,
                               const std::string& policy = "lrr", std::int64_t runs = enough_runs) {
    benchmarks.insert(benchmarks.end(), basis.begin(), basis.end());
    const auto measurements =
        Measurements::of(measured_on(machine, benchmarks, runs, policy), machine.target);
    if (!measurements) return measurements.as_failure();
    return calibrate(measurements.value());
}

std::string why(const Result<Calibration>& calibration, const std::string& path) {
    EXPECT_TRUE(calibration);
    const auto* missing = reason(calibration.value(), path);
    return missing == nullptr ? "found" : missing->why;
}

TEST(CalibrateEncoded, ReadsValuesOfAnExactMachine) {
    auto machine = turing();
    set(machine, "classes/integer-multiply/initiation", 1, 1);
    const auto found = calibrated(
        machine, {"stated-spacing-float-add", "stated-crowd-float-add", "stated-tight-float-add",
                  "stated-spacing-integer-multiply", "stated-crowd-integer-multiply",
                  "stated-tight-integer-multiply", "stated-result-load-shared",
                  "stated-result-special-function", "stated-barrier", "stated-branch-taken",
                  "stated-search-float-add", "stated-search-double"});
    expect_found(found, "classes/float-add/initiation", 2, 2);
    expect_found(found, "classes/float-add/latency", 4, 4);
    expect_found(found, "classes/double/latency", 40, 40);
    expect_found(found, "classes/integer-multiply/initiation", 1, 1);
    expect_found(found, "classes/load-shared/latency", 19, 19);
    expect_found(found, "classes/load-shared/pass-cost", 2, 2);
    expect_found(found, "classes/special-function/latency", 15, 15);
    expect_found(found, "classes/barrier/latency", 5, 5);
    expect_found(found, "control-flow/branch-taken", 5, 5);
    expect_found(found, "schedulers/count", 4, 4);
    expect_found(found, "schedulers/issue-slot", 1, 1);
    EXPECT_EQ(finding(found.value(), "schedulers/same-warp-interval"), nullptr);
    ASSERT_FALSE(found.value().scopes.empty());
    EXPECT_EQ(static_cast<int>(found.value().scopes.front().scope),
              static_cast<int>(models::UnitScope::Partition));
    const auto described = describe(found.value(), {"card", "a card", "c.db", std::nullopt});
    ASSERT_TRUE(described) << to_string(described.error());
    EXPECT_EQ(described.value().issue_control, models::IssueControl::Encoded);
}

// Below the latency the consumer reads what the register held before, from it on the result.
TEST(CalibrateEncoded, FindsTheLeastStallCountThatGivesTheRightWord) {
    for (const std::int64_t latency : {3, 12, 37}) {
        auto machine = turing();
        set(machine, "classes/logic/latency", latency, latency);
        expect_found(calibrated(machine, {"stated-search-logic"}), "classes/logic/latency", latency,
                     latency);
    }
}

TEST(CalibrateEncoded, ReadsTheRangeOfALatencyThatVaries) {
    auto machine = turing();
    set(machine, "classes/shift/latency", 5, 7);
    const auto found = calibrated(machine, {"stated-search-shift"}, "lrr", 60);
    expect_found(found, "classes/shift/latency", 5, 7);
    EXPECT_EQ(finding(found.value(), "classes/shift/latency")->sharpness, Sharpness::Range);
}

// Longer than the longest distance: no consumer reads the right word.
TEST(CalibrateEncoded, LeavesALatencyOpenThatIsLongerThanTheSearch) {
    auto machine = turing();
    set(machine, "classes/shift/latency", 70, 70);
    EXPECT_THAT(why(calibrated(machine, {"stated-search-shift"}), "classes/shift/latency"),
                HasSubstr("no consumer reads the result within 64 cycles"));
}

// A latency below the initiation interval of the unit: no consumer can read too early.
TEST(CalibrateEncoded, LeavesALatencyOpenThatThePortHides) {
    auto machine = turing();
    set(machine, "classes/shift/latency", 1, 1);
    EXPECT_THAT(why(calibrated(machine, {"stated-search-shift"}), "classes/shift/latency"),
                HasSubstr("no consumer reads a wrong word"));
}

TEST(CalibrateEncoded, ReadsNothingWhereStallCountsDoNotAddUp) {
    auto machine = turing();
    set(machine, "schedulers/issue-slot", 3, 3);
    const auto slow = calibrated(machine, {"stated-search-shift", "stated-result-load-shared"});
    ASSERT_TRUE(slow);
    EXPECT_TRUE(slow.value().findings.empty());
    EXPECT_THAT(why(slow, "classes/shift/latency"),
                HasSubstr("a stall count of 2 issue 3 cycles apart"));
    machine = turing();
    set(machine, "classes/clock-read/latency", 4, 9);
    const auto varying = calibrated(machine, {"stated-search-shift", "stated-result-load-shared"});
    ASSERT_TRUE(varying);
    EXPECT_TRUE(varying.value().findings.empty());
    EXPECT_THAT(why(varying, "classes/load-shared/latency"), HasSubstr("vary"));
}

TEST(CalibrateEncoded, LeavesPortsBehindAMemoryQueueOpen) {
    auto machine = turing();
    const auto value = [](const std::string& name, const std::string& unit, std::int64_t number) {
        return models::SourcedValue{name,   unit, models::Interval{number, number, number},
                                    "test", {},   {}};
    };
    machine.memory_queue.values = {value("places", "1", 5), value("interval", "cycles", 4),
                                   value("path-interval", "cycles", 2)};
    for (auto& [opcode_class, timing] : machine.classes)
        if (timing.unit == "memory-path")
            timing.values.values.push_back(value("entry", "cycles", 9));
    const auto found =
        calibrated(machine, {"stated-spacing-load-shared", "stated-port-load-shared",
                             "stated-tight-load-shared", "stated-result-load-shared"});
    EXPECT_THAT(why(found, "classes/load-shared/initiation"), HasSubstr("memory queue"));
    expect_found(found, "classes/load-shared/latency", 1, 19);
    EXPECT_EQ(finding(found.value(), "classes/load-shared/latency")->sharpness, Sharpness::AtMost);
    expect_found(found, "classes/load-shared/pass-cost", 2, 2);
}

TEST(CalibrateEncoded, LeavesPassesOpenThatLinesShare) {
    auto machine = turing();
    const std::vector<std::string> loads{"stated-result-l1", "stated-coalescing"};
    EXPECT_THAT(why(calibrated(machine, loads), "classes/load-global/pass-cost"),
                HasSubstr("a line may share a pass"));
    set(machine, "memories/l1/lines-per-pass", 1, 1);
    const auto found = calibrated(machine, loads);
    expect_found(found, "classes/load-global/pass-cost", 1, 1);
    expect_found(found, "memories/l1/line", 128, 128);
}

TEST(CalibrateEncoded, TellsPoliciesApartWhereWarpsWakeAtRandom) {
    for (const std::string policy : {"lrr", "gty", "srr"}) {
        auto machine = turing();
        set(machine, "memories/dram/latency", 300, 600);
        const auto found = calibrated(machine, {"stated-wake-order/warps=5"}, policy, 300);
        ASSERT_TRUE(found);
        EXPECT_EQ(found.value().policy.value_or("unknown"), policy) << why(found, "policy");
    }
    // Of one latency warps always wake alike.
    EXPECT_THAT(why(calibrated(turing(), {"stated-wake-order/warps=5"}), "policy"),
                HasSubstr("wake up far apart"));
}

TEST(CalibrateEncoded, FindsTheTargetOfStatedCode) {
    const auto series = measured_on(turing(), {"stated-switched-off"}, 1, "lrr");
    const auto target = target_of(series);
    ASSERT_TRUE(target) << to_string(target.error());
    EXPECT_EQ(target.value().sm, 75);
}

TEST(StatedBenchmarks, AreForListingsOfVoltaAndLater) {
    const auto refusal = [](const std::string& name) {
        const auto points =
            points_of("stated-switched-off", models::load_architecture(name).value());
        return points ? std::string{} : points.error().what;
    };
    EXPECT_THAT(refusal("fermi-gtx470"), HasSubstr("control fields of sm_70 and later"));
    EXPECT_THAT(refusal("maxwell-gtx970"), HasSubstr("control fields of sm_70 and later"));
    EXPECT_EQ(refusal("hopper-h200"), "");
    const auto ptx = ptx_points_of("stated-switched-off", {75});
    ASSERT_FALSE(ptx);
    EXPECT_THAT(ptx.error().what, HasSubstr("the assembler of PTX decides"));
}

// The code depends on the target only, and every stall count is one that the hardware honours.
TEST(StatedBenchmarks, DoNotKnowTheMachine) {
    models::Architecture stranger;
    stranger.target = {75};
    const auto machine = turing();
    for (const auto& benchmark : benchmarks_of_encoded_machines()) {
        const auto known = points_of(benchmark.name, machine);
        const auto unknown = points_of(benchmark.name, stranger);
        ASSERT_TRUE(known && unknown) << benchmark.name;
        for (std::size_t i = 0; i < known.value().size(); ++i)
            EXPECT_EQ(known.value()[i].text, unknown.value()[i].text);
        EXPECT_FALSE(benchmark.calibrates.empty()) << benchmark.name;
        EXPECT_FALSE(benchmark.relation.empty()) << benchmark.name;
        EXPECT_FALSE(benchmark.source.empty()) << benchmark.name;
    }
}

TEST(StatedEmission, StatesDistancesAndProtectsResultsOfVariableLatency) {
    Operation add{"FADD R8, R2, R3", assembly::OpcodeClass::FloatAdd, 8, {2, 3}};
    add.stall = 25;
    const auto emitted =
        emit_stated("k",
                    {add,
                     {"LDS R9, [R4]", assembly::OpcodeClass::LoadShared, 9, {4}},
                     {"@!PT IADD R6, R9, R3", assembly::OpcodeClass::IntegerAdd, 6, {9}},
                     {"MUFU.COS R10, R2", assembly::OpcodeClass::SpecialFunction, 10, {2}},
                     {"EXIT", assembly::OpcodeClass::Exit, -1, {}}},
                    {75});
    EXPECT_EQ(emitted.text, "!Arch sm_75\n!Kernel k\n"
                            "  FADD R8, R2, R3 ?trans11;\n"
                            "  NOP ?trans11;\n"
                            "  NOP ?trans3;\n"
                            "  LDS R9, [R4] &wr=0x0 ?trans2;\n"
                            "  @!PT IADD3 R6, R9, R3, RZ &req={0} ?trans2;\n"
                            "  MUFU.COS R10, R2 ?trans2;\n"
                            "  EXIT ?trans5;\n"
                            "!EndKernel\n");
    EXPECT_THAT(emitted.addresses, testing::ElementsAre(0, 48, 64, 80, 96));
}

// Overwritten results are awaited, or not where nobody needs them.
TEST(StatedEmission, AwaitsOverwrittenResultsWhereAsked) {
    const Operation load{"LDS R9, [R4]", assembly::OpcodeClass::LoadShared, 9, {4}};
    EXPECT_THAT(emit_stated("k", {load, load}, {75}).text, HasSubstr("LDS R9, [R4] &req={0}"));
    EXPECT_THAT(emit_stated("k", {load, load}, {75}, Protection::Reads).text,
                testing::Not(HasSubstr("&")));
}

} // namespace
} // namespace warpbound::harness
