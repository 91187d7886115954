/// \file
/// Statements and launches that would make a bound too small: each is refused, or changes nothing.

#include "tests/attacks/hostile_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using testing::HasSubstr;
using tests::Folder;
using tests::Outcome;
using tests::run_warpbound;
using tests::saxpy;
using tests::text_of_file;
using tests::with_replaced;

Outcome analyze(const std::string& listing, const std::string& facts, const std::string& launch,
                const std::string& architecture = "turing-t4") {
    std::vector<std::string> arguments{"analyze", listing, "--architecture", architecture};
    if (!launch.empty()) arguments.insert(arguments.end(), {"--launch", launch});
    if (!facts.empty()) arguments.insert(arguments.end(), {"--flow-facts", facts});
    return run_warpbound(arguments);
}

std::string upper_bound(const Outcome& outcome) {
    std::smatch found;
    return std::regex_search(outcome.out, found, std::regex{"upper bound ([0-9]+) cycles"})
               ? found[1].str()
               : "none: " + outcome.out + outcome.err;
}

/// A branch on what a lane loaded, with work on both sides.
std::string deciding_by_data(const std::string& target = "sm_75") {
    std::string text = "!Arch " + target +
                       "\n!Kernel switcher\n  S2R R0, SR_TID.X ?trans1 &wr=0x0;\n"
                       "  LDG.E R4, [R2] ?trans1 &wr=0x1;\n"
                       "  ISETP.NE.AND P0, PT, R4, RZ, PT ?trans12 &req={0,1};\n"
                       "  BSSY B0, `(.L_join) ?trans2;\n  @P0 BRA `(.L_other) ?trans5;\n";
    for (int i = 0; i < 40; ++i)
        text += "  FADD R5, R5, R6 ?trans5;\n";
    text += "  BRA `(.L_meet) ?trans5;\n.L_other:\n";
    for (int i = 0; i < 40; ++i)
        text += "  FADD R7, R7, R8 ?trans5;\n";
    return text + ".L_meet:\n  BSYNC B0 ?trans5;\n.L_join:\n  EXIT ?trans5;\n!EndKernel\n";
}

TEST(SafeDefaults, LanesThatMayDivergeDo) {
    const Folder folder;
    folder.write("switcher.sass", deciding_by_data());
    const Outcome safe = analyze(folder.path("switcher.sass"), "", "1x32");
    const Outcome listed = run_warpbound({"flow-facts", folder.path("switcher.sass")});
    std::smatch digest;
    ASSERT_TRUE(std::regex_search(listed.out, digest, std::regex{"digest=\"([^\"]+)\""}))
        << listed.out << listed.err;
    folder.write("uniform.xml", "<flow-facts kernel=\"switcher\" digest=\"" + digest[1].str() +
                                    "\"><uniform at=\"0x0040\"/></flow-facts>");
    const Outcome stated =
        analyze(folder.path("switcher.sass"), folder.path("uniform.xml"), "1x32");
    ASSERT_EQ(safe.exit_code, 0) << safe.err;
    ASSERT_EQ(stated.exit_code, 0) << stated.err;
    EXPECT_GT(std::stol(upper_bound(safe)), std::stol(upper_bound(stated)) + 100);
    EXPECT_THAT(stated.out, HasSubstr("uniform.xml"));
}

TEST(SafeDefaults, LaunchHasNoDefault) {
    const Outcome refused = analyze(saxpy(".sass"), saxpy(".flow-facts.xml"), "");
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr("no launch is stated; expected --grid X,Y,Z --block X,Y,Z"));
}

TEST(SafeDefaults, FactsOfAnotherBlockShapeAreRefused) {
    const Folder folder;
    const std::string facts = text_of_file(saxpy(".flow-facts.xml"));
    folder.write("facts.xml", with_replaced(facts, "<flow-facts ", "<flow-facts block=\"16x2\" "));
    for (const char* launch : {"1x32", "2x128", "1x32,block=32", "1x32,block=8x4"}) {
        const Outcome refused = analyze(saxpy(".sass"), folder.path("facts.xml"), launch);
        EXPECT_EQ(refused.exit_code, 3) << launch;
        EXPECT_THAT(refused.err, HasSubstr("facts.xml")) << launch;
        EXPECT_THAT(refused.err, HasSubstr("16x2")) << launch;
    }
    EXPECT_EQ(analyze(saxpy(".sass"), folder.path("facts.xml"), "1x32,block=16x2").exit_code, 0);
}

TEST(SafeDefaults, CodeOfAnotherMachineIsRefused) {
    const Folder folder;
    folder.write("newer.sass", deciding_by_data("sm_86"));
    const Outcome refused = analyze(folder.path("newer.sass"), "", "1x32", "ampere-a100");
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr("sm_86"));
    EXPECT_THAT(refused.err, HasSubstr("newer.sass"));
}

TEST(SafeDefaults, StatusOfAFactInAFileIsItsAuthorsWord) {
    const Folder folder;
    std::string facts = text_of_file(saxpy(".flow-facts.xml"));
    const std::string unchecked = "status=\"unchecked\"";
    for (std::size_t at = facts.find(unchecked); at != std::string::npos;
         at = facts.find(unchecked))
        facts.replace(at, unchecked.size(), "status=\"proved\"");
    folder.write("facts.xml", facts);
    const Outcome outcome = analyze(saxpy(".sass"), folder.path("facts.xml"), "2x128");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("author calls them proved: 0x0100"));
    EXPECT_THAT(outcome.out, testing::ContainsRegex("unchecked  Flow facts hold, loop bounds"));
    EXPECT_THAT(outcome.out,
                testing::Not(testing::ContainsRegex("proved  +Flow facts hold, loop bounds")));
}

TEST(SafeDefaults, StatementsThatTheCodeRefutesAreRefused) {
    const Folder folder;
    const std::string rows = std::string{WARPBOUND_SOURCE_DIR} + "/examples/convolution/sm_75";
    const std::string facts = text_of_file(rows + ".rows.flow-facts.xml");
    const auto refused = [&](const std::string& from, const std::string& to) {
        folder.write("facts.xml", with_replaced(facts, from, to));
        const Outcome outcome = run_warpbound(
            {"analyze", rows + ".sass", "--kernel", "convolution_rows", "--architecture",
             "turing-t4", "--launch", "1x32,block=16x2", "--flow-facts", folder.path("facts.xml")});
        EXPECT_EQ(outcome.exit_code, 3) << to << outcome.out;
        EXPECT_THAT(outcome.err, HasSubstr("facts.xml:")) << to;
        EXPECT_THAT(outcome.err, HasSubstr("follow")) << to;
    };
    refused("min=\"8\" max=\"8\"", "min=\"4\" max=\"4\"");
    refused("conflict-degree=\"2\"", "conflict-degree=\"1\"");
}

} // namespace
} // namespace warpbound
