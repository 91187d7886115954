#include "certification/verify/flow/launch_values.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <variant>

namespace warpbound::certification::verify {

namespace {

using assembly::Function;
using Extents = std::array<std::int64_t, 3>;

constexpr std::array<std::string_view, 3> dimensions{"X", "Y", "Z"};

/// Where the compiler's launch convention of a target places the extents in constant bank 0, in
/// bytes; from one dimension to the next there are four.
struct Convention {
    std::int64_t block = 0;
    std::int64_t grid = 0;
};

std::optional<Convention> convention_of(assembly::Target target) {
    if (target.sm >= 100) {
        if (target.sm > 121) return std::nullopt;
        return Convention{0x360, 0x370};
    }
    if (target.sm >= 70 && target.sm <= 90) return Convention{0x0, 0xc};
    if (target.sm >= 50 && target.sm <= 62) return Convention{0x8, 0x14};
    return std::nullopt;
}

/// Whether an operand is the index or the extent of a block in y or z. `bytes`: that the
/// instruction reads of a constant.
bool is_about_other_dimensions(const assembly::Operand& operand, std::int64_t bytes,
                               std::int64_t block_offset) {
    if (const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&operand))
        return special->name.starts_with("SR_TID") && special->name != "SR_TID.X";
    const auto* constant = std::get_if<assembly::ConstantOperand>(&operand);
    return constant != nullptr && constant->bank == 0 &&
           constant->offset + bytes > block_offset + 4 && constant->offset < block_offset + 12;
}

/// Those of a load of constants to several registers.
std::int64_t bytes_of_constant(const assembly::Instruction& instruction) {
    constexpr std::int64_t word = 4;
    if (instruction.mnemonic.find("LDC") == std::string::npos) return word;
    return word * std::max<std::int64_t>(1, std::ssize(instruction.effects.writes));
}

std::optional<Extents> extents_by(const Function& function, const models::Launch& launch,
                                  const std::optional<Convention>& convention) {
    if (launch.shape) return launch.shape->threads;
    const std::int64_t offset = convention ? convention->block : -12;
    for (const auto& instruction : function.instructions)
        for (const auto& operand : instruction.operands)
            if (is_about_other_dimensions(operand, bytes_of_constant(instruction), offset))
                return std::nullopt;
    return Extents{launch.threads, 1, 1};
}

NumberSet indices(std::int64_t extent, const std::optional<Corner>& corner) {
    if (!corner) return NumberSet::range(0, extent - 1);
    return NumberSet::of(*corner == Corner::First ? 0 : static_cast<std::uint32_t>(extent - 1));
}

} // namespace

std::optional<Extents> extents_of_blocks(const Function& function, const models::Launch& launch) {
    return extents_by(function, launch, convention_of(function.target));
}

LaunchValues::LaunchValues(const Function& function, const models::Launch& launch,
                           std::optional<Corner> corner)
    : is_one_thread_{corner.has_value()} {
    const auto convention = convention_of(function.target);
    const auto block = extents_by(function, launch, convention);
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const auto dimension = std::string{dimensions.at(i)};
        const std::int64_t word = 4 * static_cast<std::int64_t>(i);
        specials_["SR_TID." + dimension] =
            block ? indices(block->at(i), corner) : NumberSet::range(0, launch.threads - 1);
        specials_["SR_CTAID." + dimension] = launch.grid
                                                 ? indices(launch.grid->blocks.at(i), corner)
                                                 : NumberSet::range(0, launch.blocks - 1);
        if (!convention) continue;
        if (block)
            words_[convention->block + word] =
                NumberSet::of(static_cast<std::uint32_t>(block->at(i)));
        if (launch.grid)
            words_[convention->grid + word] =
                NumberSet::of(static_cast<std::uint32_t>(launch.grid->blocks.at(i)));
    }
    specials_["SR_LANEID"] = NumberSet::range(0, 31);
    specials_["SRZ"] = NumberSet::of(0);
    for (const auto& [offset, stated] : launch.arguments) {
        const std::int64_t unit = std::int64_t{1} << std::min(stated.bits, 32U);
        words_[offset] = NumberSet::range(std::int64_t{stated.value} % unit, 0xffffffff,
                                          static_cast<std::uint64_t>(unit));
    }
}

ThreadIndices indices_between(std::int64_t first, std::int64_t last, const Extents& extents) {
    ThreadIndices threads;
    const auto index = [&](std::int64_t thread) {
        return Extents{thread % extents[0], thread / extents[0] % extents[1],
                       thread / extents[0] / extents[1]};
    };
    threads.first = index(first);
    threads.last = index(last);
    // Within one value of an index the ones before it run through all of theirs.
    bool runs_through = false;
    for (std::size_t i = extents.size(); i-- > 0;) {
        if (runs_through) {
            threads.first.at(i) = 0;
            threads.last.at(i) = extents.at(i) - 1;
        }
        runs_through = runs_through || threads.first.at(i) != threads.last.at(i);
    }
    return threads;
}

LaunchValues::LaunchValues(const Function& function, const models::Launch& launch,
                           const ThreadIndices& threads)
    : LaunchValues{function, launch} {
    is_one_thread_ = threads.is_one_thread;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const auto dimension = std::string{dimensions.at(i)};
        specials_["SR_TID." + dimension] =
            NumberSet::range(threads.first.at(i), threads.last.at(i));
        if (threads.is_one_thread && !threads.is_in_any_block)
            specials_["SR_CTAID." + dimension] = NumberSet::of(0);
    }
}

LaunchValues::LaunchValues(const Function& function, const models::Launch& launch,
                           const ThreadBox& box)
    : LaunchValues{function, launch} {
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const auto dimension = std::string{dimensions.at(i)};
        const std::size_t of_block = dimensions.size() + i;
        specials_["SR_TID." + dimension] = NumberSet::range(box.first.at(i), box.last.at(i));
        specials_["SR_CTAID." + dimension] =
            NumberSet::range(box.first.at(of_block), box.last.at(of_block));
    }
}

NumberSet LaunchValues::word(std::int64_t offset) const {
    const auto found = words_.find(offset);
    return found == words_.end() ? NumberSet{} : found->second;
}

NumberSet LaunchValues::special(const std::string& name) const {
    const auto found = specials_.find(name);
    return found == specials_.end() ? NumberSet{} : found->second;
}

} // namespace warpbound::certification::verify
