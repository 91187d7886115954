// Flow facts checked against synthetic traces of the saxpy example: too many iterations, a
// forbidden path, and divergent lanes.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/trace/fact_check.hpp"
#include "harness/trace/issue_match.hpp"

#include <gmock/gmock.h>

namespace warpbound::harness::trace {
namespace {

using testing::HasSubstr;

class FactCheckTest : public testing::Test {
protected:
    FactCheckTest() {
        program_ = assembly::read_program(assembly::read_source(std::string{WARPBOUND_SOURCE_DIR} +
                                                                "/examples/saxpy/sm_75.sass")
                                              .value())
                       .value();
        function_ = &program_.functions.front();
        graph_ = assembly::build_control_flow_graph(*function_).value();
        facts_.loops.push_back({.header = 0x100, .min = 1, .max = 128, .from = {}});
        trace_.kernel = function_->name;
        trace_.block = {32, 1, 1};
        trace_.blocks.push_back({{0, 0, 0}, {{0, {}}}});
    }

    void use(const char* listing) {
        program_ = assembly::read_program({"listing", listing}).value();
        function_ = &program_.functions.front();
        graph_ = assembly::build_control_flow_graph(*function_).value();
        trace_.kernel = function_->name;
        facts_ = {};
    }

    void issue(std::int64_t first, std::int64_t last, std::uint32_t mask = 0xffffffffU) {
        for (std::int64_t address = first; address <= last; address += function_->step) {
            TracedIssue& added = trace_.blocks.front().warps.front().issues.emplace_back();
            added.address = address;
            added.mask = mask;
            const auto index = function_->index_of(address);
            if (!index) continue;
            added.opcode = assembly::opcode_text(function_->instructions[*index]);
            if (const auto written = destination_of(function_->instructions[*index]))
                added.destinations.push_back(*written);
        }
    }
    /// The whole kernel with the given number of loop iterations.
    void run(int iterations, std::uint32_t mask = 0xffffffffU) {
        issue(0, 0xe0, mask);
        issue(0xf0, 0xf0, mask);
        for (int iteration = 0; iteration < iterations; ++iteration)
            issue(0x100, 0x130, mask);
        issue(0x140, 0x150, mask);
    }
    std::vector<FactCheck> check() {
        return check_facts(trace_, {function_, &graph_, &facts_, {1, 32}}).value();
    }

    assembly::Program program_;
    const assembly::Function* function_ = nullptr;
    assembly::ControlFlowGraph graph_;
    models::FlowFacts facts_;
    SassTrace trace_;
};

TEST_F(FactCheckTest, AcceptsFactsThatNoLaneContradicts) {
    run(128);
    facts_.nevers.push_back({.block = 0x160, .from = {}});
    const auto checks = check();
    ASSERT_EQ(checks.size(), 2U);
    EXPECT_EQ(checks[0].fact, "loop 0x0100 1..128");
    EXPECT_EQ(checks[0].cases, 32);
    EXPECT_EQ(checks[0].refuted_by, std::nullopt);
    EXPECT_EQ(checks[1].refuted_by, std::nullopt);
}

TEST_F(FactCheckTest, NamesTheLaneThatRefutesALoopBound) {
    run(129);
    EXPECT_THAT(check()[0].refuted_by.value_or(""),
                HasSubstr("lane 0 of warp 0 of block 0,0,0 executes its header 129 times"));
}

// Divergent lanes are checked individually.
TEST_F(FactCheckTest, FollowsDivergentLanes) {
    issue(0, 0xf0);
    for (int iteration = 0; iteration < 100; ++iteration)
        issue(0x100, 0x130);
    for (int iteration = 0; iteration < 29; ++iteration)
        issue(0x100, 0x130, 0x10U);
    issue(0x140, 0x150);
    EXPECT_THAT(check()[0].refuted_by.value_or(""), HasSubstr("lane 4 of warp 0"));
    facts_.loops.front().max = 129;
    EXPECT_EQ(check()[0].refuted_by, std::nullopt);
    EXPECT_EQ(check()[0].cases, 32);
}

TEST_F(FactCheckTest, ChecksEveryTypeOfPathFact) {
    run(2);
    facts_.nevers.push_back({.block = 0x60, .from = {}});
    facts_.exclusives.push_back({.first = 0x60, .second = 0x140, .from = {}});
    models::LinearFact often;
    often.terms.push_back({.coefficient = 2, .from = std::nullopt, .block = 0x100});
    often.terms.push_back({.coefficient = 1, .from = 0x100, .block = 0x100});
    often.relation = models::Relation::Equal;
    often.constant = 5; // Two executions, one back edge.
    facts_.constraints.push_back(often);
    often.constant = 4;
    facts_.constraints.push_back(often);
    const auto checks = check();
    ASSERT_EQ(checks.size(), 5U);
    EXPECT_EQ(checks[0].refuted_by, std::nullopt);
    EXPECT_THAT(checks[1].refuted_by.value_or(""), HasSubstr("executes it"));
    EXPECT_THAT(checks[2].refuted_by.value_or(""), HasSubstr("executes both"));
    EXPECT_EQ(checks[3].refuted_by, std::nullopt);
    EXPECT_THAT(checks[4].refuted_by.value_or(""), HasSubstr("makes the sum 5"));
}

// A loop of guarded instructions: lane 0 leaves no trace of its last iteration.
TEST_F(FactCheckTest, LeavesOpenFactsThatCountSilentBlocks) {
    use("!Arch sm_20\n!Kernel k\nMOV R1, R2;\nH: @P0 FADD R4, R4, R3;\n@P1 BRA H;\nEXIT;\n");
    const auto loop = [](std::int64_t min, std::int64_t max) {
        return models::LoopFact{.header = 0x8, .min = min, .max = max, .from = {}};
    };
    const auto times = [](models::Relation relation, std::int64_t constant) {
        models::LinearFact fact;
        fact.terms.push_back({.coefficient = 1, .from = std::nullopt, .block = 0x8});
        fact.relation = relation;
        fact.constant = constant;
        return fact;
    };
    issue(0, 0, 1);
    for (int iteration = 0; iteration < 2; ++iteration)
        issue(0x10, 0x10, 1);
    issue(0x8, 0x10, 0);
    issue(0x18, 0x18, 1);
    facts_.loops = {loop(3, 3), loop(1, 1)};
    facts_.nevers.push_back({.block = 0x8, .from = {}});
    facts_.constraints = {times(models::Relation::Equal, 3), times(models::Relation::AtLeast, 3),
                          times(models::Relation::AtLeast, 2), times(models::Relation::AtMost, 1)};
    const auto checks = check();
    ASSERT_EQ(checks.size(), 7U);
    const auto is_open = [](const FactCheck& check) {
        return check.cases == 1 && check.open == 1 && !check.refuted_by;
    };
    EXPECT_TRUE(is_open(checks[0]));
    EXPECT_THAT(checks[1].refuted_by.value_or(""), HasSubstr("executes its header at least 2"));
    EXPECT_THAT(checks[2].refuted_by.value_or(""), HasSubstr("executes it"));
    EXPECT_TRUE(is_open(checks[3]));
    EXPECT_TRUE(is_open(checks[4]));
    EXPECT_EQ(checks[5].open, 0);
    EXPECT_EQ(checks[5].refuted_by, std::nullopt);
    EXPECT_THAT(checks[6].refuted_by.value_or(""), HasSubstr("makes the sum at least 2"));
}

// Between two traversals of the inner loop there are only predicated-off instructions.
TEST_F(FactCheckTest, LeavesOpenWhetherTwoLoopTraversalsAreOne) {
    use("!Arch sm_20\n!Kernel k\nMOV R1, R2;\nO: @P2 MOV R1, R2;\nH: FADD R4, R4, R3;\n"
        "@P0 BRA H;\n@P1 BRA O;\nEXIT;\n");
    facts_.loops.push_back({.header = 0x10, .min = 2, .max = 2, .from = {}});
    issue(0, 0, 1);
    for (int iteration = 0; iteration < 3; ++iteration)
        issue(0x10, 0x10, 1);
    issue(0x28, 0x28, 1);
    ASSERT_EQ(check()[0].refuted_by, std::nullopt);
    EXPECT_EQ(check()[0].open, 1);
    facts_.loops.front().min = 4;
    EXPECT_THAT(check()[0].refuted_by.value_or(""), HasSubstr("executes its header 3 times"));
}

TEST_F(FactCheckTest, RefusesAnotherKernel) {
    run(1);
    issue(0x7000, 0x7000);
    const Kernel kernel{function_, &graph_, &facts_, {1, 32}};
    EXPECT_THAT(check_facts(trace_, kernel).error().what,
                HasSubstr("0x7000 is no instruction of kernel"));
    trace_.blocks.front().warps.front().issues.back().address = 0x10;
    trace_.blocks.front().warps.front().issues.back().opcode = "FROB";
    EXPECT_THAT(check_facts(trace_, kernel).error().what,
                HasSubstr("warp 0 of block 0,0,0: FROB at 0x0010, where the listing"));
    trace_.binary_version = 86;
    EXPECT_THAT(check_facts(trace_, kernel).error().what, HasSubstr("a trace of sm_86 code"));
    trace_.kernel = "another";
    EXPECT_THAT(check_facts(trace_, kernel).error().what, HasSubstr("a trace of kernel 'another'"));
}

} // namespace
} // namespace warpbound::harness::trace
