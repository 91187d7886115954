#pragma once
/// \file
/// Kernels of AMD as functions of a program: instructions with effects, conditions and waits.

#include "assembly/amd/code_decoder.hpp"
#include "assembly/amd/code_object.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "assembly/support/source_text.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::assembly::amd {

/// The kernel's code without the padding behind it. The guard of a
/// conditional branch is the register that decides (`scc`, `vcc_lo`, `exec_lo`), negated where zero
/// takes the branch. Instructions that execute under EXEC have it among what they read, and as a
/// guard where it may be empty (exec_mask.hpp). Counters and waits are scoreboards (counters.hpp).
/// Refuses code without an instruction.
Result<Function> build_function(const CodeObjectKernel& kernel, Target target,
                                const CodeDecoder& decoder);

/// The functions of a code object; a kernel whose code cannot be read is among the unread ones.
Program build_program(const CodeObject& object, const std::string& name,
                      const CodeDecoder& decoder);

/// The program of a code object's bytes, with their digest. Refuses what `read_code_object` does,
/// and where there is no decoder.
Result<Program> read_code(const SourceText& source, const CodeDecoder* decoder);

/// The target that an assembly text names in `.amdgcn_target`, with its features as LLVM takes
/// them, and the lanes of a wavefront (`.amdhsa_wavefront_size32`, else what the processor has by
/// default). Refuses a text without a target where `stated` names none, and processors that are not
/// read.
Result<AssemblyText> describe_text(std::string name, std::string text,
                                   const std::optional<Target>& stated);

/// Whether a text is assembly of AMD: it has a line `.amdgcn_target` or `.amdhsa_kernel`.
bool is_amd_assembly(std::string_view text);

} // namespace warpbound::assembly::amd
