#pragma once
/// \file
/// One instruction of AMD as steps that the transfer functions of the value analysis know (S56).

#include "analyzer/value/lane_masks.hpp"
#include "analyzer/value/wavefront_operands.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

/// What one instruction of AMD needs of its surroundings.
struct FormContext {
    const assembly::Function& function;
    const LaneMasks& masks;
    std::size_t index = 0;
    const assembly::Instruction* component = nullptr; ///< One of two operations of the instruction.

    [[nodiscard]] const assembly::Instruction& instruction() const {
        return component != nullptr ? *component : function.instructions[index];
    }
    [[nodiscard]] int lanes() const { return function.entry.lanes; }
};

/// The steps of one instruction, in their order.
class FormSteps {
public:
    explicit FormSteps(const FormContext& context) : context_{context} {}

    [[nodiscard]] const FormContext& context() const { return context_; }
    [[nodiscard]] const assembly::Instruction& instruction() const {
        return context_.instruction();
    }
    /// What the instruction does with masks, by the names of gfx9: "andn2"; empty: nothing.
    [[nodiscard]] std::string mask_operation() const;
    /// The mask that an operand names.
    [[nodiscard]] std::optional<MaskId> mask_id(std::size_t operand) const {
        return mask_in(text_of_operand(instruction(), operand), context_.lanes());
    }
    /// Some lane that exists may not be in EXEC.
    [[nodiscard]] bool is_partial() const { return !context_.masks.exec_is_full[context_.index]; }

    /// The operand as a number: of a VGPR that of the active lanes. Nothing where it has none that
    /// is followed.
    [[nodiscard]] std::optional<assembly::Operand> number(std::size_t operand, int word = 0) const;
    /// The operand as a mask of lanes.
    [[nodiscard]] std::optional<assembly::RegisterOperand> mask(std::string_view text,
                                                                View view) const;
    [[nodiscard]] std::optional<assembly::RegisterOperand> mask(std::size_t operand,
                                                                View view) const {
        return mask(text_of_operand(instruction(), operand), view);
    }
    /// EXEC as a mask of all lanes.
    [[nodiscard]] assembly::RegisterOperand exec() const;
    /// The register that the first operand, or a word of it, is.
    [[nodiscard]] std::optional<assembly::Register> destination(int word = 0,
                                                                std::size_t operand = 0) const;

    /// Adds a step. `writes`: the first operand is its result.
    assembly::Instruction& add(std::string_view name, std::vector<std::string> modifiers,
                               std::vector<assembly::Operand> operands, bool writes = true);
    /// Adds steps that were made apart.
    void append(std::vector<assembly::Instruction> steps);
    /// Registers of the value analysis get unknown numbers or truths. `pure`: functions of the
    /// numbers that the instruction reads, the same in every lane.
    void forget(const std::vector<assembly::Register>& registers, bool pure);
    /// All that the instruction writes and no step has written, and the copies for all lanes.
    /// `pure`: of the numbers of lanes. Bits of masks differ by lane whatever is read.
    void finish(bool pure);

    [[nodiscard]] std::vector<assembly::Instruction> take() { return std::move(steps_); }
    [[nodiscard]] bool empty() const { return steps_.empty(); }

private:
    [[nodiscard]] bool has_written(assembly::Register reg) const;

    FormContext context_;
    std::vector<assembly::Instruction> steps_;
};

assembly::RegisterOperand register_operand(assembly::Register reg);
assembly::Operand operand_of(assembly::Register reg);
assembly::Operand operand_of(std::int64_t number);
/// A function of the numbers that a vector instruction reads, the same in every lane.
bool is_function_of_lanes(const assembly::Instruction& instruction);
/// The register that is always zero, and the predicates that always or never hold.
assembly::Operand zero_operand();
assembly::RegisterOperand truth_operand(bool holds);

/// Adds the steps of an instruction; false where its results are not followed. Each is about one
/// part of the instruction set.
bool add_scalar_form(std::string_view name, FormSteps& steps);
bool add_mask_form(FormSteps& steps);
bool add_vector_form(std::string_view name, FormSteps& steps);
/// Two operations in one instruction; false: it is another.
bool add_dual_form(FormSteps& steps);
/// `main`: gets the indices of the steps that make the access, two where a lane has two addresses.
bool add_memory_form(std::string_view name, FormSteps& steps, std::vector<std::size_t>& main);
/// EXEC of a conditional branch on lanes, or SCC.
void add_branch_form(FormSteps& steps);

/// Shifts, sums and products that vector and scalar instructions share.
bool add_arithmetic(std::string_view operation, assembly::Register result,
                    const std::vector<std::optional<assembly::Operand>>& sources, FormSteps& steps);

} // namespace warpbound::analyzer
