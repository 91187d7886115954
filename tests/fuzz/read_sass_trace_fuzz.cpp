#include "harness/trace/kernels_list.hpp"
#include "harness/trace/trace_mix.hpp"

#include <cstdlib>

/// Accepted input prints the same after printing and reading it; its mix is found or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound::harness::trace;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    static_cast<void>(read_kernels_list({.name = "fuzz", .text = text}));
    const auto trace = read_sass_trace({.name = "fuzz", .text = text});
    if (!trace) return 0;
    static_cast<void>(mix_of(trace.value()));
    const std::string printed = print(trace.value());
    const auto again = read_sass_trace({.name = "fuzz", .text = printed});
    if (!again || print(again.value()) != printed) std::abort();
    return 0;
}
