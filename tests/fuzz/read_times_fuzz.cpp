#include "certification/pwcet/times_csv.hpp"

#include <cstdlib>

/// Accepted times are at least one, and none is negative.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = certification::read_times({.name = "fuzz", .text = text}, "cycles");
    if (!read) return 0;
    if (read.value().ticks.empty()) std::abort();
    for (const std::int64_t ticks : read.value().ticks)
        if (ticks < 0) std::abort();
    return 0;
}
