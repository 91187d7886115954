// Facts of comments at the loops and branches that line markers place on their lines.
#include "assembly/isa/reader.hpp"
#include "models/facts/source_facts.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace warpbound::models {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A kernel whose lines are `//## File "/src/k.cu", line N`, each written `@N`.
struct Kernel {
    explicit Kernel(const std::string& lines) {
        std::string text = "\t.target\tsm_75\n\t.section\t.text.k,\"ax\",@progbits\n";
        std::size_t begin = 0;
        int address = 0;
        while (begin < lines.size()) {
            const std::size_t end = lines.find('\n', begin);
            const std::string line = lines.substr(begin, end - begin);
            begin = end + 1;
            if (line.front() == '@' && std::isdigit(static_cast<unsigned char>(line[1])) != 0)
                text += "//## File \"/src/k.cu\", line " + line.substr(1) + "\n";
            else if (line.back() == ':' || line.front() == '/')
                text += line + "\n";
            else {
                char number[16];
                std::snprintf(number, sizeof number, "/*%04x*/ ", 16 * address++);
                text += number + line + " ;\n";
            }
        }
        auto read = assembly::read_program({"k.sass", text});
        if (!read) throw std::runtime_error{to_string(read.error())};
        program = std::move(read).value();
        auto built = assembly::build_control_flow_graph(function());
        if (!built) throw std::runtime_error{to_string(built.error())};
        graph = std::move(built).value();
    }
    [[nodiscard]] const assembly::Function& function() const { return program.functions.front(); }
    [[nodiscard]] Result<SourceFacts> facts(const std::string& source) const {
        return facts_of_sources(function(), graph, {FoundSource{0, {"k.cu", source}}});
    }
    [[nodiscard]] SourceFacts accepted(const std::string& source) const {
        auto read = facts(source);
        if (!read) throw std::runtime_error{to_string(read.error())};
        return std::move(read).value();
    }

    assembly::Program program;
    assembly::ControlFlowGraph graph;
};

/// A loop of line 2 with this instruction of line 3 in its only block.
Kernel one_loop(const std::string& instruction, const std::string& line = "3") {
    return Kernel{"@1\nMOV R2, RZ\n.L_0:\n@" + line + "\n" + instruction +
                  "\n@2\nISETP.GE.AND P0, PT, R2, c[0x0][0x160], PT\n@!P0 BRA `(.L_0)\n@4\nEXIT\n"};
}

constexpr const char* load = "LDG.E R3, [R2]";
constexpr const char* store = "STG.E [R2], R3";
constexpr const char* bounded_for = "// warpbound: loop max 9\nfor (;a;)\n    x();\n";

// Nothing shows that a body without a store executes as often as the header.
TEST(SourceFacts, BoundAHeaderByOneMoreThanTheBody) {
    const SourceFacts found = one_loop(load).accepted(bounded_for);
    ASSERT_EQ(found.facts.loops.size(), 1U);
    const LoopFact& fact = found.facts.loops.front();
    EXPECT_EQ(fact.header, 0x10);
    EXPECT_EQ(fact.min, 1);
    EXPECT_EQ(fact.max, 10);
    EXPECT_EQ(fact.from.line, 1);
    EXPECT_EQ(fact.from.file, 1U);
    EXPECT_EQ(fact.from.status, FactStatus::Unchecked);
    EXPECT_EQ(found.facts.sources.front().name, "/src/k.cu");
    EXPECT_THAT(found.notes, Contains(HasSubstr("k.cu:1: loop max 9: the header 0x0010 executes "
                                                "at most 10 times, once more than the body")));
}

TEST(SourceFacts, BoundAHeaderAsTheBodyWhereAStoreOfItAlwaysExecutes) {
    EXPECT_EQ(one_loop(store).accepted(bounded_for).facts.loops.front().max, 9);
    // Guarded, of the loop's own line, and spilled: none of these counts the body.
    for (const auto& [instruction, line] : {std::pair{"@P1 STG.E [R2], R3", "3"},
                                            std::pair{store, "2"}, std::pair{"STL [R1], R3", "3"}})
        EXPECT_EQ(one_loop(instruction, line).accepted(bounded_for).facts.loops.front().max, 10)
            << instruction;
}

TEST(SourceFacts, BoundADoStatementByItsBody) {
    const Kernel kernel{"@1\nMOV R2, RZ\n.L_0:\n@2\nLDG.E R3, [R2]\n@3\n@!P0 BRA `(.L_0)\n"
                        "@4\nEXIT\n"};
    const auto found = kernel.accepted("do { // warpbound: loop max 9\n    x();\n} while (a);\n");
    EXPECT_EQ(found.facts.loops.front().max, 9);
}

TEST(SourceFacts, NeverSayThatALoopIsNotExecuted) {
    const auto found = one_loop(store).accepted("// warpbound: loop max 0\nfor (;a;)\n    x();\n");
    EXPECT_EQ(found.facts.loops.front().max, 1);
}

TEST(SourceFacts, DropALowerBoundWithANote) {
    const auto found =
        one_loop(load).accepted("// warpbound: loop min 4 max 9\nfor (;a;)\n    x();\n");
    EXPECT_EQ(found.facts.loops.front().min, 1);
    EXPECT_THAT(found.notes, Contains(HasSubstr("min 4 is not used")));
}

TEST(SourceFacts, OfALoopThatIsNotThereAreNotedAndNameNoSource) {
    const auto found =
        one_loop(load).accepted("x();\ny();\nfor (;a;) z(); // warpbound: loop max 9\n");
    EXPECT_TRUE(found.facts.loops.empty());
    EXPECT_TRUE(found.facts.sources.empty());
    EXPECT_THAT(found.notes, Contains(HasSubstr("no loop of k is repeated from line 3")));
    EXPECT_THAT(one_loop(load).accepted("x();\ny(); // warpbound: loop max 9\n").notes,
                Contains(HasSubstr("no loop statement is at or around line 2")));
}

TEST(SourceFacts, HoldForEachCopyOfALoop) {
    const Kernel kernel{"@1\nMOV R2, RZ\n.L_0:\n@3\nLDG.E R3, [R2]\n@2\n@!P0 BRA `(.L_0)\n"
                        ".L_1:\n@3\nLDG.E R3, [R2]\n@2\n@!P1 BRA `(.L_1)\nEXIT\n"};
    const auto found = kernel.accepted(bounded_for);
    ASSERT_EQ(found.facts.loops.size(), 2U);
    EXPECT_EQ(found.facts.loops[1].max, 10);
    EXPECT_THAT(found.notes, Contains(HasSubstr("2 loops are repeated from line 2")));
}

TEST(SourceFacts, OfNestedLoopsOnOneLineAreRefused) {
    const Kernel kernel{"@1\nMOV R2, RZ\n.L_0:\nMOV R3, RZ\n.L_1:\n@3\nLDG.E R3, [R2]\n@2\n"
                        "@!P0 BRA `(.L_1)\n@!P1 BRA `(.L_0)\nEXIT\n"};
    const auto found = kernel.facts(bounded_for);
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().where, "k.cu");
    EXPECT_EQ(found.error().line, 1);
    EXPECT_THAT(found.error().what, HasSubstr("0x0010 and 0x0020"));
}

// nvcc for sm_75: lanes wait where they yield, until no further ones are active.
TEST(SourceFacts, BoundTheLoopAroundOneThatOnlyWaitsForLanes) {
    const auto waiting = [](const std::string& comparison, const std::string& guard) {
        return Kernel{"@1\nMOV R2, RZ\n.L_0:\n@2\nLDG.E R3, [R2]\n"
                      "ISETP.NE.AND P0, PT, R3, RZ, PT\n@P0 BRA `(.L_2)\n"
                      ".L_1:\nVOTE.ANY R6, PT, PT\nYIELD\nVOTEU.ANY UR4, UPT, PT\n" +
                      comparison + "\n" + guard + " BRA.U `(.L_0)\nBRA `(.L_1)\n" +
                      ".L_2:\n@4\nEXIT\n"};
    };
    const char* masks = "LOP3.LUT P0, RZ, R6, UR4, RZ, 0xc, !PT";
    const auto found = waiting(masks, "@!P0").accepted(bounded_for);
    ASSERT_EQ(found.facts.loops.size(), 1U);
    EXPECT_EQ(found.facts.loops.front().header, 0x10);
    EXPECT_EQ(found.facts.loops.front().max, 10);
    EXPECT_THAT(found.notes, Contains(HasSubstr("the loop at 0x0040 only compares masks")));
    for (const auto& [comparison, guard] :
         {std::pair{"LOP3.LUT P0, RZ, R6, R3, RZ, 0xc, !PT", "@!P0"}, std::pair{masks, "@!P1"},
          std::pair{"ISETP.NE.AND P0, PT, R6, UR4, PT", "@!P0"}})
        EXPECT_FALSE(waiting(comparison, guard).facts(bounded_for).has_value()) << comparison;
}

TEST(SourceFacts, DoNotBoundALoopThatIsRepeatedFromOtherLines) {
    const Kernel kernel{"@1\nMOV R2, RZ\n.L_0:\n@3\nLDG.E R3, [R2]\n@2\n@!P0 BRA `(.L_0)\n@5\n"
                        "@!P1 BRA `(.L_0)\nEXIT\n"};
    const auto found = kernel.accepted(bounded_for);
    EXPECT_TRUE(found.facts.loops.empty());
    EXPECT_THAT(found.notes, Contains(HasSubstr("is repeated from other lines, too")));
}

// The compiler unrolls the loop of line 4 and leaves its line at the branch that repeats the loop
// around it, whose exit and accesses are on other lines.
TEST(SourceFacts, OfAnUnrolledLoopDoNotBoundTheLoopAroundIt) {
    const char* source = "while (true) {\n    if (a) break;\n"
                         "    // warpbound: loop max 4\n    for (;b;)\n        x();\n}\n";
    const Kernel around{"@1\nMOV R2, RZ\n.L_0:\n@2\nLDG.E R3, [R2]\n@!P0 BRA `(.L_1)\n@5\n"
                        "STG.E [R2], R3\nSTG.E [R2+4], R3\n@4\nBRA `(.L_0)\n.L_1:\n@7\nEXIT\n"};
    const auto found = around.accepted(source);
    EXPECT_TRUE(found.facts.loops.empty());
    EXPECT_THAT(found.notes, Contains(HasSubstr("are not those of the loop statement at line 4")));
    // All that is fixed in the loop is the inner statement's, but no loop is around it.
    const Kernel alone{"@1\nMOV R2, RZ\n.L_0:\n@5\nSTG.E [R2], R3\n@!P0 BRA `(.L_1)\n@4\n"
                       "BRA `(.L_0)\n.L_1:\n@7\nEXIT\n"};
    EXPECT_TRUE(alone.accepted(source).facts.loops.empty());
    // Both loops are there.
    const Kernel nested{"@1\nMOV R2, RZ\n.L_0:\n@2\nLDG.E R3, [R2]\n@!P0 BRA `(.L_1)\n.L_2:\n@5\n"
                        "STG.E [R2], R3\n@4\n@!P1 BRA `(.L_2)\n@1\nBRA `(.L_0)\n.L_1:\n@7\nEXIT\n"};
    const auto inner = nested.accepted(source);
    ASSERT_EQ(inner.facts.loops.size(), 1U);
    EXPECT_EQ(inner.facts.loops.front().header, 0x30);
    EXPECT_EQ(inner.facts.loops.front().max, 4);
}

// The branch of an inner loop that has the line of the loop around it.
TEST(SourceFacts, DoNotBoundALoopInsideTheirs) {
    const Kernel inner{"@1\nMOV R2, RZ\n.L_0:\n@4\nLDG.E R3, [R2]\n@!P0 BRA `(.L_1)\n@2\n"
                       "BRA `(.L_0)\n.L_1:\n@7\nEXIT\n"};
    const auto found = inner.accepted("x();\nfor (;a;) // warpbound: loop max 9\n"
                                      "    while (true) {\n        if (b) break;\n    }\n");
    EXPECT_TRUE(found.facts.loops.empty());
    EXPECT_THAT(found.notes, Contains(HasSubstr("are not those of the loop statement at line 2")));
}

/// A branch of line 2 on P0, which these instructions set.
Kernel one_branch(const std::string& comparison) {
    return Kernel{"@1\nLDG.E R3, [R2]\n@2\n" + comparison +
                  "@2\n@!P0 BRA `(.L_0)\n@3\nSTG.E [R2], R3\n.L_0:\n@4\nEXIT\n"};
}

constexpr const char* uniform_if = "// warpbound: uniform\nif (a)\n    x();\n";

TEST(SourceFacts, StateThatABranchIsUniform) {
    const auto found = one_branch("ISETP.GE.AND P0, PT, R3, 0x1, PT\n").accepted(uniform_if);
    ASSERT_EQ(found.facts.uniforms.size(), 1U);
    EXPECT_EQ(found.facts.uniforms.front().at, 0x20);
    EXPECT_EQ(found.facts.uniforms.front().from.line, 1);
}

// The compiler joins the conditions of two lines into one branch: ISETP.LT.OR with a predicate.
TEST(SourceFacts, LeaveABranchOnJoinedConditionsDivergent) {
    for (const char* comparison :
         {"ISETP.GE.OR P0, PT, R3, 0x1, !P1\n", "@P1 ISETP.GE.AND P0, PT, R3, 0x1, PT\n",
          "@1\nISETP.GE.AND P0, PT, R3, 0x1, PT\n", // of another line
          "PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0\n", ""}) {
        const auto found = one_branch(comparison).accepted(uniform_if);
        EXPECT_TRUE(found.facts.uniforms.empty()) << comparison;
        EXPECT_THAT(found.notes, Contains(HasSubstr("0x00")));
    }
}

FlowFacts stated_loop(std::int64_t max) {
    FlowFacts facts;
    facts.name = "k.xml";
    facts.loops.push_back({0x10, 0, max, {FactOrigin::User, FactStatus::Unchecked, 7}});
    return facts;
}

TEST(SourceFacts, AreMergedWithThoseOfAFile) {
    const FlowFacts comments = one_loop(load).accepted(bounded_for).facts;
    const auto alone = merged({}, comments);
    ASSERT_TRUE(alone.has_value());
    EXPECT_EQ(alone.value().loops, comments.loops);
    EXPECT_EQ(alone.value().sources, comments.sources);
    const auto tighter = merged(stated_loop(8), comments);
    ASSERT_TRUE(tighter.has_value());
    EXPECT_EQ(tighter.value().loops.front().max, 8);
    EXPECT_EQ(tighter.value().loops.front().from.file, 0U);
}

TEST(SourceFacts, ThatContradictAFileAreRefusedWithBothPlaces) {
    const auto looser = merged(stated_loop(11), one_loop(load).accepted(bounded_for).facts);
    ASSERT_FALSE(looser.has_value());
    EXPECT_EQ(looser.error().where, "k.xml");
    EXPECT_EQ(looser.error().line, 7);
    EXPECT_THAT(looser.error().what, HasSubstr("k.cu:1"));
    FlowFacts divergent;
    divergent.name = "k.xml";
    divergent.divergents.push_back({0x20, {FactOrigin::User, FactStatus::Unchecked, 3}});
    const auto uniform = merged(
        divergent, one_branch("ISETP.GE.AND P0, PT, R3, 0x1, PT\n").accepted(uniform_if).facts);
    ASSERT_FALSE(uniform.has_value());
    EXPECT_EQ(uniform.error().line, 3);
    EXPECT_THAT(uniform.error().what, HasSubstr("k.cu:1"));
}

TEST(SourceFacts, SurviveWritingAndReading) {
    FlowFacts facts = merged({}, one_loop(load).accepted(bounded_for).facts).value();
    facts.kernel = "k";
    const auto again = read_flow_facts({"again.xml", write_flow_facts(facts)});
    ASSERT_TRUE(again.has_value()) << to_string(again.error());
    EXPECT_EQ(again.value().sources, facts.sources);
    EXPECT_EQ(again.value().loops, facts.loops);
}

TEST(SourceFacts, OfAFileThatNoSourceNamesAreRefused) {
    const std::string digest = "sha256:" + std::string(64, 'a');
    const auto read = [&](const std::string& sources, const std::string& place) {
        return read_flow_facts({"f.xml", "<flow-facts kernel=\"k\">" + sources +
                                             "<loop header=\"16\" min=\"1\" max=\"2\" source=\"" +
                                             place + "\"/></flow-facts>"});
    };
    const std::string named = "<source file=\"a.cu\" digest=\"" + digest + "\"/>";
    EXPECT_TRUE(read(named, "a.cu:3").has_value());
    for (const char* place : {"b.cu:3", "a.cu", "a.cu:0", "a.cu:x", ":3", ""})
        EXPECT_FALSE(read(named, place).has_value()) << place;
    EXPECT_FALSE(read("", "a.cu:3").has_value());
    EXPECT_FALSE(read("<source file=\"a.cu\" digest=\"sha256:1\"/>", "a.cu:3").has_value());
}

} // namespace
} // namespace warpbound::models
