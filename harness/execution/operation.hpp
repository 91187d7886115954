#pragma once
/// \file
/// Instructions decoded for execution.

#include "assembly/isa/program.hpp"
#include "harness/execution/modifier.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpbound::harness::execution {

class Step;

/// How literals of an instruction are read.
enum class NumberType { Integer, Float, Double, Half };

/// A register, constant or literal that is read; or a predicate.
struct Source {
    enum class Kind : std::uint8_t {
        General,
        Uniform,
        Predicate,
        UniformPredicate,
        Constant,
        Literal,
        Other ///< Special registers, labels and text: semantics read `operand`.
    };
    Kind kind = Kind::Other;
    std::size_t index = 0; ///< Of a register.
    bool negated = false;
    bool absolute = false;
    bool inverted = false;
    bool low_half = true;  ///< Half to use of the word for H0 of a packed operand.
    bool high_half = true; ///< Whether H1 comes from the upper half; both false: swapped (H0_H1).
    std::uint64_t literal = 0;
    const assembly::Operand* operand = nullptr;
};

/// `[R2.64+UR4+0x10]`.
struct AddressForm {
    std::size_t base = 0;
    std::size_t uniform = 0;
    bool has_uniform = false;
    bool is_wide = false; ///< The base is a pair of registers.
    bool is_wide_uniform = false;
    std::uint32_t scale = 1;
    std::int64_t offset = 0;
};

using Perform = void (*)(Step&);

/// An instruction with its operands in groups: leading predicates, the destination, predicates
/// after it, what is read, and predicates at the end.
struct Operation {
    const assembly::Instruction* instruction = nullptr;
    Perform perform = nullptr; ///< Null: it changes no register or memory.
    Modifiers modifiers;
    std::vector<Source> leading;
    Source destination;
    std::vector<Source> carries;
    std::vector<Source> sources;
    std::vector<Source> trailing;
    std::vector<AddressForm> addresses;
    Source guard;
    bool guard_decides = false;
    bool records_access = false;

    [[nodiscard]] bool has(Modifier modifier) const {
        return modifiers.test(static_cast<std::size_t>(modifier));
    }
};

/// Instructions with the same semantics.
struct SemanticsRow {
    std::string_view mnemonics;
    Perform perform = nullptr;
    std::string_view modifiers; ///< Those that it understands.
    NumberType type = NumberType::Integer;
    bool writes = true; ///< A register: the first register operand is the destination.
};

} // namespace warpbound::harness::execution
