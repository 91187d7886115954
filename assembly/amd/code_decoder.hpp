#pragma once
/// \file
/// What a disassembler for AMD's instructions gives: each instruction's text, operand roles and
/// flow of control. LLVM does it (llvm_decoder.hpp); this header does not name it.

#include "assembly/isa/operand.hpp"
#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly::amd {

struct DecodedInstruction {
    std::int64_t address = 0;     ///< Unit: bytes from the start of the code.
    int bytes = 0;                ///< 4 to 20.
    std::string mnemonic;         ///< "v_add_u32_e32"; empty: no instruction of this processor.
    std::string operands;         ///< "v1, v2, v3", as the assembler writes them.
    std::vector<Register> reads;  ///< Implicit ones included. Sorted, unique.
    std::vector<Register> writes; ///< As `reads`.
    bool may_load = false;
    bool may_store = false;
    bool is_branch = false; ///< Of any kind, calls and returns included.
    bool is_conditional = false;
    bool is_indirect = false;
    std::optional<std::int64_t> target;    ///< Address of a direct branch's target.
    std::optional<std::int64_t> immediate; ///< The first immediate operand.
};

struct AssemblyText {
    std::string name; ///< For messages.
    std::string text;
    Target target;
    int lanes = 64;       ///< Of a wavefront.
    std::string features; ///< ",+sramecc,-xnack" as LLVM takes them, or empty.
};

class CodeDecoder {
public:
    CodeDecoder() = default;
    CodeDecoder(const CodeDecoder&) = delete;
    CodeDecoder& operator=(const CodeDecoder&) = delete;
    CodeDecoder(CodeDecoder&&) = delete;
    CodeDecoder& operator=(CodeDecoder&&) = delete;
    virtual ~CodeDecoder() = default;

    /// All instructions of a kernel's code, those without a meaning included: they have no
    /// mnemonic. `lanes`: of a wavefront.
    [[nodiscard]] virtual Result<std::vector<DecodedInstruction>>
    decode(Target target, int lanes, std::string_view code) const = 0;

    /// The relocatable code object of an assembly text. Refuses what the assembler refuses, with
    /// line and column.
    [[nodiscard]] virtual Result<std::string> assemble(const AssemblyText& text) const = 0;
};

} // namespace warpbound::assembly::amd
