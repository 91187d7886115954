#pragma once
/// \file
/// AMD's assembler and linker, run as a program: clang.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"
#include "harness/toolchain/program_run.hpp"

#include <optional>
#include <string>

namespace warpbound::harness::toolchain {

/// The clang that WARPBOUND_CLANG names (empty: none is used), that of ROCm in /opt/rocm, else
/// `amdclang`, `clang-19` or `clang` on PATH.
std::optional<Tool> find_amd_assembler();

/// The code object, linked so that the HIP runtime loads it, of an assembly text. Refuses as
/// `output_of` does, and where no clang is found, with what to install.
Result<std::string> assemble_amd(const std::string& text, assembly::Target target);

} // namespace warpbound::harness::toolchain
