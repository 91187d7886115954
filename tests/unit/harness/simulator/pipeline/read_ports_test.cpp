// Control, Allocate, read ports and the reuse cache (C60 to C62), against published measurements:
// Huerta et al., MICRO 2025 (H25), and the RTX 3060 rows of YKTian-x2b (YK). Counters that see
// increments late (C85).

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The modern register file: two banks, one port each, a window of three cycles.
models::Architecture with_ports(int schedulers = 1) {
    models::Architecture machine = small_machine(models::IssueControl::Encoded);
    set(machine.schedulers, "count", schedulers);
    for (auto& [opcode_class, timing] : machine.classes)
        set(timing.values, "initiation", 1);
    set_class(machine, {assembly::OpcodeClass::FloatMultiplyAdd, "alu", 4, 1});
    set_class(machine, {assembly::OpcodeClass::ClockRead, "control", 10, 1});
    set(machine.register_file, "banks", 2);
    set(machine.register_file, "read-ports", 1);
    set(machine.register_file, "read-window", 3);
    set(machine.register_file, "reuse-slots", 3);
    return machine;
}

/// An operand "R2" or "R2.reuse".
assembly::Operand operand(std::string_view text) {
    const bool reused = text.ends_with(".reuse");
    if (reused) text.remove_suffix(6);
    auto result = reg(std::stoi(std::string{text.substr(1)}));
    if (reused) std::get<assembly::RegisterOperand>(result).suffixes = {"reuse"};
    return result;
}

assembly::Instruction ffma(int to, std::string_view a, std::string_view b, std::string_view c,
                           int stalls = 1) {
    return with(make("FFMA", assembly::OpcodeClass::FloatMultiplyAdd,
                     {reg(to), operand(a), operand(b), operand(c)}),
                stall(stalls));
}
assembly::Instruction clock_read(int stalls = 1) {
    return with(read_clock(20), stall(stalls));
}
assembly::Instruction nop() {
    return with(make("NOP", assembly::OpcodeClass::Nop), stall(1));
}
assembly::Instruction last() {
    return with(exit(), stall(1));
}

std::int64_t between_clocks(const std::vector<assembly::Instruction>& code,
                            const models::Architecture& machine = with_ports()) {
    const TestRun result = run(program_of({code}), machine);
    const auto& warp = result.observation.warps.front();
    return (*warp.last_clock - *warp.first_clock).count();
}

std::vector<std::int64_t> lags(const TestRun& run) {
    std::vector<std::int64_t> found;
    std::vector<std::int64_t> issued;
    for (const Event& event : run.events) {
        if (const auto* issue = std::get_if<Issued>(&event)) issued.push_back(issue->cycle);
        if (const auto* granted = std::get_if<ReadsGranted>(&event))
            found.push_back(granted->cycle - 2 -
                            issued.at(static_cast<std::size_t>(granted->number)));
    }
    return found;
}

/// Reads of each instruction from the even bank.
std::vector<std::int64_t> even_reads(const std::vector<assembly::Instruction>& code) {
    std::vector<std::int64_t> found;
    for (const Event& event : run(program_of({code}), with_ports()).events)
        if (const auto* granted = std::get_if<ReadsGranted>(&event))
            found.push_back(granted->banks.front());
    found.pop_back(); // EXIT
    return found;
}

// H25 Listing 1: 5, 6 and 7 cycles.
TEST(ReadPorts, DelayTheSecondInstructionBehindAConflict) {
    const auto listing = [](std::string_view x, std::string_view y) {
        return std::vector{
            clock_read(), nop(), ffma(11, "R10", "R12", "R14"), ffma(13, "R16", x, y), nop(),
            clock_read(), last()};
    };
    EXPECT_EQ(between_clocks(listing("R17", "R19")), 5);
    EXPECT_EQ(between_clocks(listing("R18", "R19")), 6);
    EXPECT_EQ(between_clocks(listing("R18", "R22")), 7);
}

// H25 5.1.1: without the last NOP the conflict does not show.
TEST(ReadPorts, DoNotDelayTheInstructionBehindAConflict) {
    for (const char* y : {"R19", "R22"})
        EXPECT_EQ(between_clocks({clock_read(), nop(), ffma(11, "R10", "R12", "R14"),
                                  ffma(13, "R16", "R18", y), clock_read(), last()}),
                  4);
}

// H25 Listing 4: R2 of the third instruction misses, hits, hits, misses.
TEST(ReadPorts, ReadKeptRegistersFromTheReuseCache) {
    const auto third = [](const assembly::Instruction& second) {
        return even_reads(
            {ffma(1, "R2.reuse", "R3", "R5"), second, ffma(10, "R2", "R13", "R15"), last()})[2];
    };
    EXPECT_EQ(third(ffma(5, "R2", "R7", "R9")), 1);
    EXPECT_EQ(third(ffma(5, "R2.reuse", "R7", "R9")), 0);
    EXPECT_EQ(third(ffma(5, "R7", "R2", "R9")), 0);
    EXPECT_EQ(third(ffma(5, "R4", "R7", "R9")), 1);
}

TEST(ReadPorts, KeepRegistersOfTheirWarpOnly) {
    const auto code = program_of({{ffma(1, "R2.reuse", "R4", "R6"), ffma(1, "R2", "R4", "R6"),
                                   ffma(1, "R2", "R4", "R6"), last()}});
    std::vector<std::int64_t> reads;
    models::WarpPolicy alternating;
    for (const Event& event : run(code, with_ports(), {1, 64}, {}, alternating).events)
        if (const auto* granted = std::get_if<ReadsGranted>(&event);
            granted && granted->number == 1)
            reads.push_back(granted->banks.front());
    EXPECT_THAT(reads, ElementsAre(3, 3));
}

/// YK: groups of FFMA (A B C) and three times FFMA (A B R16); cycles per group.
double cycles_per_group(const std::vector<assembly::Instruction>& group, int warps) {
    constexpr int groups = 200;
    std::vector<assembly::Instruction> code;
    for (int i = 0; i < groups; ++i)
        code.insert(code.end(), group.begin(), group.end());
    code.push_back(last());
    const TestRun result = run(program_of({code}), with_ports(), {1, 32 * warps});
    return static_cast<double>(result.observation.execution_time.count()) / (groups * warps);
}

TEST(ReadPorts, GiveTheThroughputOfTheRegisterGrid) {
    const auto group = [](std::string_view a, std::string_view b) {
        return std::vector{ffma(5, a, b, "R5"), ffma(17, a, b, "R16"), ffma(19, a, b, "R16"),
                           ffma(21, a, b, "R16")};
    };
    for (const int warps : {1, 4}) {
        // Only with one warp the reuse cache serves all that is marked.
        if (warps == 1) {
            EXPECT_NEAR(cycles_per_group(group("R8", "R10.reuse"), warps), 7, 0.05); // 6.99
            EXPECT_NEAR(cycles_per_group(group("R9", "R10.reuse"), warps), 5, 0.05); // 5.02, 5.03
            EXPECT_NEAR(cycles_per_group(group("R8.reuse", "R10.reuse"), warps), 4, 0.05);
        }
        const std::vector without_reuse{ffma(17, "R8", "R9", "R5"), ffma(19, "R8", "R9", "R10"),
                                        ffma(21, "R8", "R9", "R10"), ffma(23, "R8", "R9", "R10")};
        EXPECT_NEAR(cycles_per_group(without_reuse, warps), 7, 0.05); // 6.95 to 7.30
    }
}

// YK: one warp, 4n FFMA between two clock reads with stall 6, take 4n + 6 cycles.
TEST(ReadPorts, DoNotDelayStraightLineCodeThatReadsOneRegister) {
    for (const int n : {264, 504}) {
        std::vector code{clock_read(6)};
        for (int i = 0; i < 4 * n; ++i)
            code.push_back(ffma(17, "R8", "R8.reuse", "R9.reuse"));
        code.push_back(clock_read(6));
        code.push_back(last());
        EXPECT_EQ(between_clocks(code), 4 * n + 6);
    }
}

// The latency of fixed-latency instructions counts from two cycles before the grant.
TEST(ReadPorts, DelayResultsByTheLagOfTheGrant) {
    const TestRun result =
        run(program_of({{ffma(11, "R10", "R12", "R14"), ffma(13, "R16", "R18", "R22"), last()}}),
            with_ports());
    EXPECT_THAT(lags(result), ElementsAre(0, 2, 2));
    EXPECT_EQ(result.observation.execution_time.count(), 1 + 2 + 4);
}

// A unit of half the width accepts grants two cycles apart; the second read conflict is hidden.
TEST(ReadPorts, SpaceGrantsByTheLatchOfTheUnit) {
    models::Architecture machine = with_ports();
    set_class(machine, {assembly::OpcodeClass::FloatMultiplyAdd, "alu", 4, 2});
    const auto code = [](std::string_view c) {
        return program_of({{ffma(11, "R10", "R12", "R14"), ffma(13, "R16", "R18", "R22"),
                            ffma(13, "R16", "R19", c), ffma(13, "R16", "R19", "R21"), last()}});
    };
    // Grants at 2, 5, 7, 9: the lag of one cycle stays, for the unit is used without a pause.
    EXPECT_THAT(lags(run(code("R21"), machine)), ElementsAre(0, 1, 1, 1, 1));
}

// Memory instructions and those that name a scoreboard leave Control for their queue.
TEST(ReadPorts, DoNotHoldInstructionsOfVariableLatency) {
    auto special = with(cosine(7, 8), stall(1));
    special.control->write_barrier = 0;
    const std::vector code{
        clock_read(), nop(), ffma(11, "R10", "R12", "R14"), ffma(13, "R16", "R18", "R22"), special,
        clock_read(), last()};
    EXPECT_EQ(between_clocks(code), 5);
}

TEST(ReadPorts, ReadWideOperandsInAsManyCycles) {
    // Both registers of three pairs: three reads of each bank.
    auto wide = with(make("DFMA", assembly::OpcodeClass::Double, {reg(0), reg(2), reg(4), reg(6)}),
                     stall(1));
    models::Architecture machine = with_ports();
    set_class(machine, {assembly::OpcodeClass::Double, "alu", 8, 1});
    EXPECT_THAT(lags(run(program_of({{wide, wide, last()}}), machine)), ElementsAre(0, 2, 2));
}

std::string refusal(const models::Architecture& machine) {
    const TestProgram program = program_of({{last()}});
    const auto prepared = Machine::prepare(machine, program.kernel(), {}, 1);
    return prepared ? "" : prepared.error().what;
}

TEST(ReadPorts, AreRefusedWhereTheDescriptionIsIncomplete) {
    EXPECT_EQ(refusal(with_ports()), "");
    models::Architecture machine = with_ports();
    set(machine.register_file, "read-ports", 2);
    EXPECT_THAT(refusal(machine), HasSubstr("register-file/read-ports is 2; expected 1 to 1"));
    machine = with_ports();
    std::erase_if(machine.register_file.values,
                  [](const auto& value) { return value.name == "read-window"; });
    EXPECT_THAT(refusal(machine), HasSubstr("register-file/read-window"));
    machine = with_ports();
    add_collectors(machine, [](std::string_view) { return 1; });
    EXPECT_THAT(refusal(machine), HasSubstr("expected one of them"));
}

/// An increment is seen `delay` cycles late (C85).
models::Architecture with_counters(std::int64_t delay) {
    models::Architecture machine = with_ports();
    set(machine.schedulers, "counter-delay", delay);
    return machine;
}

assembly::Control announcing(int stalls, int scoreboard = 0) {
    assembly::Control control = stall(stalls);
    control.write_barrier = scoreboard;
    return control;
}
assembly::Control waiting(int stalls = 1, std::uint8_t mask = 1) {
    assembly::Control control = stall(stalls);
    control.wait_mask = mask;
    return control;
}

/// A load of 26 cycles and an addition that waits for it.
TestProgram load_and_add(const assembly::Control& load) {
    auto program = straight_line({with(load_shared(1, 0), load), with(add(2, 1, 1), waiting())});
    program.function.instructions.back().control = stall(1);
    program.set_passes(0, 1, 1);
    return program;
}

// H25 4: incremented in Control, an operation is seen from two cycles after its issue on.
TEST(Counters, AreNotSeenInTheCycleAfterTheIssue) {
    EXPECT_THAT(run(load_and_add(announcing(1)), with_counters(1)).issues(), ElementsAre(0, 1, 2));
    EXPECT_THAT(run(load_and_add(announcing(2)), with_counters(1)).issues(),
                ElementsAre(0, 26, 27));
    EXPECT_THAT(run(load_and_add(announcing(1)), with_counters(0)).issues(),
                ElementsAre(0, 26, 27));
}

TEST(Counters, AreSeenAfterAYield) {
    auto machine = with_counters(1);
    set(machine.schedulers, "yield", 1);
    assembly::Control yields = announcing(1);
    yields.yield = true;
    EXPECT_THAT(run(load_and_add(yields), machine).issues(), ElementsAre(0, 26, 27));
}

// An operation that was outstanding before is seen.
TEST(Counters, OfEarlierOperationsAreSeen) {
    auto program =
        straight_line({with(load_shared(1, 0), announcing(2)),
                       with(load_shared(3, 0), announcing(1)), with(add(2, 1, 3), waiting())});
    program.function.instructions.back().control = stall(1);
    program.set_passes(0, 1, 1);
    program.set_passes(1, 1, 1);
    EXPECT_EQ(run(program, with_counters(1)).issues().at(2), 28);
}

// The other warp is chosen in the cycle in which the first does not see its load. It then waits.
TEST(Counters, AreSeenWhereAnotherWarpIsChosenBetween) {
    const auto both = [](const char* policy) {
        return run(load_and_add(announcing(1)), with_counters(1), {1, 64}, {},
                   models::read_policy(policy).value());
    };
    const TestRun greedy = both("gto");
    EXPECT_THAT(greedy.issues(0), ElementsAre(0, 1, 2));
    EXPECT_THAT(greedy.issues(1), ElementsAre(3, 4, 5));
    const TestRun rotating = both("lrr");
    const int first = rotating.issues(0).front() == 0 ? 0 : 1;
    EXPECT_EQ(rotating.issues(first).at(1), 26);
    EXPECT_EQ(rotating.issues(1 - first).at(0), 1);
}

TEST(Counters, AreSeenOrNotWhereTheDelayIsDrawn) {
    auto machine = with_counters(0);
    set(machine.schedulers, "counter-delay", Values{0, 1});
    std::set<std::int64_t> seen;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        seen.insert(run(load_and_add(announcing(1)), machine, {1, 32},
                        {.seed = seed, .draw = Draw::Uniform, .path = {}})
                        .issues()
                        .at(1));
    EXPECT_THAT(seen, ElementsAre(1, 26));
}

TEST(Counters, RefuseWhatIsNotKnownOfThem) {
    std::vector<assembly::Instruction> loads(64, with(load_shared(1, 0), announcing(2)));
    const auto program_of_loads = [&] {
        auto program = straight_line(loads);
        program.function.instructions.back().control = stall(1);
        for (std::size_t i = 0; i < loads.size(); ++i)
            program.set_passes(i, 1, 1);
        return program;
    };
    EXPECT_THAT(refusal(program_of_loads(), with_counters(1)), HasSubstr("more than 63"));
    EXPECT_EQ(refusal(program_of_loads(), with_ports()), "");
    loads[32].control->wait_mask = 1;
    EXPECT_EQ(refusal(program_of_loads(), with_counters(1)), "");
    // The load before it is not seen: 63 and one.
    loads[0].control->stall = 1;
    loads.pop_back();
    loads[32].control->wait_mask = 0;
    loads[1].control->wait_mask = 1;
    EXPECT_EQ(refusal(program_of_loads(), with_counters(1)), "");
    loads.push_back(loads.back());
    EXPECT_THAT(refusal(program_of_loads(), with_counters(1)), HasSubstr("more than 63"));

    const auto depbar = [](int stalls, const char* name = "DEPBAR") {
        auto program = straight_line({with(make(name, assembly::OpcodeClass::DependenceBarrier,
                                                {assembly::ScoreboardOperand{0}, number(1)}),
                                           stall(stalls))});
        program.function.instructions.back().control = stall(1);
        return program;
    };
    EXPECT_THAT(refusal(depbar(3), with_counters(1)), HasSubstr("its stall count is 3"));
    EXPECT_EQ(refusal(depbar(4), with_counters(1)), "");
    EXPECT_EQ(refusal(depbar(3), with_ports()), "");
    EXPECT_THAT(refusal(depbar(1, "LDGDEPBAR"), with_counters(1)),
                testing::Not(HasSubstr("stall count")))
        << "waits for nothing";
}

} // namespace
} // namespace warpbound::harness::simulator::test
