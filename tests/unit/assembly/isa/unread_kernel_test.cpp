// Kernels that cannot be read beside others that can.
#include "listings.hpp"

#include <gmock/gmock.h>

namespace warpbound::assembly {
namespace {

using testing::HasSubstr;

const std::string exit_line = "/*0000*/ EXIT ; /* 0x000000000000794d */\n"
                              "/* 0x000fea0003800000 */\n";

TEST(UnreadKernel, DoesNotBlockItsNeighbours) {
    const std::string broken = "/*0000*/ FADD R0, \"R1\" ; /* 0x000000000000794d */\n"
                               "/* 0x000fea0003800000 */\n"
                               "/*0010*/ NOP ;\n"
                               "/*0020*/ FADD R0, \"R2\" ;\n";
    const auto program = read_program(text_of(cuobjdump("sm_70", exit_line, "before") +
                                              cuobjdump("sm_70", broken, "broken") +
                                              cuobjdump("sm_70", exit_line, "after")));
    ASSERT_TRUE(program) << to_string(program.error());
    ASSERT_EQ(program.value().functions.size(), 2U);
    EXPECT_EQ(program.value().functions[1].name, "after");
    ASSERT_EQ(program.value().unread.size(), 1U);
    // Both lines are named, not only the first.
    const UnreadFunction& unread = program.value().unread.front();
    ASSERT_EQ(unread.failures.size(), 2U);
    EXPECT_EQ(unread.failures[0].line + 3, unread.failures[1].line);
    const auto asked = find_function(program.value(), "broken");
    ASSERT_FALSE(asked);
    EXPECT_THAT(asked.error().what, HasSubstr("kernel 'broken' cannot be read, 2 lines"));
    EXPECT_TRUE(find_function(program.value(), "before"));
    EXPECT_THAT(find_function(program.value(), "").error().what,
                HasSubstr("before, after, broken"));
}

TEST(UnreadKernel, MayBeOfAnUnknownTarget) {
    const auto program = read_program(text_of(cuobjdump("sm_70", exit_line, "known") +
                                              cuobjdump("sm_999", exit_line, "foreign")));
    ASSERT_TRUE(program) << to_string(program.error());
    EXPECT_EQ(program.value().functions.size(), 1U);
    EXPECT_THAT(find_function(program.value(), "foreign").error().what,
                HasSubstr("no known target"));
}

TEST(UnreadKernel, AloneInATextIsTheRefusalOfTheText) {
    EXPECT_EQ(refusal(cuobjdump("sm_70", "/*0000*/ FADD R0, \"R1\" ;\n")).line, 3);
}

} // namespace
} // namespace warpbound::assembly
