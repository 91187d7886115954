#pragma once
/// \file
/// Registers and the other operands of instructions.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpbound::assembly {

/// Register files. `Carry` is the single implicit CC flag up to sm_62; `Barrier` are B0.. of sm_70
/// and later. The last four are of AMD: VGPRs, SGPRs, AGPRs and the other scalar ones
/// (amd/state_registers.hpp).
enum class RegisterFile {
    General,
    Predicate,
    Uniform,
    UniformPredicate,
    Carry,
    Barrier,
    Vector,
    Scalar,
    Accumulation,
    State
};

/// One 32-bit register (or one predicate). Registers that are constant (RZ, PT, URZ, UPT) never
/// appear here.
struct Register {
    RegisterFile file = RegisterFile::General;
    int index = 0;

    friend auto operator<=>(const Register&, const Register&) = default;
};

/// R4, UR4, P0, UP1, B3, v4, s4, a4, exec_lo as printed by the disassembler.
std::string to_string(Register reg);

/// `-R4`, `|R4|`, `~R4`, `!P0`, `R0.reuse`, `R8.64`, `R0.H1`. A register group is named by its
/// first register.
struct RegisterOperand {
    RegisterFile file = RegisterFile::General;
    std::optional<int> index; ///< None for the constant register of the file (RZ, PT, URZ, UPT).
    bool negated = false;     ///< `-` on numbers, `!` on predicates.
    bool absolute = false;    ///< `|..|`
    bool inverted = false;    ///< `~`
    std::vector<std::string> suffixes; ///< "reuse", "64", "H1", "H0_H0", .. in the order written.

    friend bool operator==(const RegisterOperand&, const RegisterOperand&) = default;
};

/// An integer or floating-point literal; `text` is kept, so that printing gives the same literal.
struct ImmediateOperand {
    std::string text;
    std::optional<std::int64_t> integer; ///< Present when the literal is an integer that fits.

    friend bool operator==(const ImmediateOperand&, const ImmediateOperand&) = default;
};

/// `c[0x0][0x160]`, `c[0x2][R0]`, `c[0x0][R2+0x10]`, with the modifiers of a register operand.
struct ConstantOperand {
    std::int64_t bank = 0;
    std::optional<int> index_register;   ///< General register that is added to the offset.
    std::optional<int> uniform_register; ///< Uniform register that is added to the offset.
    std::int64_t offset = 0;
    bool negated = false;
    bool absolute = false;
    bool inverted = false;
    std::vector<std::string> suffixes;
    std::optional<int>
        bank_register; ///< Uniform register of a bindless bank `cx[UR4][0x0]`; `bank` is then 0.

    friend bool operator==(const ConstantOperand&, const ConstantOperand&) = default;
};

/// `[R2]`, `[R8.64+0x4]`, `[R2+UR4+-0x10]`, `[0x100]`, `desc[UR4][R8.64]`. The state space follows
/// from the opcode.
struct MemoryOperand {
    std::optional<RegisterOperand> base;
    std::optional<RegisterOperand> uniform; ///< A uniform register that is added.
    std::int64_t offset = 0;
    bool has_offset = false;                   ///< `[R2+0x0]` against `[R2]`.
    std::optional<RegisterOperand> descriptor; ///< UR of `desc[UR4]`.

    friend bool operator==(const MemoryOperand&, const MemoryOperand&) = default;
};

/// `SR_TID.X`, `SR_CLOCKLO`, `SR_ClockLo`.
struct SpecialRegisterOperand {
    std::string name; ///< As written.

    friend bool operator==(const SpecialRegisterOperand&, const SpecialRegisterOperand&) = default;
};

/// Target of a branch: a label before resolution, an instruction address after it.
struct TargetOperand {
    std::string label; ///< Empty when the text gave an address.
    std::optional<std::int64_t> address;

    friend bool operator==(const TargetOperand&, const TargetOperand&) = default;
};

/// `SB0` of DEPBAR.
struct ScoreboardOperand {
    int index = 0;

    friend bool operator==(const ScoreboardOperand&, const ScoreboardOperand&) = default;
};

/// Text that does not affect timing (`2D`, `0x1f` masks of textures, `RGBA`); kept for printing.
struct TextOperand {
    std::string text;

    friend bool operator==(const TextOperand&, const TextOperand&) = default;
};

using Operand = std::variant<RegisterOperand, ImmediateOperand, ConstantOperand, MemoryOperand,
                             SpecialRegisterOperand, TargetOperand, ScoreboardOperand, TextOperand>;

} // namespace warpbound::assembly
