#include "cli/inputs/kernel_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::cli {
namespace {

using models::ArgumentWords;
using testing::HasSubstr;

const std::vector<assembly::KernelParameterLayout> parameters{
    {0x160, 8, "data"}, {0x168, 4, "n"}, {0x170, 8, ""}, {0x178, 16, "table"}, {0x188, 1, "flag"}};

ArgumentWords words_of(const std::vector<std::string>& arguments) {
    ArgumentWords words;
    const auto added = add_arguments_to(words, arguments, parameters);
    EXPECT_TRUE(added) << to_string(added.error());
    return words;
}

std::string refusal_of(const std::string& argument) {
    ArgumentWords words;
    const auto added = add_arguments_to(words, {argument}, parameters);
    return added ? "accepted" : added.error().what;
}

TEST(KernelArguments, AreNamedCountedOrPlaced) {
    const ArgumentWords expected{{0x168, {512, 32}}};
    for (const char* argument : {"n=512", "1=512", "0x168=512", "n=0x200"})
        EXPECT_EQ(words_of({argument}), expected) << argument;
}

TEST(KernelArguments, FillTheWordsOfTheirSize) {
    EXPECT_EQ(words_of({"n=-1"}), (ArgumentWords{{0x168, {0xffffffff, 32}}}));
    EXPECT_EQ(words_of({"2=-2"}),
              (ArgumentWords{{0x170, {0xfffffffe, 32}}, {0x174, {0xffffffff, 32}}}));
    EXPECT_EQ(words_of({"2=4294967298"}), (ArgumentWords{{0x170, {2, 32}}, {0x174, {1, 32}}}));
    EXPECT_EQ(words_of({"2=18446744073709551615"}).at(0x174).value, 0xffffffffU);
    EXPECT_EQ(words_of({"n=f32:1.5"}), (ArgumentWords{{0x168, {0x3fc00000, 32}}}));
    EXPECT_EQ(words_of({"2=f64:-2"}), (ArgumentWords{{0x170, {0, 32}}, {0x174, {0xc0000000, 32}}}));
    // Of a pointer only the lower word is known.
    EXPECT_EQ(words_of({"data=multiple:256"}), (ArgumentWords{{0x160, {0, 8}}}));
    EXPECT_EQ(words_of({"data=disjoint:512"}), (ArgumentWords{{0x160, {0, 9, true}}}));
}

TEST(KernelArguments, WithDataArePointersToBuffersOfTheirOwn) {
    for (const char* argument : {"data=buffer:f32:16x16:zero", "0=buffer:u8:7:random,seed=3",
                                 "0x160=buffer:f32:4:constant=1.5", "data=file:absent.bin"})
        EXPECT_EQ(words_of({argument}), words_of({"data=disjoint:256"})) << argument;
    EXPECT_THAT(refusal_of("data=buffer:f33:16:zero"), HasSubstr("types u8"));
    EXPECT_THAT(refusal_of("data=buffer:f32:16:ones"), HasSubstr("no values 'ones'"));
    EXPECT_THAT(refusal_of("data=buffer:f32:0:zero"), HasSubstr("expected buffer:TYPE"));
}

TEST(KernelArguments, ThatDoNotFitAreRefused) {
    EXPECT_THAT(refusal_of("n=4294967296"), HasSubstr("whole number of 32 bits"));
    EXPECT_THAT(refusal_of("n=-2147483649"), HasSubstr("whole number of 32 bits"));
    EXPECT_THAT(refusal_of("2=18446744073709551616"), HasSubstr("whole number of 64 bits"));
    // Without a type it might be meant as a whole number.
    EXPECT_THAT(refusal_of("n=1.5"), HasSubstr("with its type, as f32:1.5"));
    EXPECT_THAT(refusal_of("n=1e3"), HasSubstr("with its type, as f32:1.5"));
    EXPECT_THAT(refusal_of("n=f64:1"), HasSubstr("whole number of 32 bits"));
    EXPECT_THAT(refusal_of("n=multiple:3"), HasSubstr("power of two"));
    EXPECT_THAT(refusal_of("data=disjoint:128"), HasSubstr("256 to 2^31"));
    EXPECT_THAT(refusal_of("table=1"), HasSubstr("16 bytes at 0x178"));
    EXPECT_THAT(refusal_of("flag=1"), HasSubstr("1 bytes at 0x188"));
    EXPECT_THAT(refusal_of("n"), HasSubstr("OFFSET=VALUE"));
}

TEST(KernelArguments, OfUnknownParametersAreRefusedWithThoseThatThereAre) {
    EXPECT_THAT(refusal_of("m=1"), HasSubstr("1: n, 4 bytes at 0x168"));
    EXPECT_THAT(refusal_of("5=1"), HasSubstr("no parameter '5'"));
    EXPECT_THAT(refusal_of("=1"), HasSubstr("no parameter ''"));
}

TEST(KernelArguments, AreStatedOnce) {
    ArgumentWords words;
    EXPECT_FALSE(add_arguments_to(words, {"n=1", "1=2"}, parameters));
}

TEST(KernelArguments, OfAListingNeedOffsets) {
    ArgumentWords words;
    EXPECT_THAT(add_arguments_to(words, {"1=1"}, std::nullopt).error().what,
                HasSubstr("--arg 0x160=512"));
    EXPECT_TRUE(add_arguments_to(words, {"0x160=1"}, std::nullopt));
}

} // namespace
} // namespace warpbound::cli
