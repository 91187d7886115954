#include "models/facts/flow_facts.hpp"

#include <cstdlib>

/// Accepted input is the same after writing and reading it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::read_flow_facts({.name = "fuzz", .text = text});
    if (!read) return 0;
    const std::string written = models::write_flow_facts(read.value());
    const auto again = models::read_flow_facts({.name = "fuzz", .text = written});
    if (!again || models::write_flow_facts(again.value()) != written) std::abort();
    return 0;
}
