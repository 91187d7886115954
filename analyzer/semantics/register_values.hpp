#pragma once
/// \file
/// What is known of the registers of a lane at a place in the code.

#include "analyzer/semantics/linear.hpp"
#include "assembly/isa/program.hpp"

#include <boost/container/flat_map.hpp>

#include <optional>

namespace warpbound::analyzer {

/// How a comparison instruction compares two numbers.
enum class Comparator { Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater };

/// What a predicate says. Both sides are those of the moment of the comparison.
struct Comparison {
    Comparator comparator = Comparator::Equal;
    bool is_signed = true;
    Linear left;
    Linear right;

    /// Whether it holds for these numbers.
    [[nodiscard]] bool holds(std::uint32_t left_value, std::uint32_t right_value) const;
    friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// The value that a register has where the values begin (the entry of the function, the start of a
/// turn of a loop), and that of a word of a constant bank, as symbols.
Symbol symbol_of(assembly::Register reg);
Symbol symbol_of_constant(std::int64_t bank, std::int64_t offset);
/// The register of a symbol; nothing for a constant's.
std::optional<assembly::Register> register_of(Symbol symbol);

/// Registers that were not written have the values they began with.
class RegisterValues {
public:
    /// Nothing when the number is not known.
    [[nodiscard]] std::optional<Linear> number(assembly::Register reg) const;
    [[nodiscard]] std::optional<Comparison> predicate(assembly::Register reg) const;

    /// What the instruction does to the registers. What this version does not understand makes the
    /// registers that it writes unknown; an instruction that may be off leaves a register known
    /// only if it does not change it.
    void execute(const assembly::Instruction& instruction);

    /// Keeps what holds for both.
    void join(const RegisterValues& other);
    friend bool operator==(const RegisterValues&, const RegisterValues&) = default;

private:
    boost::container::flat_map<assembly::Register, std::optional<Linear>> numbers_;
    boost::container::flat_map<assembly::Register, Comparison> predicates_; ///< Those known.
    bool began_known_ = true; ///< False: registers that are not in `numbers_` are unknown.
};

} // namespace warpbound::analyzer
