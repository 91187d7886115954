#pragma once
/// \file
/// What is known of the registers of a lane at a place in the code.

#include "analyzer/value/affine_expression.hpp"
#include "assembly/isa/program.hpp"

#include <boost/container/flat_map.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

constexpr bool is_predicate(assembly::RegisterFile file) {
    return file == assembly::RegisterFile::Predicate ||
           file == assembly::RegisterFile::UniformPredicate;
}

/// How a comparison instruction compares two numbers.
enum class Comparator { Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater };

/// What a predicate says. Both sides are those of the moment of the comparison.
struct Comparison {
    Comparator comparator = Comparator::Equal;
    bool is_signed = true;
    AffineExpression left;
    AffineExpression right;

    /// Whether it holds for these numbers.
    [[nodiscard]] bool holds(std::uint32_t left_value, std::uint32_t right_value) const;
    friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// What a predicate register says: all of the comparisons hold, or (negated) not all of them do.
struct Predicate {
    std::vector<Comparison> all; ///< Empty: true (negated: false).
    bool negated = false;        ///< Never with one comparison, whose comparator is turned instead.

    /// The only comparison that it consists of.
    [[nodiscard]] std::optional<Comparison> comparison() const {
        return all.size() == 1 ? std::optional{all.front()} : std::nullopt;
    }
    [[nodiscard]] Predicate operator!() const;
    friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// The value that a register has where the values begin (the entry of the function, the start of a
/// turn of a loop), and that of a word of a constant bank, as symbols.
Symbol symbol_of(assembly::Register reg);
Symbol symbol_of_constant(std::int64_t bank, std::int64_t offset);
/// The register of a symbol; nothing for one that is the same for the whole run.
std::optional<assembly::Register> register_of(Symbol symbol);

/// Numbers that the launch gives a lane and that stay the same for its whole run.
enum class Geometry {
    ThreadX,
    ThreadY,
    ThreadZ,
    BlockX,
    BlockY,
    BlockZ,
    ThreadsX,
    ThreadsY,
    ThreadsZ,
    BlocksX,
    BlocksY,
    BlocksZ,
    Lane
};
/// The special register that holds it, as the code names it: "SR_TID.X".
std::string_view special_register_of(Geometry number);
/// Nothing for a register that holds something else.
std::optional<Geometry> geometry_in(std::string_view special_register);
Symbol symbol_of(Geometry number);
std::optional<Geometry> geometry_of(Symbol symbol);

/// A place that a run passes at most once, which gives names to what is computed there. `block` in
/// no loop; `offset`: of the instruction in the block, 0 for what the ways into the block join.
struct Place {
    std::size_t block = 0;
    std::size_t offset = 0;
};

/// What a symbol was made of; nothing when it is another kind of symbol.
std::optional<std::pair<std::int64_t, std::int64_t>> constant_of(Symbol symbol); ///< Bank, offset.
struct NamedRegister {
    Place place;
    assembly::Register reg;
};
std::optional<NamedRegister> named_of(Symbol symbol);

/// Whether the lanes of a warp may part. Uniform registers are the warp's: where they may, lanes
/// find there what others wrote in the meantime, so nothing is known of them.
enum class Lanes { Together, MayPart };

/// Registers that were not written have the values they began with.
class SymbolicRegisters {
public:
    explicit SymbolicRegisters(Lanes lanes) : lanes_{lanes} {}

    /// Nothing when the number is not known.
    [[nodiscard]] std::optional<AffineExpression> number(assembly::Register reg) const;
    [[nodiscard]] std::optional<Predicate> predicate(assembly::Register reg) const;

    /// What the instruction does to the registers. What this version does not understand makes the
    /// registers that it writes unknown (with a place: numbers with names of their own); an
    /// instruction that may be off leaves a register known only if it does not change it.
    void execute(const assembly::Instruction& instruction,
                 const std::optional<Place>& place = std::nullopt);

    /// Keeps what holds for both; with a place, what differs gets a name of its own.
    void join(const SymbolicRegisters& other, const std::optional<Place>& place = std::nullopt);
    friend bool operator==(const SymbolicRegisters&, const SymbolicRegisters&) = default;

private:
    void set(assembly::Register reg, const std::optional<Predicate>& value);
    /// While the lane waits.
    [[nodiscard]] bool others_may_write(assembly::Register reg) const {
        return lanes_ == Lanes::MayPart && (reg.file == assembly::RegisterFile::Uniform ||
                                            reg.file == assembly::RegisterFile::UniformPredicate);
    }

    boost::container::flat_map<assembly::Register, std::optional<AffineExpression>> numbers_;
    boost::container::flat_map<assembly::Register, Predicate> predicates_; ///< Those known.
    Lanes lanes_;
    bool began_known_ = true; ///< False: registers that are not in `numbers_` are unknown.
};

} // namespace warpbound::analyzer
