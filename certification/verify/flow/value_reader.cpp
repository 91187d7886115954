#include "certification/verify/flow/value_reader.hpp"

#include <algorithm>
#include <limits>

namespace warpbound::certification::verify {

using assembly::RegisterFile;
using assembly::RegisterOperand;

bool is_predicate_file(RegisterFile file) {
    return file == RegisterFile::Predicate || file == RegisterFile::UniformPredicate;
}

bool has_plain_suffixes(const std::vector<std::string>& suffixes) {
    return std::all_of(suffixes.begin(), suffixes.end(),
                       [](const std::string& suffix) { return suffix == "reuse"; });
}

NumberSet anything(assembly::Register reg) {
    return is_predicate_file(reg.file) ? NumberSet::range(0, 1) : NumberSet{};
}

NumberSet ValueReader::operand(const assembly::Operand& operand, ProgramPoint point) {
    // With the sign and the complement that an operand asks for.
    const auto modified = [](const NumberSet& plain, const auto& named) {
        const NumberSet negated = named.negated ? -plain : plain;
        return named.inverted ? ~negated : negated;
    };
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
        if (reg->absolute || !has_plain_suffixes(reg->suffixes) || is_predicate_file(reg->file))
            return {};
        const NumberSet plain =
            reg->index ? value({reg->file, *reg->index}, point) : NumberSet::of(0);
        return modified(plain, *reg);
    }
    if (const auto* literal = std::get_if<assembly::ImmediateOperand>(&operand))
        return literal->integer && *literal->integer >= std::numeric_limits<std::int32_t>::min() &&
                       *literal->integer <= std::numeric_limits<std::uint32_t>::max()
                   ? NumberSet::of(static_cast<std::uint32_t>(*literal->integer))
                   : NumberSet{};
    if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand)) {
        if (word->bank != 0 || word->index_register || word->uniform_register ||
            word->bank_register || word->absolute || !has_plain_suffixes(word->suffixes))
            return {};
        return modified(launch().word(word->offset), *word);
    }
    return {};
}

NumberSet ValueReader::truth(const RegisterOperand& predicate, ProgramPoint point) {
    if (!is_predicate_file(predicate.file)) return NumberSet::range(0, 1);
    NumberSet holds =
        predicate.index ? value({predicate.file, *predicate.index}, point) : NumberSet::of(1);
    if (!predicate.negated || holds.empty()) return holds;
    return NumberSet::of(1) + -holds;
}

} // namespace warpbound::certification::verify
