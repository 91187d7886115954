// Every listing under examples/ is read and survives printing.
#include "assembly/isa/program.hpp"
#include "listings.hpp"

#include <filesystem>

namespace warpbound::assembly {
namespace {

std::vector<SourceText> listings() {
    std::vector<SourceText> sources;
    for (const auto& path : files_below("examples", ".sass"))
        sources.push_back(read_source(path).value());
    return sources;
}

TEST(Examples, AreReadAndSurvivePrinting) {
    const auto sources = listings();
    ASSERT_FALSE(sources.empty());
    for (const auto& source : sources) {
        SCOPED_TRACE(source.name);
        const auto program = read_program(source);
        ASSERT_TRUE(program.has_value()) << to_string(program.error());
        expect_round_trip(program.value());
    }
}

TEST(Examples, HoldNoUnknownOpcode) {
    for (const auto& source : listings()) {
        const auto program = read_program(source).value();
        for (const auto& function : program.functions)
            for (const auto& instruction : function.instructions)
                EXPECT_NE(instruction.opcode_class, OpcodeClass::Unknown)
                    << source.name << ": " << print(instruction);
    }
}

TEST(Examples, HaveExactEffects) {
    for (const auto& source : listings()) {
        const bool encoded = source.text.find("/* 0x") != std::string::npos;
        const auto program = read_program(source).value();
        for (const auto& function : program.functions)
            for (const auto& instruction : function.instructions)
                EXPECT_TRUE(instruction.effects.exact || !encoded)
                    << source.name << ": " << print(instruction);
    }
}

// cuobjdump encloses a dual-issued pair in braces: the first of the two lines has `{`.
TEST(Examples, MarkDualIssueAsTheirControlWordsDo) {
    int pairs = 0;
    for (const auto& source : listings()) {
        const auto program = read_program(source).value();
        std::vector<std::string_view> lines;
        std::string_view rest = source.text;
        while (!rest.empty()) {
            const auto end = std::min(rest.find('\n'), rest.size() - 1);
            lines.push_back(rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
        for (const auto& function : program.functions)
            for (const auto& instruction : function.instructions) {
                if (!instruction.control || function.target.sm < 50 || function.target.sm >= 70)
                    continue; // braces occur in Maxwell and Pascal listings only
                const auto line = lines[static_cast<std::size_t>(instruction.position.line) - 1];
                const bool opens = line.find("*/         {") != std::string_view::npos;
                EXPECT_EQ(instruction.control->dual_issue, opens) << source.name << ": " << line;
                pairs += opens ? 1 : 0;
            }
    }
    EXPECT_GT(pairs, 0);
}

// The forms of one kernel hold the same instructions.
TEST(Examples, AreTheSameInEveryForm) {
    const std::filesystem::path folder =
        std::filesystem::path{WARPBOUND_SOURCE_DIR} / "examples" / "convolution";
    for (const std::string target : {"sm_52", "sm_75"}) {
        const auto cuobjdump_form = read_program(read_source(folder / (target + ".sass")).value());
        const auto hex_form =
            read_program(read_source(folder / "forms" / (target + ".nvdisasm-hex.sass")).value());
        ASSERT_TRUE(cuobjdump_form.has_value());
        ASSERT_TRUE(hex_form.has_value());
        for (const auto& function : cuobjdump_form.value().functions) {
            const auto other = find_function(hex_form.value(), function.name);
            ASSERT_TRUE(other.has_value());
            const auto& instructions = other.value()->instructions;
            ASSERT_EQ(instructions.size(), function.instructions.size());
            for (std::size_t i = 0; i < instructions.size(); ++i) {
                EXPECT_EQ(instructions[i].encoding, function.instructions[i].encoding);
                EXPECT_EQ(instructions[i].control, function.instructions[i].control);
                EXPECT_EQ(opcode_text(instructions[i]), opcode_text(function.instructions[i]));
            }
        }
    }
}

} // namespace
} // namespace warpbound::assembly
