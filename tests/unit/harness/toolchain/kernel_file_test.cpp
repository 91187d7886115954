#include "assembly/support/source_text.hpp"
#include "environment.hpp"
#include "harness/toolchain/disassembler.hpp"
#include "harness/toolchain/kernel_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace warpbound::harness::toolchain {
namespace {

using assembly::Target;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* fill = "_ZN6simple4fillIiEEvPT_S1_x";

/// The stand-in for nvdisasm, which knows the code of sm_80, and no other tool.
class KernelFileTest : public testing::Test {
protected:
    static Result<KernelFile> open(const std::string& name, const TargetChoice& choice = {}) {
        return KernelFile::open(binary_path(name), choice);
    }

    const Variable nvdisasm_{"WARPBOUND_NVDISASM", binary_path("nvdisasm")};
    const Variable cuobjdump_{"WARPBOUND_CUOBJDUMP", ""};
    const Variable ptxas_{"WARPBOUND_PTXAS", ""};
    const Variable nvcc_{"WARPBOUND_NVCC", ""};
};

TEST_F(KernelFileTest, ReadsAKernelOfACubinThroughTheDisassembler) {
    auto file = open("two_kernels.sm_80.cubin");
    ASSERT_TRUE(file) << to_string(file.error());
    ASSERT_EQ(file.value().kernels().size(), 2U);
    const auto code = file.value().read(file.value().find("scale").value());
    ASSERT_TRUE(code) << to_string(code.error());
    EXPECT_EQ(code.value().function->name, "scale");
    EXPECT_EQ(code.value().function->target, Target{80});
    // The listing states what the cubin records.
    EXPECT_EQ(code.value().function->shared_memory, 128);
    EXPECT_EQ(code.value().function->register_count, code.value().summary.registers);
    EXPECT_EQ(code.value().summary.parameters->at(1).offset, 0x168);
    ASSERT_TRUE(code.value().origin);
    const std::string bytes =
        assembly::read_source(binary_path("two_kernels.sm_80.cubin")).value().text;
    EXPECT_EQ(code.value().origin->file_digest, assembly::digest_of(bytes));
    EXPECT_EQ(code.value().origin->cubin_digest, assembly::digest_of(bytes));
    EXPECT_EQ(version_of(code.value().origin->disassembler), "nvdisasm 13.0.85");
}

TEST_F(KernelFileTest, ReadsTheSameFromTheTextThatItGives) {
    auto file = open("two_kernels.sm_80.cubin");
    const auto code = file.value().read(file.value().find("fill").value());
    const auto again = assembly::digest_of(code.value().listing);
    EXPECT_EQ(code.value().program->digest, again);
}

TEST_F(KernelFileTest, OfAFatbinIsTheCodeThatTheMachineRuns) {
    EXPECT_EQ(open("two_kernels.fatbin", {{}, Target{80}}).value().kernels().front().target,
              Target{80});
    // sm_86 runs code of sm_80.
    EXPECT_EQ(open("two_kernels.fatbin", {{}, Target{86}}).value().kernels().front().target,
              Target{80});
    EXPECT_EQ(open("two_kernels.fatbin", {Target{90}, Target{80}}).value().kernels().front().target,
              Target{90});
}

TEST_F(KernelFileTest, OfAFatbinIsAskedForWhereSeveralFit) {
    EXPECT_THAT(open("two_kernels.fatbin").error().what,
                "holds code for sm_80, sm_90, PTX for compute_90; choose with --target sm_80");
    EXPECT_THAT(open("two_kernels.fatbin", {{}, Target{75}}).error().what,
                AllOf(HasSubstr("which sm_75 does not run"), HasSubstr("nvcc -arch=sm_75")));
    EXPECT_THAT(open("two_kernels.fatbin", {Target{75}, {}}).error().what,
                HasSubstr("not for --target sm_75"));
}

TEST_F(KernelFileTest, NamesTheToolThatIsMissing) {
    const Variable none{"WARPBOUND_NVDISASM", ""};
    auto file = open("two_kernels.sm_80.cubin");
    ASSERT_TRUE(file); // Names and resources need no tool.
    EXPECT_THAT(
        file.value().read(0).error().what,
        AllOf(HasSubstr("pip install nvidia-cuda-nvdisasm"), HasSubstr("WARPBOUND_NVDISASM")));
    EXPECT_THAT(open("two_kernels.ptx").error().what, HasSubstr("ptxas was not found"));
    EXPECT_THAT(open("two_kernels.cu", {Target{80}, {}}).error().what,
                HasSubstr("nvcc was not found"));
    EXPECT_THAT(open("two_kernels.cu").error().what, HasSubstr("--target"));
}

TEST_F(KernelFileTest, NeedsCuobjdumpForCompressedCode) {
    const tests::TemporaryFolder folder;
    std::string bytes = assembly::read_source(binary_path("two_kernels.fatbin")).value().text;
    bytes[16 + 41] = static_cast<char>(0x80); // Flags of the first image.
    const auto path = folder.path() / "compressed.fatbin";
    std::ofstream{path, std::ios::binary} << bytes;
    EXPECT_THAT(KernelFile::open(path.string(), {Target{80}, {}}).error().what,
                AllOf(HasSubstr("compressed"), HasSubstr("cuobjdump was not found")));
    // A stand-in that extracts what the test put beside it.
    const auto tool = folder.path() / "cuobjdump";
    std::ofstream{tool} << "#!/bin/sh\n[ \"$1 $2\" = \"-xelf all\" ] || exit 3\ncp "
                        << binary_path("two_kernels.sm_80.cubin") << ' '
                        << binary_path("two_kernels.sm_90.cubin") << " .\n";
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    const Variable cuobjdump{"WARPBOUND_CUOBJDUMP", tool.string()};
    const auto file = KernelFile::open(path.string(), {Target{80}, {}});
    ASSERT_TRUE(file) << to_string(file.error());
    EXPECT_EQ(file.value().kernels().size(), 2U);
    EXPECT_EQ(file.value().kernels().front().target, Target{80});
}

TEST_F(KernelFileTest, SaysWhyTheDisassemblerFailed) {
    const tests::TemporaryFolder folder;
    const auto tool = folder.path() / "nvdisasm";
    std::ofstream{tool} << "#!/bin/sh\necho 'fatal: unsupported version' >&2\nexit 255\n";
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    const Variable failing{"WARPBOUND_NVDISASM", tool.string()};
    auto file = open("two_kernels.sm_80.cubin");
    EXPECT_THAT(file.value().read(0).error().what,
                AllOf(HasSubstr("status 255"), HasSubstr("unsupported version")));
}

TEST_F(KernelFileTest, TakesNamesOfParametersFromTheSource) {
    const tests::TemporaryFolder folder;
    const auto tool = folder.path() / "nvcc";
    // The output file is the word after -o.
    std::ofstream{tool} << "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncp "
                        << binary_path("two_kernels.sm_80.cubin") << " \"$2\"\n";
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    const Variable nvcc{"WARPBOUND_NVCC", tool.string()};
    const auto file = open("two_kernels.cu", {Target{80}, {}});
    ASSERT_TRUE(file) << to_string(file.error());
    const auto& kernel = file.value().kernels()[file.value().find("fill").value()];
    EXPECT_EQ(kernel.name, fill);
    EXPECT_EQ(kernel.parameters->at(0).name, "data");
    EXPECT_EQ(kernel.parameters->at(2).name, "n");
}

TEST_F(KernelFileTest, OfAListingIsTheListing) {
    auto file = open("two_kernels.sm_80.sass");
    ASSERT_TRUE(file);
    const auto code = file.value().read(file.value().find("scale").value());
    EXPECT_FALSE(code.value().origin);
    EXPECT_FALSE(code.value().summary.parameters);
}

// Only where the tools are: the recorded listing is what they print now, comments aside.
TEST(Toolchain, DisassemblesWhatItCompiles) {
    const auto nvcc = find_tool("nvcc");
    const auto disassembler = find_tool("nvdisasm");
    if (!nvcc || !disassembler) GTEST_SKIP() << "nvcc or nvdisasm was not found";
    auto file = KernelFile::open(binary_path("two_kernels.cu"), {Target{80}, {}});
    ASSERT_TRUE(file) << to_string(file.error());
    for (const char* name : {"scale", "fill<int>"}) {
        const auto code = file.value().read(file.value().find(name).value());
        ASSERT_TRUE(code) << to_string(code.error());
        EXPECT_FALSE(code.value().function->instructions.empty());
        EXPECT_EQ(code.value().summary.parameters->at(0).name, "data");
    }
}

TEST(Toolchain, AssemblesPtx) {
    if (!find_tool("ptxas")) GTEST_SKIP() << "ptxas was not found";
    const auto file = KernelFile::open(binary_path("two_kernels.ptx.xz"), {{}, Target{86}});
    ASSERT_TRUE(file) << to_string(file.error());
    EXPECT_EQ(file.value().kernels().front().target, Target{86});
    EXPECT_EQ(file.value().kernels().size(), 2U);
}

} // namespace
} // namespace warpbound::harness::toolchain
