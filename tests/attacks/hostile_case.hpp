#pragma once
/// \file
/// Hostile input in a table: how a command is given it, and what its refusal must say.

#include "tests/attacks/run_limited.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace warpbound::tests {

/// One row. `arguments` writes the hostile files into the folder and gives the command line.
struct HostileCase {
    std::string name;
    std::function<std::vector<std::string>(const Folder&)> arguments;
    std::vector<std::string> said; ///< Each in the refusal: the file, the line, what was expected.
    int exit_code = 3;
};

inline std::string name_of_case(const testing::TestParamInfo<HostileCase>& info) {
    return info.param.name;
}

/// A message may contain no byte that a terminal obeys.
inline std::string bytes_obeyed(const std::string& text) {
    std::string found;
    for (const char letter : text)
        if ((static_cast<unsigned char>(letter) < 0x20 && letter != '\n' && letter != '\t') ||
            letter == 0x7f)
            found += letter;
    return found;
}

/// Runs the row: refused with its exit code and words, within the limits, without a control
/// character.
inline void expect_refusal(const HostileCase& row) {
    const Folder folder;
    const auto outcome = run_warpbound(row.arguments(folder));
    EXPECT_EQ(misbehaviour_of(outcome), "") << outcome.err;
    EXPECT_EQ(outcome.exit_code, row.exit_code) << outcome.out << outcome.err;
    for (const auto& words : row.said)
        EXPECT_THAT(outcome.err, testing::HasSubstr(words));
    EXPECT_EQ(bytes_obeyed(outcome.err + outcome.out), "");
    EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("internal error")));
}

inline std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        all += text;
    return all;
}

/// Files of the example that the rows start from.
inline std::string saxpy(const std::string& ending) {
    return std::string{WARPBOUND_SOURCE_DIR} + "/examples/saxpy/sm_75" + ending;
}

inline std::string text_of_file(const std::string& path) {
    std::string text;
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    EXPECT_NE(file, nullptr) << path;
    if (file == nullptr) return text;
    char buffer[65536];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file))
        text.append(buffer, got);
    std::fclose(file);
    return text;
}

/// The text with its first `from` replaced. Fails the test if there is none.
inline std::string with_replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

} // namespace warpbound::tests
