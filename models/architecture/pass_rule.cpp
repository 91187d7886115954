#include "models/architecture/pass_rule.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <string_view>

namespace warpbound::models {

using assembly::OpcodeClass;

namespace {

bool has_lane_address(const assembly::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, [](const assembly::Operand& operand) {
        const auto* const constant = std::get_if<assembly::ConstantOperand>(&operand);
        return constant != nullptr && constant->index_register.value_or(-1) >= 0;
    });
}

} // namespace

bool uses_banks(PassRule rule) {
    return rule == PassRule::Banks || rule == PassRule::SharedAtomic;
}

bool passes_the_l1(const assembly::Instruction& instruction) {
    const auto has = [&](const char* modifier) { return instruction.has_modifier(modifier); };
    return (has("STRONG") && !has("SM") && !has("CTA")) || has("MMIO") || has("CG") || has("CV");
}

PassRule pass_rule(OpcodeClass opcode_class) {
    switch (opcode_class) {
    case OpcodeClass::LoadShared:
    case OpcodeClass::StoreShared:
        return PassRule::Banks;
    case OpcodeClass::AtomicShared:
        return PassRule::SharedAtomic;
    case OpcodeClass::AtomicGlobal:
        return PassRule::GlobalAtomic;
    case OpcodeClass::LoadGlobal:
    case OpcodeClass::StoreGlobal:
    case OpcodeClass::LoadLocal:
    case OpcodeClass::StoreLocal:
    case OpcodeClass::Texture:
        return PassRule::Lines;
    case OpcodeClass::LoadConstant:
        return PassRule::Words;
    default:
        return PassRule::None;
    }
}

PassRule pass_rule(const assembly::Instruction& instruction) {
    const bool uniform =
        instruction.opcode_class == OpcodeClass::LoadConstant && !has_lane_address(instruction);
    return uniform ? PassRule::None : pass_rule(instruction.opcode_class);
}

namespace {

/// A value of the L1 that is one number; else 0.
std::uint64_t exact_of_l1(const Architecture& architecture, std::string_view name) {
    const ValueGroup* const l1 = architecture.memory("l1");
    const SourcedValue* const value = l1 == nullptr ? nullptr : l1->find(name);
    return value != nullptr && value->interval && value->interval->is_exact()
               ? static_cast<std::uint64_t>(value->interval->hi)
               : 0;
}

} // namespace

std::uint64_t sector_of_atomics(const Architecture& architecture) {
    return exact_of_l1(architecture, "sector");
}

std::uint64_t lines_per_pass_of(const assembly::Instruction& instruction,
                                const Architecture& architecture) {
    const bool is_load = instruction.opcode_class == OpcodeClass::LoadGlobal ||
                         instruction.opcode_class == OpcodeClass::LoadLocal ||
                         instruction.opcode_class == OpcodeClass::Texture;
    return is_load ? exact_of_l1(architecture, "lines-per-pass") : 0;
}

std::int64_t passes_of(const AccessRule& rule, const LaneAddresses& lanes) {
    switch (rule.rule) {
    case PassRule::Banks:
        return bank_passes(lanes, rule.banks, rule.width);
    case PassRule::SharedAtomic:
        return shared_atomic_passes(lanes, rule.banks, rule.width);
    case PassRule::Lines:
        return line_passes(lanes, rule.line);
    case PassRule::GlobalAtomic:
        return global_atomic_passes(lanes, rule.line);
    case PassRule::Words:
        return word_passes(lanes);
    case PassRule::None:
        break;
    }
    return 1;
}

std::int64_t fewest_passes(std::int64_t lines, std::uint64_t lines_per_pass) {
    const auto together = static_cast<std::int64_t>(std::max<std::uint64_t>(1, lines_per_pass));
    return (lines + together - 1) / together;
}

PassRange possible_passes(const AccessRule& rule, const LaneAddresses& lanes) {
    const std::int64_t fewest = passes_of(rule, lanes);
    if (rule.rule == PassRule::Lines && rule.lines_per_pass > 1) {
        const std::int64_t degree = bank_passes(lanes, rule.banks, rule.width);
        return {.lo = std::max(degree, fewest_passes(fewest, rule.lines_per_pass)),
                .hi = std::max(degree, fewest)};
    }
    const bool by_sectors = rule.rule == PassRule::GlobalAtomic && rule.sector != 0;
    return {.lo = fewest,
            .hi = by_sectors ? std::max(fewest, global_atomic_passes(lanes, rule.sector)) : fewest};
}

std::optional<std::string> objection_to(const AccessRule& rule, std::int64_t lanes) {
    struct Size {
        const char* path;
        std::uint64_t bytes;
        bool needed;
    };
    const bool banks = uses_banks(rule.rule) || rule.lines_per_pass > 1;
    const bool line = rule.rule == PassRule::Lines || rule.rule == PassRule::GlobalAtomic;
    for (const auto& [path, bytes, needed] :
         {Size{"memories/shared/banks", rule.banks, banks},
          Size{"memories/shared/bank-width", rule.width, banks},
          Size{"memories/l1/line", rule.line, line},
          Size{"memories/l1/sector", rule.sector, rule.sector != 0}})
        if (needed && !std::has_single_bit(bytes))
            return fmt::format("{} is {}; an address of a lane needs a power of two", path, bytes);
    if (lanes > static_cast<std::int64_t>(most_lanes))
        return fmt::format("addresses of warps of {} lanes; expected at most {}", lanes,
                           most_lanes);
    if (banks && rule.banks * rule.width < rule.bytes)
        return fmt::format("memories/shared: {} banks of {} bytes; expected at least the {} bytes "
                           "of a lane",
                           rule.banks, rule.width, rule.bytes);
    if (line && rule.line < rule.bytes)
        return fmt::format("memories/l1/line is {}; expected at least the {} bytes of a lane",
                           rule.line, rule.bytes);
    return std::nullopt;
}

} // namespace warpbound::models
