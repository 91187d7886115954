// Facts in comments of CUDA C++ source: their forms, the line that each is about, refusals.
#include "models/facts/source_comments.hpp"
#include "tests/unit/models/refusal.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models {
namespace {

std::vector<FactComment> comments_of(std::string text) {
    auto read = read_fact_comments(as_source(std::move(text)));
    if (!read) {
        ADD_FAILURE() << to_string(read.error());
        return {};
    }
    return std::move(read).value();
}

FactComment only_comment(std::string text) {
    auto comments = comments_of(std::move(text));
    EXPECT_EQ(comments.size(), 1U);
    return comments.empty() ? FactComment{} : comments.front();
}

LoopComment only_loop(std::string text) {
    const FactComment comment = only_comment(std::move(text));
    const auto* loop = std::get_if<LoopComment>(&comment.fact);
    EXPECT_NE(loop, nullptr);
    return loop == nullptr ? LoopComment{} : *loop;
}

TEST(FactComments, AreAboutTheirLineOrTheNextOneWithCode) {
    EXPECT_EQ(only_comment("for (;;) // warpbound: loop max 3\n    x();\n").code_line, 1);
    EXPECT_EQ(only_comment("// warpbound: loop max 3\n\n// more\n#pragma unroll 1\n"
                           "for (;;) x();\n")
                  .code_line,
              5);
    EXPECT_EQ(only_comment("/* warpbound: uniform */ if (a) b();").code_line, 1);
    EXPECT_EQ(
        only_comment("#define X \\\n   for (;;)\n/// warpbound: uniform\nif (a) b();\n").code_line,
        4);
}

TEST(FactComments, StateBoundsOfLoops) {
    const LoopComment loop = only_loop("// warpbound:  loop  min 4 max 128\r\nfor (;;) x();\r\n");
    EXPECT_EQ(loop.min, 4);
    EXPECT_EQ(loop.max, 128);
    EXPECT_EQ(only_loop("// warpbound: loop max 0\nwhile (x) y();").min, std::nullopt);
}

TEST(FactComments, AreNoneInStringsAndWhereNoMarkIs) {
    EXPECT_TRUE(comments_of("f(\"// warpbound: uniform\"); // see warpbound: uniform\n").empty());
    EXPECT_TRUE(comments_of("f(R\"x(// warpbound: uniform)x\", '\"');\n// nothing\n").empty());
    EXPECT_EQ(comments_of("int n = 1'000; // warpbound: uniform\nif (n) f('\\'');\n").size(), 1U);
}

TEST(FactComments, KnowTheLinesOfALoop) {
    const auto comment = only_loop("// warpbound: loop max 3\n"
                                   "for (int i = 0; // first (\n"
                                   "     i < n;\n"
                                   "     ++i) {\n"
                                   "    x[i] = '{';\n"
                                   "}\n");
    ASSERT_TRUE(comment.loop.has_value());
    EXPECT_FALSE(comment.loop->is_do);
    EXPECT_EQ(comment.branch_line, 2);
    EXPECT_EQ(comment.loop->header_last, 4);
    EXPECT_EQ(comment.loop->last, 6);
}

TEST(FactComments, KnowTheEndOfStatementsWithoutBraces) {
    const auto comment = only_loop("// warpbound: loop max 3\n"
                                   "for (int i = 0; i < n; ++i)\n"
                                   "    if (a)\n"
                                   "        while (b)\n"
                                   "            c({1; 2});\n"
                                   "    else\n"
                                   "        d();\n"
                                   "e();\n");
    ASSERT_TRUE(comment.loop.has_value());
    EXPECT_EQ(comment.loop->last, 7);
    ASSERT_EQ(comment.inner.size(), 1U);
    EXPECT_EQ(comment.inner.front().first, 4);
    EXPECT_EQ(comment.inner.front().last, 5);
}

TEST(FactComments, LeadFromADoToItsWhile) {
    const auto comment =
        only_loop("do { // warpbound: loop max 3\n    x();\n} while (a &&\n b);\n");
    ASSERT_TRUE(comment.loop.has_value());
    EXPECT_TRUE(comment.loop->is_do);
    EXPECT_EQ(comment.branch_line, 3);
    EXPECT_TRUE(only_loop("do { x(); } while (a); // warpbound: loop max 3\n").loop->is_do);
    EXPECT_TRUE(only_loop("do x();\n while (a); // warpbound: loop max 3\n").loop->is_do);
}

TEST(FactComments, AreAboutTheLoopAroundALineWithoutOne) {
    const auto comment = only_loop("for (;;)\n  while (true) {\n    x();\n"
                                   "    if (s < 1) break; // warpbound: loop max 3\n  }\n");
    ASSERT_TRUE(comment.loop.has_value());
    EXPECT_EQ(comment.loop->first, 2);
    EXPECT_EQ(comment.branch_line, 4);
    EXPECT_EQ(comment.enclosing, 1);
    EXPECT_TRUE(comment.inner.empty());
}

TEST(FactComments, KnowNoLoopThatDoesNotEndOrHasDirectives) {
    EXPECT_FALSE(only_loop("while (a // warpbound: loop max 3\n").loop.has_value());
    EXPECT_FALSE(only_loop("if (s < 1) break; // warpbound: loop max 3\n").loop.has_value());
    EXPECT_FALSE(only_loop("for (;;) { // warpbound: loop max 3\n#if X\n}\n#else\n}\n#endif\n")
                     .loop.has_value());
    EXPECT_TRUE(
        only_loop("for (;;) { // warpbound: loop max 3\n#pragma unroll\n}\n").loop.has_value());
}

TEST(FactComments, AreRefusedWithTheirLine) {
    const std::array<Refusal, 11> refusals{{
        {"unknown form", "\n// warpbound: loops max 3\nx();", 2, "no known form"},
        {"no form", "// warpbound:\nx();", 1, "no known form"},
        {"no number", "// warpbound: loop max n\nx();", 1, "loop max N"},
        {"negative", "// warpbound: loop max -1\nx();", 1, "loop max N"},
        {"too large", "// warpbound: loop max 1000000000000\nx();", 1, "999999999999"},
        {"min above max", "// warpbound: loop min 5 max 4\nx();", 1, "M <= N"},
        {"a range", "// warpbound: range n 0..4096\nx();", 1, "no analysis uses ranges"},
        {"no code", "x();\n// warpbound: uniform\n", 2, "no code follows"},
        {"two", "// warpbound: uniform\nif (a) b(); // warpbound: uniform\n", 2, "about line 2"},
        {"two loops", "// warpbound: loop max 3\nfor (;;) while (a) b();\n", 1, "several loops"},
        {"a loop in a do", "// warpbound: loop max 3\ndo { for (;;); } while (a);\n", 1, "several"},
    }};
    for (const Refusal& refusal : refusals)
        expect_refusal(refusal, read_fact_comments);
}

TEST(FactComments, OfLargeFilesAreRefused) {
    EXPECT_FALSE(read_fact_comments(as_source(std::string(source_file_limit + 1, ' '))));
}

} // namespace
} // namespace warpbound::models
