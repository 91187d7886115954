#include "models/launch/workload.hpp"

#include <cstdlib>

/// Accepted input names only kernels and streams that exist.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::read_workload({.name = "fuzz", .text = text});
    if (!read) return 0;
    for (const auto& operation : read.value().operations)
        if (operation.kernel >= read.value().kernels.size() ||
            operation.stream.value_or(0) > read.value().streams.size())
            std::abort();
    return 0;
}
