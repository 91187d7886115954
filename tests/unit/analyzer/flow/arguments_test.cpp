// Facts that follow from the arguments of a launch.
#include "analyzer/flow/facts_in_use.hpp"
#include "analyzer/flow/infeasible_paths.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

/// A loop of c[0x0][0x160] iterations, an access of a stride that the code gives, and one of a
/// stride that an argument gives.
constexpr const char* body =
    "S2R R0, SR_TID.X; MOV R4, RZ; "
    "L: IADD3 R4, R4, 0x1, RZ; ISETP.LT.AND P0, PT, R4, c[0x0][0x160], PT; @P0 BRA L; "
    "IMAD R5, R0, 0x4, RZ; LDS R8, [R5]; IMAD R5, R0, c[0x0][0x164], RZ; LDS R9, [R5]; EXIT;";

models::FlowFacts facts_of(const models::ArgumentWords& arguments, models::FlowFacts stated = {}) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    const auto facts =
        facts_in_use(*context->request.function, context->graph, context->architecture,
                     {.blocks = 1, .threads = 32, .arguments = arguments}, std::move(stated));
    EXPECT_TRUE(facts) << to_string(facts.error());
    return facts ? facts.value() : models::FlowFacts{};
}

TEST(ArgumentFacts, BoundLoopsAndAccesses) {
    const auto facts = facts_of({{0x160, {7, 32}}, {0x164, {8, 32}}});
    const models::LoopFact loop{0x20, 7, 7, models::from_arguments};
    EXPECT_EQ(*facts.loop_at(0x20), loop);
    EXPECT_EQ(facts.memory_at(0x80)->conflict_degree, (models::CountRange{2, 2}));
    EXPECT_EQ(facts.memory_at(0x80)->from, models::from_arguments);
}

// As nvcc unrolls a loop by four: `n & 3` iterations remain.
TEST(ArgumentFacts, BoundTheRemainderOfAnUnrolledLoop) {
    const auto context =
        analyzed("MOV R0, c[0x0][0x160]; LOP3.LUT R0, R0, 0x3, RZ, 0xc0, !PT; "
                 "L: IADD3 R0, R0, -0x1, RZ; ISETP.NE.AND P0, PT, R0, RZ, PT; @P0 BRA L; EXIT;",
                 {}, "turing-t4", 75);
    const auto facts =
        facts_in_use(*context->request.function, context->graph, context->architecture,
                     {.blocks = 1, .threads = 32, .arguments = {{0x160, {131, 32}}}}, {});
    ASSERT_TRUE(facts);
    EXPECT_EQ(*facts.value().loop_at(0x20), (models::LoopFact{0x20, 3, 3, models::from_arguments}));
}

// Whether lanes differ in code that is never executed: the abstract execution says that they do
// not, the indices of the threads say that they do.
TEST(ArgumentFacts, OfCodeThatIsNeverExecutedContradictNothing) {
    const auto context =
        analyzed("S2R R2, SR_TID.X; MOV R3, RZ; ISETP.GE.AND P0, PT, R3, -0x3, PT; @P0 BRA E; "
                 "LOP3.LUT P1, RZ, R2, 0x3, RZ, 0xc0, !PT; @P1 BRA E; FADD R4, R4, R4; E: EXIT;",
                 {}, "turing-t4", 75);
    const auto facts =
        facts_in_use(*context->request.function, context->graph, context->architecture,
                     {.blocks = 1, .threads = 32, .arguments = {{0x160, {3, 32}}}}, {});
    ASSERT_TRUE(facts) << to_string(facts.error());
    EXPECT_TRUE(facts.value().is_never(0x40));
}

// A function called twice, which enters its loop in the second call only.
TEST(ArgumentFacts, BoundLoopsThatSomeCallsNeverEnter) {
    const auto context =
        analyzed("MOV R8, RZ; MOV R4, 0x30; CALL.REL.NOINC F; MOV R8, 0x4; MOV R4, 0x60; "
                 "CALL.REL.NOINC F; EXIT; "
                 "F: ISETP.EQ.AND P0, PT, R8, RZ, PT; @P0 BRA M; "
                 "L: IADD3 R8, R8, -0x2, RZ; ISETP.NE.AND P0, PT, R8, RZ, PT; @P0 BRA L; "
                 "M: RET.REL.NODEC R4 0x0;",
                 {}, "turing-t4", 75);
    const auto facts = facts_in_use(*context->request.function, context->graph,
                                    context->architecture, {.blocks = 1, .threads = 32}, {});
    ASSERT_TRUE(facts) << to_string(facts.error());
    ASSERT_NE(facts.value().loop_at(0x90), nullptr);
    EXPECT_EQ(*facts.value().loop_at(0x90), (models::LoopFact{0x90, 2, 2, models::from_code}));
}

// Nothing remains of 128 iterations: the loop is never entered, whatever its counter would do.
TEST(ArgumentFacts, ExcludeLoopsThatAreNeverEntered) {
    const auto context =
        analyzed("MOV R0, c[0x0][0x160]; LOP3.LUT R0, R0, 0x3, RZ, 0xc0, !PT; "
                 "ISETP.NE.AND P0, PT, R0, RZ, PT; @!P0 EXIT; "
                 "L: IADD3 R0, R0, -0x1, RZ; ISETP.NE.AND P0, PT, R0, RZ, PT; @P0 BRA L; EXIT;",
                 {}, "turing-t4", 75);
    const auto facts = [&](std::uint32_t n) {
        return facts_in_use(*context->request.function, context->graph, context->architecture,
                            {.blocks = 1, .threads = 32, .arguments = {{0x160, {n, 32}}}}, {})
            .value();
    };
    EXPECT_THAT(facts(128).nevers,
                testing::Contains(models::NeverFact{0x40, models::from_arguments}));
    EXPECT_EQ(*facts(130).loop_at(0x40), (models::LoopFact{0x40, 2, 2, models::from_arguments}));
}

TEST(ArgumentFacts, LeaveWhatTheCodeGivesProved) {
    const auto facts = facts_of({{0x160, {7, 32}}});
    EXPECT_EQ(facts.memory_at(0x60)->conflict_degree, (models::CountRange{1, 1}));
    EXPECT_EQ(facts.memory_at(0x60)->from, models::from_code);
    EXPECT_EQ(facts_of({}).loop_at(0x20), nullptr);
}

TEST(ArgumentFacts, NarrowStatedBoundsAndKeepStrongerOnes) {
    models::FlowFacts stated;
    const models::FactSource by_user{.line = 3};
    stated.loops.push_back({0x20, 1, 100, by_user});
    EXPECT_EQ(facts_of({{0x160, {7, 32}}}, stated).loops.front(),
              (models::LoopFact{0x20, 7, 7, models::from_arguments}));
    stated.loops.front() = {0x20, 7, 7, by_user};
    EXPECT_EQ(facts_of({{0x160, {7, 32}}}, stated).loops.front().from, by_user);
}

TEST(ArgumentFacts, ThatContradictWhatIsStatedAreRefused) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    models::FlowFacts stated;
    stated.loops.push_back({0x20, 9, 9, {}});
    const auto refused =
        facts_in_use(*context->request.function, context->graph, context->architecture,
                     {.blocks = 1, .threads = 32, .arguments = {{0x160, {7, 32}}}}, stated);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("stated to execute 9..9 times"));
    // blockDim.x of a block of 32 threads.
    const auto extent =
        facts_in_use(*context->request.function, context->graph, context->architecture,
                     {.blocks = 1, .threads = 32, .arguments = {{0x0, {64, 32}}}}, {});
    ASSERT_FALSE(extent);
    EXPECT_THAT(extent.error().what, HasSubstr("0x0=64 contradicts the launch"));
}

TEST(ArgumentFacts, ExcludePathsAndSayWhy) {
    const auto context = analyzed("MOV R0, c[0x0][0x160]; ISETP.LT.AND P0, PT, R0, 0x5, PT; "
                                  "@P0 BRA D; NOP; D: EXIT;",
                                  {}, "turing-t4", 75);
    const auto derive = [&](const models::ArgumentWords& arguments) {
        return infeasible_paths_with_arguments(*context->request.function, context->graph,
                                               {.blocks = 1, .threads = 32, .arguments = arguments},
                                               Convergence::Converged);
    };
    EXPECT_TRUE(derive({}).empty());
    const auto facts = derive({{0x160, {3, 32}}});
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(text_of(facts.front()), "0x0030 is never executed");
    EXPECT_EQ(source_of(facts.front()), models::from_arguments);
}

// An EXIT in front of a barrier at which no thread ends is none that warps may end at (S12a).
TEST(ArgumentFacts, KeepThreadsThatNeverEndInFrontOfABarrier) {
    const auto context = analyzed("S2R R0, SR_TID.X; ISETP.GE.AND P0, PT, R0, c[0x0][0x160], PT; "
                                  "@P0 EXIT; BAR.SYNC 0x0; EXIT;",
                                  {}, "turing-t4", 75);
    const auto facts = [&](std::uint32_t n) {
        return facts_in_use(*context->request.function, context->graph, context->architecture,
                            {.blocks = 1, .threads = 64, .arguments = {{0x160, {n, 32}}}}, {})
            .value();
    };
    const auto covered = facts(64);
    ASSERT_EQ(covered.constraints.size(), 1U);
    EXPECT_EQ(covered.constraints[0].terms,
              (std::vector<models::LinearTerm>{{1, 0x0, 0x30}, {-1, std::nullopt, 0x0}}));
    EXPECT_EQ(covered.constraints[0].relation, models::Relation::AtLeast);
    EXPECT_TRUE(facts(63).constraints.empty());
}

// nvcc also calls code that it jumps to: one branch that never goes there says nothing of the call.
TEST(ArgumentFacts, ExcludeABranchToCodeThatIsAlsoCalled) {
    const auto context =
        analyzed("S2R R0, SR_TID.X; ISETP.GE.AND P0, PT, R0, c[0x0][0x160], PT; @P0 BRA M; "
                 "MOV R4, RZ; L: IADD3 R4, R4, 0x1, RZ; ISETP.GE.AND P1, PT, R4, 0x8, PT; "
                 "@P1 CALL.REL.NOINC M; BRA L; M: BAR.SYNC 0x0; EXIT;",
                 {}, "turing-t4", 75);
    const models::Launch launch{.blocks = 1, .threads = 32, .arguments = {{0x160, {512, 32}}}};
    const models::LinearTerm never_taken{1, 0x0, 0x80};
    const auto derived = infeasible_paths_with_arguments(*context->request.function, context->graph,
                                                         launch, Convergence::MayDiverge);
    ASSERT_EQ(derived.size(), 1U);
    EXPECT_THAT(std::get<models::LinearFact>(derived.front().fact).terms,
                testing::ElementsAre(never_taken));
    const auto facts =
        facts_in_use(*context->request.function, context->graph, context->architecture, launch, {});
    ASSERT_TRUE(facts) << to_string(facts.error());
    ASSERT_EQ(facts.value().constraints.size(), 1U);
    EXPECT_THAT(facts.value().constraints.front().terms, testing::ElementsAre(never_taken));
    EXPECT_TRUE(facts.value().nevers.empty());
}

TEST(LaunchWords, ExcludeTheExitOfThreadsBehindTheEnd) {
    const std::string guard = "IMAD R4, R4, c[0x0][0x0], R3; ISETP.GE.AND P0, PT, R4, 0xa000, PT;"
                              "@P0 EXIT; NOP; EXIT;";
    const auto facts_of = [](const std::string& body, const models::Launch& launch) {
        const auto context = analyzed(body, {}, "turing-t4", 75);
        return infeasible_paths_with_arguments(*context->request.function, context->graph, launch,
                                               Convergence::MayDiverge);
    };
    const std::string line = "S2R R4, SR_CTAID.X; S2R R3, SR_TID.X;" + guard;
    const auto facts = facts_of(line, {.blocks = 160, .threads = 256});
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_THAT(text_of(facts.front()), HasSubstr("is always taken"));
    EXPECT_EQ(source_of(facts.front()), models::from_code);
    EXPECT_TRUE(facts_of(line, {.blocks = 161, .threads = 256}).empty());
    // Of a block of which only the number of threads is known, the code must read one dimension.
    const std::string plane = "S2R R5, SR_TID.Y;" + line;
    EXPECT_TRUE(facts_of(plane, {.blocks = 160, .threads = 256}).empty());
    EXPECT_EQ(facts_of(plane, {.blocks = 160, .threads = 256, .shape = {{{16, 16, 1}}}}).size(),
              1U);
    const std::string height = "IADD3 R3, R3, c[0x0][0x4], RZ;" + line;
    EXPECT_TRUE(facts_of(height, {.blocks = 160, .threads = 256}).empty());
}

} // namespace
} // namespace warpbound::analyzer
