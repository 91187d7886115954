#include "analyzer/value/kernel_parameters.hpp"

#include "analyzer/value/operand_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t word_size = 4; ///< `Unit:` bytes.

/// RZ with a sign: zero, of which a sum that subtracts it says by its carry that nothing was
/// borrowed.
assembly::Operand subtracted_zero() {
    assembly::RegisterOperand zero;
    zero.negated = true;
    return zero;
}

/// The operand's value; nothing when it is not a whole word that is stated.
std::optional<std::uint32_t> parameter_value(const assembly::ConstantOperand& word,
                                             const KernelParameters& parameters) {
    if (word.bank != 0 || !is_one_word(word) || word.absolute || !word.suffixes.empty())
        return std::nullopt;
    const auto found = parameters.find(word.offset);
    if (found == parameters.end() || found->second.bits < 32) return std::nullopt;
    const std::uint32_t plain = found->second.value;
    const std::uint32_t negated = word.negated ? 0 - plain : plain;
    return word.inverted ? ~negated : negated;
}

/// Gives a load of several words an operand for each, since each may be stated or not.
void name_each_word(assembly::Instruction& load) {
    const std::size_t words = loaded_words(load);
    if (words < 2 || load.operands.size() != 2) return;
    const auto* first = std::get_if<assembly::RegisterOperand>(&load.operands.front());
    if (first == nullptr || !first->index) return;
    std::vector<assembly::Operand> operands{load.operands.front()};
    for (std::size_t word = 0; word < words; ++word) {
        const assembly::Register reg{first->file, *first->index + static_cast<int>(word)};
        const auto operand = loaded_word(load, reg);
        if (!operand) return;
        operands.push_back(*operand);
    }
    load.operands = std::move(operands);
}

/// Where the launch convention of a target places the extents in constant bank 0.
struct ExtentOffsets {
    std::int64_t block = 0;
    std::int64_t grid = 0;
};
std::optional<ExtentOffsets> extent_offsets(assembly::Target target) {
    if (target.sm >= 50 && target.sm <= 62) return ExtentOffsets{0x8, 0x14};
    if (target.sm >= 70 && target.sm <= 90) return ExtentOffsets{0x0, 0xc};
    if (target.sm >= 100 && target.sm <= 121) return ExtentOffsets{0x360, 0x370};
    return std::nullopt;
}

KernelParameters words_from(std::int64_t offset, const std::array<std::int64_t, 3>& extents) {
    KernelParameters words;
    for (const std::int64_t extent : extents) {
        words[offset] = {static_cast<std::uint32_t>(extent), 32};
        offset += word_size;
    }
    return words;
}

} // namespace

assembly::Function with_parameters(const assembly::Function& function,
                                   const KernelParameters& parameters) {
    assembly::Function replaced = function;
    for (assembly::Instruction& instruction : replaced.instructions) {
        name_each_word(instruction);
        if (negates_pair(instruction)) continue;
        for (assembly::Operand& operand : instruction.operands)
            if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand))
                if (const auto value = parameter_value(*word, parameters)) {
                    const bool is_subtracted_zero =
                        word->negated && *value == 0 &&
                        (instruction.mnemonic == "IADD3" || instruction.mnemonic == "UIADD3");
                    if (is_subtracted_zero)
                        operand = subtracted_zero();
                    else
                        operand = assembly::ImmediateOperand{fmt::format("0x{:x}", *value), *value};
                }
    }
    return replaced;
}

KernelParameters block_extents(assembly::Target target, const models::BlockShape& shape) {
    const auto offsets = extent_offsets(target);
    return offsets ? words_from(offsets->block, shape.threads) : KernelParameters{};
}

KernelParameters grid_extents(assembly::Target target, const models::GridShape& shape) {
    const auto offsets = extent_offsets(target);
    return offsets ? words_from(offsets->grid, shape.blocks) : KernelParameters{};
}

bool reads_block_shape(const assembly::Function& function) {
    const auto offsets = extent_offsets(function.target);
    const auto reads = [&](const assembly::Operand& operand, std::size_t words) {
        if (const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&operand))
            return special->name == "SR_TID" || special->name.starts_with("SR_TID.Y") ||
                   special->name.starts_with("SR_TID.Z");
        const auto* constant = std::get_if<assembly::ConstantOperand>(&operand);
        const auto bytes = word_size * static_cast<std::int64_t>(std::max<std::size_t>(words, 1));
        return constant != nullptr && offsets && constant->bank == 0 &&
               constant->offset + bytes > offsets->block + word_size &&
               constant->offset < offsets->block + 3 * word_size;
    };
    return std::any_of(function.instructions.begin(), function.instructions.end(),
                       [&](const assembly::Instruction& instruction) {
                           return std::any_of(instruction.operands.begin(),
                                              instruction.operands.end(),
                                              [&](const assembly::Operand& operand) {
                                                  return reads(operand, loaded_words(instruction));
                                              });
                       });
}

KernelParameters launch_words(const assembly::Function& function, const models::Launch& launch) {
    KernelParameters words;
    if (launch.shape || !reads_block_shape(function))
        words = block_extents(function.target, models::block_shape_of(launch));
    if (launch.grid) words.merge(grid_extents(function.target, *launch.grid));
    return words;
}

} // namespace warpbound::analyzer
