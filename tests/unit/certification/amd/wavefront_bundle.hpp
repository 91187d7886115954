#pragma once
/// \file
/// Evidence on code of AMD: inputs from the committed kernels or from a text, made and checked.

#include "certification/bundle/build.hpp"
#include "certification/bundle/inputs.hpp"
#include "certification/verify/verify.hpp"
#include "models/architecture/library.hpp"
#include "tests/support/evidence.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {

/// A kernel of a code object on the MI210 of the library. `policy`: as `models::read_policy` takes
/// it.
inline certification::KernelInput wavefront_input(std::string image, std::string kernel,
                                                  std::string launch,
                                                  std::string policy = "unknown") {
    certification::KernelInput input;
    input.kernel = std::move(kernel);
    input.listing = std::move(image);
    input.architecture =
        assembly::read_source(WARPBOUND_SOURCE_DIR "/models/architecture/data/cdna2-mi210.xml")
            .value()
            .text;
    input.launch = std::move(launch);
    input.policy = std::move(policy);
    input.decoder = &assembly::amd::llvm_decoder();
    return input;
}

/// The code object of a kernel `k` with these instructions. `directives`: of its descriptor.
inline std::string wavefront_image(const std::string& body, const std::string& processor = "gfx90a",
                                   const std::string& directives = ".amdhsa_accum_offset 32\n") {
    const std::string text = ".amdgcn_target \"amdgcn-amd-amdhsa--" + processor +
                             "\"\n.text\n.globl k\n.type k,@function\nk:\n" + body +
                             "\ns_endpgm\n.size k, .-k\n.rodata\n.amdhsa_kernel k\n"
                             ".amdhsa_next_free_vgpr 32\n.amdhsa_next_free_sgpr 32\n" +
                             directives + ".end_amdhsa_kernel\n";
    auto described = assembly::amd::describe_text("k.s", text, std::nullopt);
    if (!described) throw std::runtime_error{to_string(described.error())};
    auto image = assembly::amd::llvm_decoder().assemble(described.value());
    if (!image) throw std::runtime_error{to_string(image.error())};
    return std::move(image).value();
}

inline certification::BundleInputs bundle_inputs(certification::KernelInput input) {
    certification::BundleInputs inputs;
    inputs.tool_version = "0.1.0";
    inputs.kernels.push_back(std::move(input));
    return inputs;
}

inline Result<certification::verify::Files>
rebuild_wavefront(const certification::verify::Files& files) {
    const auto inputs = certification::inputs_of(files, &assembly::amd::llvm_decoder());
    if (!inputs) return inputs.as_failure();
    const auto bundle = certification::build_bundle(inputs.value());
    if (!bundle) return bundle.as_failure();
    return plain(bundle.value().files);
}

/// The steps of `verify` with (or without) a decoder of AMD's instructions.
inline std::vector<certification::verify::StepResult>
verify_wavefront(const certification::EvidenceFiles& files, bool has_decoder = true) {
    certification::verify::Options options;
    options.tool_version = "0.1.0";
    options.rebuild = rebuild_wavefront;
    if (has_decoder) options.decoder = &assembly::amd::llvm_decoder();
    return certification::verify::verify(plain(files), options);
}

} // namespace warpbound::tests
