#include "assembly/binary/compressed.hpp"
#include "harness/trace/packed_trace.hpp"
#include "harness/trace/sass_trace.hpp"

#include <cstdlib>

/// Packed traces give text or are refused, and never more text than the limit. Their text is read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    constexpr std::size_t limit = std::size_t{1} << 22U;
    const std::string file{reinterpret_cast<const char*>(bytes), size};
    for (const auto& text : {harness::trace::text_of_tracez({"fuzz", file}, limit),
                             assembly::decompressed(file, limit)}) {
        if (!text) continue;
        if (text.value().size() > limit) std::abort();
        static_cast<void>(harness::trace::read_sass_trace({"fuzz", text.value()}));
    }
    return 0;
}
