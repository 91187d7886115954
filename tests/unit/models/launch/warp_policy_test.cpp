#include "models/launch/warp_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models {
namespace {

using testing::HasSubstr;

TEST(WarpPolicy, ReadsWhatItWrites) {
    for (const char* text :
         {"lrr", "gto", "gty", "oldest", "srr", "two-level:active=3",
          "variable-rate:fast=2,every=4", "variable-rate:fast=0,every=2,conserving", "unknown"}) {
        const auto policy = read_policy(text);
        ASSERT_TRUE(policy) << text << ": " << policy.error().what;
        EXPECT_EQ(to_string(policy.value()), text);
    }
    EXPECT_EQ(to_string(read_policy("two-level").value()), "two-level:active=8");
    EXPECT_EQ(to_string(read_policy("variable-rate:conserving").value()),
              "variable-rate:fast=0,every=2,conserving");
}

TEST(WarpPolicy, RefusesWhatItDoesNotKnow) {
    const auto words = [](const char* text) {
        const auto policy = read_policy(text);
        return policy ? std::string{} : policy.error().what;
    };
    EXPECT_THAT(
        words("fair"),
        HasSubstr("expected lrr, gto, gty, oldest, two-level, srr, variable-rate, unknown"));
    EXPECT_THAT(words(""), HasSubstr("unknown warp policy ''"));
    for (const char* text :
         {"lrr:active=2", "two-level:active=0", "two-level:active=", "two-level:fast=1",
          "variable-rate:every=1", "variable-rate:fast=-1", "variable-rate:fast=1x",
          "variable-rate:conserving=1", "two-level:active=99999999999999999999"})
        EXPECT_THAT(words(text), HasSubstr("takes no")) << text;
}

TEST(WarpPolicy, HasAGuarantee) {
    const auto guarantee = [](const char* text) {
        return to_string(guarantee_of(read_policy(text).value()));
    };
    EXPECT_EQ(guarantee("lrr"), "work-conserving");
    EXPECT_EQ(guarantee("gto"), "work-conserving");
    EXPECT_EQ(guarantee("gty"), "work-conserving");
    EXPECT_EQ(guarantee("oldest"), "work-conserving");
    EXPECT_EQ(guarantee("unknown"), "work-conserving");
    EXPECT_EQ(guarantee("two-level"), "set-limited");
    EXPECT_EQ(guarantee("srr"), "order-forced");
    EXPECT_EQ(guarantee("variable-rate"), "slotted");
    EXPECT_EQ(guarantee("variable-rate:conserving"), "work-conserving");
}

} // namespace
} // namespace warpbound::models
