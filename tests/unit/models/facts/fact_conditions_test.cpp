#include "models/facts/fact_conditions.hpp"
#include "models/facts/flow_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models {
namespace {

using testing::HasSubstr;

FlowFacts facts_with(const std::string& attributes) {
    const auto facts =
        read_flow_facts({"f.xml", "<flow-facts kernel=\"k\" " + attributes + "></flow-facts>"});
    EXPECT_TRUE(facts) << facts.error().what;
    return facts ? facts.value() : FlowFacts{};
}

std::string refusal(const std::string& attributes, const std::string& launch) {
    const auto checked = check_written_for(facts_with(attributes), parse_launch(launch).value());
    return checked ? "" : checked.error().what;
}

TEST(FactConditions, HoldForTheGridThatFactsWereDerivedFor) {
    const std::string derived = R"(block="64" grid="4x1")";
    EXPECT_EQ(refusal(derived, "4x64,grid=4"), "");
    EXPECT_THAT(refusal(derived, "4x64,grid=1x4"), HasSubstr("a grid of 4 blocks; the launch has "
                                                             "one of 1x4"));
    EXPECT_THAT(refusal(derived, "4x64"), HasSubstr("does not say its grid; state --grid 4"));
    EXPECT_THAT(refusal(derived, "4x64,grid=4,block=8x8"), HasSubstr("blocks of 64 threads"));
}

TEST(FactConditions, HoldForTheNumberOfBlocksWhereNoGridWasStated) {
    EXPECT_EQ(refusal(R"(blocks="4")", "4x64"), "");
    EXPECT_EQ(refusal(R"(blocks="4")", "4x64,grid=2x2"), "");
    EXPECT_THAT(refusal(R"(blocks="4")", "5x64"), HasSubstr("for 4 blocks; the launch has 5"));
}

TEST(FactConditions, RefuseOtherArguments) {
    const std::string derived = R"(arguments="0x160=512,0x168=multiple:256")";
    EXPECT_EQ(refusal(derived, "4x64"), "");
    EXPECT_EQ(refusal(derived, "4x64,0x160=512,0x164=7"), "");
    EXPECT_THAT(refusal(derived, "4x64,0x160=1024"), HasSubstr("0x160=512 against 0x160=1024"));
    EXPECT_THAT(refusal(derived, "4x64,0x168=256"), HasSubstr("0x168=multiple:256 against"));
}

TEST(FactConditions, AreReadBackAsTheyAreWritten) {
    const FactConditions conditions =
        conditions_of(parse_launch("6x64,block=8x8,grid=3x2,0x160=512").value());
    FlowFacts facts;
    facts.kernel = "k";
    facts.conditions = conditions;
    EXPECT_EQ(read_flow_facts({"f.xml", write_flow_facts(facts)}).value().conditions, conditions);
    EXPECT_EQ(conditions_of(parse_launch("6x64").value()).blocks, 6);
}

TEST(FactConditions, AreRefusedWhereMalformed) {
    const auto refused = [](const std::string& attributes) {
        return !read_flow_facts({"f.xml", "<flow-facts kernel=\"k\" " + attributes + "/>"});
    };
    for (const char* attributes :
         {R"(block="0")", R"(block="2000")", R"(grid="")", R"(grid="4x")", R"(blocks="0")",
          R"(blocks="4x2")", R"(blocks="4" grid="4")", R"(arguments="")", R"(arguments="0x161=1")",
          R"(arguments="0x160=1,0x160=2")", R"(arguments="0x160=1,")"})
        EXPECT_TRUE(refused(attributes)) << attributes;
}

} // namespace
} // namespace warpbound::models
