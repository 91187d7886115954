/// \file
/// Generated code of AMD, assembled and read back by LLVM: what is between the clock reads is what
/// the benchmark defines.

#include "assembly/amd/llvm_decoder.hpp"
#include "assembly/amd/outstanding.hpp"
#include "assembly/amd/program_builder.hpp"
#include "assembly/flow/dependences.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/devices/hip/generated_code.hpp"
#include "harness/suite/amd/amd_emission.hpp"
#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/amd/hip_source.hpp"
#include "harness/suite/suites.hpp"
#include "harness/toolchain/amd_assembler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpbound::harness {
namespace {

using assembly::Function;
using assembly::Instruction;
using assembly::Target;
using testing::AnyOf;
using testing::HasSubstr;

/// One of each kind; the others of a kind have the same code.
const std::vector<Target> targets{{0, 0x906},  {0, 0x90a},  {0, 0x942},
                                  {0, 0x1011}, {0, 0x1030}, {0, 0x1100}};

/// The only kernel of a text, through the assembler and the reader of code objects.
Function built(const std::string& text) {
    const auto& decoder = assembly::amd::llvm_decoder();
    const auto described = assembly::amd::describe_text("generated", text, std::nullopt);
    if (!described) throw std::runtime_error{to_string(described.error())};
    const auto image = decoder.assemble(described.value());
    if (!image) throw std::runtime_error{to_string(image.error()) + "\n" + text};
    const auto object = assembly::amd::read_code_object(image.value());
    if (!object) throw std::runtime_error{to_string(object.error())};
    auto function =
        assembly::amd::build_function(object.value().kernels.at(0), object.value().target, decoder);
    if (!function) throw std::runtime_error{to_string(function.error())};
    return std::move(function).value();
}

bool reads_clock(const Instruction& instruction) {
    return instruction.mnemonic == "s_memtime" ||
           assembly::print(instruction).find("SHADER_CYCLES") != std::string::npos;
}

/// What is not of the benchmark: waits, and scalar instructions of the clock and of the loop.
bool is_of_frame(const Instruction& instruction) {
    return instruction.mnemonic.starts_with("s_") && instruction.mnemonic != "s_barrier";
}

struct Region {
    std::size_t first = 0; ///< Behind the first clock read.
    std::size_t end = 0;   ///< The second one.
};

Region region_of(const Function& function) {
    std::vector<std::size_t> reads;
    for (std::size_t i = 0; i < function.instructions.size(); ++i)
        if (reads_clock(function.instructions[i])) reads.push_back(i);
    if (reads.size() != 2) throw std::runtime_error{"not two clock reads"};
    return {reads[0] + 1, reads[1]};
}

/// What differs from the intended sequence; empty: nothing.
std::string difference(const Function& function, const PtxKernel& kernel) {
    const auto [first, end] = region_of(function);
    std::map<std::size_t, std::size_t> number; // Among those of the benchmark.
    for (std::size_t i = first; i < end; ++i)
        if (!is_of_frame(function.instructions[i])) number.emplace(i, number.size());
    if (number.size() != kernel.region.size())
        return std::to_string(number.size()) + " instructions instead of " +
               std::to_string(kernel.region.size());
    std::vector<std::set<std::size_t>> producers(number.size());
    for (const auto& dependence : assembly::dependences_of(function, first, end - 1))
        if (dependence.kind == assembly::DependenceKind::ReadAfterWrite &&
            number.contains(dependence.producer) && number.contains(dependence.consumer))
            producers[number.at(dependence.consumer)].insert(number.at(dependence.producer));
    for (const auto& [i, n] : number) {
        const IntendedInstruction& intended = kernel.region[n];
        const Instruction& instruction = function.instructions[i];
        if (instruction.opcode_class != intended.opcode_class)
            return "'" + assembly::print(instruction) + "' for " + intended.text;
        if (producers[n] != std::set(intended.producers.begin(), intended.producers.end()))
            return "other producers of '" + assembly::print(instruction) + "'";
    }
    return {};
}

/// An instruction that reads or writes what an access has not returned; empty: there is none.
std::string early_use(const Function& function, Target target) {
    const auto [first, end] = region_of(function);
    assembly::amd::Outstanding outstanding{target};
    std::map<std::size_t, std::vector<assembly::Register>> pending;
    for (std::size_t i = first; i < end; ++i) {
        const Instruction& instruction = function.instructions[i];
        for (const auto& returned : outstanding.step(i, instruction))
            pending.erase(returned.instruction);
        for (const auto& [access, registers] : pending)
            for (const auto& reg : registers)
                for (const auto* used : {&instruction.effects.reads, &instruction.effects.writes})
                    if (std::find(used->begin(), used->end(), reg) != used->end())
                        return assembly::print(instruction);
        if (instruction.opcode_class == assembly::OpcodeClass::LoadGlobal ||
            instruction.opcode_class == assembly::OpcodeClass::LoadShared ||
            instruction.opcode_class == assembly::OpcodeClass::AtomicGlobal)
            pending[i] = instruction.effects.writes;
    }
    return pending.empty() ? std::string{} : "the second clock read";
}

/// Whether each operation of the benchmark depends on the one before.
bool is_chain(const std::string& name) {
    return name.starts_with("dependent-") && !name.starts_with("dependent-mad-add");
}

class AmdEmissionOn : public testing::TestWithParam<Target> {};

/// Pairs of classes are many and alike: each processor takes some of them.
bool is_of_share(const Benchmark& benchmark, std::size_t index, Target target) {
    const auto processor = std::find(targets.begin(), targets.end(), target) - targets.begin();
    return benchmark.name.find("-pairs-") == std::string::npos ||
           index % targets.size() == static_cast<std::size_t>(processor);
}

TEST_P(AmdEmissionOn, BuildsWhatEachBenchmarkDefines) {
    const Target target = GetParam();
    std::size_t built_benchmarks = 0;
    for (std::size_t b = 0; b < benchmarks().size(); ++b) {
        const Benchmark& benchmark = benchmarks()[b];
        if (benchmark.copies || !is_of_share(benchmark, b, target)) continue;
        const auto points = amd_points_of(benchmark.name, target);
        if (!points) {
            EXPECT_THAT(points.error().what,
                        AnyOf(HasSubstr("has no form for AMD"),
                              HasSubstr("wrap, so those of several blocks"),
                              HasSubstr("takes blocks of more than 1024 work-items")));
            continue;
        }
        const BenchmarkPoint& point = points.value().back();
        const Function function = built(point.ptx->text);
        if (point.region.semaphore) continue; // It times nothing.
        EXPECT_EQ(difference(function, *point.ptx), "") << point.name;
        EXPECT_EQ(early_use(function, target), "") << point.name;
        for (std::size_t i = 1; is_chain(point.name) && i < point.ptx->region.size(); ++i) {
            EXPECT_FALSE(point.ptx->region[i].producers.empty()) << point.name << " " << i;
        }
        ++built_benchmarks;
    }
    EXPECT_GT(built_benchmarks, 100U);
}

TEST_P(AmdEmissionOn, HasTheSuitesOfPublishedWorks) {
    const AmdDialect dialect = amd_dialect(GetParam()).value();
    for (const Suite& suite : suites()) {
        const bool is_whole = suite.name == "taylor-li-2010" || suite.name == "voudouris-2014" ||
                              suite.name == "quick";
        if (!is_whole && suite.name != "gpudiag-2023") continue;
        for (const auto& name : suite.benchmarks) {
            // Clocks of blocks that wait for each other.
            const bool lacks = !dialect.has_memtime && name.starts_with("resident-");
            EXPECT_EQ(amd_points_of(name, GetParam()).has_value(), !lacks) << name;
        }
    }
}

TEST(AmdEmission, IsAssembledForEveryProcessorThatIsRead) {
    for (const int gfx : {0x900, 0x906, 0x908, 0x90a, 0x942, 0x1010, 0x1011, 0x1012, 0x1030, 0x1031,
                          0x1032, 0x1100, 0x1101, 0x1102, 0x1103, 0x1150, 0x1151}) {
        const Target target{0, gfx};
        for (const char* name : {"dependent-pair", "pointer-chase", "crowd-atomic-global"}) {
            const auto points = amd_points_of(name, target);
            if (!points) continue; // Blocks of 32 wavefronts.
            const Function function = built(points.value().front().ptx->text);
            EXPECT_EQ(difference(function, *points.value().front().ptx), "") << to_string(target);
        }
        for (const std::string& text : {hip::clock_rate_code(target, "clock_rate").value(),
                                        hip::empty_code(target, "empty").value()})
            EXPECT_EQ(built(text).target, target);
    }
}

/// The assembly that a compiler makes of HIP C++, without HIP's headers.
Result<std::string> compiled(const std::string& source, Target target) {
    const auto clang = toolchain::find_amd_assembler();
    if (!clang) return Failure{"no clang was found"};
    const toolchain::WorkFolder folder;
    const auto file = folder.write("code.hip", source);
    if (!file) return file.as_failure();
    return toolchain::output_of(*clang,
                                {"-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only",
                                 "--offload-arch=" + to_string(target), "-O2", "-S", file.value(),
                                 "-o", "-"},
                                folder, std::chrono::minutes{1});
}

TEST(HipSource, CompilesToWhatEachBenchmarkDefines) {
    for (const auto& [name, gfx] : {std::pair{"dependent-mad", 0x906},
                                    {"pointer-chase", 0x90a},
                                    {"global-load", 0x942},
                                    {"bank-conflict", 0x1030},
                                    {"alu-fetch-ratio", 0x1100}}) {
        const Target target{0, gfx};
        const auto points = amd_points_of(name, target);
        ASSERT_TRUE(points) << to_string(points.error());
        const BenchmarkPoint& point = points.value().front();
        const auto source = hip_source(point, target);
        ASSERT_TRUE(source) << to_string(source.error());
        const auto assembly = compiled(source.value(), target);
        if (!assembly) GTEST_SKIP() << to_string(assembly.error());
        const Function function = built(assembly.value());
        EXPECT_EQ(difference(function, *point.ptx), "") << name << "\n" << assembly.value();
        EXPECT_EQ(early_use(function, target), "") << name;
    }
}

TEST(HipSource, RefusesWhatIsNoCodeOfOneVariable) {
    const auto refusal = [](const std::string& benchmark) {
        const auto points = amd_points_of(benchmark, {0, 0x90a});
        const auto source = hip_source(points.value().front(), {0, 0x90a});
        return source ? std::string{"generated"} : source.error().what;
    };
    EXPECT_THAT(refusal("resident-warps"), HasSubstr("wait for each other have no HIP C++"));
    EXPECT_THAT(refusal("copy-to-device"), HasSubstr("a copy has no code"));
    EXPECT_THAT(refusal("alu-fetch-ratio-wide"), HasSubstr("an access of several registers"));
}

INSTANTIATE_TEST_SUITE_P(Processors, AmdEmissionOn, testing::ValuesIn(targets),
                         [](const auto& of) { return to_string(of.param); });

} // namespace
} // namespace warpbound::harness
