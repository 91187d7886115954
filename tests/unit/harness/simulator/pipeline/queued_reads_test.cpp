// Reads of variable latency through the read ports of register banks (C111).

#include "harness/simulator/pipeline/queued_reads.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::array<BankRegisters, 1> one_read{{{.bank = 0, .registers = 1}}};
constexpr std::array<BankRegisters, 1> two_reads{{{.bank = 0, .registers = 2}}};
constexpr std::array<BankRegisters, 2> both_banks{
    {{.bank = 0, .registers = 1}, {.bank = 1, .registers = 1}}};

/// When the registers that are due at `due` are read beside those reads of bank 0 of fixed latency:
/// each so many cycles before one.
template <std::size_t count>
std::int64_t read_at(const std::vector<std::pair<std::int64_t, std::int64_t>>& fixed,
                     std::int64_t due, const std::array<BankRegisters, count>& reads) {
    QueuedReads ports{2};
    for (const auto& [until, cycles] : fixed)
        ports.take(0, until, cycles);
    ports.await({.warp = 7, .number = 3, .first = reads.data(), .count = count, .at = due});
    for (std::int64_t now = 0; now < 1'000; ++now)
        if (!ports.take_read(now).empty()) return now;
    return -1;
}

TEST(QueuedReads, LetReadsOfFixedLatencyGoFirst) {
    EXPECT_EQ(read_at({}, 10, one_read), 10);
    EXPECT_EQ(read_at({{10, 3}, {14, 3}}, 10, one_read), 10);
    EXPECT_EQ(read_at({{11, 1}}, 10, one_read), 11);
    EXPECT_EQ(read_at({{13, 4}, {15, 1}}, 10, one_read), 13);
    EXPECT_EQ(read_at({{400, 395}}, 10, one_read), 400);
}

// Registers of a bank are read one by one up to the time of the read.
TEST(QueuedReads, ReadTheRegistersOfABankOneByOne) {
    EXPECT_EQ(read_at({}, 10, two_reads), 10);
    EXPECT_EQ(read_at({{9, 3}}, 10, two_reads), 10);
    EXPECT_EQ(read_at({{10, 1}}, 10, two_reads), 11);
    EXPECT_EQ(read_at({{11, 2}, {13, 1}}, 10, two_reads), 13);
    EXPECT_EQ(read_at({{11, 2}}, 10, both_banks), 11);
}

TEST(QueuedReads, WakeWhereTheyMayBeRead) {
    QueuedReads ports{1};
    EXPECT_EQ(ports.wake(0), never);
    ports.await({.first = one_read.data(), .count = 1, .at = 5});
    EXPECT_EQ(ports.wake(0), 5);
    EXPECT_EQ(ports.wake(5), 6);
}

models::Architecture with_queued_reads() {
    models::Architecture machine = small_machine(models::IssueControl::Encoded);
    set(machine.schedulers, "count", 1);
    set_class(machine, {assembly::OpcodeClass::LoadShared, "alu", 9, 1});
    set_class(machine, {assembly::OpcodeClass::StoreShared, "alu", 1, 1});
    set_class(machine, {assembly::OpcodeClass::IntegerAdd, "alu", 4, 1});
    for (const auto memory :
         {assembly::OpcodeClass::LoadShared, assembly::OpcodeClass::StoreShared})
        set(machine.classes[memory].values, "source-read", 5);
    set(machine.register_file, "banks", 2);
    set(machine.register_file, "read-ports", 1);
    set(machine.register_file, "read-window", 3);
    set(machine.register_file, "reuse-slots", 3);
    set(machine.register_file, "variable-latency-reads", 1);
    return machine;
}

models::Architecture without_queued_reads() {
    models::Architecture machine = with_queued_reads();
    std::erase_if(machine.register_file.values,
                  [](const auto& value) { return value.name == "variable-latency-reads"; });
    return machine;
}

/// The instruction at 0, before `adds` additions that read R1 and an even register, one a cycle
/// from 1 on, and an EXIT that waits for scoreboard 0.
TestRun run_before(const assembly::Instruction& first, int adds,
                   const models::Architecture& machine) {
    std::vector<assembly::Instruction> code{first};
    for (int i = 0; i < adds; ++i)
        code.push_back(with(add(4, 1, 6 + 2 * i), stall(1)));
    assembly::Control waits = stall(1);
    waits.wait_mask = 1;
    code.push_back(with(exit(), waits));
    TestProgram program = program_of({code});
    program.set_passes(0, 1, 1, models::MemoryLevel::Any);
    return run(program, machine);
}

assembly::Instruction load_of(bool announces_read) {
    assembly::Control control = stall(1);
    control.write_barrier = announces_read ? 1 : 0;
    if (announces_read) control.read_barrier = 0;
    return with(load_shared(2, 1), control);
}

/// The result time of a load.
std::int64_t result_behind_reads(int adds, const models::Architecture& machine) {
    for (const Event& event : run_before(load_of(false), adds, machine).events)
        if (const auto* done = std::get_if<Completed>(&event); done != nullptr && done->number == 0)
            return done->cycle;
    return -1;
}

// R1 is due in 5. An addition that issues at t reads it in t + 3.
TEST(QueuedReads, DelayTheResultOfALoadBehindAStreamOfReads) {
    EXPECT_EQ(result_behind_reads(0, with_queued_reads()), 9);
    EXPECT_EQ(result_behind_reads(1, with_queued_reads()), 9);
    EXPECT_EQ(result_behind_reads(2, with_queued_reads()), 10);
    EXPECT_EQ(result_behind_reads(12, with_queued_reads()), 20);
    EXPECT_EQ(result_behind_reads(400, with_queued_reads()), 408);
    EXPECT_EQ(result_behind_reads(12, without_queued_reads()), 9);
}

TEST(QueuedReads, DelayTheReadBarrierOfLoadsAndStores) {
    assembly::Control control = stall(1);
    control.read_barrier = 0;
    const assembly::Instruction store = with(store_shared(1, 3), control);
    // R1 and R3 are of one bank, and due in 4 and 5: of two additions the reads are in 4 and 5.
    EXPECT_EQ(run_before(load_of(true), 2, with_queued_reads()).issues().back(), 6);
    EXPECT_EQ(run_before(store, 2, with_queued_reads()).issues().back(), 7);
    EXPECT_EQ(run_before(store, 2, without_queued_reads()).issues().back(), 5);
}

// Nothing waits for the reads of a store without a read barrier.
TEST(QueuedReads, DelayNothingThatIsNotAnnounced) {
    const assembly::Instruction store = with(store_shared(1, 3), stall(1));
    EXPECT_EQ(run_before(store, 12, with_queued_reads()).observation.execution_time,
              run_before(store, 12, without_queued_reads()).observation.execution_time);
}

// With write ports: the result of the load is due at 10, where those of the additions are written.
TEST(QueuedReads, ComeBeforeTheWrite) {
    models::Architecture machine = with_queued_reads();
    set(machine.register_file, "write-ports", 1);
    EXPECT_EQ(result_behind_reads(1, machine), 9);
    EXPECT_EQ(result_behind_reads(12, machine), 20);
    EXPECT_EQ(result_behind_reads(6, machine), 14);
    set(machine.classes[assembly::OpcodeClass::LoadShared].values, "latency", 6);
    EXPECT_EQ(result_behind_reads(6, machine), 11);
}

TEST(QueuedReads, AreRefusedWhereTheRuleDoesNotSay) {
    TestProgram program = program_of({{load_of(true), with(exit(), stall(1))}});
    program.set_passes(0, 1, 1, models::MemoryLevel::Any);
    EXPECT_THAT(refusal(program, with_queued_reads()), IsEmpty());
    models::Architecture machine = with_queued_reads();
    set(machine.classes[assembly::OpcodeClass::LoadShared].values, "source-read", 0);
    EXPECT_THAT(refusal(program, machine), HasSubstr("source-read of at least one cycle"));
    machine = with_queued_reads();
    set(machine.register_file, "variable-latency-reads", 2);
    EXPECT_THAT(refusal(program, machine), HasSubstr("variable-latency-reads"));
    machine = with_queued_reads();
    std::erase_if(machine.register_file.values,
                  [](const auto& value) { return value.name != "variable-latency-reads"; });
    EXPECT_THAT(refusal(program, machine), Not(IsEmpty()));
    machine = with_queued_reads();
    std::erase_if(machine.classes[assembly::OpcodeClass::LoadShared].values.values,
                  [](const auto& value) { return value.name == "source-read"; });
    EXPECT_THAT(refusal(program_of({{load_of(false), with(exit(), stall(1))}}), machine),
                HasSubstr("source-read"));
}

} // namespace
} // namespace warpbound::harness::simulator::test
