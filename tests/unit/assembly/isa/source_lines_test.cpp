// Line markers of nvdisasm -g and -gi: chains of inlined calls, hostile markers, printing.
#include "assembly/isa/source_lines.hpp"
#include "assembly/isa/source_places.hpp"
#include "listings.hpp"

#include <filesystem>

namespace warpbound::assembly {
namespace {

std::string listing(const std::string& lines) {
    return "\t.target\tsm_75\n\t.section\t.text.k,\"ax\",@progbits\n" + lines;
}

/// A listing with these markers before its first instruction.
std::string marked(const std::string& markers) {
    return listing(markers + "        /*0000*/ MOV R1, R2 ;\n        /*0010*/ EXIT ;\n");
}

std::string marker(const std::string& text) {
    return "\t//## File " + text + "\n";
}

TEST(SourceLines, HoldFromAMarkerToTheNextOne) {
    const Function function = only_function(
        listing(marker("\"/src/a.cu\", line 3") + "/*0000*/ MOV R1, R2 ;\n/*0010*/ MOV R2, R3 ;\n" +
                marker("\"/src/b.cuh\", line 12") + ".L_x_0:\n/*0020*/ EXIT ;\n"));
    EXPECT_EQ(source_of(function, function.instructions[0]), "a.cu:3");
    EXPECT_EQ(source_of(function, function.instructions[1]), "a.cu:3");
    EXPECT_EQ(place_of(function, function.instructions[2]), "0x0020 (b.cuh:12)");
    EXPECT_EQ(source_range(function, 0, 2), "a.cu:3, b.cuh:12");
}

TEST(SourceLines, OfInlinedCodeAreAChain) {
    const Function function =
        only_function(marked(marker("\"/src/k.cu\", line 3 inlined at \"/src/k.cu\", line 7") +
                             marker("\"/src/k.cu\", line 7 inlined at \"/src/k.cu\", line 15") +
                             marker("\"/src/k.cu\", line 15")));
    EXPECT_EQ(source_of(function, function.instructions[0]),
              "k.cu:3 inlined at k.cu:7 inlined at k.cu:15");
    EXPECT_EQ(function.source_lines.frames.size(), 3U);
    EXPECT_EQ(function.source_lines.files.size(), 1U);
}

TEST(SourceLines, OfAnInliningPlaceWithoutItsOwnMarkerStillNameIt) {
    const Function function =
        only_function(marked(marker("\"a.cu\", line 3 inlined at \"b.cu\", line 7")));
    EXPECT_EQ(source_of(function, function.instructions[0]), "a.cu:3 inlined at b.cu:7");
}

TEST(SourceLines, AreThoseOfTheLastChainWhereNoInstructionIsBetween) {
    const Function function =
        only_function(marked(marker("\"a.cu\", line 3 inlined at \"a.cu\", line 7") +
                             marker("\"a.cu\", line 7") + marker("\"a.cu\", line 9")));
    EXPECT_EQ(source_of(function, function.instructions[0]), "a.cu:9");
}

TEST(SourceLines, ThatAreZeroAreNone) {
    const Function function =
        only_function(listing(marker("\"a.cu\", line 3") + "/*0000*/ MOV R1, R2 ;\n" +
                              marker("\"a.cu\", line 0") + "/*0010*/ EXIT ;\n"));
    EXPECT_EQ(place_of(function, function.instructions[1]), "0x0010");
    expect_round_trip(
        read_program(text_of(print(Program{TextForm::Nvdisasm, {function}, {}, {}, {}}))).value());
}

TEST(SourceLines, NameFoldersWhereFilesShareTheirName) {
    const Function function =
        only_function(listing(marker("\"/one/a.cu\", line 3") + "/*0000*/ MOV R1, R2 ;\n" +
                              marker("\"/two/a.cu\", line 4") + "/*0010*/ EXIT ;\n"));
    EXPECT_EQ(source_of(function, function.instructions[1]), "/two/a.cu:4");
}

TEST(SourceLines, OfAMarkerOfNoKnownFormAreRefusedWithTheirLine) {
    for (const char* text :
         {"\"a.cu\", line 99999999999999999999", "\"a.cu\", line 2147483648", "\"a.cu\", line -1",
          "\"a.cu\", line ", "\"a.cu\"", "\"\", line 4", "\"a.cu\", line 4 inlined",
          "\"a.cu\", line 4 inlined at \"b.cu\", line 0", "\"a.cu\", line 4x"}) {
        const Failure failure = refusal(marked(marker(text)));
        EXPECT_EQ(failure.line, 3) << text;
        EXPECT_NE(failure.what.find("line marker"), std::string::npos) << failure.what;
    }
    EXPECT_EQ(refusal(marked(marker('"' + std::string(4090, 'a') + "\", line 4"))).line, 3);
}

TEST(SourceLines, OfEndlessInliningAreRefused) {
    std::string chain;
    for (int line = 1; line <= 300; ++line)
        chain += marker("\"a.cu\", line " + std::to_string(line) + " inlined at \"a.cu\", line " +
                        std::to_string(line + 1));
    const Failure failure = refusal(marked(chain));
    EXPECT_EQ(failure.line, 259); // the two lines before, and 256 that are taken
    EXPECT_NE(failure.what.find("256 calls"), std::string::npos) << failure.what;
}

// A place that is inlined at itself is a chain of two, not one without end.
TEST(SourceLines, OfCodeThatIsInlinedAtItselfEnd) {
    const Function function = only_function(marked(
        marker("\"a.cu\", line 3 inlined at \"a.cu\", line 3") + marker("\"a.cu\", line 3")));
    EXPECT_EQ(source_of(function, function.instructions[0]), "a.cu:3 inlined at a.cu:3");
}

TEST(SourceLines, AreReadOffAListingOfNvdisasm) {
    const auto path = std::filesystem::path{WARPBOUND_SOURCE_DIR} / "examples/rows";
    const auto inlined = read_program(read_source(path / "sm_75.nvdisasm-gi.sass").value());
    ASSERT_TRUE(inlined.has_value()) << to_string(inlined.error());
    const Function& function = inlined.value().functions.front();
    const auto line_at = [](const Function& of, std::int64_t address) {
        return source_of(of, of.instructions[of.index_of(address).value()]);
    };
    EXPECT_EQ(line_at(function, 0x2a0), "rows.cu:9 inlined at rows.cu:17");
    EXPECT_EQ(line_at(function, 0x470), "rows.cu:25");
    const auto plain = read_program(read_source(path / "forms/sm_75.nvdisasm-g.sass").value());
    ASSERT_TRUE(plain.has_value()) << to_string(plain.error());
    EXPECT_EQ(line_at(plain.value().functions.front(), 0x2a0), "rows.cu:9");
}

} // namespace
} // namespace warpbound::assembly
