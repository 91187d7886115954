/// \file
/// Steps of instructions that do two vector operations at once (VOPD of gfx11).

#include "analyzer/value/wavefront_forms.hpp"
#include "assembly/amd/dual_issue.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;

namespace {

constexpr int kept_temporary = 8; ///< The temporary of what the first operation overwrites.

/// One of the operations, which its component stands for.
std::vector<Instruction> steps_of_component(const FormContext& context) {
    FormSteps steps{context};
    const Instruction& component = context.instruction();
    const Register result = lane_register(component.effects.writes.front(), View::Active);
    if (add_vector_form(plain_name(component.mnemonic), steps)) return steps.take();
    FormSteps unknown{context};
    unknown.forget({result}, is_function_of_lanes(component));
    return unknown.take();
}

/// Steps read another register in place of one.
void read_instead(std::vector<Instruction>& steps, Register old, Register other) {
    for (Instruction& step : steps) {
        auto& reads = step.effects.reads;
        if (std::ranges::count(reads, old) == 0) continue;
        std::replace(reads.begin(), reads.end(), old, other);
        std::sort(reads.begin(), reads.end());
        const std::size_t first = step.effects.writes.empty() ? 0 : 1;
        for (std::size_t i = first; i < step.operands.size(); ++i)
            if (auto* reg = std::get_if<assembly::RegisterOperand>(&step.operands[i]);
                reg != nullptr && reg->index && Register{reg->file, *reg->index} == old) {
                reg->file = other.file;
                reg->index = other.index;
            }
    }
}

} // namespace

/// Both operations read before either writes.
bool add_dual_form(FormSteps& steps) {
    const auto components = assembly::amd::dual_components(steps.instruction());
    if (!components) return false;
    FormContext context = steps.context();
    context.component = &(*components)[0];
    std::vector<Instruction> first = steps_of_component(context);
    context.component = &(*components)[1];
    std::vector<Instruction> second = steps_of_component(context);
    const Register written = lane_register((*components)[0].effects.writes.front(), View::Active);
    const Register kept = temporary(kept_temporary);
    steps.add("MOV", {}, {operand_of(kept), operand_of(written)});
    read_instead(second, written, kept);
    steps.append(std::move(first));
    steps.append(std::move(second));
    return true;
}

} // namespace warpbound::analyzer
