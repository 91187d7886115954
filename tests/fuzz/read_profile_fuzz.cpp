#include "models/kernel_profile.hpp"

#include <cstdlib>

/// Whatever is accepted must survive writing and reading.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::read_profile({.name = "fuzz", .text = text});
    if (!read) return 0;
    const auto again =
        models::read_profile({.name = "fuzz", .text = models::write_profile(read.value())});
    if (!again || !(again.value().counts == read.value().counts)) std::abort();
    return 0;
}
