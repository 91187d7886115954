#include "assembly/binary/cubin.hpp"
#include "assembly/binary/elf.hpp"
#include "files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::assembly {
namespace {

using testing::HasSubstr;

CubinKernel kernel_in(const std::string& file, const std::string& name) {
    const auto cubin = read_cubin(binary(file));
    EXPECT_TRUE(cubin) << file;
    if (cubin)
        for (const auto& kernel : cubin.value().kernels)
            if (kernel.name == name) return kernel;
    ADD_FAILURE() << "no kernel " << name;
    return {};
}

TEST(Cubin, HasKernelsWithTheirResources) {
    const auto cubin = read_cubin(binary("two_kernels.sm_80.cubin"));
    ASSERT_TRUE(cubin) << to_string(cubin.error());
    EXPECT_EQ(cubin.value().target, Target{80});
    ASSERT_EQ(cubin.value().kernels.size(), 2U);
    const CubinKernel scale = kernel_in("two_kernels.sm_80.cubin", "scale");
    EXPECT_EQ(scale.shared_memory, 128); // 32 floats.
    EXPECT_EQ(scale.stack, 0);
    EXPECT_GT(scale.registers.value_or(0), 0);
    EXPECT_EQ(kernel_in("two_kernels.sm_80.cubin", "_ZN6simple4fillIiEEvPT_S1_x").shared_memory, 0);
}

// Parameters begin at 0x160 up to sm_8x, at 0x210 on sm_90, at 0x380 on sm_100 (nvcc 13.0).
TEST(Cubin, PlacesParametersWhereTheCodeReadsThem) {
    const std::vector<KernelParameterLayout> expected{{0x160, 8}, {0x168, 4}, {0x16c, 4}};
    for (const char* name : {"two_kernels.sm_75.cubin", "two_kernels.sm_80.cubin"})
        EXPECT_EQ(kernel_in(name, "scale").parameters, expected) << name;
    const std::vector<KernelParameterLayout> on_sm_90{{0x210, 8}, {0x218, 4}, {0x21c, 4}};
    EXPECT_EQ(kernel_in("two_kernels.sm_90.cubin", "scale").parameters, on_sm_90);
    const std::vector<KernelParameterLayout> on_sm_100{{0x380, 8}, {0x388, 4}};
    EXPECT_EQ(kernel_in("one_kernel.sm_100.cubin", "store").parameters, on_sm_100);
}

// The 1024 bytes that the compiler reserves are not the kernel's.
TEST(Cubin, LeavesOutTheReserveOfSharedMemory) {
    EXPECT_EQ(kernel_in("two_kernels.sm_90.cubin", "scale").shared_memory, 128);
}

TEST(Cubin, ReadsRecordsOfLargeParameters) {
    const std::vector<KernelParameterLayout> expected{
        {0x160, 4200}, {0x160 + 4200, 1}, {0x160 + 4202, 2}, {0x160 + 4208, 8}};
    EXPECT_EQ(kernel_in("large_parameter.sm_80.cubin", "lookup").parameters, expected);
}

TEST(Cubin, WithDamagedParameterRecordsHasNone) {
    std::string bytes = binary("two_kernels.sm_80.cubin");
    const std::string record{"\x04\x17\x0c\x00", 4};
    const auto at = bytes.find(record);
    ASSERT_NE(at, std::string::npos);
    bytes[at + 8] = 9; // The ordinal.
    int unknown = 0;
    const auto cubin = read_cubin(bytes);
    ASSERT_TRUE(cubin);
    for (const auto& kernel : cubin.value().kernels)
        if (!kernel.parameters) ++unknown;
    EXPECT_EQ(unknown, 1);
}

TEST(Cubin, IsRefusedWhereverItIsCut) {
    const std::string bytes = binary("two_kernels.sm_75.cubin");
    for (std::size_t size = 0; size + 1 < bytes.size(); size += 97) {
        const auto cubin = read_cubin(std::string_view{bytes}.substr(0, size));
        EXPECT_TRUE(!cubin || !cubin.value().kernels.empty()) << size;
    }
    EXPECT_FALSE(read_cubin(std::string_view{bytes}.substr(0, 200)));
}

TEST(Cubin, OfAnUnknownTargetOrAnotherMachineIsRefused) {
    std::string bytes = binary("two_kernels.sm_75.cubin");
    bytes[49] = 1; // The second byte of the flags: the SM number.
    EXPECT_THAT(read_cubin(bytes).error().what, HasSubstr("target is not known"));
    EXPECT_THAT(read_cubin(host_elf(".text", "x")).error().what, HasSubstr("machine 62"));
    bytes = binary("two_kernels.sm_75.cubin");
    bytes[16] = 1; // ET_REL
    EXPECT_THAT(
        read_cubin(bytes).error().what,
        testing::AllOf(HasSubstr("relocatable"), HasSubstr("nvcc -dlink"), HasSubstr("nvlink")));
}

} // namespace
} // namespace warpbound::assembly
