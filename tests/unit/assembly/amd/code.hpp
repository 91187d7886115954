#pragma once
/// \file
/// The committed AMD kernels, decoded by LLVM.

#include "assembly/amd/code_object.hpp"
#include "assembly/amd/llvm_decoder.hpp"
#include "assembly/amd/program_builder.hpp"
#include "assembly/binary/compressed.hpp"
#include "assembly/support/source_text.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace warpbound::assembly::amd {

inline std::string amd_file(const std::string& name) {
    const std::string path = WARPBOUND_SOURCE_DIR "/tests/data/amd/" + name;
    return decompressed(read_source(path).value().text, std::size_t{1} << 24U).value();
}

/// The code object that the assembler makes of a committed text.
inline std::string assembled_file(const std::string& processor) {
    auto text = describe_text(processor + ".s", amd_file(processor + ".s.xz"), std::nullopt);
    return llvm_decoder().assemble(text.value()).value();
}

/// The only kernel of a hand-written text, as it runs on a processor.
inline Result<Function> function_of(const std::string& processor, const std::string& body,
                                    const std::string& directives = {}) {
    const std::string text =
        ".amdgcn_target \"amdgcn-amd-amdhsa--" + processor +
        "\"\n.text\n.globl k\n.type k,@function\nk:\n" + body +
        "\ns_endpgm\n.size k, .-k\n.rodata\n.amdhsa_kernel k\n" +
        ".amdhsa_next_free_vgpr 32\n.amdhsa_next_free_sgpr 32\n" +
        (processor == "gfx90a" || processor == "gfx942" ? ".amdhsa_accum_offset 32\n" : "") +
        directives + ".end_amdhsa_kernel\n";
    auto described = describe_text("test.s", text, std::nullopt);
    if (!described) return described.as_failure();
    const auto image = llvm_decoder().assemble(described.value());
    if (!image) return image.as_failure();
    const auto object = read_code_object(image.value());
    if (!object) return object.as_failure();
    return build_function(object.value().kernels.at(0), object.value().target, llvm_decoder());
}

} // namespace warpbound::assembly::amd
