#include "assembly/amd/llvm_decoder.hpp"
#include "assembly/amd/offload_bundle.hpp"
#include "assembly/amd/program_builder.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <cstdlib>

/// Readers of AMD's code accept or refuse; what they accept lies inside the input, and each kernel
/// has instructions one behind the other.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound::assembly;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    if (const auto bundle = amd::read_offload_bundle(text))
        for (const auto& entry : bundle.value())
            if (entry.bytes.size() > size) std::abort();
    const auto object = amd::read_code_object(text);
    if (!object) return 0;
    constexpr std::size_t largest = 4096; // Time goes into the reader, not into the decoder.
    for (const auto& kernel : object.value().kernels) {
        if (kernel.code.size() > size || kernel.name.empty()) std::abort();
        if (kernel.code.size() > largest) continue;
        const auto function =
            amd::build_function(kernel, object.value().target, amd::llvm_decoder());
        if (!function) continue;
        std::int64_t last = -1;
        for (const auto& instruction : function.value().instructions) {
            if (instruction.address <= last) std::abort();
            last = instruction.address;
        }
        (void)build_control_flow_graph(function.value());
    }
    return 0;
}
