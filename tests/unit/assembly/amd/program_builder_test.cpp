#include "assembly/amd/processor.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace warpbound::assembly::amd {
namespace {

using testing::HasSubstr;

/// Offset and text of each instruction by kernel, as llvm-objdump prints them.
std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>>
disassembly(const std::string& processor) {
    std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>> kernels;
    std::istringstream lines{amd_file(processor + ".objdump.xz")};
    std::string kernel;
    for (std::string line; std::getline(lines, line);) {
        if (line.front() == '<') {
            kernel = line.substr(1, line.size() - 2);
            continue;
        }
        const auto blank = line.find(' ');
        kernels[kernel].emplace_back(std::stoll(line.substr(0, blank), nullptr, 16),
                                     line.substr(blank + 1));
    }
    return kernels;
}

std::string text_of(const Instruction& instruction) {
    std::string text = instruction.mnemonic;
    for (const Operand& operand : instruction.operands)
        if (const auto* const part = std::get_if<TextOperand>(&operand))
            text += (text == instruction.mnemonic ? " " : ", ") + part->text;
    return text;
}

class Processors : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Processors,
                         testing::Values("gfx906", "gfx90a", "gfx942", "gfx1011", "gfx1030",
                                         "gfx1100", "gfx1151"));

TEST_P(Processors, AreReadAsTheDisassemblerPrintsThem) {
    const std::string image = assembled_file(GetParam());
    const auto object = read_code_object(image);
    ASSERT_TRUE(object) << to_string(object.error());
    EXPECT_EQ(to_string(object.value().target), GetParam());
    EXPECT_EQ(object.value().kernels.size(), 45U);
    auto expected = disassembly(GetParam());
    for (const CodeObjectKernel& kernel : object.value().kernels) {
        const auto function = build_function(kernel, object.value().target, llvm_decoder());
        ASSERT_TRUE(function) << to_string(function.error());
        const auto& lines = expected[kernel.name];
        const auto& instructions = function.value().instructions;
        ASSERT_LE(instructions.size(), lines.size()) << kernel.name;
        for (std::size_t i = 0; i < instructions.size(); ++i) {
            EXPECT_EQ(instructions[i].address, lines[i].first) << kernel.name;
            EXPECT_NE(instructions[i].opcode_class, OpcodeClass::Unknown)
                << kernel.name << ": " << instructions[i].mnemonic;
            if (transfers_control(instructions[i].control_flow))
                EXPECT_TRUE(lines[i].second.starts_with(instructions[i].mnemonic + " "));
            else
                EXPECT_EQ(text_of(instructions[i]), lines[i].second) << kernel.name;
        }
        EXPECT_EQ(instructions.back().control_flow, ControlFlow::Exit) << kernel.name;
        // What follows is the padding between kernels.
        for (std::size_t i = instructions.size(); i < lines.size(); ++i)
            EXPECT_THAT(lines[i].second,
                        testing::AnyOf(HasSubstr("s_nop"), HasSubstr("s_code_end")))
                << kernel.name;
        const auto graph = build_control_flow_graph(function.value());
        ASSERT_TRUE(graph) << kernel.name << ": " << to_string(graph.error());
        // The compiler enters the loop of this one at several places.
        if (kernel.name == "state_machine") {
            EXPECT_EQ(graph.value().loops.size(), 1U);
        }
    }
}

TEST(ProgramBuilder, FindsLoopsAndConditions) {
    const auto function = function_of("gfx906", "s_mov_b32 s0, 10\n"
                                                "loop:\ns_sub_u32 s0, s0, 1\n"
                                                "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 loop\n"
                                                "s_cbranch_execz end\nv_mov_b32 v0, v1\nend:");
    ASSERT_TRUE(function) << to_string(function.error());
    const auto graph = build_control_flow_graph(function.value());
    ASSERT_TRUE(graph) << to_string(graph.error());
    ASSERT_EQ(graph.value().loops.size(), 1U);
    EXPECT_EQ(graph.value().blocks.size(), 5U);
    const auto& branch = function.value().instructions[3];
    EXPECT_EQ(branch.control_flow, ControlFlow::Branch);
    ASSERT_TRUE(branch.guard);
    EXPECT_EQ(branch.guard->predicate.file, RegisterFile::State);
    EXPECT_FALSE(branch.guard->predicate.negated);
    EXPECT_TRUE(function.value().instructions[4].guard->predicate.negated) << "taken where zero";
}

TEST(ProgramBuilder, RefusesByNameWhatLeadsElsewhere) {
    for (const std::string text :
         {"s_setpc_b64 s[30:31]", "s_swappc_b64 s[30:31], s[4:5]", "s_call_b64 s[4:5], k",
          "s_rfe_b64 s[4:5]", "s_cbranch_i_fork s[4:5], k", "s_cbranch_cdbgsys k"}) {
        const auto function = function_of("gfx906", text);
        ASSERT_TRUE(function) << text << ": " << to_string(function.error());
        const auto graph = build_control_flow_graph(function.value());
        ASSERT_FALSE(graph) << text;
        EXPECT_THAT(to_string(graph.error()), HasSubstr(text.substr(0, text.find(' '))));
        EXPECT_THAT(to_string(graph.error()), testing::Not(HasSubstr("nvdisasm"))) << text;
    }
}

TEST(ProgramBuilder, KeepsCodeBehindTheEnd) {
    const auto function = function_of("gfx906", "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 more\n"
                                                "s_endpgm\nmore:\ns_mov_b32 s0, 0\n"
                                                "s_branch back\nback:");
    ASSERT_TRUE(function) << to_string(function.error());
    EXPECT_EQ(function.value().instructions.size(), 6U);
    EXPECT_TRUE(build_control_flow_graph(function.value()));
}

TEST(ProgramBuilder, SeesWhatALoadIntoLdsWrites) {
    const auto function = function_of("gfx906", "buffer_load_dword off, s[8:11], s3 lds");
    ASSERT_TRUE(function) << to_string(function.error());
    const auto& memory = function.value().instructions.front().effects.memory;
    ASSERT_TRUE(memory);
    EXPECT_TRUE(memory->load && memory->store);
    EXPECT_EQ(memory->space, StateSpace::Generic);
}

TEST(ProgramBuilder, ReadsTheTargetOfAText) {
    const auto described = [](const std::string& text, std::optional<Target> stated = {}) {
        return describe_text("k.s", text, stated);
    };
    const auto own = described(".amdgcn_target \"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\"\n");
    ASSERT_TRUE(own) << to_string(own.error());
    EXPECT_EQ(to_string(own.value().target), "gfx90a");
    EXPECT_EQ(own.value().features, ",+sramecc,-xnack");
    EXPECT_EQ(own.value().lanes, 64);
    EXPECT_EQ(described(".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"\n").value().lanes, 32);
    EXPECT_EQ(described(".amdhsa_kernel k\n", Target{0, 0x906}).value().target.gfx, 0x906);
    EXPECT_THAT(to_string(described(".amdhsa_kernel k\n").error()), HasSubstr("--target gfx90a"));
    // LLVM takes any name with a warning.
    const auto unknown = described(".amdgcn_target \"amdgcn-amd-amdhsa--gfx9999\"\n");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(to_string(unknown.error()), HasSubstr("gfx9999, which is not read"));
}

TEST(Processor, IsReadByItsWholeName) {
    EXPECT_EQ(parse_processor("gfx90a")->gfx, 0x90a);
    EXPECT_EQ(parse_processor("gfx1151:xnack-")->gfx, 0x1151);
    EXPECT_FALSE(parse_processor("gfx90"));
    EXPECT_FALSE(parse_processor("gfx1200")) << "its waits are other instructions";
    EXPECT_FALSE(parse_processor("sm_90"));
}

} // namespace
} // namespace warpbound::assembly::amd
