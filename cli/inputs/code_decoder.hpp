#pragma once
/// \file
/// The disassembler for AMD's code that this build has.

#include "assembly/amd/code_decoder.hpp"

#include <string>

namespace warpbound::cli {

/// LLVM's; in a build without LLVM one that refuses everything, with what to install.
const assembly::amd::CodeDecoder& code_decoder();

/// "LLVM 19.1.7", for evidence; empty in a build without LLVM.
std::string code_decoder_version();

} // namespace warpbound::cli
