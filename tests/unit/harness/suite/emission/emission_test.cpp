#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/suite/emission/emission.hpp"
#include "harness/suite/suites.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace warpbound::harness {
namespace {

assembly::Function read(const std::string& text) {
    const auto program = assembly::read_program({"emitted", text});
    EXPECT_TRUE(program) << to_string(program.error()) << "\n" << text;
    return program ? program.value().functions.front() : assembly::Function{};
}

/// Issue cycle of each instruction if only stall counts determine it.
std::vector<std::int64_t> earliest_issues(const assembly::Function& function) {
    std::vector<std::int64_t> issues{0};
    for (const auto& instruction : function.instructions)
        issues.push_back(issues.back() + instruction.control.value().stall);
    return issues;
}

std::vector<models::Architecture> encoded_machines() {
    std::vector<models::Architecture> machines;
    for (const auto& entry : models::list_architectures()) {
        auto machine = models::load_architecture(entry.name);
        EXPECT_TRUE(machine);
        if (machine.value().issue_control == models::IssueControl::Encoded)
            machines.push_back(std::move(machine).value());
    }
    return machines;
}

/// A stall above 11 is effective only with the yield bit (Huerta et al., MICRO 2025).
void expect_honoured_stalls(const assembly::Function& function, const std::string& text) {
    for (const auto& instruction : function.instructions)
        EXPECT_TRUE(instruction.control->stall <= 11 || instruction.control->yield) << text;
}

// Consecutive fixed latencies: the consumer issues exactly when the result is ready, with NOPs as
// needed.
TEST(Emission, ProtectsEachFixedLatencyByStallsThatTheHardwareHonours) {
    auto machine = models::load_architecture("maxwell-gtx970").value();
    const std::vector<Operation> operations{
        {"FADD R8, R2, R3", assembly::OpcodeClass::FloatAdd, 8, {2, 3}},
        {"FADD R9, R8, R3", assembly::OpcodeClass::FloatAdd, 9, {8, 3}},
        {"EXIT", assembly::OpcodeClass::Exit, -1, {}}};
    for (std::int64_t latency = 1; latency <= 50; ++latency) {
        for (auto& value : machine.classes.at(assembly::OpcodeClass::FloatAdd).values.values)
            if (value.name == "latency") value.interval = models::Interval{latency, {}, latency};
        const auto emitted = emit("k", operations, machine);
        ASSERT_TRUE(emitted);
        const auto function = read(emitted.value().text);
        const auto consumer =
            static_cast<std::size_t>(emitted.value().addresses[1] / function.step);
        EXPECT_EQ(earliest_issues(function)[consumer], latency) << emitted.value().text;
        expect_honoured_stalls(function, emitted.value().text);
    }
}

// A consumer issues 2 cycles or more after the producer whose scoreboard it waits for, and each
// general register that an operation of variable latency wrote is waited for before it is accessed
// again.
void expect_protected_results(const std::string& text) {
    const auto function = read(text);
    const auto issues = earliest_issues(function);
    expect_honoured_stalls(function, text);
    std::map<int, std::size_t> producers; // by scoreboard
    std::map<assembly::Register, int> awaited;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const auto& control = *function.instructions[i].control;
        std::set<int> waits;
        for (int board = 0; board < assembly::scoreboard_count; ++board)
            if (((control.wait_mask >> static_cast<unsigned>(board)) & 1U) != 0)
                waits.insert(board);
        for (const int board : waits) {
            ASSERT_TRUE(producers.count(board)) << text;
            ASSERT_GE(issues[i] - issues[producers.at(board)], 2) << text;
        }
        const auto& effects = function.instructions[i].effects;
        auto accessed = effects.reads;
        accessed.insert(accessed.end(), effects.writes.begin(), effects.writes.end());
        for (const auto& reg : accessed)
            if (const auto found = awaited.find(reg); found != awaited.end()) {
                ASSERT_TRUE(waits.count(found->second)) << text;
                awaited.erase(found);
            }
        if (!control.write_barrier) continue;
        producers[*control.write_barrier] = i;
        for (const auto& reg : effects.writes)
            awaited[reg] = *control.write_barrier;
    }
}

TEST(Emission, LetsConsumersFindTheScoreboardSet) {
    for (const auto& machine : encoded_machines())
        for (const auto& benchmark : benchmarks()) {
            if (benchmark.interlocked || benchmark.copies) continue;
            const auto points = points_of(benchmark.name, machine);
            ASSERT_TRUE(points) << to_string(points.error());
            for (const auto& point : points.value())
                expect_protected_results(point.text);
        }
}

TEST(Emission, WaitsForAResultThatIsOverwritten) {
    const auto machine = models::load_architecture("turing-t4").value();
    const auto emitted = emit("k",
                              {{"LDS R8, [R4]", assembly::OpcodeClass::LoadShared, 8, {4}},
                               {"FADD R8, R2, R3", assembly::OpcodeClass::FloatAdd, 8, {2, 3}},
                               {"EXIT", assembly::OpcodeClass::Exit, -1, {}}},
                              machine);
    ASSERT_TRUE(emitted);
    const auto function = read(emitted.value().text);
    EXPECT_EQ(function.instructions[0].control->stall, 2);
    EXPECT_EQ(function.instructions[1].control->wait_mask, 1);
    EXPECT_GE(function.instructions[2].control->stall, 5); // EXIT
}

} // namespace
} // namespace warpbound::harness
