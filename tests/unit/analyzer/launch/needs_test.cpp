#include "analyzer/launch/needs.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> stated_by(const Analyzed& context) {
    const auto needs = needs_of(context.request);
    EXPECT_TRUE(needs) << to_string(needs.error());
    std::vector<std::string> texts;
    for (const Need& need : needs.value())
        texts.push_back(need.kind == Need::Kind::MachineValue ? need.path : need.what);
    return texts;
}

TEST(Needs, AreNoneWhereTheKernelIsBounded) {
    EXPECT_THAT(stated_by(*analyzed("MOV R1, R2; EXIT;")), IsEmpty());
}

TEST(Needs, NameEveryLoopWithoutABoundAndEveryMissingValue) {
    const auto context =
        analyzed("A: LD R4, [R2]; @P0 BRA A; B: MOV R1, R2; @P0 BRA B; FROB R1, R2; EXIT;");
    EXPECT_THAT(stated_by(*context),
                ElementsAre("the loop at 0x0000 has no bound", "the loop at 0x0010 has no bound",
                            "memories/l1/latency", "memories/l2/latency",
                            testing::HasSubstr("FROB at 0x0020")));
}

TEST(Needs, NameControlFieldsThatTheListingLacksOnce) {
    const auto context =
        analyzed("MOV R1, R2; FADD R1, R2, R3; FROB R1, R2; EXIT;", {}, "turing-t4", 75);
    const auto needs = needs_of(context->request);
    ASSERT_TRUE(needs) << to_string(needs.error());
    ASSERT_EQ(needs.value().size(), 1U);
    EXPECT_EQ(needs.value().front().kind, Need::Kind::Encoding);
    EXPECT_THAT(needs.value().front().what, testing::HasSubstr("no control field at 0x0000"));
}

TEST(Needs, NameTheClassThatADescriptionLacks) {
    const auto context = analyzed("MOV R1, R2; FROB R1, R2; EXIT;");
    context->architecture.classes.erase(assembly::OpcodeClass::Move);
    const auto needs = needs_of(context->request);
    ASSERT_TRUE(needs) << to_string(needs.error());
    ASSERT_EQ(needs.value().size(), 2U);
    EXPECT_EQ(needs.value()[0].kind, Need::Kind::Construct);
    EXPECT_EQ(needs.value()[0].path, "classes/move");
    EXPECT_EQ(needs.value()[1].path, ""); // The opcode is not known.
}

TEST(Needs, AreThoseOfTheCodeThatIsReached) {
    models::FlowFacts facts;
    facts.nevers.push_back({8, {}});
    EXPECT_THAT(stated_by(*analyzed("@P0 BRA L; FROB R1, R2; L: EXIT;", facts)), IsEmpty());
}

TEST(Needs, AreGoneWhenTheyAreStated) {
    const auto context = analyzed("A: MOV R1, R2; @P0 BRA A; LD R4, [R2]; EXIT;");
    context->facts.loops.push_back({0, 0, 4, {}});
    for (const char* text :
         {"memories/l1/latency=10", "memories/l2/latency=20..30", "memories/dram/latency=40..50"})
        ASSERT_TRUE(models::assume_value(context->architecture, text));
    EXPECT_THAT(stated_by(*context), IsEmpty());
    EXPECT_TRUE(context->run());
}

TEST(Needs, OfSeveralWavesAreTheCostsOfABlock) {
    const auto context = analyzed("MOV R1, R2; EXIT;");
    context->request.launch = models::Launch{1000, 32};
    for (auto& value : context->architecture.blocks.values) {
        value.interval.reset();
        value.grade = models::Grade::Unknown;
    }
    EXPECT_THAT(stated_by(*context), ElementsAre("blocks/replacement", "blocks/start"));
    context->request.launch = models::Launch{1, 32};
    EXPECT_THAT(stated_by(*context), IsEmpty());
}

/// What the need of the only loop says of extents that the launch leaves open.
std::vector<std::string> open_extents_of(const std::string& body, const models::Launch& launch) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    context->request.launch = launch;
    const auto needs = needs_of(context->request);
    EXPECT_TRUE(needs) << to_string(needs.error());
    for (const Need& need : needs.value())
        if (need.kind == Need::Kind::LoopBound) return need.extents;
    return {"no loop"};
}

TEST(Needs, NameExtentsThatTheLaunchLeavesOpen) {
    const std::string strides_over_the_grid =
        "MOV R0, RZ; MOV R2, c[0x0][0xc]; L: IADD3 R0, R0, R2, RZ;"
        "ISETP.LT.AND P0, PT, R0, 0x64, PT; @P0 BRA L; EXIT;";
    models::Launch launch{8, 128};
    EXPECT_THAT(open_extents_of(strides_over_the_grid, launch), ElementsAre("grid=8"));
    ASSERT_TRUE(models::add_argument_word("0xc=8", launch.arguments));
    EXPECT_THAT(open_extents_of(strides_over_the_grid, launch), IsEmpty());
    EXPECT_THAT(open_extents_of("S2R R1, SR_TID.Y; MOV R0, RZ; MOV R2, c[0x0][0x4];"
                                "L: IADD3 R0, R0, R2, RZ; ISETP.LT.AND P0, PT, R0, 0x64, PT;"
                                "@P0 BRA L; EXIT;",
                                {8, 128}),
                ElementsAre("block=128"));
}

} // namespace
} // namespace warpbound::analyzer
