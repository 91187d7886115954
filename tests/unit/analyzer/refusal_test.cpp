#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

std::string refusal(const Analyzed& context) {
    const auto analysis = context.run();
    return analysis ? "accepted" : to_string(analysis.error());
}

models::FactSource line(std::int64_t number) {
    return {models::FactOrigin::User, models::FactStatus::Unchecked, number};
}

TEST(Refusal, NamesEveryLoopWithoutABound) {
    EXPECT_THAT(refusal(*analyzed("A: MOV R1, R2; @P0 BRA A; B: MOV R1, R2; @P0 BRA B; EXIT;")),
                HasSubstr("header 0x0000, 0x0010"));
}

TEST(Refusal, NamesWhatTheDescriptionLacks) {
    EXPECT_THAT(refusal(*analyzed("LD R4, [R2]; EXIT;")),
                HasSubstr("latency is unknown in architecture fermi-gtx470"));
}

TEST(Refusal, NamesAnUnknownOpcodeOnAPath) {
    EXPECT_THAT(refusal(*analyzed("MOV R1, R2; FROB R1, R2; EXIT;")), HasSubstr("0x0008"));
}

TEST(Refusal, LeavesAnUnknownOpcodeAloneThatIsNeverReached) {
    models::FlowFacts facts;
    facts.nevers.push_back({8, {}});
    EXPECT_EQ(refusal(*analyzed("@P0 BRA L; FROB R1, R2; L: EXIT;", facts)), "accepted");
}

TEST(Refusal, WantsControlFieldsWhereTheMachineTakesThemFromTheEncoding) {
    EXPECT_THAT(refusal(*analyzed("FADD R1, R2, R3; EXIT;", {}, "turing-t4", 75)),
                HasSubstr("no control field"));
}

TEST(Refusal, HoldsFactsAgainstTheCode) {
    const std::string body = "MOV R1, R2; L: FADD R4, R4, R3; @P0 BRA L; EXIT;";
    models::FlowFacts no_header;
    no_header.loops.push_back({0, 1, 2, line(3)});
    EXPECT_THAT(refusal(*analyzed(body, no_header)),
                HasSubstr("no loop of k has its header at 0x0000"));
    models::FlowFacts no_block;
    no_block.loops.push_back({8, 1, 2, {}});
    no_block.nevers.push_back({16, line(7)});
    EXPECT_THAT(refusal(*analyzed(body, no_block)),
                HasSubstr("line:7: no block of k begins at 0x0010"));
    models::FlowFacts never_entry;
    never_entry.loops.push_back({8, 1, 2, {}});
    never_entry.nevers.push_back({0, line(4)});
    EXPECT_THAT(refusal(*analyzed(body, never_entry)), HasSubstr("the entry of the kernel"));
    models::FlowFacts no_instruction;
    no_instruction.loops.push_back({8, 1, 2, {}});
    models::MemoryFact memory;
    memory.at = 4;
    no_instruction.memory.push_back(memory);
    EXPECT_THAT(refusal(*analyzed(body, no_instruction)),
                HasSubstr("no instruction of k has the address 0x0004"));
}

TEST(Refusal, NamesWhatLanesThatPartMayNotDo) {
    const auto refused = [](const std::string& body, std::int64_t at) {
        models::FlowFacts facts;
        facts.divergents.push_back({at, line(3)});
        facts.loops.push_back({8, 1, 4, {}});
        return refusal(*analyzed(body, facts));
    };
    // Both paths continue to iterate and reconverge after the loop only.
    EXPECT_THAT(refused("SSY D; H: MOV R1, R2; @P0 BRA L; NOP; L: @P1 BRA H; NOP.S; D: EXIT;", 16),
                HasSubstr("0x0008: lanes may iterate this loop while others that diverged from "
                          "them at 0x0010 are to go on inside it"));
    // One path passes the point without arriving at it.
    EXPECT_EQ(refused("SSY D; H: MOV R1, R2; @P1 BRA H; @P0 BRA L; NOP.S; L: NOP; BRA D; "
                      "D: EXIT;",
                      24),
              "accepted");
}

TEST(Refusal, NamesBarriersThatLanesMayComeToApart) {
    const auto refused = [](const std::string& body, std::int64_t at,
                            std::optional<std::int64_t> least_iterations = {}) {
        models::FlowFacts facts;
        facts.divergents.push_back({at, line(3)});
        if (least_iterations) facts.loops.push_back({0, *least_iterations, 4, {}});
        return refusal(*analyzed(body, facts));
    };
    EXPECT_THAT(refused("SSY J; @P0 BRA A; BAR.SYNC 0x0; A: NOP.S; J: EXIT;", 8),
                HasSubstr("0x0010: some lanes may come to this barrier while others that wait at "
                          "the reconvergence point of 0x0000 are elsewhere"));
    EXPECT_THAT(refused("@P0 BRA A; BAR.SYNC 0x0; A: EXIT;", 0),
                HasSubstr("0x0008: some lanes may come to this barrier"));
    // They may leave the loop in different turns, unless all take four.
    EXPECT_THAT(refused("H: BAR.SYNC 0x0; @P0 BRA H; EXIT;", 8, 3),
                HasSubstr("0x0000: some lanes may come to this barrier"));
    EXPECT_EQ(refused("H: BAR.SYNC 0x0; @P0 BRA H; EXIT;", 8, 4), "accepted");
    // Those who break wait at O while the others meet at J and go on.
    EXPECT_THAT(
        refused("PBK O; SSY J; @P0 BRA A; BRK; A: NOP.S; J: BAR.SYNC 0x0; BRK; O: EXIT;", 16),
        HasSubstr("0x0028: some lanes may come to this barrier"));
    // Lanes that break come to the barrier behind with the others.
    EXPECT_EQ(refused("PBK O; SSY J; @P0 BRA A; BRK; A: NOP.S; J: BRK; O: BAR.SYNC 0x0; EXIT;", 16),
              "accepted");
    EXPECT_THAT(refused("@P0 BRA A; NOP; A: @P1 BAR.SYNC 0x0; EXIT;", 0),
                HasSubstr("0x0010: a guarded barrier is not bounded where lanes may diverge"));
}

TEST(Refusal, NamesWhatTheDescriptionLacksOfTheCaches) {
    models::FlowFacts facts;
    models::MemoryFact memory;
    memory.at = 0;
    memory.pattern = models::AddressPattern{};
    memory.pattern->thread_stride = 4;
    facts.memory.push_back(memory);
    const auto with_caches = [&] {
        auto context = analyzed("LD R4, [R2]; EXIT;", facts);
        for (auto& level : context->architecture.memories)
            for (const auto& [name, number] : {std::pair{"latency", 45}, {"line", 128}}) {
                if (level.name != "l1" && level.name != "l2") continue;
                std::erase_if(level.values, [&](const auto& old) { return old.name == name; });
                level.values.push_back({.name = name,
                                        .unit = "bytes",
                                        .interval = models::Interval{number, number, number},
                                        .source = "test",
                                        .grade = models::Grade::Measured,
                                        .reason = {}});
            }
        return context;
    };
    EXPECT_THAT(refusal(*with_caches()),
                testing::AllOf(HasSubstr("0x0000: its address pattern leads through the caches"),
                               HasSubstr("state the level in its <memory>")));
    // With a level it gives the passes only.
    facts.memory.front().level = models::MemoryLevel::Dram;
    const auto stated = with_caches()->run();
    ASSERT_TRUE(stated) << to_string(stated.error());
    facts.memory.front().pattern.reset();
    facts.memory.front().transactions = models::CountRange{.min = 1, .max = 1};
    const auto counted = with_caches()->run();
    ASSERT_TRUE(counted) << to_string(counted.error());
    EXPECT_EQ(stated.value().execution_time.upper.proved,
              counted.value().execution_time.upper.proved);
}

TEST(Refusal, FindsContradictoryFacts) {
    models::FlowFacts facts;
    models::LinearFact at_least;
    at_least.terms = {{1, std::nullopt, 8}};
    at_least.relation = models::Relation::AtLeast;
    at_least.constant = 2; // a block outside loops cannot execute twice
    at_least.from = line(5);
    facts.constraints.push_back(at_least);
    EXPECT_THAT(refusal(*analyzed("@P0 BRA L; MOV R1, R2; L: EXIT;", facts)),
                HasSubstr("contradict each other or the code"));
}

TEST(Refusal, NamesLaunchesOnSeveralMultiprocessorsThatItDoesNotBound) {
    auto context = analyzed("MOV R1, R2; EXIT;");
    context->request.launch = {16, 64};
    context->request.multiprocessors = 15;
    EXPECT_THAT(refusal(*context), HasSubstr("15 multiprocessors; expected 1 to "
                                             "geometry/multiprocessors, which is 14"));
}

TEST(Refusal, IsOfNoPolicy) {
    auto alone = analyzed("EXIT;");
    alone->request.policy = models::read_policy("two-level").value();
    EXPECT_TRUE(alone->run());
    alone->request.policy = models::read_policy("variable-rate").value();
    EXPECT_TRUE(alone->run());
    auto two_warps = analyzed("EXIT;");
    two_warps->request.launch = {1, 64};
    EXPECT_TRUE(two_warps->run());
    two_warps->request.policy = models::read_policy("gto").value();
    EXPECT_TRUE(two_warps->run());
    two_warps->request.policy = models::read_policy("two-level:active=1").value();
    EXPECT_TRUE(two_warps->run()) << "each scheduler has one";
    two_warps->request.launch = {1, 160};
    two_warps->request.policy = models::read_policy("two-level:active=3").value();
    EXPECT_TRUE(two_warps->run());
    two_warps->request.policy = models::read_policy("two-level:active=2").value();
    EXPECT_TRUE(two_warps->run()) << "beyond the active set";
    two_warps->request.policy = models::read_policy("srr").value();
    EXPECT_TRUE(two_warps->run());
}

TEST(Refusal, WantsToKnowHowBlocksFit) {
    auto too_large = analyzed("EXIT;");
    too_large->request.launch = {1, 4096};
    EXPECT_THAT(refusal(*too_large), HasSubstr("a block of 128 warps does not fit"));
    auto waiting = analyzed("EXIT;");
    waiting->request.launch = {9, 32};
    for (auto& value : waiting->architecture.blocks.values)
        value.interval.reset();
    EXPECT_THAT(refusal(*waiting), HasSubstr("blocks/replacement is unknown"));
}

TEST(Refusal, NamesBothEndsOfANumberItCannotUse) {
    const auto with = [](std::int64_t schedulers) {
        auto context = analyzed("EXIT;");
        context->request.launch = {1, 64};
        for (auto& value : context->architecture.schedulers.values)
            if (value.name == "count")
                value.interval = models::Interval{schedulers, schedulers, schedulers};
        return refusal(*context);
    };
    EXPECT_THAT(with(0), HasSubstr("schedulers/count is 0..0; expected one number 1 to 1048576"));
    EXPECT_THAT(with(2'000'000), HasSubstr("expected one number 1 to 1048576"));
}

TEST(Refusal, DoesNotWrapAroundInARegisterFile) {
    auto context = analyzed("EXIT;", {}, "turing-t4", 75);
    context->request.launch = {1, 1024, 1 << 16, std::nullopt};
    const auto set = [](models::ValueGroup& group, std::string_view name, std::int64_t number) {
        for (auto& value : group.values)
            if (value.name == name) value.interval = models::Interval{number, number, number};
    };
    set(context->architecture.geometry, "warp-size", 1);
    set(context->architecture.limits, "max-warps", 1 << 20U);
    constexpr std::int64_t most = std::int64_t{1} << 40U;
    // A warp takes 2^40 registers, the block 2^80: only the sanitizers see that wrap around.
    for (const char* name : {"registers", "registers-per-block", "registers-per-thread",
                             "register-granularity", "register-partitions"})
        set(context->architecture.limits, name, most);
    EXPECT_THAT(refusal(*context), HasSubstr("does not fit a multiprocessor: 65536 registers"));
}

TEST(Refusal, NamesGuardedBarriers) {
    const auto of_two_warps = [](const std::string& body, models::FlowFacts facts = {}) {
        auto context = analyzed(body, std::move(facts));
        context->request.launch = {1, 64};
        return refusal(*context);
    };
    EXPECT_EQ(of_two_warps("MOV R1, R2; BAR.SYNC 0x0; EXIT;"), "accepted");
    EXPECT_THAT(of_two_warps("MOV R1, R2; @P0 BAR.SYNC 0x0; EXIT;"),
                HasSubstr("0x0008: a guarded barrier is not bounded"));
    // A barrier on the edge of the branch behind it, that is decided by the same guard.
    EXPECT_EQ(of_two_warps("MOV R1, R2; @P0 BAR.SYNC 0x0; @P0 BRA L; NOP; L: EXIT;"), "accepted");
    EXPECT_THAT(of_two_warps("MOV R1, R2; @P0 BAR.SYNC 0x0; @P1 BRA L; NOP; L: EXIT;"),
                HasSubstr("0x0008: a guarded barrier is not bounded"));
    // Warps of a block decide alike, or end.
    EXPECT_EQ(of_two_warps("@P0 BRA L; BAR.SYNC 0x0; L: EXIT;"), "accepted");
    models::FlowFacts varying;
    varying.loops.push_back({0, 2, 3, {}});
    EXPECT_EQ(of_two_warps("L: BAR.SYNC 0x0; @P0 BRA L; EXIT;", varying), "accepted");
    models::FlowFacts fixed;
    fixed.loops.push_back({0, 3, 3, {}});
    EXPECT_EQ(of_two_warps("L: BAR.SYNC 0x0; @P0 BRA L; EXIT;", fixed), "accepted");
}

TEST(Refusal, NamesPartsOfThePipelineThatAreNotPerfect) {
    const auto with = [](models::ValueGroup models::Architecture::*group) {
        auto context = analyzed("EXIT;");
        models::SourcedValue value;
        value.name = "ports";
        (context->architecture.*group).values.push_back(value);
        return refusal(*context);
    };
    EXPECT_THAT(with(&models::Architecture::fetch), HasSubstr("describes fetch; bounds do not"));
    EXPECT_THAT(with(&models::Architecture::fetch), HasSubstr(": --assume fetch=none"));
    EXPECT_THAT(with(&models::Architecture::register_file), HasSubstr("describes register-file;"));
    auto collectors = analyzed("EXIT;");
    collectors->architecture.operand_collectors.push_back({.name = "alu", .values = {}});
    EXPECT_THAT(refusal(*collectors), HasSubstr("describes operand-collectors;"));
    EXPECT_THAT(refusal(*collectors), HasSubstr("--assume register-file=none"));
    auto constants = analyzed("EXIT;");
    constants->architecture.memories.push_back({.name = "constant", .values = {}});
    EXPECT_EQ(refusal(*constants), "accepted"); // Perfect, as an assumption says.
    constants->architecture.memories.back().values.emplace_back();
    EXPECT_THAT(refusal(*constants), HasSubstr("describes memories/constant;"));
}

TEST(Refusal, NeverWrapsAround) {
    models::FlowFacts facts;
    facts.loops.push_back({0, 1, INT64_MAX, {}});
    EXPECT_THAT(refusal(*analyzed("L: FADD R4, R4, R3; @P0 BRA L; EXIT;", facts)),
                HasSubstr("exceeds 2^63 cycles"));
}

} // namespace
} // namespace warpbound::analyzer
