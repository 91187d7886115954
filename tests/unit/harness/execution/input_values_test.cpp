/// \file
/// Inputs as the user describes them, and comparisons with references.

#include "harness/execution/input_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace warpbound::harness::execution {
namespace {

using testing::HasSubstr;

TEST(InputValues, FillBuffers) {
    const auto counted = read_buffer("a", "buffer:i32:2x3:iota");
    ASSERT_TRUE(counted) << to_string(counted.error());
    EXPECT_EQ(counted.value().bytes.size(), 24U);
    EXPECT_EQ(element_text(counted.value(), 5), "5");
    EXPECT_EQ(element_text(read_buffer("a", "buffer:f32:4:constant=1.5").value(), 3), "1.5");
    EXPECT_EQ(element_text(read_buffer("a", "buffer:i8:4:constant=-3").value(), 0), "-3");
    EXPECT_EQ(element_text(read_buffer("a", "buffer:f16:4:constant=0.25").value(), 0), "0.25");
}

TEST(InputValues, RandomNumbersFollowTheSeedAndTheLimits) {
    const auto one = read_buffer("a", "buffer:f32:100:random,seed=7").value();
    EXPECT_EQ(one.bytes, read_buffer("a", "buffer:f32:100:random,seed=7").value().bytes);
    EXPECT_NE(one.bytes, read_buffer("a", "buffer:f32:100:random,seed=8").value().bytes);
    const auto die = read_buffer("a", "buffer:i32:600:random,from=1,to=6").value();
    std::set<std::string> seen;
    for (std::size_t i = 0; i < 600; ++i)
        seen.insert(element_text(die, i));
    EXPECT_EQ(seen, (std::set<std::string>{"1", "2", "3", "4", "5", "6"}));
}

TEST(InputValues, RefuseWhatIsNoBuffer) {
    for (const char* text : {"buffer:f31:4:zero", "buffer:f32:0:zero", "buffer:f32:4:ones",
                             "buffer:f32:4:random,sed=3", "buffer:i32:4:constant=x"})
        EXPECT_THAT(read_buffer("a", text).error().what, HasSubstr("--arg a")) << text;
    EXPECT_FALSE(read_buffer("a", "file:/nowhere/at/all"));
}

TEST(InputValues, ScalarsHaveTheBitsOfTheirType) {
    EXPECT_EQ(scalar_text("512", 4), "512");
    EXPECT_EQ(scalar_text("-1", 4), "-1");
    EXPECT_EQ(scalar_text("1.5", 4), std::to_string(0x3fc00000U));
    EXPECT_EQ(scalar_text("f32:2", 4), std::to_string(0x40000000U));
    EXPECT_EQ(scalar_text("1.5", 8), std::to_string(0x3ff8000000000000U));
    EXPECT_EQ(scalar_text("f64:1", 4), std::nullopt);
    EXPECT_EQ(scalar_text("many", 4), std::nullopt);
}

TEST(InputValues, DifferencesNameTheFirstElement) {
    const auto buffer = read_buffer("a", "buffer:f32:4:iota").value();
    std::string reference(16, '\0');
    std::memcpy(reference.data(), buffer.bytes.data(), 16);
    EXPECT_EQ(difference(buffer, reference, 0), std::nullopt);
    const float other = 2.00001F;
    std::memcpy(reference.data() + 8, &other, sizeof other);
    EXPECT_THAT(difference(buffer, reference, 0).value_or(""), HasSubstr("element 2 is 2;"));
    EXPECT_EQ(difference(buffer, reference, 1e-4), std::nullopt);
    EXPECT_THAT(difference(buffer, "short", 0).value_or(""), HasSubstr("5 bytes"));
}

TEST(DeviceMemory, LeavesGapsBetweenBuffers) {
    DeviceMemory memory;
    Buffer small;
    small.name = "small";
    small.bytes.resize(100);
    Buffer large;
    large.name = "large";
    large.bytes.resize(std::size_t{1} << 20U);
    const auto first = memory.add(small);
    const auto second = memory.add(large);
    EXPECT_EQ(first % 512, 0U);
    EXPECT_EQ(second % (std::uint64_t{2} << 20U), 0U);
    EXPECT_NE(memory.find(first + 96, 4), nullptr);
    EXPECT_EQ(memory.find(first + 97, 4), nullptr);
    EXPECT_NE(memory.find(second, 16), nullptr);
    EXPECT_EQ(memory.find(second - 1, 1), nullptr);
    EXPECT_THAT(memory.place_of(first + 104), HasSubstr("4 bytes past the end of 'small'"));
    EXPECT_THAT(memory.place_of(second - 8), HasSubstr("8 bytes before 'large'"));
    EXPECT_FALSE(memory.buffers()[1].was_written);
    EXPECT_NE(memory.find_written(second, 4), nullptr);
    EXPECT_TRUE(memory.buffers()[1].was_written);
}

} // namespace
} // namespace warpbound::harness::execution
