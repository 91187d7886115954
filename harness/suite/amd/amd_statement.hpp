#pragma once
/// \file
/// Operations of microbenchmarks as instructions of AMD.

#include "assembly/support/result.hpp"
#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/emission/ptx_statement.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// What counts an instruction of AMD until its results are there.
enum class AmdCounter {
    None,
    Vector, ///< vmcnt
    Lds,    ///< lgkmcnt
    Store,  ///< vscnt, where there is one, else vmcnt
};

struct AmdOperand {
    std::vector<PtxRegister> registers; ///< One, or consecutive ones.
    bool is_low_half = false;           ///< Only the first VGPR is read.
};

/// An instruction whose registers still have the names that PTX gives them.
struct AmdInstruction {
    /// With `{0}`, `{1}`, .. for its operands, `{offset}` for that of its address and `{returns}`
    /// for what an atomic that returns the former value is marked with.
    std::string_view form;
    std::vector<AmdOperand> operands;
    std::int64_t offset = 0; ///< `Unit:` bytes.
    AmdCounter counter = AmdCounter::None;
    bool is_transcendental = false; ///< Of the unit for special functions.
    bool is_scalar = false;         ///< No instruction of the vector units.
};

/// The instruction that does what statements of generated PTX do. A copy that only renames a value
/// (`mov.b32` after a conversion, `cvt.u32.u64` before the operation that reads it) is none. An
/// integer multiply-add is a multiplication, since AMD has none of 32 bits; an exclusive or of
/// three is an or of three. Refuses a statement without such an instruction, by its name.
Result<AmdInstruction> amd_instruction_of(std::string_view statements);

} // namespace warpbound::harness
