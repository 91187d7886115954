#include "models/architecture/architecture.hpp"

#include <cstdlib>

/// Accepted input is the same after writing and reading it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::read_architecture({.name = "fuzz", .text = text});
    if (!read) return 0;
    const auto again = models::read_architecture(
        {.name = "fuzz", .text = models::write_architecture(read.value())});
    if (!again || !models::same_machine(read.value(), again.value())) std::abort();
    return 0;
}
