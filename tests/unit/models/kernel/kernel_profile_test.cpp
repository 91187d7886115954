#include "assembly/isa/reader.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/kernel/profile_summary.hpp"
#include "tests/unit/models/refusal.hpp"

namespace warpbound::models {
namespace {

TEST(KernelProfile, IsWrittenSoThatItReadsBack) {
    const NamedProfile profile{.name = "rows",
                               .counts = {.arithmetic_independent = 1,
                                          .arithmetic_dependent = 2,
                                          .shared_loads = 3,
                                          .shared_stores = 4,
                                          .global_loads = 5,
                                          .global_stores = 6},
                               .hidden_latency = 7,
                               .digest = {}};
    const auto again = read_profile(as_source(write_profile(profile).value()));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again.value().name, "rows");
    EXPECT_EQ(again.value().counts, profile.counts);
    EXPECT_EQ(again.value().hidden_latency, 7);
}

TEST(KernelProfile, CountsZeroWhatIsLeftOut) {
    EXPECT_EQ(read_profile(as_source("<kernel-profile name=''/>")).value().counts, KernelProfile{});
}

TEST(KernelProfile, IsRefusedWithALine) {
    const std::vector<Refusal> refusals{
        {"another root", "<profile/>", 1, "no <kernel-profile>"},
        {"no name", "<kernel-profile/>", 1, "without 'name'"},
        {"unknown attribute", "\n<kernel-profile name='' loads='1'/>", 2, "'loads'"},
        {"negative", "\n<kernel-profile name='' shared-loads='-1'/>", 2, "'shared-loads'"},
        {"text", "\n<kernel-profile name='' global-loads='many'/>", 2, "\"many\""},
        {"child", "<kernel-profile name=''>\n<x/></kernel-profile>", 2, "<x> where <step>"},
    };
    for (const auto& refusal : refusals)
        expect_refusal(refusal, read_profile);
}

ProfileStep step_of(assembly::OpcodeClass opcode_class, std::vector<std::int64_t> distances = {}) {
    ProfileStep step;
    step.opcode_class = opcode_class;
    step.distances = std::move(distances);
    return step;
}

TEST(KernelProfile, KeepsAddressPatternsWithTheirInstructions) {
    using assembly::OpcodeClass;
    NamedProfile profile{.name = "patterns", .counts = {}, .hidden_latency = {}, .digest = {}};
    ProfileStep load = step_of(OpcodeClass::LoadGlobal);
    load.passes.reset();
    load.bytes_per_lane = 4;
    load.address = 0x10;
    load.pattern = AddressPattern{.base = 0x1000, .thread_stride = 4, .random = {}};
    ProfileStep other = load; // The same pattern of another instruction.
    other.address = 0x18;
    ProfileStep indexed = load; // Of constant memory: lanes may address different words.
    indexed.opcode_class = OpcodeClass::LoadConstant;
    indexed.address = 0x20;
    for (const auto& step : {load, other, load, other, indexed})
        profile.steps.push_back(step);
    const auto text = write_profile(profile);
    ASSERT_TRUE(text.has_value());
    const auto again = read_profile(as_source(text.value()));
    ASSERT_TRUE(again.has_value()) << again.error().what;
    EXPECT_EQ(again.value().steps, profile.steps);
}

TEST(KernelProfile, RefusesPatternsThatCannotBeCounted) {
    const auto inside = [](const std::string& step) {
        return "<kernel-profile name=''>\n" + step + "</kernel-profile>";
    };
    const std::vector<Refusal> refusals{
        {"passes too",
         inside("<step class='load-global' bytes='4' at='0' passes='1'><pattern/></step>"), 2,
         "the pattern gives the passes"},
        {"no address", inside("<step class='load-global' bytes='4'><pattern/></step>"), 2,
         "without 'at'"},
        {"many bytes", inside("<step class='load-global' bytes='64' at='0'><pattern/></step>"), 2,
         "at most 32 of a lane"},
        {"no bytes", inside("<step class='load-global' at='0'><pattern/></step>"), 2,
         "accesses no bytes"},
        {"no access", inside("<step class='move' bytes='4' at='0'><pattern/></step>"), 2,
         "accesses no bytes"},
        {"another child", inside("<step class='load-global' bytes='4' at='0'><x/></step>"), 2,
         "at most one <pattern>"},
        {"a bad pattern",
         inside("<step class='load-global' bytes='4' at='0'><pattern random='1'/></step>"), 2,
         "without 'footprint'"},
    };
    for (const auto& refusal : refusals)
        expect_refusal(refusal, read_profile);
}

TEST(KernelProfile, KeepsItsStepsAndFoldsRepetitions) {
    using assembly::OpcodeClass;
    NamedProfile profile{.name = "loop", .counts = {}, .hidden_latency = {}, .digest = {}};
    profile.registers = 17;
    profile.steps.push_back(step_of(OpcodeClass::Move));
    ProfileStep load = step_of(OpcodeClass::LoadGlobal, {1});
    load.passes = CountRange{1, 4};
    load.level = MemoryLevel::L2;
    load.bytes_per_lane = 8;
    load.stall = 2;
    ProfileStep branch = step_of(OpcodeClass::Branch);
    branch.transfers = true;
    ProfileStep constant = step_of(OpcodeClass::LoadConstant);
    constant.passes.reset();
    profile.steps.push_back(constant);
    ProfileStep together = step_of(OpcodeClass::FloatAdd, {1, 2});
    together.dual_issued = true;
    for (int turn = 0; turn < 1000; ++turn)
        for (const auto& step : {load, together, branch})
            profile.steps.push_back(step);
    profile.counts = counts_of(profile.steps);
    const auto text = write_profile(profile);
    ASSERT_TRUE(text.has_value());
    EXPECT_NE(text.value().find("<repeat times=\"1000\""), std::string::npos) << text.value();
    EXPECT_LT(text.value().size(), 1000U);
    const auto again = read_profile(as_source(text.value()));
    ASSERT_TRUE(again.has_value()) << again.error().what;
    EXPECT_EQ(again.value().steps, profile.steps);
    EXPECT_EQ(again.value().counts, profile.counts);
    EXPECT_EQ(again.value().registers, 17);
    EXPECT_EQ(again.value().hidden_latency, std::nullopt);
}

TEST(KernelProfile, CountsItsSteps) {
    using assembly::OpcodeClass;
    const Steps steps{step_of(OpcodeClass::Move), step_of(OpcodeClass::FloatAdd, {1}),
                      step_of(OpcodeClass::FloatAdd, {2}), step_of(OpcodeClass::LoadShared),
                      step_of(OpcodeClass::StoreLocal)};
    EXPECT_EQ(counts_of(steps), (KernelProfile{.arithmetic_independent = 2,
                                               .arithmetic_dependent = 1,
                                               .shared_loads = 1,
                                               .global_stores = 1}));
}

TEST(ProfileSummary, CountsClassesAccessesAndDistances) {
    using assembly::OpcodeClass;
    auto open = step_of(OpcodeClass::LoadShared);
    open.passes.reset();
    auto stated = open;
    stated.passes = CountRange{1, 4};
    const Steps steps{
        open,   open, stated, step_of(OpcodeClass::Move, {1, 2}), step_of(OpcodeClass::Move, {4}),
        stated, open, open,   step_of(OpcodeClass::Move, {5}),    step_of(OpcodeClass::Move, {17})};
    const auto summary = summary_of(steps);
    ASSERT_EQ(summary.mix.size(), 2U);
    EXPECT_EQ(summary.mix[0].opcode_class, OpcodeClass::Move);
    EXPECT_EQ(summary.mix[0].count, 4);
    EXPECT_EQ(summary.mix[1].count, 6);
    ASSERT_EQ(summary.accesses.size(), 2U);
    EXPECT_EQ(summary.accesses[0].count, 4);
    EXPECT_EQ(to_string(summary.accesses[0].passes), "not stated");
    EXPECT_EQ(to_string(summary.accesses[1].passes), "1..4");
    EXPECT_EQ(summary.distances, (std::array<std::int64_t, 7>{6, 1, 0, 1, 1, 0, 1}));
}

TEST(KernelProfile, LeavesThePassesOfAnAccessOpen) {
    const auto read =
        read_profile(as_source("<kernel-profile name=''><step class='load-global'/><step "
                               "class='move'/></kernel-profile>"));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_EQ(read.value().steps[0].passes, std::nullopt);
    EXPECT_EQ(read.value().steps[1].passes, CountRange{});
}

TEST(KernelProfile, RefusesWrongSteps) {
    const auto in = [](const std::string& inside) {
        return "<kernel-profile name=''>\n" + inside + "</kernel-profile>";
    };
    const std::vector<Refusal> refusals{
        {"unknown class", in("<step class='flux'/>"), 2, "\"flux\""},
        {"no class", in("<step/>"), 2, "without 'class'"},
        {"too far back", in("<step class='move'/>\n<step class='move' reads='2'/>"), 3,
         "2 steps back"},
        {"not increasing", in("<step class='move' reads='1 1'/>"), 2, "increasing"},
        {"passes", in("<step class='load-global' passes='129'/>"), 2, "1 to 128"},
        {"level", in("<step class='load-global' level='l3'/>"), 2, "\"l3\""},
        {"flag", in("<step class='move' taken='maybe'/>"), 2, "\"maybe\""},
        {"first dual", in("<step class='move' dual-issue='yes'/>"), 2, "first step"},
        {"empty repeat", in("<repeat times='2'/>"), 2, "without <step>"},
        {"nested", in("<repeat times='2'>\n<repeat times='2'/></repeat>"), 3, "<repeat>"},
        {"too many",
         in("<repeat times='1000000'><step class='move'/></repeat>"
            "\n<step class='move'/>"),
         3, "more than 1000000"},
        {"counts too",
         "<kernel-profile name='' shared-loads='1'><step class='nop'/>"
         "</kernel-profile>",
         1, "combined with steps"},
    };
    for (const auto& refusal : refusals)
        expect_refusal(refusal, read_profile);
}

/// The steps along a path of a listing.
Result<Steps> steps_of(const std::string& text, const std::vector<std::size_t>& path,
                       const FlowFacts& facts = {}) {
    const auto program = assembly::read_program({.name = "listing", .text = text});
    if (!program) return program.as_failure();
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    if (!graph) return graph.as_failure();
    return steps_along(function, graph.value(), path, facts);
}

TEST(StepsAlong, FollowRegistersAcrossIterationsOfALoop) {
    FlowFacts facts;
    facts.memory.push_back({0, CountRange{2, 3}, std::nullopt, MemoryLevel::L2, {}, {}});
    const auto steps = steps_of("!Arch sm_20\n!Kernel loop\n"
                                "turn:\nLD R5, [R2];\nFADD R6, R6, R5;\n@P0 BRA turn;\nEXIT;\n"
                                "!EndKernel\n",
                                {0, 0, 1}, facts);
    ASSERT_TRUE(steps.has_value()) << steps.error().what;
    ASSERT_EQ(steps.value().size(), 7U);
    const auto& load = steps.value()[0];
    EXPECT_EQ(load.passes, (CountRange{2, 3}));
    EXPECT_EQ(load.level, MemoryLevel::L2);
    EXPECT_EQ(load.bytes_per_lane, 4);
    EXPECT_EQ(load.stall, std::nullopt);
    // The sum reads the load before it and, in the second iteration, the sum three steps back.
    EXPECT_EQ(steps.value()[1].distances, (std::vector<std::int64_t>{1}));
    EXPECT_EQ(steps.value()[4].distances, (std::vector<std::int64_t>{1, 3}));
    EXPECT_TRUE(steps.value()[2].transfers);
    EXPECT_FALSE(steps.value()[5].transfers);
}

TEST(StepsAlong, KeepWhatAGuardedWriteDoesNotHide) {
    const auto steps = steps_of("!Arch sm_20\n!Kernel k\nMOV R5, R2;\n@P0 MOV R5, R3;\n"
                                "FADD R6, R5, R5;\nEXIT;\n!EndKernel\n",
                                {0});
    ASSERT_TRUE(steps.has_value()) << steps.error().what;
    EXPECT_EQ(steps.value()[2].distances, (std::vector<std::int64_t>{1, 2}));
}

TEST(StepsAlong, FollowScoreboardsAndStallCounts) {
    const auto steps = steps_of("!Arch sm_75\n!Kernel k\n"
                                "LDS R5, [R2] &wr=0x1 ?trans2;\nMOV R7, R3 ?trans4;\n"
                                "MOV R8, R3 &req={1} ?trans1;\nMOV R9, R3 &req={1} ?trans1;\n"
                                "EXIT ?trans5;\n!EndKernel\n",
                                {0});
    ASSERT_TRUE(steps.has_value()) << steps.error().what;
    EXPECT_EQ(steps.value()[0].stall, 2);
    EXPECT_EQ(steps.value()[0].passes, std::nullopt);
    EXPECT_EQ(steps.value()[2].distances, (std::vector<std::int64_t>{2}));
    // After the first wait the scoreboard is clear.
    EXPECT_TRUE(steps.value()[3].distances.empty());
}

TEST(StepsAlong, RefuseAPathThatIsNone) {
    const std::string text = "!Arch sm_20\n!Kernel loop\nturn:\nMOV R5, R2;\n@P0 BRA turn;\n"
                             "EXIT;\n!EndKernel\n";
    EXPECT_TRUE(steps_of(text, {0, 1}).has_value());
    EXPECT_FALSE(steps_of(text, {1}).has_value()) << "not from the entry";
    EXPECT_FALSE(steps_of(text, {0, 7}).has_value()) << "no such block";
    EXPECT_FALSE(steps_of(text, {0, 1, 0}).has_value()) << "no such edge";
    EXPECT_FALSE(steps_of(text, std::vector<std::size_t>(500'001, 0)).has_value()) << "too long";
}

} // namespace
} // namespace warpbound::models
