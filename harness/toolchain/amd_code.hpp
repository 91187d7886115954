#pragma once
/// \file
/// AMD code of a file: code objects, offload bundles, host programs with them, assembly.

#include "assembly/amd/code_decoder.hpp"
#include "assembly/amd/code_object.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "harness/toolchain/image_choice.hpp"

#include <string>

namespace warpbound::harness::toolchain {

/// Whether the contents of a file are AMD's: by their first bytes, the sections of a host program
/// or the directives of a text.
bool is_amd_code(const std::string& contents);

/// The code object that is meant: of a bundle or a host program the one of the chosen target, of a
/// text what the assembler makes of it. Refuses a target that is not there, and a target that is
/// there twice with other features, with what to type.
Result<std::string> amd_image(std::string contents, const std::string& name,
                              const TargetChoice& choice,
                              const assembly::amd::CodeDecoder& decoder);

} // namespace warpbound::harness::toolchain
