/// \file
/// Facts of source comments: each is what its comment in the bundle's file says, or fails.

#include "assembly/support/source_text.hpp"
#include "certification/verify/source_facts.hpp"
#include "certification/verify/verdict.hpp"

#include <gtest/gtest.h>

namespace warpbound::certification::verify {
namespace {

const std::string source = "// warpbound: loop max 9\nfor (;a;) x();\n"
                           "if (a) b(); // warpbound: uniform\n";

models::FlowFacts facts() {
    models::FlowFacts stated;
    stated.sources = {{"a.cu", assembly::digest_of(source)}};
    models::FactSource loop;
    loop.file = 1;
    loop.line = 1;
    stated.loops.push_back({0x10, 1, 10, loop});
    models::FactSource uniform = loop;
    uniform.line = 3;
    stated.uniforms.push_back({0x20, uniform});
    return stated;
}

std::string finding(const models::FlowFacts& stated, const std::vector<std::string>& texts) {
    try {
        check_source_facts(stated, texts, "flow-facts.xml");
    } catch (const Finding& found) {
        EXPECT_EQ(found.verdict, Verdict::Failed);
        return found.what();
    }
    return {};
}

TEST(SourceFacts, HoldWhereTheirCommentsStateThem) {
    EXPECT_EQ(finding(facts(), {source}), "");
    models::FlowFacts exact = facts();
    exact.loops.front().max = 9;
    EXPECT_EQ(finding(exact, {source}), "");
    EXPECT_EQ(finding({}, {}), "");
}

TEST(SourceFacts, FailWhereTheirCommentsStateAnother) {
    for (const auto& [min, max] : {std::pair{1, 8}, {1, 11}, {2, 10}}) {
        models::FlowFacts other = facts();
        other.loops.front().min = min;
        other.loops.front().max = max;
        EXPECT_NE(finding(other, {source}).find("a.cu:1: the comment states at most 9"),
                  std::string::npos)
            << min << ".." << max;
    }
}

TEST(SourceFacts, FailWhereNoCommentIs) {
    models::FlowFacts elsewhere = facts();
    elsewhere.loops.front().from.line = 2;
    EXPECT_NE(finding(elsewhere, {source}).find("a.cu:2"), std::string::npos);
    models::FlowFacts another_form = facts();
    another_form.uniforms.front().from.line = 1;
    EXPECT_NE(finding(another_form, {source}).find("a.cu:1"), std::string::npos);
    models::FlowFacts never = facts();
    never.nevers.push_back({0x30, never.loops.front().from});
    EXPECT_NE(finding(never, {source}).find("<never>"), std::string::npos);
}

TEST(SourceFacts, FailWhereTheFileIsAnother) {
    EXPECT_NE(finding(facts(), {source + "\n"}).find("a.cu"), std::string::npos);
    EXPECT_NE(finding(facts(), {}).find("1 source files"), std::string::npos);
    EXPECT_NE(finding({}, {source}).find("0 source files"), std::string::npos);
}

} // namespace
} // namespace warpbound::certification::verify
