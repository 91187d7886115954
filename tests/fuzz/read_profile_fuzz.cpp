#include "models/kernel/kernel_profile.hpp"

#include <cstdlib>

/// Accepted input is the same after writing and reading it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::read_profile({.name = "fuzz", .text = text});
    if (!read) return 0;
    const auto written = models::write_profile(read.value());
    if (!written) return 0; // Too many different steps for one document.
    const auto again = models::read_profile({.name = "fuzz", .text = written.value()});
    if (!again || !(again.value().counts == read.value().counts) ||
        again.value().steps != read.value().steps)
        std::abort();
    return 0;
}
