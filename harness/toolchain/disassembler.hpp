#pragma once
/// \file
/// The toolkit's disassemblers and compilers, run as programs.

#include "assembly/isa/target.hpp"
#include "harness/toolchain/program_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::toolchain {

/// nvdisasm or cuobjdump: both on PATH first, then where `find_tool` looks.
std::optional<Tool> find_disassembler();

/// The listing of machine code, with encodings and, from nvdisasm, the source lines that the code
/// has. The tool reads a file in a temporary folder, which is then removed. Refuses as `output_of`
/// does.
Result<std::string> disassemble(const Tool& tool, const std::string& image,
                                std::chrono::milliseconds time_out = std::chrono::minutes{1});

/// "nvdisasm 13.0.85"; the name alone where it does not say its version.
std::string version_of(const Tool& tool);

/// All cubins in a fat binary or host program, uncompressed, by cuobjdump.
Result<std::vector<std::string>> extract_cubins(const Tool& cuobjdump, const std::string& bytes);

/// The cubin that ptxas makes of PTX for a target.
Result<std::string> assemble_ptx(const Tool& ptxas, const std::string& ptx,
                                 assembly::Target target);

/// The cubin that nvcc makes of CUDA C++ for a target. `folder`: where includes are relative to.
Result<std::string> compile_cuda(const Tool& nvcc, const std::string& source,
                                 const std::string& folder, assembly::Target target);

} // namespace warpbound::harness::toolchain
