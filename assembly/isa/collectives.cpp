#include "assembly/isa/collectives.hpp"

#include "assembly/isa/returning_calls.hpp"

#include <algorithm>

namespace warpbound::assembly {

namespace {

bool is_begin(const Instruction& instruction) {
    return instruction.mnemonic == "WARPSYNC" && instruction.has_modifier("COLLECTIVE");
}

bool is_end(const Instruction& instruction) {
    return instruction.mnemonic == "ENDCOLLECTIVE";
}

/// The label or address at the end of the operands.
std::optional<std::int64_t> address_behind(const Instruction& begin) {
    if (const auto target = named_target(begin)) return target;
    const auto* number =
        begin.operands.empty() ? nullptr : std::get_if<ImmediateOperand>(&begin.operands.back());
    return number != nullptr ? number->integer : std::nullopt;
}

/// Index of the ENDCOLLECTIVE; nothing where the operation is no straight code.
std::optional<std::size_t> end_of(const Function& function, std::size_t begin) {
    const auto target = address_behind(function.instructions[begin]);
    const auto after = target ? function.index_of(*target) : std::nullopt;
    if (!after || *after < begin + 2 || is_guarded(function.instructions[begin]))
        return std::nullopt;
    const auto first = function.instructions.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = function.instructions.begin() + static_cast<std::ptrdiff_t>(*after - 1);
    const bool is_straight = std::all_of(first + 1, last, [](const Instruction& instruction) {
        return instruction.control_flow == ControlFlow::None && !synchronizes_threads(instruction);
    });
    if (!is_straight || !is_end(*last) || is_guarded(*last)) return std::nullopt;
    return *after - 1;
}

} // namespace

void straighten_collectives(Function& function) {
    for (Instruction& instruction : function.instructions)
        if (is_begin(instruction) || is_end(instruction))
            instruction.control_flow = ControlFlow::Unknown;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        if (!is_begin(function.instructions[i])) continue;
        if (const auto end = end_of(function, i)) {
            function.instructions[i].control_flow = ControlFlow::None;
            function.instructions[*end].control_flow = ControlFlow::None;
        }
    }
}

} // namespace warpbound::assembly
