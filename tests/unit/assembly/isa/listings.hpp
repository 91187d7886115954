#pragma once
/// \file
/// Small listings for tests, and the comparison of two programs.

#include "assembly/isa/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::assembly {

inline SourceText text_of(std::string text) {
    return {.name = "listing", .text = std::move(text)};
}

/// `cuobjdump -sass` text around the lines of one kernel.
inline std::string cuobjdump(const std::string& target, const std::string& lines,
                             const std::string& name = "kernel") {
    return "\tcode for " + target + "\n\t\tFunction : " + name + "\n" + lines +
           "\t\t..........\n\n\n";
}

/// The only function of a text that must be readable.
inline Function only_function(const std::string& text) {
    auto program = read_program(text_of(text));
    if (!program) {
        throw std::runtime_error{to_string(program.error())};
    }
    EXPECT_EQ(program.value().functions.size(), 1U);
    return program.value().functions.front();
}

/// One instruction of a bare listing for a target.
inline Instruction bare_instruction(const std::string& statement, const std::string& target) {
    const auto function = only_function("!Arch " + target + "\n" + statement + ";\n");
    return function.instructions.empty() ? Instruction{} : function.instructions.front();
}

/// The refusal of a text that must not be readable.
inline Failure refusal(const std::string& text) {
    const auto program = read_program(text_of(text));
    if (program) {
        ADD_FAILURE() << "accepted:\n" << text;
        return {};
    }
    return program.error();
}

/// Everything but positions.
inline void expect_same(const Function& left, const Function& right) {
    EXPECT_EQ(left.name, right.name);
    EXPECT_EQ(left.target, right.target);
    EXPECT_EQ(left.step, right.step);
    EXPECT_EQ(left.register_count, right.register_count);
    EXPECT_EQ(left.shared_memory, right.shared_memory);
    EXPECT_EQ(left.control_words, right.control_words);
    EXPECT_EQ(left.source_lines.files, right.source_lines.files);
    EXPECT_EQ(left.source_lines.frames, right.source_lines.frames);
    ASSERT_EQ(left.instructions.size(), right.instructions.size());
    for (std::size_t i = 0; i < left.instructions.size(); ++i) {
        const auto& a = left.instructions[i];
        const auto& b = right.instructions[i];
        SCOPED_TRACE(print(a));
        EXPECT_EQ(a.address, b.address);
        EXPECT_EQ(a.guard, b.guard);
        EXPECT_EQ(opcode_text(a), opcode_text(b));
        EXPECT_EQ(a.operands, b.operands) << print(b);
        EXPECT_EQ(a.opcode_class, b.opcode_class);
        EXPECT_EQ(a.control_flow, b.control_flow);
        EXPECT_EQ(a.encoding, b.encoding);
        EXPECT_EQ(a.control, b.control);
        EXPECT_EQ(a.indirect_targets, b.indirect_targets);
        EXPECT_EQ(a.source_frame, b.source_frame);
    }
}

/// Reading what was printed gives the same functions.
inline void expect_round_trip(const Program& program) {
    const std::string printed = print(program);
    const auto again = read_program({.name = "printed", .text = printed});
    ASSERT_TRUE(again.has_value()) << to_string(again.error()) << "\n" << printed;
    EXPECT_EQ(again.value().form, program.form);
    ASSERT_EQ(again.value().functions.size(), program.functions.size());
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        expect_same(program.functions[i], again.value().functions[i]);
}

/// Files with an extension below a folder of the sources, in order.
inline std::vector<std::filesystem::path> files_below(const char* folder, const char* extension) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{
             std::filesystem::path{WARPBOUND_SOURCE_DIR} / folder})
        if (entry.is_regular_file() && entry.path().extension() == extension)
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace warpbound::assembly
