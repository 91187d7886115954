/// \file
/// Text and JSON of one fixed report, byte for byte.
#include "tests/unit/certification/sample_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace warpbound::certification {
namespace {

bool approving() {
    const char* value = std::getenv("WARPBOUND_APPROVE");
    return value != nullptr && std::string_view{value} == "1";
}

void compare(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::path{WARPBOUND_GOLDEN_REPORTS} / name;
    if (approving()) std::ofstream{path, std::ios::binary} << text;
    std::ifstream file{path, std::ios::binary};
    ASSERT_TRUE(file) << path << " is missing; WARPBOUND_APPROVE=1 writes it";
    const std::string expected{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_EQ(text, expected) << path << "; WARPBOUND_APPROVE=1 rewrites it";
}

TEST(GoldenReport, Text) {
    compare("convolution.txt", render_text(sample_report()));
}

TEST(GoldenReport, Json) {
    compare("convolution.json", render_json(sample_report()));
}

} // namespace
} // namespace warpbound::certification
