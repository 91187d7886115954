#include "harness/toolchain/parameter_names.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness::toolchain {
namespace {

using Names = std::vector<std::string>;

TEST(ParameterNames, AreThoseOfTheDeclaration) {
    EXPECT_EQ(parameter_names("__global__ void k(const float* __restrict__ in, int n = 4,\n"
                              "  std::array<int, 3> sizes, float (&table)[4], unsigned) {}",
                              "k"),
              (Names{"in", "n", "sizes", "", ""}));
    EXPECT_EQ(parameter_names(
                  "extern \"C\" __global__ __launch_bounds__(256, 2) void k(float x[]);", "k"),
              Names{"x"});
    EXPECT_EQ(parameter_names("__global__ void k() {}", "k"), Names{});
    EXPECT_EQ(parameter_names("__global__ void k(void) {}", "k"), Names{});
}

TEST(ParameterNames, IgnoreCommentsAndOtherKernels) {
    EXPECT_EQ(parameter_names("// __global__ void k(int wrong)\n/* __global__ void k(int w) */\n"
                              "__global__ void other(int a); __global__ void k(int /* , */ b);",
                              "k"),
              Names{"b"});
    EXPECT_FALSE(parameter_names("__global__ void other(int a);", "k"));
}

TEST(ParameterNames, AreUnknownWhereDeclarationsDiffer) {
    EXPECT_FALSE(parameter_names("#if X\n__global__ void k(int a, int b);\n#else\n"
                                 "__global__ void k(int b, int a);\n#endif",
                                 "k"));
}

TEST(ParameterNames, AreReadFromPtx) {
    EXPECT_EQ(parameter_names(".visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n"
                              "\t.param .align 4 .b8 sizes[12]\n)\n{\n",
                              "k"),
              (Names{"k_param_0", "sizes"}));
}

} // namespace
} // namespace warpbound::harness::toolchain
