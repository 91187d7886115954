// Voudouris 2014 (V14), master thesis, TU Eindhoven. Errata of the thesis that concern these rows:
// Table 8 has 145 instructions and Table 12 has 146; the best-case load of 64 is said to be the
// store of Table 7, which is 34; the worst-case error is printed as 28 % in the abstract and
// is 38.5 % by Table 10.
#include "assembly/isa/function_effects.hpp"
#include "models/formulas/voudouris.hpp"
#include "models/formulas/voudouris_warps.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models {
namespace {

using assembly::Instruction;
using assembly::OpcodeClass;

assembly::RegisterOperand reg(int index) {
    assembly::RegisterOperand operand;
    operand.index = index;
    return operand;
}

Instruction instruction(OpcodeClass opcode_class, std::string mnemonic, int target, int source) {
    Instruction made;
    made.mnemonic = std::move(mnemonic);
    made.opcode_class = opcode_class;
    made.operands = {reg(target), reg(source)};
    return made;
}

Instruction clock_read(int target) {
    Instruction made;
    made.mnemonic = "S2R";
    made.opcode_class = OpcodeClass::ClockRead;
    made.operands = {reg(target), assembly::SpecialRegisterOperand{.name = "SR_ClockLo"}};
    return made;
}

/// Clock read and its doubling before and after `body`, as V14 5.1 times a region.
assembly::Function timed(std::vector<Instruction> body) {
    assembly::Function function;
    function.target = {.sm = 20};
    function.instructions = {clock_read(20), instruction(OpcodeClass::Shift, "SHL", 21, 20)};
    for (auto& one : body)
        function.instructions.push_back(std::move(one));
    function.instructions.push_back(clock_read(22));
    function.instructions.push_back(instruction(OpcodeClass::Shift, "SHL", 23, 22));
    std::int64_t address = 0;
    for (auto& one : function.instructions) {
        one.address = address;
        address += 8;
    }
    assembly::set_effects(function);
    return function;
}

struct Operation {
    const char* mnemonic;
    OpcodeClass opcode_class;
    std::int64_t latency; // V14 Table 20
};
constexpr auto operations = std::to_array<Operation>({
    {"FADD", OpcodeClass::FloatAdd, 18},
    {"FMUL", OpcodeClass::FloatMultiply, 18},
    {"FFMA", OpcodeClass::FloatMultiplyAdd, 18},
    {"COS", OpcodeClass::SpecialFunction, 22},
});

/// Time of n operations, each with its own registers or each reading the one before.
Cycles measured(const Operation& operation, int count, bool dependent) {
    std::vector<Instruction> body;
    for (int index = 0; index < count; ++index)
        body.push_back(instruction(operation.opcode_class, operation.mnemonic,
                                   dependent ? index + 1 : index, dependent ? index : 50));
    const auto function = timed(std::move(body));
    const auto schedule =
        voudouris::schedule_of(function, 0, function.instructions.size() - 1, voudouris::table_7);
    return *schedule.value().measured;
}

// Table 19: n independent ADD, MUL, COS or MAD, n = 1..5. Tolerance 0: the table is integral.
TEST(VoudourisTable19, GivesIndependentTimes) {
    constexpr auto published = std::to_array<std::int64_t>({30, 36, 42, 48, 54});
    for (const auto& operation : operations)
        for (int count = 1; count <= 5; ++count)
            EXPECT_EQ(measured(operation, count, false).count(),
                      published.at(static_cast<std::size_t>(count - 1)))
                << count << " " << operation.mnemonic;
}

// Table 20: n dependent operations, n = 1..5. Tolerance 0.
TEST(VoudourisTable20, GivesDependentTimes) {
    constexpr auto arithmetic = std::to_array<std::int64_t>({30, 48, 66, 84, 102});
    constexpr auto cosine = std::to_array<std::int64_t>({30, 52, 74, 96, 118});
    for (const auto& operation : operations)
        for (int count = 1; count <= 5; ++count) {
            const auto& published =
                operation.opcode_class == OpcodeClass::SpecialFunction ? cosine : arithmetic;
            EXPECT_EQ(measured(operation, count, true).count(),
                      published.at(static_cast<std::size_t>(count - 1)))
                << count << " " << operation.mnemonic;
        }
}

std::vector<std::int64_t> issues(const assembly::Function& function) {
    const auto schedule =
        voudouris::schedule_of(function, 0, function.instructions.size() - 1, voudouris::table_7);
    std::vector<std::int64_t> times;
    for (const auto& step : schedule.value().steps)
        times.push_back(step.issue.count());
    return times;
}

// Fig. 29, upper half. Tolerance 0.
TEST(VoudourisFigure29, GivesTheTimelineOfIndependentAdditions) {
    const auto function = timed({instruction(OpcodeClass::FloatAdd, "FADD", 1, 50),
                                 instruction(OpcodeClass::FloatAdd, "FADD", 2, 51)});
    EXPECT_EQ(issues(function), (std::vector<std::int64_t>{0, 18, 24, 30, 36, 54}));
    EXPECT_EQ(measured(operations[0], 2, false), 36_cycles);
}

// Fig. 29, lower half: the second addition waits for the first. Tolerance 0.
TEST(VoudourisFigure29, GivesTheTimelineOfDependentAdditions) {
    const auto function = timed({instruction(OpcodeClass::FloatAdd, "FADD", 1, 50),
                                 instruction(OpcodeClass::FloatAdd, "FADD", 2, 1)});
    EXPECT_EQ(issues(function), (std::vector<std::int64_t>{0, 18, 24, 42, 48, 66}));
    EXPECT_EQ(measured(operations[0], 2, true), 48_cycles);
}

// Table 8.
constexpr KernelProfile rows{.arithmetic_independent = 78,
                             .arithmetic_dependent = 1,
                             .shared_loads = 40,
                             .shared_stores = 9,
                             .global_loads = 8,
                             .global_stores = 9};
// Reconstruction A: Table 12's 146 instructions.
constexpr KernelProfile rows_with_41_loads{.arithmetic_independent = 78,
                                           .arithmetic_dependent = 1,
                                           .shared_loads = 41,
                                           .shared_stores = 9,
                                           .global_loads = 8,
                                           .global_stores = 9};

TEST(VoudourisTable8, Counts145Instructions) {
    EXPECT_EQ(rows.arithmetic_independent + rows.arithmetic_dependent + rows.shared_loads +
                  rows.shared_stores + rows.global_loads + rows.global_stores,
              145);
}

// Tables 7 and 8 taken literally: 18 + 468 + 40*26 + 9*30 + 9*34 = 2102, and 8 loads of 64 or 400.
TEST(VoudourisTable10, IsNotWhatTables7And8Give) {
    const auto times = voudouris::time_of(rows, 0_cycles, voudouris::table_7);
    EXPECT_EQ(times.best.value(), 2614);
    EXPECT_EQ(times.worst.value(), 5302);
}

// Table 7, and the load of 400 that Table 10's worst case implies.
TEST(VoudourisTable7, HoldsTheCosts) {
    const auto& costs = voudouris::table_7;
    EXPECT_EQ(costs.independent, 6);
    EXPECT_EQ(costs.dependent, 18);
    EXPECT_EQ(costs.shared_load, 26);
    EXPECT_EQ(costs.shared_store, 30);
    EXPECT_EQ(costs.global_store, 34);
    EXPECT_EQ(costs.global_load_best, 64);
    EXPECT_EQ(costs.global_load, 400);
    // Table 10, worst less best: 8 loads of 400 instead of 64.
    EXPECT_EQ(5544 - 2856, 8 * (costs.global_load - costs.global_load_best));
}

// What the printed results imply of the costs, all rejected but reconstruction A (reference models
// 1.2): the counts of Table 8 with LDS and STS of 28 and ST.E of 54 give the same 2344 cycles
// without the loads; ST.E of 64, the raw best-case load, gives 2372.
TEST(VoudourisTable10, HasOtherReadings) {
    const auto without_loads = [](const voudouris::Parameters& costs) {
        KernelProfile counts = rows;
        counts.global_loads = 0;
        return voudouris::time_of(counts, 0_cycles, costs).best.value();
    };
    EXPECT_EQ(without_loads(voudouris::table_7), 2102);
    auto reconstruction_b = voudouris::table_7;
    reconstruction_b.shared_load = reconstruction_b.shared_store = 28;
    reconstruction_b.global_store = 54;
    EXPECT_EQ(without_loads(reconstruction_b), 2344);
    auto store_64 = voudouris::table_7;
    store_64.global_store = 64;
    EXPECT_EQ(without_loads(store_64), 2372);
}

// Section 7.4: the store part of the rows kernel, 21 dependent and 16 independent instructions and
// 8 stores, is measured as 616 cycles; Table 7 gives 746, since stalls that overlap are counted
// twice.
TEST(VoudourisSection74, OverestimatesTheStorePart) {
    const KernelProfile stores{
        .arithmetic_independent = 16, .arithmetic_dependent = 21, .global_stores = 8};
    EXPECT_EQ(voudouris::time_of(stores, 0_cycles, voudouris::table_7).best.value(), 616 + 130);
}

// Table 10, best and worst case: 18 + 468 + 41*26 + 9*30 + 9*58 = 2344, and 8 loads of 64 or 400.
// Tolerance 0.
TEST(VoudourisTable10, FollowsFromTheReconstruction) {
    const auto times =
        voudouris::time_of(rows_with_41_loads, 0_cycles, voudouris::reconstruction_a);
    EXPECT_EQ(times.best.value(), 2856);
    EXPECT_EQ(times.worst.value(), 5544);
}

// Table 10, average case. The hidden latency is an input: the thesis does not print it.
TEST(VoudourisTable10, GivesTheAverageWithTheHiddenLatency) {
    const auto times =
        voudouris::time_of(rows_with_41_loads, 2034_cycles, voudouris::reconstruction_a);
    EXPECT_EQ(times.average.value(), 3510);
}

// Table 10, measured 3365, 3410, 4004 and errors -15.1, +2.9, +38.5 % (printed as 15, 2 and 38).
// Tolerance 0.1 %.
TEST(VoudourisTable10, HasThePublishedErrors) {
    const auto times =
        voudouris::time_of(rows_with_41_loads, 2034_cycles, voudouris::reconstruction_a);
    EXPECT_NEAR(times.best.value() / 3365 - 1, -0.151, 0.001);
    EXPECT_NEAR(times.average.value() / 3410 - 1, 0.029, 0.001);
    EXPECT_NEAR(times.worst.value() / 4004 - 1, 0.385, 0.001);
    // The measured interval lies inside the modelled one (section 1.4 of the reference).
    EXPECT_LT(times.best.value(), 3365);
    EXPECT_GT(times.worst.value(), 4004);
}

// The profile in the examples folder is the reconstruction.
TEST(VoudourisRowsExample, ReadsAsTheReconstruction) {
    const auto text = assembly::read_source(WARPBOUND_EXAMPLES "/profiles/voudouris-rows.xml");
    ASSERT_TRUE(text.has_value());
    const auto profile = read_profile(text.value());
    ASSERT_TRUE(profile.has_value());
    EXPECT_EQ(profile.value().counts, rows_with_41_loads);
    EXPECT_EQ(profile.value().hidden_latency, 2034);
}

// Fig. 30: up to six warps each takes the time of one; the last of three on a scheduler starts two
// slots of 2 cycles later (sections 6.1, 6.3). Stores keep their 34 cycles: six warps fill no
// buffer that drains one entry in 5 cycles.
TEST(VoudourisFigure30, LeavesSixWarpsTheTimeOfOne) {
    const voudouris::Core core{.warps = 6, .buffer = voudouris::Buffer{8, 5}};
    const auto six =
        voudouris::time_of_warps(rows, 0_cycles, voudouris::table_7, core, {}).value().times;
    EXPECT_EQ(six.best.value(), 2614 + 4);
    EXPECT_EQ(six.worst.value(), 5302 + 4);
}

// Eq. 14b with Table 7's 26 cycles: 3 loads without conflict and one of degree 4 cost 3*26 + 4*26.
TEST(VoudourisEquation14b, CountsAConflictOncePerDegree) {
    EXPECT_EQ(voudouris::shared_load_time(3, {4}, voudouris::table_7).value(), 182);
}

// Eq. 14a: with the variation 1 it is eq. 11, 8*400 - 2034 = 1166, the 145.75 per load of Table
// 10's average case.
TEST(VoudourisEquation14a, IsEquation11WithoutVariation) {
    const auto& parameters = voudouris::reconstruction_a;
    EXPECT_EQ(voudouris::varied_load_time(8, 1.0, 2034_cycles, parameters).value(), 1166);
    EXPECT_EQ(voudouris::varied_load_time(8, 1.25, 2034_cycles, parameters).value(), 1966);
}

} // namespace
} // namespace warpbound::models
