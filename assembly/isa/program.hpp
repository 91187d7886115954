#pragma once
/// \file
/// A GPU program as data: functions of instructions, each with everything from its text and
/// encoding.

#include "assembly/isa/control.hpp"
#include "assembly/isa/effects.hpp"
#include "assembly/isa/entry_state.hpp"
#include "assembly/isa/opcode.hpp"
#include "assembly/isa/operand.hpp"
#include "assembly/isa/source_lines.hpp"
#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly {

/// `@P0`, `@!P3`, `@UP0`. `predicate.index` is none for `@PT` and `@!PT`.
struct Guard {
    RegisterOperand predicate; ///< file Predicate or UniformPredicate; `negated` for `@!`.

    /// `@!PT`: never executes, but takes an issue slot.
    [[nodiscard]] bool never() const { return !predicate.index && predicate.negated; }
    /// `@PT`: always executes.
    [[nodiscard]] bool always() const { return !predicate.index && !predicate.negated; }
    friend bool operator==(const Guard&, const Guard&) = default;
};

/// The bits of an instruction. `high` is present for 128-bit instructions.
struct Encoding {
    std::uint64_t low = 0;
    std::optional<std::uint64_t> high;

    friend bool operator==(const Encoding&, const Encoding&) = default;
};

struct SourcePosition {
    std::int64_t line = 0;
    std::int64_t column = 0;

    friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

struct Instruction {
    std::int64_t address = 0; ///< Unit: bytes from the start of the function.
    std::optional<Guard> guard;
    std::string mnemonic;               ///< Without modifiers: "LDG".
    std::vector<std::string> modifiers; ///< "E", "128", "SYS" in the order written.
    std::vector<Operand> operands;      ///< In the order written: destinations first.
    OpcodeClass opcode_class = OpcodeClass::Unknown;
    ControlFlow control_flow = ControlFlow::None;
    std::optional<Encoding> encoding;
    std::optional<Control>
        control; ///< None where the generation or the text has no control information.
    std::vector<std::int64_t>
        indirect_targets; ///< BRANCH_TARGETS of nvdisasm, resolved to addresses.
    SourcePosition position;
    /// Its source line: index into `Function::source_lines.frames`. None: the listing names none.
    std::optional<std::uint32_t> source_frame;
    Effects effects; ///< Result of `effects_of`; set for instructions of a function.

    [[nodiscard]] bool has_modifier(std::string_view modifier) const;
};

/// Whether a predicate decides if it executes: its guard is neither absent nor PT.
bool is_guarded(const Instruction& instruction);
/// Whether one of its operands is a predicate, as of `BREAK P1, B0`.
bool has_predicate_operand(const Instruction& instruction);
/// Whether threads wait for each other at it: block barriers and WARPSYNC.
bool synchronizes_threads(const Instruction& instruction);
/// The convergence barrier register of BSSY, BSYNC or BREAK: the first that it names.
std::optional<int> barrier_register(const Instruction& instruction);

/// "LDG.E.128".
std::string opcode_text(const Instruction& instruction);

/// A control word of Kepler, Maxwell or Pascal, which is listed between the instructions.
struct ControlWord {
    std::int64_t address = 0;
    std::uint64_t bits = 0;

    friend bool operator==(const ControlWord&, const ControlWord&) = default;
};

struct Function {
    std::string name;
    Target target;
    std::vector<Instruction> instructions; ///< Addresses strictly increase.
    /// Bytes from one instruction to the next (16 from sm_70 on, else 8).
    /// Of AMD's code 4, the unit of its instructions.
    std::int64_t step = 8;
    std::optional<int> register_count; ///< Per thread, when the listing states it.
    /// Static shared memory of a block, when the listing states it. `Unit:` bytes.
    std::optional<std::int64_t> shared_memory{};
    std::vector<ControlWord>
        control_words; ///< As listed; empty where instructions contain their control field.
    SourceLines source_lines{}; ///< Empty where the listing has no line markers.
    EntryState entry{};         ///< Of AMD's code.

    /// Index of the instruction at an address; nothing when there is none.
    [[nodiscard]] std::optional<std::size_t> index_of(std::int64_t address) const;
};

/// Form of the listing, so that a program can be printed in the same form.
enum class TextForm { Cuobjdump, Nvdisasm, Bare, Amd };

/// A kernel whose code cannot be read.
struct UnreadFunction {
    std::string name;
    std::optional<Target> target;  ///< None where the text names one that is not known.
    std::vector<Failure> failures; ///< All that was found, in the order of the text.
};

struct Program {
    TextForm form = TextForm::Cuobjdump;
    std::vector<Function> functions;
    std::vector<UnreadFunction> unread{}; ///< The text's other kernels.
    std::string digest;                   ///< Digest of the text it was read from.
    std::string name;                     ///< Name of the source, for messages.
};

/// Why a kernel cannot be read: all its failures in one text, located at the first.
Failure refusal_of(const UnreadFunction& function);

/// The function called `name`, or the only one when `name` is empty. Refuses an unknown name and an
/// ambiguous empty one, listing the existing functions, and one that cannot be read.
Result<const Function*> find_function(const Program& program, std::string_view name);

} // namespace warpbound::assembly
