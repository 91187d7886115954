// Write ports of register banks (C108).

#include "harness/simulator/pipeline/write_ports.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::array<BankRegisters, 1> one_register{{{.bank = 0, .registers = 1}}};
constexpr std::array<BankRegisters, 1> two_registers{{{.bank = 0, .registers = 2}}};
constexpr std::array<BankRegisters, 1> other_bank{{{.bank = 1, .registers = 1}}};

/// When a result of variable latency that is due at `due` is written beside those of fixed latency.
std::int64_t written_at(const std::vector<std::int64_t>& fixed, std::int64_t due,
                        const std::array<BankRegisters, 1>& writes) {
    WritePorts ports{2};
    for (const std::int64_t at : fixed)
        ports.write(0, {one_register.data(), 1}, at);
    ports.await({.warp = 7, .number = 3, .writes = {writes.data(), 1}});
    EXPECT_TRUE(ports.become_due(7, 3, due));
    for (std::int64_t now = 0; now < 1'000; ++now)
        if (!ports.take_written(now).empty()) return now;
    return -1;
}

TEST(WritePorts, LetResultsOfFixedLatencyGoFirst) {
    EXPECT_EQ(written_at({}, 10, one_register), 10);
    EXPECT_EQ(written_at({9, 11}, 10, one_register), 10);
    EXPECT_EQ(written_at({10}, 10, one_register), 11);
    EXPECT_EQ(written_at({10, 11, 12, 14}, 10, one_register), 13);
    EXPECT_EQ(written_at({10}, 10, other_bank), 10);
}

TEST(WritePorts, LetAResultWaitForAnyNumberOfOthers) {
    std::vector<std::int64_t> fixed;
    for (std::int64_t at = 10; at < 410; ++at)
        fixed.push_back(at);
    EXPECT_EQ(written_at(fixed, 10, one_register), 410);
}

// Two results that meet are written one after the other.
TEST(WritePorts, WriteOneResultInEachCycle) {
    EXPECT_EQ(written_at({10, 10}, 10, one_register), 12);
    EXPECT_EQ(written_at({9, 9}, 10, one_register), 11);
}

// Its registers are written up to the result time: with cycle 9 taken, one of them comes later.
TEST(WritePorts, WriteTheRegistersOfALoadOneByOne) {
    EXPECT_EQ(written_at({}, 10, two_registers), 10);
    EXPECT_EQ(written_at({8}, 10, two_registers), 10);
    EXPECT_EQ(written_at({9}, 10, two_registers), 11);
    EXPECT_EQ(written_at({9, 10, 12}, 10, two_registers), 13);
}

TEST(WritePorts, KnowOnlyWhatAwaitsThem) {
    WritePorts ports{2};
    EXPECT_FALSE(ports.become_due(0, 0, 5));
    EXPECT_EQ(ports.wake(0), never);
    ports.await({.writes = {one_register.data(), 1}, .at = 5});
    EXPECT_EQ(ports.wake(0), 5);
    EXPECT_EQ(ports.wake(5), 6);
}

models::Architecture with_write_ports() {
    models::Architecture machine = small_machine(models::IssueControl::Encoded);
    set(machine.schedulers, "count", 1);
    set_class(machine, {assembly::OpcodeClass::LoadShared, "alu", 9, 1});
    set_class(machine, {assembly::OpcodeClass::IntegerAdd, "alu", 4, 1});
    set(machine.register_file, "banks", 2);
    set(machine.register_file, "read-ports", 1);
    set(machine.register_file, "read-window", 3);
    set(machine.register_file, "reuse-slots", 3);
    set(machine.register_file, "write-ports", 1);
    return machine;
}

/// The result time of a load at 0, which is due at 9, before `adds` additions, one a cycle.
std::int64_t result_of_load(int adds, const models::Architecture& machine) {
    assembly::Control announces = stall(1);
    announces.write_barrier = 0;
    std::vector<assembly::Instruction> code{with(load_shared(2, 1), announces)};
    for (int i = 0; i < adds; ++i)
        code.push_back(with(add(4, 1, 6 + 2 * i), stall(1)));
    assembly::Control waits = stall(1);
    waits.wait_mask = 1;
    code.push_back(with(exit(), waits));
    TestProgram program = program_of({code});
    program.set_passes(0, 1, 1, models::MemoryLevel::Any);
    const TestRun result = run(program, machine);
    for (const Event& event : result.events)
        if (const auto* done = std::get_if<Completed>(&event); done != nullptr && done->number == 0)
            return done->cycle;
    return -1;
}

TEST(WritePorts, DelayTheResultOfALoadBehindAStreamOfResults) {
    models::Architecture machine = with_write_ports();
    EXPECT_EQ(result_of_load(0, machine), 9);
    // Additions issue from 1 on, and their results are written from 5 on.
    EXPECT_EQ(result_of_load(4, machine), 9);
    EXPECT_EQ(result_of_load(5, machine), 10);
    EXPECT_EQ(result_of_load(12, machine), 17);
    std::erase_if(machine.register_file.values,
                  [](const auto& value) { return value.name == "write-ports"; });
    EXPECT_EQ(result_of_load(12, machine), 9);
}

TEST(WritePorts, AreRefusedWhereTheRuleDoesNotSay) {
    const TestProgram program =
        program_of({{with(add(1, 2, 3), stall(1)), with(exit(), stall(1))}});
    models::Architecture machine = with_write_ports();
    set_class(machine, {assembly::OpcodeClass::IntegerAdd, "alu", 0, 1});
    EXPECT_THAT(refusal(program, machine), HasSubstr("latency of at least one cycle"));
    machine = with_write_ports();
    set(machine.register_file, "write-ports", 2);
    EXPECT_THAT(refusal(program, machine), HasSubstr("write-ports"));
    machine = with_write_ports();
    std::erase_if(machine.register_file.values,
                  [](const auto& value) { return value.name != "write-ports"; });
    EXPECT_THAT(refusal(program, machine), Not(IsEmpty()));
}

} // namespace
} // namespace warpbound::harness::simulator::test
