#include "assembly/binary/compressed.hpp"
#include "assembly/binary/cubin.hpp"
#include "assembly/binary/fatbin.hpp"

#include <cstdlib>

/// Readers of binaries accept or refuse; what they accept lies inside the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound::assembly;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    if (const auto cubin = read_cubin(text))
        for (const auto& kernel : cubin.value().kernels)
            if (kernel.name.empty()) std::abort();
    for (const auto& images : {read_fatbins(text), read_host_elf(text)})
        if (images)
            for (const auto& image : images.value())
                if (image.bytes.size() > size) std::abort();
    constexpr std::size_t limit = std::size_t{1} << 20U;
    const auto contents = decompressed(text, limit);
    if (contents && contents.value().size() > limit) std::abort();
    return 0;
}
