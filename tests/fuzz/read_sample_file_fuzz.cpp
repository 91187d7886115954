#include "models/pipeline/sample_file.hpp"

#include <cstdlib>

/// Accepted input has a time, and none below 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::read_sample_file({.name = "fuzz", .text = text}, "us");
    if (!read) return 0;
    if (read.value().empty()) std::abort();
    for (const auto time : read.value())
        if (time.count() < 0) std::abort();
    return 0;
}
