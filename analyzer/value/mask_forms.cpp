/// \file
/// Steps of instructions on masks of lanes: EXEC, VCC and SGPRs.

#include "analyzer/value/wavefront_forms.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace warpbound::analyzer {

using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;

namespace {

using Input = std::optional<RegisterOperand>;

constexpr int kept_number = 1000;           ///< EXEC to be, while masks are read.
constexpr std::int64_t masks_first = 0xf0;  ///< PLOP3: bit 4a + 2b + c.
constexpr std::int64_t masks_choice = 0xca; ///< a ? b : c
constexpr std::int64_t masks_and = 0xc0;
constexpr std::int64_t masks_and_not = 0x30;

std::optional<std::int64_t> mask_table(std::string_view operation) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 10> tables{
        {{"mov", masks_first},
         {"not", 0x0f},
         {"and", masks_and},
         {"or", 0xfc},
         {"xor", 0x3c},
         {"andn2", masks_and_not},
         {"orn2", 0xf3},
         {"nand", 0x3f},
         {"nor", 0x03},
         {"xnor", 0xc3}}};
    const auto* const found = std::find_if(tables.begin(), tables.end(),
                                           [&](const auto& one) { return one.first == operation; });
    return found == tables.end() ? std::nullopt : std::optional{found->second};
}

void look_up(Register result, const RegisterOperand& a, const RegisterOperand& b,
             const RegisterOperand& c, std::int64_t table, FormSteps& steps) {
    steps.add("PLOP3", {"LUT"},
              {operand_of(result), truth_operand(true), a, b, c, operand_of(table),
               operand_of(std::int64_t{0})});
}

void copy(Register result, const RegisterOperand& from, FormSteps& steps) {
    look_up(result, from, truth_operand(true), truth_operand(true), masks_first, steps);
}

/// Lanes come back: of registers that were written without them, what all lanes hold.
void restore(FormSteps& steps) {
    const LaneMasks& masks = steps.context().masks;
    if (const auto found = masks.restored.find(steps.context().index);
        found != masks.restored.end())
        for (const Register reg : found->second)
            steps.add("MOV", {},
                      {operand_of(lane_register(reg, View::Active)),
                       operand_of(lane_register(reg, View::All))});
    std::set<MaskId> named;
    for (const assembly::Instruction& instruction : steps.context().function.instructions)
        for (const Register reg : instruction.effects.writes)
            if (const auto mask = mask_with(reg, steps.context().lanes());
                mask && *mask != exec_mask)
                named.insert(*mask);
    for (const MaskId mask : named)
        copy(mask_predicate(mask, View::Active), register_operand(mask_predicate(mask, View::All)),
             steps);
}

/// The lanes of EXEC are in a mask, or none is.
void know(const Input& mask, bool holds, FormSteps& steps) {
    if (mask && mask->index && *mask->index != exec_predicate.index)
        copy({mask->file, *mask->index}, truth_operand(holds), steps);
}

/// D = EXEC; EXEC = some function of EXEC and S.
bool add_saving(std::string_view operation, FormSteps& steps) {
    const RegisterOperand exec = steps.exec();
    const std::string_view saved = text_of_operand(steps.instruction(), 0);
    const auto masked = steps.mask(1, View::All);
    const auto saved_active = steps.mask(saved, View::Active);
    const auto saved_all = steps.mask(saved, View::All);
    if (!masked || !saved_active || !saved_all || !saved_all->index) return false;
    const Register kept{assembly::RegisterFile::Predicate, kept_number};
    if (operation == "and_saveexec") {
        // Of the lanes in EXEC the mask is known as theirs.
        const auto active = steps.mask(1, View::Active);
        look_up(kept, exec, *active, truth_operand(true), masks_and, steps);
        know(active, true, steps);
        copy({saved_all->file, *saved_all->index}, exec, steps);
        copy({saved_active->file, *saved_active->index}, truth_operand(true), steps);
    } else {
        const std::int64_t table = operation == "or_saveexec" ? 0xfc
                                   : operation == "andn2_saveexec"
                                       ? 0x0c // Not EXEC, but in the mask.
                                       : -1;
        if (table < 0) return false;
        look_up(kept, exec, *masked, truth_operand(true), table, steps);
        copy({saved_all->file, *saved_all->index}, exec, steps);
        restore(steps);
        if (operation == "andn2_saveexec")
            copy({saved_active->file, *saved_active->index}, truth_operand(false), steps);
    }
    copy(exec_predicate, register_operand(kept), steps);
    return true;
}

bool add_exec_form(std::string_view operation, std::int64_t table, FormSteps& steps) {
    const ExecChange change = steps.context().masks.change[steps.context().index];
    if (change == ExecChange::Narrows) { // EXEC &= S, EXEC &= ~S
        const auto active = steps.mask(2, View::Active);
        if (!active) return false;
        look_up(exec_predicate, steps.exec(), *active, truth_operand(true), table, steps);
        know(active, operation == "and", steps);
        return true;
    }
    const auto a = steps.mask(1, View::All);
    const auto b = text_of_operand(steps.instruction(), 2).empty() ? Input{truth_operand(true)}
                                                                   : steps.mask(2, View::All);
    const bool known = a && b;
    if (known) look_up(exec_predicate, *a, *b, truth_operand(true), table, steps);
    restore(steps);
    return known;
}

} // namespace

bool add_mask_form(FormSteps& steps) {
    const std::string operation = steps.mask_operation();
    if (operation.ends_with("_saveexec")) {
        if (add_saving(operation, steps)) return true;
        restore(steps);
        return false;
    }
    const auto destination = steps.mask_id(0);
    const auto table = mask_table(operation);
    const bool chooses = operation == "cselect";
    if (!destination || (!table && !chooses)) {
        if (steps.context().masks.change[steps.context().index] == ExecChange::Replaces)
            restore(steps);
        return false;
    }
    if (*destination == exec_mask) {
        if (table) return add_exec_form(operation, *table, steps);
        restore(steps);
        return false;
    }
    bool known = true;
    for (const View view : {View::Active, View::All}) {
        const auto a = steps.mask(1, view);
        const bool is_unary = text_of_operand(steps.instruction(), 2).empty();
        const auto b = is_unary ? Input{truth_operand(true)} : steps.mask(2, view);
        if (!a || !b) {
            known = false;
            continue;
        }
        const Register result = mask_predicate(*destination, view);
        if (chooses)
            look_up(result, register_operand(scc_predicate), *a, *b, masks_choice, steps);
        else
            look_up(result, *a, *b, truth_operand(true), *table, steps);
    }
    return known;
}

void add_branch_form(FormSteps& steps) {
    const assembly::Instruction& branch = steps.instruction();
    if (!branch.guard) return;
    const int lanes = steps.context().lanes();
    const auto mask =
        mask_with({branch.guard->predicate.file, *branch.guard->predicate.index}, lanes);
    if (!mask) return; // SCC.
    // One lane decides where the branch asks for any, so that nothing follows of the others.
    const bool is_real =
        *mask == exec_mask || steps.context().masks.vcc_is_real[steps.context().index];
    if (is_real)
        copy(branch_predicate,
             *mask == exec_mask ? steps.exec() : register_operand(mask_predicate(*mask, View::All)),
             steps);
    else
        steps.forget({branch_predicate}, false);
}

} // namespace warpbound::analyzer
