/// \file
/// Facts that executed threads contradict, and launches that are chosen to execute.

#include "assembly/isa/reader.hpp"
#include "certification/verify/execution/execution.hpp"
#include "models/architecture/shipped.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace warpbound::certification::verify {
namespace {

using testing::HasSubstr;

/// A kernel for the T4 and its launch; nothing is said of it.
Evidence evidence_of(const std::string& body, const std::string& launch,
                     const std::string& arch = "sm_75") {
    auto read = assembly::read_program(
        {"kernel", "!Arch " + arch + "\n!Kernel k\n" + body + "\n!EndKernel\n"});
    if (!read) throw std::runtime_error{to_string(read.error())};
    auto kernel = std::make_unique<KernelCase>();
    kernel->id = "K1";
    kernel->program = std::move(read).value();
    kernel->function = &kernel->program.functions.front();
    kernel->architecture = models::load_architecture("turing-t4").value();
    kernel->launch = models::parse_launch(launch).value();
    Evidence evidence;
    evidence.kernels.push_back(std::move(kernel));
    return evidence;
}

models::FlowFacts& facts_of(Evidence& evidence) {
    return evidence.kernels.front()->facts;
}

/// What the step says where the facts in use are these.
std::string said(Evidence& evidence, const std::function<void(models::FlowFacts&)>& state) {
    state(facts_of(evidence));
    const StepResult result = check_execution(evidence);
    return to_string(result.verdict) + ": " + result.detail;
}

// Threads count to their index: 1 to 32 times, and lanes leave one after the other.
constexpr const char* counted = R"(
S2R R0, SR_TID.X ;
MOV R1, 0x0 ;
L:
IADD3 R1, R1, 0x1, RZ ;
ISETP.LE.AND P0, PT, R1, R0, PT ;
@P0 BRA L ;
EXIT ;)";

TEST(Execution, ComparesBoundsOfLoops) {
    Evidence evidence = evidence_of(counted, "2x32");
    const auto bound = [](std::int64_t min, std::int64_t max) {
        return [=](models::FlowFacts& facts) { facts.loops = {{0x20, min, max, {}}}; };
    };
    EXPECT_EQ(said(evidence, bound(1, 32)),
              "passed: 4 executions of thread blocks contradict no fact in use");
    EXPECT_EQ(said(evidence, bound(1, 31)),
              "failed: K1: thread block 0: a thread executes the header of the loop at 0x0020 32 "
              "times; the fact says 1 to 31, executed on zeros");
    EXPECT_THAT(said(evidence, bound(2, 32)), HasSubstr("1 times; the fact says 2 to 32"));
}

TEST(Execution, ComparesWhatLanesDecideAlike) {
    Evidence evidence = evidence_of(counted, "2x32");
    const auto uniform = [](models::FlowFacts& facts) { facts.uniforms = {{0x40, {}}}; };
    EXPECT_EQ(said(evidence, uniform), "failed: K1: thread block 0: lanes decide differently at "
                                       "0x0040, which is said to be uniform, executed on zeros");
    // CUDA's rule for barriers is an assumption, which data of ours may break.
    const auto by_rule = [](models::FlowFacts& facts) {
        facts.uniforms = {{0x40, models::by_barrier_rule}};
    };
    EXPECT_THAT(said(evidence, by_rule), HasSubstr("passed"));
    Evidence of_one_thread = evidence_of(counted, "2x1");
    EXPECT_THAT(said(of_one_thread, uniform), HasSubstr("passed"));
}

TEST(Execution, ComparesGuardsThatLanesDecideAlike) {
    Evidence evidence = evidence_of(R"(
S2R R0, SR_TID.X ;
ISETP.LT.AND P0, PT, R0, 0x3, PT ;
@P0 STS [R0], R0 ;
EXIT ;)",
                                    "1x32,shared-memory=128");
    const auto uniform = [](models::FlowFacts& facts) { facts.uniforms = {{0x20, {}}}; };
    // Addresses of three lanes are no multiples of 4.
    EXPECT_THAT(said(evidence, uniform), HasSubstr("not applicable: no thread block"));
    Evidence aligned = evidence_of(R"(
S2R R0, SR_TID.X ;
SHF.L.U32 R1, R0, 0x2, RZ ;
ISETP.LT.AND P0, PT, R0, 0x3, PT ;
@P0 STS [R1], R0 ;
EXIT ;)",
                                   "1x32,shared-memory=128");
    EXPECT_THAT(said(aligned,
                     [](models::FlowFacts& facts) {
                         facts.uniforms = {{0x30, {}}};
                     }),
                HasSubstr("lanes decide differently at 0x0030"));
}

TEST(Execution, ComparesBlocksAndEdges) {
    const std::string body = R"(
S2R R0, SR_TID.X ;
ISETP.EQ.AND P0, PT, R0, 0x5, PT ;
@P0 BRA A ;
NOP ;
A:
EXIT ;)";
    Evidence evidence = evidence_of(body, "1x32");
    EXPECT_THAT(said(evidence,
                     [](models::FlowFacts& facts) {
                         facts.nevers = {{0x30, {}}};
                     }),
                HasSubstr("the block at 0x0030 is executed"));
    EXPECT_THAT(said(evidence,
                     [](models::FlowFacts& facts) {
                         facts.nevers.clear();
                         facts.constraints = {{{{1, 0x0, 0x40}}, models::Relation::AtMost, 0, {}}};
                     }),
                HasSubstr("a thread makes the sum of the relation on 0x0040 1"));
    EXPECT_THAT(said(evidence,
                     [](models::FlowFacts& facts) {
                         facts.constraints.clear();
                         facts.exclusives = {{0x0, 0x30, {}}};
                     }),
                HasSubstr("a thread executes both 0x0000 and 0x0030"));
}

// Only 0x7fff is on both ways: neither zeros nor small numbers are.
TEST(Execution, ComparesPairsOnNumbersThatTheCodeComparesWith) {
    Evidence evidence = evidence_of(R"(
MOV R1, c[0x0][0x160] ;
ISETP.GE.AND P0, PT, R1, 0x7fff, PT ;
@!P0 BRA A ;
NOP ;
A:
ISETP.GE.AND P0, PT, R1, 0x8000, PT ;
@P0 BRA B ;
NOP ;
B:
EXIT ;)",
                                    "1x32");
    const auto pair = [](models::FlowFacts& facts) { facts.exclusives = {{0x30, 0x60, {}}}; };
    EXPECT_EQ(said(evidence, pair), "failed: K1: thread block 0: a thread executes both 0x0030 and "
                                    "0x0060, executed on numbers that it compares with");
    // What is stated is not derived, so that no further data are tried.
    evidence.kernels.front()->stated_facts = facts_of(evidence);
    EXPECT_THAT(said(evidence, pair), HasSubstr("passed"));
}

TEST(Execution, ComparesPassesOfAccesses) {
    Evidence evidence = evidence_of(R"(
S2R R0, SR_TID.X ;
SHF.L.U32 R1, R0, 0x3, RZ ;
STS [R1], R0 ;
@!PT LDS RZ, [RZ] ;
MOV R2, 0x100 ;
MOV R4, c[0x0][0x160] ;
MOV R5, c[0x0][0x164] ;
IMAD.WIDE R2, R0, R2, R4 ;
STG.E [R2], R0 ;
EXIT ;)",
                                    "1x32,shared-memory=256,0x160=multiple:256");
    const auto passes = [](std::int64_t conflicts, std::int64_t lines) {
        return [=](models::FlowFacts& facts) {
            facts.memory.resize(2);
            facts.memory[0].at = 0x20;
            facts.memory[0].conflict_degree = models::CountRange{1, conflicts};
            facts.memory[1].at = 0x80;
            facts.memory[1].transactions = models::CountRange{1, lines};
        };
    };
    EXPECT_THAT(said(evidence, passes(2, 32)), HasSubstr("passed"));
    EXPECT_THAT(
        said(evidence, passes(1, 32)),
        HasSubstr("the access at 0x0020 takes 2 to 2 bank conflicts; the fact says 1 to 1"));
    EXPECT_THAT(said(evidence, passes(2, 31)),
                HasSubstr("the access at 0x0080 takes 32 to 32 transactions"));
}

TEST(Execution, ComparesRepresentatives) {
    const std::string body = R"(
S2R R0, SR_TID.X ;
ISETP.GE.AND P0, PT, R0, 0x20, PT ;
@P0 EXIT ;
NOP ;
EXIT ;)";
    Evidence evidence = evidence_of(body, "1x64,grid=1");
    EXPECT_THAT(said(evidence,
                     [](models::FlowFacts& facts) { facts.representative.emplace().ends = {0x0}; }),
                HasSubstr("no thread of a warp is its representative"));
    Evidence small = evidence_of(body, "1x32,grid=1");
    facts_of(small) = facts_of(evidence);
    EXPECT_THAT(said(small, [](models::FlowFacts&) {}), HasSubstr("passed"));
}

/// The number of iterations is an argument of which nothing, or a number, is stated.
TEST(Execution, TakesWhatTheLaunchStates) {
    const std::string body = R"(
MOV R1, 0x0 ;
L:
IADD3 R1, R1, 0x1, RZ ;
ISETP.LT.AND P0, PT, R1, c[0x0][0x160], PT ;
@P0 BRA L ;
EXIT ;)";
    const auto bound = [](models::FlowFacts& facts) { facts.loops = {{0x10, 1, 7, {}}}; };
    Evidence seven = evidence_of(body, "1x32,0x160=7");
    EXPECT_THAT(said(seven, bound), HasSubstr("passed"));
    Evidence eight = evidence_of(body, "1x32,0x160=8");
    EXPECT_THAT(said(eight, bound), HasSubstr("8 times; the fact says 1 to 7"));
    // A stated bound excludes such data: nothing is said of it.
    eight.kernels.front()->stated_facts.loops = {{0x10, 1, 7, {}}};
    EXPECT_THAT(said(eight, bound),
                HasSubstr("not applicable: no thread block was executed; K1: data that a stated "
                          "fact excludes: thread block 0"));
}

TEST(Execution, SaysWhatIsNotExecuted) {
    Evidence fermi = evidence_of("EXIT ;", "1x32", "sm_20");
    EXPECT_THAT(said(fermi, [](models::FlowFacts&) {}),
                HasSubstr("not applicable: no thread block was executed; K1: "));
    Evidence beyond = evidence_of(R"(
MOV R2, 0x10 ;
MOV R3, RZ ;
LDG.E R2, [R2] ;
EXIT ;)",
                                  "1x32");
    EXPECT_THAT(said(beyond, [](models::FlowFacts&) {}), HasSubstr("no thread block was executed"));
    Evidence endless = evidence_of(R"(
L:
ISETP.LT.AND P0, PT, RZ, c[0x0][0x160], PT ;
@P0 BRA L ;
EXIT ;)",
                                   "1x32,0x160=1");
    EXPECT_THAT(said(endless, [](models::FlowFacts&) {}), HasSubstr("without ending"));
}

} // namespace
} // namespace warpbound::certification::verify
