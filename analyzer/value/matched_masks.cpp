#include "analyzer/value/matched_masks.hpp"

#include "analyzer/value/operand_forms.hpp"

#include <algorithm>
#include <iterator>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Register;
using assembly::RegisterOperand;

/// A whole register without sign, inversion or part.
std::optional<Register> plain_register(const assembly::Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    if (reg == nullptr || !reg->index || reg->negated || reg->absolute || reg->inverted ||
        !only_suffix(reg->suffixes, "reuse"))
        return std::nullopt;
    return Register{reg->file, *reg->index};
}

bool is_true(const assembly::Operand& operand) {
    const RegisterOperand* predicate = as_predicate(operand);
    return predicate != nullptr && !predicate->index && !predicate->negated;
}

/// `VOTE.ANY R5, PT, PT`, `VOTEU.ANY UR7, UPT, PT`.
std::optional<Register> written_active_mask(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if ((instruction.mnemonic != "VOTE" && instruction.mnemonic != "VOTEU") ||
        instruction.modifiers.size() != 1 || instruction.modifiers.front() != "ANY" ||
        operands.size() != 3 || !is_true(operands[1]) || !is_true(operands[2]))
        return std::nullopt;
    return plain_register(operands[0]);
}

} // namespace

std::optional<Register> MatchedMasks::matched(Register reg) const {
    const auto found = matched_.find(reg);
    if (found == matched_.end()) return std::nullopt;
    return found->second;
}

void MatchedMasks::execute(const Instruction& instruction) {
    if (!instruction.effects.writes_known) return clear();
    for (const Register written : instruction.effects.writes) {
        active_.erase(written);
        for (auto entry = matched_.begin(); entry != matched_.end();)
            entry = entry->first == written || entry->second == written ? matched_.erase(entry)
                                                                        : std::next(entry);
    }
    if (assembly::is_guarded(instruction)) return;
    if (const auto mask = written_active_mask(instruction); mask && !is_predicate(mask->file))
        active_.insert(*mask);
    const auto& operands = instruction.operands;
    if (instruction.mnemonic != "MATCH" || instruction.modifiers.size() != 1 ||
        instruction.modifiers.front() != "ANY" || operands.size() != 2)
        return;
    const auto mask = plain_register(operands[0]);
    const auto numbers = plain_register(operands[1]);
    if (mask && numbers && mask != numbers && !is_predicate(mask->file))
        matched_.insert_or_assign(*mask, *numbers);
}

void MatchedMasks::clear() {
    active_.clear();
    matched_.clear();
}

} // namespace warpbound::analyzer
