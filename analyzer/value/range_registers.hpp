#pragma once
/// \file
/// Abstract state of a thread's registers as ranges, and the effect of one instruction on it
/// (S16a, S70, S92).

#include "analyzer/value/range_operation.hpp"
#include "analyzer/value/relative_bounds.hpp"
#include "analyzer/value/symbols.hpp"
#include "analyzer/value/value_range.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// The registers whose values matter, numbered.
using RegisterNumbers = std::map<assembly::Register, std::size_t>;

/// Registers on which guards and predicate operands of control instructions depend, transitively.
/// `guards`: per instruction, whether its guard counts, too; empty: no other's.
RegisterNumbers deciding_registers(const assembly::Function& function,
                                   const std::vector<bool>& guards = {});

/// The constants that comparisons name and their neighbours, in ascending order.
std::vector<std::int32_t> compared_numbers(const assembly::Function& function);

/// Possible values of registers before an instruction.
class RangeRegisters {
public:
    /// Nothing is known. `of` must outlive the object.
    explicit RangeRegisters(const RegisterNumbers& of) : of_{&of}, values_(of.size()) {}

    [[nodiscard]] ValueRange number(assembly::Register reg) const;
    /// Nothing when it is not known.
    [[nodiscard]] std::optional<bool> truth(assembly::Register reg) const;
    [[nodiscard]] std::optional<bool> truth(const assembly::RegisterOperand& operand) const;
    /// The guard holds; nothing when that is not known.
    [[nodiscard]] std::optional<bool> guard_of(const assembly::Instruction& instruction) const;

    /// The possible values of thread and block indices and extents.
    using GeometryRanges = std::function<ValueRange(Geometry)>;
    /// `operation`: that of the instruction.
    void execute(const assembly::Instruction& instruction, RangeOperation operation,
                 const GeometryRanges& geometry);
    /// At the beginning of a basic block other lanes may be active, and registers of `shared` may
    /// hold what yet others wrote.
    void begin_block(const std::set<assembly::Register>& shared);
    /// Nothing is known of these registers any more.
    void forget(const std::set<assembly::Register>& registers);
    /// Keeps the values for which the operand has this truth (`holds`); false where there are none.
    bool assume(const assembly::RegisterOperand& predicate, bool holds);
    /// Keeps what holds of both.
    void join(const RangeRegisters& other);
    /// Ranges that `other` leaves grow to the next of `thresholds`, or become unknown.
    void widen(const RangeRegisters& other, const std::vector<std::int32_t>& thresholds);
    friend bool operator==(const RangeRegisters& a, const RangeRegisters& b) {
        return a.values_ == b.values_ && a.implied_ == b.implied_;
    }

private:
    /// How a number was computed from a register that was not written since.
    struct Origin {
        enum class Kind {
            None,
            Sum,     ///< The register plus `number`.
            LowBits, ///< The `number` low bits of the register plus `added`, zeros above them.
            Least,   ///< The smaller of the register and `number`.
            Most     ///< The larger one.
        };
        Kind kind = Kind::None;
        bool is_signed = false; ///< Of an extreme.
        std::uint32_t number = 0;
        std::size_t of = 0; ///< Number of the register.
        std::uint32_t added = 0;
        friend bool operator==(const Origin&, const Origin&) = default;
    };
    struct Value {
        ValueRange range; ///< Of a predicate: 0, 1, or more where it is not known.
        /// It is the mask of the active lanes of this execution of the basic block.
        bool is_active_mask = false;
        Origin origin{};
        RelativeBounds bounds{}; ///< Of the signed number.
        friend bool operator==(const Value&, const Value&) = default;
    };
    /// Of a sum, with its sign.
    struct Term {
        ValueRange range;
        RelativeBounds bounds{};
        [[nodiscard]] Term negated() const;
        [[nodiscard]] Term complement() const;
    };
    [[nodiscard]] Value held(assembly::Register reg) const;
    [[nodiscard]] std::optional<Value> source(const assembly::Operand& operand) const;
    [[nodiscard]] std::optional<Value> number_of(const assembly::Instruction& instruction,
                                                 RangeOperation operation,
                                                 const GeometryRanges& geometry) const;
    /// Of a sum with one register, a copy, the low bits of a register, or an extreme.
    [[nodiscard]] Origin origin_of(const assembly::Instruction& instruction,
                                   RangeOperation operation) const;
    [[nodiscard]] Origin origin_of_bits(const assembly::Instruction& instruction) const;
    [[nodiscard]] Origin origin_of_extreme(const assembly::Instruction& instruction) const;
    // Bounds by earlier numbers (S92).
    [[nodiscard]] Term term_of(const assembly::Operand& operand) const;
    /// The terms of the sum that the instruction writes; none: it writes no sum.
    [[nodiscard]] std::vector<Term> summands_of(const assembly::Instruction& instruction,
                                                RangeOperation operation) const;
    static void bound_sum(const std::vector<Term>& terms, Value& sum);
    void bound_extreme(const assembly::Instruction& instruction, Value& extreme) const;
    /// Of the number that the instruction writes, from those of its operands.
    void add_bounds(const assembly::Instruction& instruction, RangeOperation operation,
                    Value& number) const;
    [[nodiscard]] std::optional<bool> compared_by_bounds(Comparator comparator, bool is_signed,
                                                         const assembly::Operand& left,
                                                         const assembly::Operand& right) const;
    /// The numbers that have this origin, where the register has these.
    [[nodiscard]] static ValueRange computed(const Origin& origin, const ValueRange& of);
    /// Of a sum of a number and one that is subtracted and not larger; nothing for others.
    [[nodiscard]] std::optional<ValueRange> difference_of(const assembly::Operand& one,
                                                          const assembly::Operand& other) const;
    /// Of a sum with the low bits of a register subtracted from it; nothing for other numbers.
    [[nodiscard]] std::optional<ValueRange> without_low_bits(const assembly::Operand& one,
                                                             const assembly::Operand& other) const;
    [[nodiscard]] std::optional<ValueRange> sum_of(const assembly::Instruction& instruction) const;
    [[nodiscard]] std::optional<ValueRange>
    high_product_of(const assembly::Instruction& instruction) const;
    /// The state of the threads for which the guard has this truth; nothing where the guard says
    /// nothing of numbers.
    [[nodiscard]] std::optional<RangeRegisters>
    where_guard(const assembly::Instruction& instruction, bool holds) const;
    [[nodiscard]] std::optional<Value> special_number(const assembly::Instruction& instruction,
                                                      const GeometryRanges& geometry) const;
    [[nodiscard]] std::optional<bool> truth_of(const assembly::Instruction& instruction,
                                               RangeOperation operation) const;
    // Arithmetic on pairs of registers.
    [[nodiscard]] std::optional<bool> carry_of(const assembly::Instruction& instruction) const;
    [[nodiscard]] std::optional<ValueRange>
    carries_into(const assembly::Instruction& instruction) const;
    [[nodiscard]] ValueRange upper_word_of(const assembly::Instruction& instruction) const;
    [[nodiscard]] std::optional<bool>
    upper_words_equal(const assembly::Instruction& compared) const;
    [[nodiscard]] std::optional<bool>
    extended_truth_of(const assembly::Instruction& compared) const;

    /// A number compared with a register, or with a constant.
    struct Relation {
        std::size_t left = 0;
        Comparator comparator = Comparator::Equal;
        bool is_signed = false;
        std::optional<std::size_t> right;
        ValueRange constant;
        bool is_membership = false; ///< `left` lies in the range `constant`, in place of comparing.
        friend bool operator==(const Relation&, const Relation&) = default;
    };
    /// In place of the number of a predicate: holds in any case.
    static constexpr std::size_t always = ~std::size_t{0};
    /// What the truth of a predicate says of registers that were not written since.
    struct Implied {
        std::size_t predicate = 0;
        std::vector<Relation> when_true;
        std::vector<Relation> when_false;
        friend bool operator==(const Implied&, const Implied&) = default;
    };
    [[nodiscard]] std::optional<std::size_t> index_of(const assembly::Operand& operand) const;
    [[nodiscard]] std::optional<Relation> relation_of(const assembly::Instruction& compared) const;
    /// The relation, and what it says of the register that its left side was computed from.
    void add_relations(const Relation& relation, std::vector<Relation>& to) const;
    [[nodiscard]] Implied implied_by(const assembly::Instruction& instruction,
                                     RangeOperation operation) const;
    [[nodiscard]] Implied implied_by_extended(const assembly::Instruction& compared) const;
    /// What both sides of a relation say of each other; false where it cannot hold.
    bool restrict(const Relation& relation);
    /// Keeps numbers of a register, and those of registers that differ from it by a constant.
    bool keep(std::size_t index, const std::optional<ValueRange>& numbers);
    /// Holds for all numbers.
    [[nodiscard]] bool is_known(const Relation& relation) const;
    /// Where `relation` or `other` holds (both fail, `holds` false), whether `relation` does.
    [[nodiscard]] bool holds_of_either(const Relation& relation,
                                       const assembly::RegisterOperand& other, bool holds) const;
    void keep_implied_of(const RangeRegisters& other);
    /// The relations of the predicate's truth that hold in this state, too.
    [[nodiscard]] std::vector<Relation> also_here(const Implied& implied, bool truth) const;
    /// What a predicate that holds in one of the states and fails in the other says of numbers.
    void imply_by_joining(const RangeRegisters& other);
    void add_implied(Implied implied);
    /// Per number: whether an origin or a relation is of it.
    [[nodiscard]] std::vector<bool> named_by_others() const;
    /// Relations with a register, and those of a predicate, hold no longer.
    void forget(std::size_t index);
    void hand_on_relations(std::size_t index);
    void hand_on(std::vector<Relation>& relations, std::size_t from, std::size_t heir) const;

    const RegisterNumbers* of_;
    std::vector<Value> values_;
    std::vector<Implied> implied_; ///< In the order of the predicates.
};

} // namespace warpbound::analyzer
