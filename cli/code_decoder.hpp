#pragma once
/// \file
/// The disassembler for AMD's code that this build has.

#include "assembly/amd/code_decoder.hpp"

namespace warpbound::cli {

/// LLVM's; in a build without LLVM one that refuses everything, with what to install.
const assembly::amd::CodeDecoder& code_decoder();

} // namespace warpbound::cli
