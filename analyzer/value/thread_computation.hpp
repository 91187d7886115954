#pragma once
/// \file
/// What one instruction computes in every thread of a block, from the registers before it.

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/thread_domain.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

/// The results of one instruction, from the registers before it.
class ThreadComputation {
public:
    ThreadComputation(const ThreadArithmetic& arithmetic, const ThreadRegisters& registers,
                      const assembly::Instruction& instruction, Origin origin);

    /// The register of `number`; where there is none, that of `predicate`.
    [[nodiscard]] std::optional<assembly::Register> destination() const { return destination_; }
    /// The register of the predicate "the number is not zero".
    [[nodiscard]] std::optional<assembly::Register> nonzero() const { return nonzero_; }

    /// The result; nothing where it is not modelled.
    [[nodiscard]] std::optional<ThreadNumber> number() const;
    /// What a load of constant words writes into this one of its registers.
    [[nodiscard]] std::optional<ThreadNumber> number_loaded_into(assembly::Register written) const;
    [[nodiscard]] std::optional<ThreadPredicate> predicate() const;
    /// The predicate holds for at most one lane of each warp: it compares numbers that differ in
    /// all lanes with one that does not.
    [[nodiscard]] bool elects_one_lane() const;
    /// What holds of every number that it writes, from uniformity alone.
    [[nodiscard]] ThreadNumber generic_number() const;
    /// Lanes of a warp that execute it together get equal results.
    [[nodiscard]] bool is_uniform() const {
        const auto& reads = instruction_.effects.reads;
        return votes() || (is_pure_of_registers() &&
                           std::all_of(reads.begin(), reads.end(), [&](assembly::Register reg) {
                               return registers_.is_uniform(reg);
                           }));
    }

private:
    using Number = std::optional<ThreadNumber>;

    [[nodiscard]] bool is(std::string_view plain, std::string_view uniform = {}) const {
        return instruction_.mnemonic == plain ||
               (!uniform.empty() && instruction_.mnemonic == uniform);
    }
    [[nodiscard]] bool loads_one_word() const;
    [[nodiscard]] bool votes() const;
    /// Lanes that execute it together with equal registers get equal results.
    [[nodiscard]] bool is_pure_of_registers() const;
    [[nodiscard]] bool only(std::initializer_list<std::string_view> modifiers) const {
        return only_modifiers(instruction_, modifiers);
    }
    /// The value of a source operand, with its modifiers (sign, inversion) applied.
    [[nodiscard]] Number source(std::size_t index) const;
    [[nodiscard]] Number value_of_source(const assembly::Operand& operand) const;
    [[nodiscard]] std::optional<std::uint32_t> immediate(std::size_t index) const {
        if (index >= sources_.size()) return std::nullopt;
        const auto* number = std::get_if<assembly::ImmediateOperand>(sources_[index]);
        return number == nullptr ? std::nullopt : value_of(*number);
    }
    [[nodiscard]] Number decorated(Number number, bool negated, bool inverted) const;
    [[nodiscard]] Number sum(const Number& a, const Number& b) const {
        return a && b ? Number{arithmetic_.sum(*a, *b, origin_)} : std::nullopt;
    }
    [[nodiscard]] Number shifted_left(const Number& a, std::optional<std::uint32_t> by) const {
        if (!a || !by || *by > 31) return std::nullopt;
        return arithmetic_.product(*a, arithmetic_.constant(std::uint32_t{1} << *by), origin_);
    }
    /// The first source, shifted by what each thread has in the second.
    [[nodiscard]] Number shifted_left_by_numbers() const;
    [[nodiscard]] Number shifted_right(const Number& a, std::optional<std::uint32_t> by,
                                       bool is_signed) const {
        if (!a || !by || *by > 31) return std::nullopt;
        return arithmetic_.shifted_right(*a, *by, is_signed, origin_);
    }
    [[nodiscard]] Number multiply_add() const;
    [[nodiscard]] Number half_product() const;
    [[nodiscard]] Number logic() const;
    [[nodiscard]] Number shift() const;
    [[nodiscard]] Number scaled_sum() const;
    [[nodiscard]] Number selection() const;
    /// Of AMD's code (S56): OR with the number of lowest bits of the first that were shifted in,
    /// and the bits of a mask of lowest bits.
    [[nodiscard]] Number of_disjoint_bits() const;
    [[nodiscard]] std::optional<ThreadPredicate> comparison_result() const;
    /// No lane has a result other than zero: it is `R & A & ~M`, where A is the mask of the lanes
    /// that execute it, M that of those with a lane's number in R, and masks R do not overlap.
    [[nodiscard]] bool finds_no_overlap() const;
    [[nodiscard]] std::optional<ThreadPredicate>
    combined(const std::vector<std::optional<ThreadPredicate>>& inputs,
             const std::function<bool(const std::vector<bool>&)>& result) const;

    const ThreadArithmetic& arithmetic_;
    const ThreadRegisters& registers_;
    const assembly::Instruction& instruction_;
    Origin origin_;
    std::optional<assembly::Register> destination_;
    std::optional<assembly::Register> nonzero_;
    std::vector<const assembly::Operand*> sources_;            ///< After the destinations.
    std::vector<const assembly::RegisterOperand*> predicates_; ///< After the destinations.
};

} // namespace warpbound::analyzer
