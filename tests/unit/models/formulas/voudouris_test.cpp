#include "assembly/isa/function_effects.hpp"
#include "models/formulas/voudouris.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::voudouris {
namespace {

using assembly::Instruction;
using assembly::OpcodeClass;

assembly::RegisterOperand reg(int index) {
    assembly::RegisterOperand operand;
    operand.index = index;
    return operand;
}

/// An instruction that writes `target` and reads `source`.
Instruction made(OpcodeClass opcode_class, int target, int source) {
    Instruction one;
    one.mnemonic = opcode_class == OpcodeClass::LoadGlobal ? "LD" : "IADD";
    one.opcode_class = opcode_class;
    if (opcode_class == OpcodeClass::LoadGlobal) {
        assembly::MemoryOperand place;
        place.base = reg(source);
        one.operands = {reg(target), place};
    } else {
        one.operands = {reg(target), reg(source)};
    }
    return one;
}

assembly::Function function_of(std::vector<Instruction> instructions) {
    assembly::Function function;
    function.target = {.sm = 20};
    function.instructions = std::move(instructions);
    for (std::size_t index = 0; index < function.instructions.size(); ++index)
        function.instructions[index].address = static_cast<std::int64_t>(8 * index);
    assembly::set_effects(function);
    return function;
}

ProfileStep step(OpcodeClass opcode_class, std::vector<std::int64_t> distances = {}) {
    ProfileStep one;
    one.opcode_class = opcode_class;
    one.distances = std::move(distances);
    return one;
}

TEST(Voudouris, AddsWhatEachClassCosts) {
    const KernelProfile profile{.arithmetic_independent = 1,
                                .arithmetic_dependent = 1,
                                .shared_loads = 1,
                                .shared_stores = 1,
                                .global_loads = 1,
                                .global_stores = 1};
    // 6 + 18 + 26 + 30 + 34 = 114.
    const auto times = time_of(profile, 100_cycles, table_7);
    EXPECT_EQ(times.best.value(), 114 + 64);
    EXPECT_EQ(times.average.value(), 114 + 300);
    EXPECT_EQ(times.worst.value(), 114 + 400);
}

TEST(Voudouris, HidesNoMoreThanTheLoadsCost) {
    const KernelProfile profile{.global_loads = 2};
    EXPECT_EQ(time_of(profile, 5000_cycles, table_7).average.value(), 0);
}

TEST(Voudouris, ThrowsOnOverflow) {
    KernelProfile profile;
    profile.global_loads = std::int64_t{1} << 60U;
    EXPECT_THROW((void)time_of(profile, 0_cycles, table_7), std::overflow_error);
}

TEST(Voudouris, ExplainsItsSymbols) {
    const auto symbols = explain({.global_loads = 8}, 2034_cycles, reconstruction_a);
    EXPECT_THAT(symbols,
                testing::Contains(ExplainedSymbol{"L_memhide", 2034, "cycles", "V14 eq. 8"}));
    EXPECT_THAT(symbols,
                testing::Contains(ExplainedSymbol{"CPI_glomem_st", 58, "cycles/instruction",
                                                  "V14 Table 7, reconstruction A"}));
    for (const auto& symbol : symbols)
        EXPECT_FALSE(symbol.source.empty()) << symbol.symbol;
}

// Eq. 8 by hand: after the load an independent (6) and a dependent (18) addition, then the use.
TEST(HiddenLatency, IsTheSumUpToTheUse) {
    const Steps steps{step(OpcodeClass::LoadGlobal), step(OpcodeClass::IntegerAdd),
                      step(OpcodeClass::IntegerAdd, {1}), step(OpcodeClass::IntegerAdd, {3})};
    const auto loads = hidden_latency_of(steps, table_7);
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_EQ(loads[0].use, 3U);
    EXPECT_EQ(loads[0].hidden, 24_cycles);
}

TEST(HiddenLatency, EndsAtTheCostOfALoad) {
    Steps steps{step(OpcodeClass::LoadGlobal)};
    for (int index = 0; index < 100; ++index)
        steps.push_back(step(OpcodeClass::IntegerAdd));
    const auto loads = hidden_latency_of(steps, table_7);
    EXPECT_EQ(loads[0].hidden, 400_cycles);
    EXPECT_EQ(loads[0].use, std::nullopt);
}

TEST(Profile, SumsWhatAllLoadsHide) {
    // Each load hides one independent addition (6) before its use.
    const Steps steps{step(OpcodeClass::LoadGlobal),      step(OpcodeClass::IntegerAdd),
                      step(OpcodeClass::IntegerAdd, {2}), step(OpcodeClass::LoadGlobal),
                      step(OpcodeClass::IntegerAdd),      step(OpcodeClass::IntegerAdd, {1, 2})};
    const auto profile = profile_of(steps, table_7);
    ASSERT_TRUE(profile.has_value());
    EXPECT_EQ(
        profile.value().counts,
        (KernelProfile{.arithmetic_independent = 3, .arithmetic_dependent = 1, .global_loads = 2}));
    EXPECT_EQ(profile.value().hidden_latency, 12_cycles);
}

TEST(Profile, RefusesWhatTheModelDoesNotHave) {
    const Steps atomic{step(OpcodeClass::AtomicGlobal)};
    EXPECT_FALSE(profile_of(atomic, table_7).has_value());
    const Steps texture{step(OpcodeClass::Texture)};
    EXPECT_FALSE(profile_of(texture, table_7).has_value());
}

TEST(ScheduleRule, RefusesControlFlowInTheMiddle) {
    auto branch = made(OpcodeClass::Branch, 1, 2);
    branch.control_flow = assembly::ControlFlow::Branch;
    const auto function = function_of({branch, made(OpcodeClass::IntegerAdd, 1, 2)});
    EXPECT_FALSE(schedule_of(function, 0, 1, table_7).has_value());
    EXPECT_TRUE(schedule_of(function, 0, 0, table_7).has_value());
    EXPECT_FALSE(schedule_of(function, 1, 0, table_7).has_value());
    EXPECT_FALSE(schedule_of(function, 0, 2, table_7).has_value());
}

} // namespace
} // namespace warpbound::models::voudouris
