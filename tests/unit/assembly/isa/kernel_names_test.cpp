#include "assembly/isa/kernel_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::assembly {
namespace {

using testing::HasSubstr;

const std::vector<std::string> names{"scale", "scale_rows", "_ZN6simple4fillIiEEvPT_S1_x",
                                     "_ZN6simple4fillIfEEvPT_S1_x"};

std::size_t found(const std::string& wanted) {
    const auto index = find_kernel_name(names, wanted);
    EXPECT_TRUE(index) << wanted << ": " << to_string(index.error());
    return index ? index.value() : names.size();
}

TEST(KernelNames, AreDemangled) {
    EXPECT_EQ(demangled(names[2]), "void simple::fill<int>(int*, int, long long)");
    EXPECT_EQ(demangled("scale"), "scale");
    EXPECT_EQ(plain_name(names[2]), "fill");
    EXPECT_EQ(plain_name("scale"), "scale");
}

TEST(KernelNames, FitWholeBeforeInPart) {
    EXPECT_EQ(found("scale"), 0U);
    EXPECT_EQ(found("scale_rows"), 1U);
    EXPECT_EQ(found("rows"), 1U);
    EXPECT_EQ(found(names[3]), 3U);
}

TEST(KernelNames, FitAsTheyAreWrittenInTheSource) {
    EXPECT_EQ(found("simple::fill<int>"), 2U);
    EXPECT_EQ(found("fill<float>"), 3U);
    EXPECT_EQ(found("void simple::fill<int>(int *, int, long long)"), 2U);
}

TEST(KernelNames, ThatFitSeveralAreRefusedWithThose) {
    EXPECT_THAT(find_kernel_name(names, "fill").error().what,
                testing::AllOf(HasSubstr("several kernels"), HasSubstr("simple::fill<int>"),
                               HasSubstr("simple::fill<float>")));
    EXPECT_THAT(find_kernel_name(names, "").error().what, HasSubstr("--kernel"));
    EXPECT_EQ(find_kernel_name({"only"}, "").value(), 0U);
}

TEST(KernelNames, ThatAreUnknownAreRefusedWithSimilarOnes) {
    EXPECT_EQ(find_kernel_name(names, "scael").error().what,
              "there is no kernel 'scael'; did you mean: scale");
    EXPECT_THAT(find_kernel_name(names, "transpose").error().what,
                HasSubstr("there are: scale, scale_rows"));
}

} // namespace
} // namespace warpbound::assembly
