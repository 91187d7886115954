#include "models/facts/flow_facts.hpp"
#include "tests/unit/models/refusal.hpp"

#include <gmock/gmock.h>

namespace warpbound::models {
namespace {

const std::string digest = "sha256:" + std::string(64, 'a');

std::string document(const std::string& facts, const std::string& attributes = {}) {
    return "<flow-facts kernel=\"k\" digest=\"" + digest + "\" " + attributes + ">\n" + facts +
           "\n</flow-facts>\n";
}

/// Without the names, digests and lines that depend on the text.
FlowFacts content(FlowFacts facts) {
    const auto forget = [](auto& list) {
        for (auto& fact : list)
            fact.from.line = 0;
    };
    forget(facts.loops);
    forget(facts.nevers);
    forget(facts.exclusives);
    forget(facts.constraints);
    forget(facts.memory);
    forget(facts.divergents);
    forget(facts.uniforms);
    if (facts.representative) facts.representative->from.line = 0;
    facts.name.clear();
    facts.digest.clear();
    return facts;
}

TEST(FlowFacts, AreForOneListingAndKernel) {
    FlowFacts facts;
    facts.kernel = "k";
    EXPECT_FALSE(check_written_for(facts, "k", digest)); // names no listing
    facts.program_digest = digest;
    EXPECT_TRUE(check_written_for(facts, "k", digest));
    EXPECT_FALSE(check_written_for(facts, "j", digest));
    EXPECT_FALSE(check_written_for(facts, "k", "sha256:" + std::string(64, 'b')));
}

TEST(FlowFacts, AreRead) {
    const auto read = read_flow_facts(as_source(
        document("<loop header=\"0x00d0\" min=\"1\" max=\"128\"/>\n"
                 "<never block=\"0x100\" origin=\"static\" status=\"proved\"/>\n"
                 "<exclusive first=\"16\" second=\"0x20\"/>\n"
                 "<constraint relation=\"at-least\" constant=\"-3\"><term coefficient=\"-2\" "
                 "block=\"0x40\"/>"
                 "<term coefficient=\"1\" block=\"0x80\" from=\"0x40\"/></constraint>\n"
                 "<memory at=\"0x120\" transactions=\"1..4\" conflict-degree=\"2\" level=\"l2\"/>"
                 "<divergent at=\"0x28\"/><uniform at=\"0x30\"/>",
                 "block=\"16x2\"")));
    ASSERT_TRUE(read.has_value());
    const FlowFacts& facts = read.value();
    EXPECT_EQ(facts.kernel, "k");
    EXPECT_EQ(facts.program_digest, digest);
    EXPECT_EQ(facts.name, "test.xml");
    EXPECT_EQ(facts.loop_at(0xd0)->max, 128);
    EXPECT_EQ(facts.loop_at(0xd0)->from.line, 2);
    EXPECT_EQ(facts.loop_at(0), nullptr);
    EXPECT_TRUE(facts.is_never(0x100));
    EXPECT_EQ(facts.nevers[0].from.status, FactStatus::Unchecked);
    EXPECT_EQ(facts.nevers[0].from.claimed, FactStatus::Proved);
    EXPECT_EQ(facts.exclusives[0].first, 16);
    EXPECT_EQ(facts.constraints[0].terms[1].from, 0x40);
    EXPECT_EQ(facts.constraints[0].constant, -3);
    EXPECT_EQ(facts.memory_at(0x120)->transactions, (CountRange{.min = 1, .max = 4}));
    EXPECT_EQ(facts.memory_at(0x120)->conflict_degree, (CountRange{.min = 2, .max = 2}));
    EXPECT_EQ(facts.memory_at(0x120)->level, MemoryLevel::L2);
    EXPECT_EQ(facts.memory_at(0x121), nullptr);
    ASSERT_EQ(facts.divergents.size(), 1U);
    EXPECT_EQ(facts.divergents[0].at, 0x28);
    EXPECT_TRUE(facts.is_uniform(0x30));
    EXPECT_FALSE(facts.is_uniform(0x28));
    EXPECT_EQ(facts.conditions.block, (BlockShape{{16, 2, 1}}));
}

TEST(FlowFacts, AreWrittenSoThatTheyReadBack) {
    FlowFacts facts;
    facts.kernel = "a<b>";
    facts.program_digest = digest;
    facts.loops = {{.header = 0xd0, .min = 0, .max = 7, .from = {}}};
    facts.nevers = {
        {.block = 1,
         .from = {FactOrigin::Trace, FactStatus::Unchecked, 0, FactStatus::TraceConsistent}}};
    facts.exclusives = {{.first = 8, .second = 16, .from = {}}};
    facts.constraints = {{.terms = {{.coefficient = -4, .from = 8, .block = 16},
                                    {.coefficient = 1, .from = std::nullopt, .block = 24}},
                          .relation = Relation::Equal,
                          .constant = 12,
                          .from = {}}};
    facts.memory = {{.at = 32,
                     .transactions = CountRange{.min = 2, .max = 32},
                     .conflict_degree = std::nullopt,
                     .level = MemoryLevel::Dram,
                     .from = {},
                     .pattern = {}}};
    facts.divergents = {{.at = 8, .from = {}}, {.at = 48, .from = {}}};
    facts.uniforms = {{.at = 56, .from = {}}};
    facts.conditions = {BlockShape{{8, 8, 2}}, GridShape{{3, 2, 1}}, {}, {{0x160, {512, 32}}}};
    const auto again = read_flow_facts(as_source(write_flow_facts(facts)));
    ASSERT_TRUE(again.has_value()) << again.error().what;
    EXPECT_EQ(content(again.value()), facts);
}

TEST(FlowFacts, KeepRepresentativeThreads) {
    FlowFacts facts;
    facts.kernel = "k";
    facts.program_digest = digest;
    RepresentativeFact fact;
    fact.first = {1, 0, 2};
    fact.last = {3, 4, 2};
    fact.edges = {{0x40, 0x80}};
    fact.ends = {0x40, 0x100};
    facts.representative = fact;
    const auto again = read_flow_facts(as_source(write_flow_facts(facts)));
    ASSERT_TRUE(again.has_value()) << to_string(again.error());
    EXPECT_EQ(content(again.value()), facts);
    EXPECT_EQ(fact.blocks(), 15);
    // Block 2 of 4 in x, 3 of 5 in y, 2 of 3 in z.
    const GridShape grid{{4, 5, 3}};
    EXPECT_TRUE(fact.has(2 + 4 * (3 + 5 * 2), grid));
    EXPECT_FALSE(fact.has(0 + 4 * (3 + 5 * 2), grid));
    EXPECT_FALSE(fact.has(2 + 4 * (3 + 5 * 1), grid));
    const auto refused = [](const std::string& text) {
        const auto read = read_flow_facts(as_source(document(text)));
        return read ? std::string{} : read.error().what;
    };
    const std::string box = "<representative first-block=\"0,0,0\" last-block=\"1,0,0\">";
    EXPECT_THAT(refused(box + "</representative>"), testing::HasSubstr("expected 1 to"));
    EXPECT_THAT(refused(box + "<edge from=\"0\" to=\"16\"/></representative>" + box +
                        "<end block=\"0\"/></representative>"),
                testing::HasSubstr("a second <representative>"));
    EXPECT_THAT(refused("<representative first-block=\"0,0\" last-block=\"1,0,0\">"
                        "<end block=\"0\"/></representative>"),
                testing::HasSubstr("as in 0,0,0"));
    EXPECT_THAT(refused("<representative first-block=\"2,0,0\" last-block=\"1,0,0\">"
                        "<end block=\"0\"/></representative>"),
                testing::HasSubstr("lies beyond"));
    EXPECT_THAT(refused(box + "<term/></representative>"), testing::HasSubstr("expected <edge>"));
}

TEST(FlowFacts, KeepPatterns) {
    const auto read = read_flow_facts(as_source(document(
        "<memory at='8'><pattern base='0x100' thread-stride='4' row='16' row-stride='256' "
        "warp-stride='512' block-stride='4096' iteration-stride='64' footprint='65536'/></memory>"
        "<memory at='16' level='l2'><pattern random='9' footprint='1024'/></memory>")));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    const auto& strided = read.value().memory_at(8)->pattern;
    ASSERT_TRUE(strided);
    EXPECT_EQ(strided->base, 0x100U);
    EXPECT_EQ(strided->thread_stride, 4U);
    EXPECT_EQ(strided->row, 16U);
    EXPECT_EQ(strided->row_stride, 256U);
    EXPECT_EQ(strided->warp_stride, 512U);
    EXPECT_EQ(strided->block_stride, 4096U);
    EXPECT_EQ(strided->iteration_stride, 64U);
    EXPECT_EQ(strided->footprint, 65536U);
    EXPECT_EQ(read.value().memory_at(16)->pattern->random, 9U);
    EXPECT_EQ(read.value().memory_at(16)->level, MemoryLevel::L2);
    const auto again = read_flow_facts(as_source(write_flow_facts(read.value())));
    ASSERT_TRUE(again.has_value()) << again.error().what;
    EXPECT_EQ(content(again.value()), content(read.value()));
}

// Random addresses have no strides, even if a pattern made in code has them.
TEST(FlowFacts, OfDrawnAddressesAreWrittenSoThatTheyAreRead) {
    FlowFacts facts;
    facts.kernel = "k";
    facts.memory.push_back({16, {}, {}, MemoryLevel::Any, {}, {}});
    AddressPattern& drawn = facts.memory.back().pattern.emplace();
    drawn.footprint = 1024;
    drawn.warp_stride = 128;
    drawn.random = 9;
    const auto read = read_flow_facts(as_source(write_flow_facts(facts)));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_EQ(read.value().memory_at(16)->pattern->random, 9U);
    EXPECT_EQ(read.value().memory_at(16)->pattern->footprint, drawn.footprint);
    EXPECT_EQ(read.value().memory_at(16)->pattern->warp_stride, 0U);
}

TEST(FlowFacts, AreRefusedWithALine) {
    const auto fact = [](std::string text) { return document(text); };
    const std::string loop = "<loop header='0' min='1' max='2'/>";
    const std::vector<Refusal> refusals{
        {"another root", "<facts/>", 1, "no <flow-facts>"},
        {"no kernel", "<flow-facts/>", 1, "without 'kernel'"},
        {"unknown attribute of the root", "<flow-facts kernel='' x=''/>", 1, "'x'"},
        {"digest", "<flow-facts kernel='' digest='sha256:12'/>", 1, "64 hexadecimal"},
        {"capital digest", "<flow-facts kernel='' digest='sha256:" + std::string(64, 'A') + "'/>",
         1, "64 hexadecimal"},
        {"unknown element", fact("<loops/>"), 2, "unknown element <loops>"},
        {"unknown attribute", fact("<loop header='0' min='1' max='2' bound='3'/>"), 2, "'bound'"},
        {"missing attribute", fact("<loop header='0' min='1'/>"), 2, "without 'max'"},
        {"child of a loop", fact("<loop header='0' min='1' max='2'>\n<term/></loop>"), 3,
         "<term> inside <loop>"},
        {"text for a number", fact("<loop header='0' min='one' max='2'/>"), 2, "\"one\""},
        {"negative", fact("<loop header='0' min='-1' max='2'/>"), 2, "\"-1\""},
        {"negative maximum", fact("<loop header='0' min='0' max='-2'/>"), 2, "\"-2\""},
        {"negative address", fact("<loop header='-8' min='1' max='2'/>"), 2, "'header'"},
        {"huge", fact("<loop header='0' min='1' max='9999999999999'/>"), 2, "'max'"},
        {"min above max", fact("<loop header='0' min='3' max='2'/>"), 2, "min 3 is above max 2"},
        {"two on one loop", fact(loop + "\n" + loop), 3, "a second <loop> at 0x0000"},
        {"never without block", fact("<never/>"), 2, "without 'block'"},
        {"never at no address", fact("<never block='here'/>"), 2, "\"here\""},
        {"two nevers", fact("<never block='8'/>\n<never block='0x8'/>"), 3, "a second <never>"},
        {"exclusive without first", fact("<exclusive second='1'/>"), 2, "without 'first'"},
        {"exclusive first", fact("<exclusive first='x' second='1'/>"), 2, "'first'"},
        {"exclusive second", fact("<exclusive first='1' second='x'/>"), 2, "'second'"},
        {"exclusive of itself", fact("<exclusive first='1' second='1'/>"), 2, "excludes itself"},
        {"two exclusives",
         fact("<exclusive first='1' second='2'/>\n<exclusive first='2' second='1'/>"), 3,
         "a second <exclusive>"},
        {"no relation", fact("<constraint constant='1'/>"), 2, "without 'relation'"},
        {"bad relation", fact("<constraint relation='&lt;' constant='1'/>"), 2, "at-most"},
        {"bad constant", fact("<constraint relation='equal' constant='x'/>"), 2, "'constant'"},
        {"no terms", fact("<constraint relation='equal' constant='1'/>"), 2, "0 terms"},
        {"no term", fact("<constraint relation='equal' constant='1'>\n<loop/></constraint>"), 3,
         "expected <term>"},
        {"term without block",
         fact("<constraint relation='equal' constant='1'>\n<term coefficient='1'/></constraint>"),
         3, "without 'block'"},
        {"term coefficient",
         fact("<constraint relation='equal' constant='1'>\n<term coefficient='x' "
              "block='1'/></constraint>"),
         3, "'coefficient'"},
        {"term block",
         fact("<constraint relation='equal' constant='1'>\n<term coefficient='1' "
              "block='x'/></constraint>"),
         3, "'block'"},
        {"term from",
         fact("<constraint relation='equal' constant='1'>\n<term coefficient='1' block='1' "
              "from='x'/></constraint>"),
         3, "'from'"},
        {"child of a term",
         fact("<constraint relation='equal' constant='1'><term coefficient='1' "
              "block='1'>\n<x/></term></constraint>"),
         3, "<x> inside <term>"},
        {"memory without at", fact("<memory level='l1'/>"), 2, "without 'at'"},
        {"memory at", fact("<memory at='x'/>"), 2, "'at'"},
        {"no passes", fact("<memory at='1' transactions='0'/>"), 2, "within 1..128"},
        {"many passes", fact("<memory at='1' conflict-degree='129'/>"), 2, "within 1..128"},
        {"reversed range", fact("<memory at='1' transactions='4..2'/>"), 2, "within 1..128"},
        {"half a range", fact("<memory at='1' transactions='4..'/>"), 2, "within 1..128"},
        {"level", fact("<memory at='1' level='L3'/>"), 2, "any, l1, l2 or dram"},
        {"two memory facts", fact("<memory at='1'/>\n<memory at='1' level='l1'/>"), 3,
         "a second <memory>"},
        {"another child of memory", fact("<memory at='1'>\n<term/></memory>"), 3,
         "at most one <pattern>"},
        {"two patterns", fact("<memory at='1'><pattern/>\n<pattern/></memory>"), 3,
         "at most one <pattern>"},
        {"passes twice", fact("<memory at='1' transactions='2'><pattern/></memory>"), 2,
         "expected one of them"},
        {"stride", fact("<memory at='1'>\n<pattern thread-stride='-4'/></memory>"), 3, "\"-4\""},
        {"empty footprint", fact("<memory at='1'>\n<pattern footprint='0'/></memory>"), 3,
         "'footprint'"},
        {"half a row", fact("<memory at='1'>\n<pattern row='4'/></memory>"), 3, "both or neither"},
        {"random strides",
         fact("<memory at='1'>\n<pattern random='1' footprint='8' warp-stride='4'/></memory>"), 3,
         "combined with 'random'"},
        {"random everywhere", fact("<memory at='1'>\n<pattern random='1'/></memory>"), 3,
         "without 'footprint'"},
        {"child of a pattern", fact("<memory at='1'><pattern>\n<x/></pattern></memory>"), 3,
         "<x> inside <pattern>"},
        {"origin", fact("<never block='1' origin='me'/>"), 2,
         "user, static, trace, arguments, barrier-rule, statements or normal-end"},
        {"status", fact("<never block='1' status='true'/>"), 2, "'status'"},
        {"refuted", fact("\n<never block='1' status='refuted'/>"), 3, "marked refuted"},
        {"entity", "<!DOCTYPE x [<!ENTITY e 'e'>]>\n" + fact(""), 1, "entity definition"},
    };
    for (const auto& refusal : refusals)
        expect_refusal(refusal, read_flow_facts);
}

} // namespace
} // namespace warpbound::models
