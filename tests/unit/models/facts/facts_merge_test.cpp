/// \file
/// A flow-facts file keeps what a person wrote, and gets what is new.

#include "models/facts/facts_merge.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string facts(const std::string& elements, const std::string& more = {}) {
    return fmt::format("<!-- of mine -->\n<flow-facts kernel=\"k\" digest=\"sha256:{}\"{}>\n{}"
                       "</flow-facts>\n",
                       std::string(64, 'a'), more, elements);
}

Result<MergedFile> merge(const std::string& file, const std::string& made) {
    return merge_flow_facts({"k.xml", file}, made);
}

const std::string derived_loop =
    "  <!-- loop at depth 1, 2 blocks, begins: FADD -->\n"
    "  <!-- from the code: counts -->\n"
    "  <loop header=\"0x0100\" min=\"1\" max=\"128\" origin=\"static\" status=\"proved\"/>\n";
const std::string open_loop = "  <loop header=\"0x0100\" min=\"?\" max=\"?\"/>\n";
const std::string open_memory = "  <memory at=\"0x0090\" transactions=\"?\" level=\"any\"/>\n";

TEST(FactsMerge, KeepsEveryCharacterOfAnEditedFile) {
    const std::string file =
        facts("  <loop header=\"0x100\" min=\"0\" max=\"64\"/> <!-- n is 64 -->\n\n"
              "  <uniform at=\"0x0010\"/>\n");
    const auto merged = merge(file, facts(derived_loop));
    ASSERT_TRUE(merged) << to_string(merged.error());
    EXPECT_EQ(merged.value().text, file);
    EXPECT_EQ(merged.value().kept, 2U);
    EXPECT_THAT(merged.value().added, IsEmpty());
    EXPECT_THAT(merged.value().differing, ElementsAre(HasSubstr("0..64 is stated, 1..128")));
}

TEST(FactsMerge, AddsWhatIsNewWithItsCommentsAndNothingTheSecondTime) {
    const auto merged = merge(facts("  <uniform at=\"0x0010\"/>\n"), facts(derived_loop));
    ASSERT_TRUE(merged) << to_string(merged.error());
    EXPECT_EQ(merged.value().text, facts("  <uniform at=\"0x0010\"/>\n" + derived_loop));
    EXPECT_THAT(merged.value().added, ElementsAre("loop 0x0100"));
    const auto again = merge(merged.value().text, facts(derived_loop));
    ASSERT_TRUE(again);
    EXPECT_EQ(again.value().text, merged.value().text);
    EXPECT_THAT(again.value().added, IsEmpty());
}

TEST(FactsMerge, FillsInWhatIsOpen) {
    const auto merged = merge(facts(open_loop + open_memory), facts(derived_loop + open_memory));
    ASSERT_TRUE(merged) << to_string(merged.error());
    EXPECT_EQ(merged.value().text,
              facts("  <loop header=\"0x0100\" min=\"1\" max=\"128\" origin=\"static\" "
                    "status=\"proved\"/>\n" +
                    open_memory));
    EXPECT_EQ(merged.value().kept, 0U);
}

TEST(FactsMerge, LeavesHalfEditedFactsAndDeletedMemoryLines) {
    const std::string file = facts("  <loop header=\"0x0100\" min=\"3\" max=\"?\"/>\n");
    const auto merged = merge(file, facts(derived_loop + open_memory));
    ASSERT_TRUE(merged) << to_string(merged.error());
    EXPECT_EQ(merged.value().text, file);
}

TEST(FactsMerge, ComparesConstraintsByTheirTerms) {
    const auto pair = [](const std::string& from) {
        return fmt::format("  <constraint relation=\"at-most\" constant=\"1\">\n"
                           "    <term coefficient=\"1\" from=\"{}\" block=\"0x0020\"/>\n"
                           "  </constraint>\n",
                           from);
    };
    const auto merged = merge(facts(pair("0x10")), facts(pair("0x0010") + pair("0x0030")));
    ASSERT_TRUE(merged) << to_string(merged.error());
    EXPECT_EQ(merged.value().text, facts(pair("0x10") + pair("0x0030")));
}

TEST(FactsMerge, AddsTheBlockShapeAndFillsAnEmptyRoot) {
    const std::string root =
        fmt::format("<flow-facts kernel=\"k\" digest=\"sha256:{}\"", std::string(64, 'a'));
    const auto merged = merge(root + "/>\n", facts(derived_loop, " block=\"32\""));
    ASSERT_TRUE(merged) << to_string(merged.error());
    EXPECT_THAT(merged.value().text, HasSubstr("<flow-facts block=\"32\" kernel=\"k\""));
    EXPECT_TRUE(read_flow_facts({"k.xml", merged.value().text}));
}

TEST(FactsMerge, RefusesFactsThatCannotBothHoldWithTheirLine) {
    const auto merged = merge(facts("  <loop header=\"0x0100\" min=\"0\" max=\"4\"/>\n"),
                              facts("  <loop header=\"0x0100\" min=\"128\" max=\"128\"/>\n"));
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().line, 3);
    EXPECT_THAT(merged.error().what,
                HasSubstr("loop 0x0100: 0..4 is stated, 128 follows from the code"));
    const auto lanes =
        merge(facts("  <uniform at=\"0x0010\"/>\n"), facts("  <divergent at=\"0x0010\"/>\n"));
    ASSERT_FALSE(lanes);
    EXPECT_THAT(lanes.error().what, HasSubstr("0x0010 is stated to be uniform"));
}

TEST(FactsMerge, RefusesAFileOfAnotherListingShapeOrKind) {
    std::string other = facts({});
    other.replace(other.find("aaaa"), 1, "b");
    EXPECT_FALSE(merge(other, facts(derived_loop)));
    EXPECT_FALSE(merge(facts({}, " block=\"32\""), facts({}, " block=\"64\"")));
    EXPECT_FALSE(merge("int main() { return 1 < 2; }", facts(derived_loop)));
    EXPECT_FALSE(merge(facts("<loop header=\"0x0100\" min=\"9\" max=\"1\"/>"), facts(open_loop)));
}

} // namespace
} // namespace warpbound::models
