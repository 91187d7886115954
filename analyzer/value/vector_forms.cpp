/// \file
/// Steps of vector instructions on registers.

#include "analyzer/value/wavefront_forms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;

namespace {

/// The operation of a vector instruction, and the operands that it takes, in its order.
struct VectorName {
    std::string_view name;
    std::string_view operation;
    std::array<int, 3> sources{1, 2, 3};
};

constexpr std::array vector_names{
    VectorName{"v_mov_b32", "mov"},
    VectorName{"v_not_b32", "not"},
    VectorName{"v_accvgpr_read_b32", "mov"},
    VectorName{"v_accvgpr_write_b32", "mov"},
    VectorName{"v_accvgpr_mov_b32", "mov"},
    VectorName{"v_add_u32", "add"},
    VectorName{"v_add_nc_u32", "add"},
    VectorName{"v_add_i32", "add"},
    VectorName{"v_sub_u32", "sub"},
    VectorName{"v_sub_nc_u32", "sub"},
    VectorName{"v_subrev_u32", "sub", {2, 1, 3}},
    VectorName{"v_subrev_nc_u32", "sub", {2, 1, 3}},
    VectorName{"v_add_co_u32", "add", {2, 3, 4}}, // The second operand is the carry.
    VectorName{"v_sub_co_u32", "sub", {2, 3, 4}},
    VectorName{"v_subrev_co_u32", "sub", {3, 2, 4}},
    VectorName{"v_add3_u32", "add3"},
    VectorName{"v_lshl_add_u32", "shift_add"},
    VectorName{"v_lshl_or_b32", "shift_or"},
    VectorName{"v_add_lshl_u32", "add_shift"},
    VectorName{"v_and_or_b32", "and_or"},
    VectorName{"v_or3_b32", "or3"},
    VectorName{"v_lshlrev_b32", "lshl", {2, 1, 3}},
    VectorName{"v_lshrrev_b32", "lshr", {2, 1, 3}},
    VectorName{"v_ashrrev_i32", "ashr", {2, 1, 3}},
    VectorName{"v_and_b32", "and"},
    VectorName{"v_or_b32", "or"},
    VectorName{"v_xor_b32", "xor"},
    VectorName{"v_bfe_u32", "bfe"},
    VectorName{"v_bfe_i32", "bfei"},
    VectorName{"v_mul_lo_u32", "mul"},
    VectorName{"v_mul_lo_i32", "mul"},
    VectorName{"v_min_i32", "min"},
    VectorName{"v_max_i32", "max"},
    VectorName{"v_min_u32", "minu"},
    VectorName{"v_max_u32", "maxu"},
    VectorName{"v_mad_u64_u32", "mad", {2, 3, 4}}, // The low word.
    VectorName{"v_mad_i64_i32", "mad", {2, 3, 4}},
    VectorName{"v_lshl_add_u64", "shift_add"},
};

constexpr std::int64_t low_24_bits = (std::int64_t{1} << 24U) - 1;

/// Products of the lowest 24 bits of two numbers.
bool add_product_of_24_bits(std::string_view name, Register result, FormSteps& steps) {
    const bool adds = name == "v_mad_u32_u24";
    if (!adds && name != "v_mul_u32_u24") return false;
    std::array<Operand, 2> factors;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const auto number = steps.number(i + 1);
        if (!number) return false;
        const Operand low = operand_of(temporary(static_cast<int>(i)));
        steps.add("LOWBITS", {}, {low, *number, operand_of(low_24_bits)});
        factors.at(i) = low;
    }
    const auto added = adds ? steps.number(3) : std::optional{zero_operand()};
    return added && add_arithmetic("mad", result, {factors[0], factors[1], added}, steps);
}

/// The low word of a pair that is shifted by a constant; the high one is not followed.
bool add_shifted_lanes(std::string_view name, Register result, FormSteps& steps) {
    const auto by = steps.number(1);
    const auto low = steps.number(2);
    const auto high = steps.number(2, 1);
    const auto upper = steps.destination(1);
    const auto* const bits = by ? std::get_if<assembly::ImmediateOperand>(&*by) : nullptr;
    if (bits == nullptr || !low || !high || !upper || *bits->integer < 0 || *bits->integer > 31)
        return false;
    const Register place = temporary(0);
    if (name == "v_lshlrev_b64") {
        if (!add_arithmetic("lshl", place, {low, by}, steps)) return false;
    } else {
        if (*bits->integer == 0) return false;
        const Operand part = operand_of(temporary(1));
        steps.add("SHR", {"U32"}, {part, *low, *by});
        steps.add(
            "IMAD", {},
            {operand_of(place), *high, operand_of(std::int64_t{1} << (32 - *bits->integer)), part});
    }
    steps.forget({*upper}, true);
    steps.add("MOV", {}, {operand_of(result), operand_of(place)});
    return true;
}

std::string_view lane_comparator(std::string_view name) {
    for (const auto& [text, comparator] :
         {std::pair<std::string_view, std::string_view>{"_lt_", "LT"},
          {"_le_", "LE"},
          {"_eq_", "EQ"},
          {"_ne_", "NE"},
          {"_ge_", "GE"},
          {"_gt_", "GT"}})
        if (name.find(text) != std::string_view::npos) return comparator;
    return {};
}

/// Modifiers of a comparison of numbers of 32 bits; nothing for others.
std::optional<std::vector<std::string>> lane_comparison(std::string_view name) {
    const std::string_view comparator = lane_comparator(name);
    const bool is_unsigned = name.ends_with("_u32");
    if (comparator.empty() || (!is_unsigned && !name.ends_with("_i32"))) return std::nullopt;
    std::vector<std::string> modifiers{std::string{comparator}};
    if (is_unsigned) modifiers.emplace_back("U32");
    modifiers.emplace_back("AND");
    return modifiers;
}

/// Lanes outside EXEC get the bit 0.
bool compare_lanes(std::string_view name, FormSteps& steps) {
    const auto mask = steps.mask_id(0);
    const auto left = steps.number(1);
    const auto right = steps.number(2);
    const auto modifiers = lane_comparison(name);
    if (!mask || *mask == exec_mask || !left || !right || !modifiers) return false;
    for (const View view : {View::Active, View::All})
        steps.add("ISETP", *modifiers,
                  {operand_of(mask_predicate(*mask, view)), truth_operand(true), *left, *right,
                   view == View::Active ? truth_operand(true) : steps.exec()});
    return true;
}

/// From gfx10 on V_CMPX writes EXEC alone; before it had a mask as its first operand, too.
bool keep_lanes(std::string_view name, FormSteps& steps) {
    const auto left = steps.number(0);
    const auto right = steps.number(1);
    const auto modifiers = lane_comparison(name);
    if (!text_of_operand(steps.instruction(), 2).empty() || !left || !right || !modifiers)
        return false;
    steps.add("ISETP", *modifiers,
              {operand_of(exec_predicate), truth_operand(true), *left, *right, steps.exec()});
    return true;
}

} // namespace

bool add_vector_form(std::string_view name, FormSteps& steps) {
    if (name.starts_with("v_cmp_")) return compare_lanes(name, steps);
    if (name.starts_with("v_cmpx_")) return keep_lanes(name, steps);
    const auto result = steps.destination();
    if (!result) return false;
    if (name == "v_readfirstlane_b32") { // With an empty EXEC that of a lane outside it.
        const auto from = steps.number(1);
        if (!from || steps.is_partial()) return false;
        assembly::Instruction& step = steps.add("FIRSTLANE", {}, {operand_of(*result), *from});
        step.opcode_class = assembly::OpcodeClass::Unknown;
        return true;
    }
    if (result->file != RegisterFile::General) return false;
    if (name == "v_lshlrev_b64" || name == "v_lshrrev_b64" || name == "v_ashrrev_i64")
        return add_shifted_lanes(name, *result, steps);
    if (name == "v_cndmask_b32") {
        const auto otherwise = steps.number(1);
        const auto chosen = steps.number(2);
        const auto mask = steps.mask(3, View::Active);
        if (!otherwise || !chosen || !mask) return false;
        steps.add("SEL", {}, {operand_of(*result), *chosen, *otherwise, *mask});
        return true;
    }
    if (add_product_of_24_bits(name, *result, steps)) return true;
    const auto* const found = std::find_if(vector_names.begin(), vector_names.end(),
                                           [&](const VectorName& one) { return one.name == name; });
    if (found == vector_names.end()) return false;
    std::vector<std::optional<Operand>> sources;
    for (const int operand : found->sources)
        sources.push_back(steps.number(static_cast<std::size_t>(operand)));
    return add_arithmetic(found->operation, *result, sources, steps);
}

} // namespace warpbound::analyzer
