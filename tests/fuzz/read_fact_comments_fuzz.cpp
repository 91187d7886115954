#include "models/facts/source_comments.hpp"

#include <cstdlib>

/// What is accepted names lines of the text, in order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto comments = warpbound::models::read_fact_comments({.name = "fuzz", .text = text});
    if (!comments) return 0;
    std::int64_t line = 1;
    for (const auto& comment : comments.value()) {
        if (comment.line < line || comment.code_line < comment.line) std::abort();
        line = comment.line;
    }
    return 0;
}
