#pragma once
/// \file
/// A text that a reader must refuse, with the line and a part of the message.

#include "assembly/support/source_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace warpbound::models {

struct Refusal {
    const char* why;
    std::string text;
    std::int64_t line;
    std::string_view message;
};

inline assembly::SourceText as_source(std::string text) {
    return {.name = "test.xml", .text = std::move(text)};
}

/// Expects `read` to refuse the text as stated, naming the source.
template <typename Read> void expect_refusal(const Refusal& refusal, Read read) {
    const auto result = read(as_source(refusal.text));
    ASSERT_FALSE(result.has_value()) << refusal.why;
    EXPECT_EQ(result.error().line, refusal.line) << refusal.why << ": " << result.error().what;
    EXPECT_NE(result.error().what.find(refusal.message), std::string::npos)
        << refusal.why << ": " << result.error().what;
    EXPECT_EQ(result.error().where, "test.xml") << refusal.why;
}

} // namespace warpbound::models
