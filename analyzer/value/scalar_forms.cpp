/// \file
/// Steps of scalar instructions, and the arithmetic that vector instructions share with them.

#include "analyzer/value/wavefront_forms.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

namespace warpbound::analyzer {

using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;

namespace {

using Sources = std::vector<std::optional<Operand>>;

constexpr std::int64_t table_of_and = 0xc0; ///< LOP3: bit 4a + 2b + c.
constexpr std::int64_t table_and_not = 0x30;
constexpr std::int64_t table_or_not = 0xf3;
constexpr std::int64_t table_xor = 0x3c;
constexpr std::int64_t table_xnor = 0xc3;
constexpr std::int64_t table_nand = 0x3f;
constexpr std::int64_t table_nor = 0x03;
constexpr std::int64_t table_not = 0x0f;

std::optional<std::int64_t> constant(const std::optional<Operand>& operand) {
    if (!operand) return std::nullopt;
    const auto* immediate = std::get_if<assembly::ImmediateOperand>(&*operand);
    return immediate == nullptr ? std::nullopt : immediate->integer;
}

Operand negated(Operand operand) {
    if (auto* reg = std::get_if<RegisterOperand>(&operand)) reg->negated = true;
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand))
        return operand_of(-*immediate->integer);
    return operand;
}

std::optional<unsigned> shift_of(const std::optional<Operand>& by) {
    const auto value = constant(by);
    return value && *value >= 0 && *value < 32 ? std::optional{static_cast<unsigned>(*value)}
                                               : std::nullopt;
}

bool add_bitwise(std::string_view operation, Register result, const Sources& sources,
                 FormSteps& steps) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> tables{
        {{"and", table_of_and},
         {"andn2", table_and_not},
         {"orn2", table_or_not},
         {"xor", table_xor},
         {"xnor", table_xnor},
         {"nand", table_nand},
         {"nor", table_nor}}};
    const auto* const found = std::find_if(tables.begin(), tables.end(),
                                           [&](const auto& one) { return one.first == operation; });
    if (found == tables.end()) return false;
    // A mask of the lowest bits keeps a number that is smaller.
    for (std::size_t i = 0; operation == "and" && i < 2; ++i)
        if (const auto mask = constant(sources[i]);
            mask && *mask > 0 && *mask < (std::int64_t{1} << 31) && (*mask & (*mask + 1)) == 0) {
            steps.add("LOWBITS", {}, {operand_of(result), *sources[1 - i], operand_of(*mask)});
            return true;
        }
    steps.add(
        "LOP3", {"LUT"},
        {operand_of(result), *sources[0], *sources[1], zero_operand(), operand_of(found->second)});
    return true;
}

/// Lowest bits of a number that are 0, because it was shifted.
constexpr std::int64_t none_are_zero = 0;

void add_field(Register result, const Operand& of, unsigned first, unsigned width, bool is_signed,
               FormSteps& steps) {
    const Register place = temporary(3);
    if (is_signed) {
        steps.add("SHL", {}, {operand_of(place), of, operand_of(32 - first - width)});
        steps.add("SHR", {}, {operand_of(result), operand_of(place), operand_of(32 - width)});
        return;
    }
    steps.add("SHR", {"U32"}, {operand_of(place), of, operand_of(std::int64_t{first})});
    steps.add("LOWBITS", {},
              {operand_of(result), operand_of(place), operand_of((std::int64_t{1} << width) - 1)});
}

bool add_shift(std::string_view operation, Register result, const Operand& of,
               const std::optional<Operand>& by, FormSteps& steps) {
    const auto bits = shift_of(by);
    if (!bits) return false;
    if (operation == "lshl")
        steps.add("SHL", {}, {operand_of(result), of, operand_of(std::int64_t{*bits})});
    else if (operation == "lshr")
        steps.add("SHR", {"U32"}, {operand_of(result), of, operand_of(std::int64_t{*bits})});
    else
        steps.add("SHR", {}, {operand_of(result), of, operand_of(std::int64_t{*bits})});
    return true;
}

} // namespace

bool add_arithmetic(std::string_view operation, Register result, const Sources& sources,
                    FormSteps& steps) {
    const Operand to = operand_of(result);
    const auto has = [&](std::size_t count) {
        return sources.size() >= count &&
               std::all_of(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(count),
                           [](const auto& source) { return source.has_value(); });
    };
    if (operation == "mov" && has(1)) {
        steps.add("MOV", {}, {to, *sources[0]});
    } else if (operation == "not" && has(1)) {
        steps.add("LOP3", {"LUT"},
                  {to, *sources[0], zero_operand(), zero_operand(), operand_of(table_not)});
    } else if (operation == "add" && has(2)) {
        steps.add("IADD3", {}, {to, *sources[0], *sources[1], zero_operand()});
    } else if (operation == "sub" && has(2)) {
        steps.add("IADD3", {}, {to, *sources[0], negated(*sources[1]), zero_operand()});
    } else if (operation == "add3" && has(3)) {
        steps.add("IADD3", {}, {to, *sources[0], *sources[1], *sources[2]});
    } else if (operation == "mul" && has(2)) {
        steps.add("IMAD", {}, {to, *sources[0], *sources[1], zero_operand()});
    } else if (operation == "mad" && has(3)) {
        steps.add("IMAD", {}, {to, *sources[0], *sources[1], *sources[2]});
    } else if (operation == "shift_add" && has(3)) { // (a << b) + c
        const auto bits = shift_of(sources[1]);
        if (!bits) return false;
        steps.add("IMAD", {}, {to, *sources[0], operand_of(std::int64_t{1} << *bits), *sources[2]});
    } else if (operation == "shift_or" && has(3)) {
        const auto bits = shift_of(sources[1]);
        if (!bits) return false;
        const Operand shifted = operand_of(temporary(2));
        steps.add("SHL", {}, {shifted, *sources[0], operand_of(std::int64_t{*bits})});
        steps.add("OR", {}, {to, shifted, *sources[2], operand_of(std::int64_t{*bits})});
    } else if (operation == "add_shift" && has(3)) { // (a + b) << c
        const Operand sum = operand_of(temporary(2));
        if (!shift_of(sources[2])) return false;
        steps.add("IADD3", {}, {sum, *sources[0], *sources[1], zero_operand()});
        return add_shift("lshl", result, sum, sources[2], steps);
    } else if (operation == "or" && has(2)) {
        steps.add("OR", {}, {to, *sources[0], *sources[1], operand_of(none_are_zero)});
    } else if (operation == "or3" && has(3)) {
        const Operand first = operand_of(temporary(2));
        steps.add("OR", {}, {first, *sources[0], *sources[1], operand_of(none_are_zero)});
        steps.add("OR", {}, {to, first, *sources[2], operand_of(none_are_zero)});
    } else if (operation == "and_or" && has(3)) {
        const Register first = temporary(2);
        add_bitwise("and", first, {sources[0], sources[1]}, steps);
        steps.add("OR", {}, {to, operand_of(first), *sources[2], operand_of(none_are_zero)});
    } else if (operation == "min" || operation == "max" || operation == "minu" ||
               operation == "maxu") {
        if (!has(2)) return false;
        std::vector<std::string> modifiers;
        if (operation.ends_with('u')) modifiers.emplace_back("U32");
        steps.add("IMNMX", std::move(modifiers),
                  {to, *sources[0], *sources[1], truth_operand(operation.starts_with("min"))});
    } else if ((operation == "lshl" || operation == "lshr" || operation == "ashr") && has(2)) {
        return add_shift(operation, result, *sources[0], sources[1], steps);
    } else if ((operation == "bfe" || operation == "bfei") && has(3)) {
        const auto first = shift_of(sources[1]);
        const auto width = shift_of(sources[2]);
        if (!first || !width || *width == 0 || *first + *width > 32) return false;
        add_field(result, *sources[0], *first, *width, operation == "bfei", steps);
    } else {
        return has(2) && add_bitwise(operation, result, sources, steps);
    }
    return true;
}

namespace {

struct ScalarName {
    std::string_view name;
    std::string_view operation;
    bool tests_result = false; ///< SCC says whether the result is not 0.
};

constexpr std::array scalar_names{
    ScalarName{"s_mov_b32", "mov", false},       ScalarName{"s_add_u32", "add", false},
    ScalarName{"s_add_i32", "add", false},       ScalarName{"s_sub_u32", "sub", false},
    ScalarName{"s_sub_i32", "sub", false},       ScalarName{"s_mul_i32", "mul", false},
    ScalarName{"s_and_b32", "and", true},        ScalarName{"s_or_b32", "or", true},
    ScalarName{"s_xor_b32", "xor", true},        ScalarName{"s_andn2_b32", "andn2", true},
    ScalarName{"s_orn2_b32", "orn2", true},      ScalarName{"s_nand_b32", "nand", true},
    ScalarName{"s_nor_b32", "nor", true},        ScalarName{"s_xnor_b32", "xnor", true},
    ScalarName{"s_not_b32", "not", true},        ScalarName{"s_lshl_b32", "lshl", true},
    ScalarName{"s_lshr_b32", "lshr", true},      ScalarName{"s_ashr_i32", "ashr", true},
    ScalarName{"s_and_not1_b32", "andn2", true}, ScalarName{"s_or_not1_b32", "orn2", true},
    ScalarName{"s_min_i32", "min", false},       ScalarName{"s_max_i32", "max", false},
    ScalarName{"s_min_u32", "minu", false},      ScalarName{"s_max_u32", "maxu", false},
};

std::optional<std::string_view> comparator_in(std::string_view name) {
    for (const auto& [text, comparator] :
         {std::pair<std::string_view, std::string_view>{"_lt_", "LT"},
          {"_le_", "LE"},
          {"_eq_", "EQ"},
          {"_lg_", "NE"},
          {"_ge_", "GE"},
          {"_gt_", "GT"}})
        if (name.find(text) != std::string_view::npos) return comparator;
    return std::nullopt;
}

/// The lowest 16 bits, with their sign.
std::int64_t sign_extended(std::int64_t number) {
    constexpr std::int64_t values = 1 << 16;
    number &= values - 1;
    return number < values / 2 ? number : number - values;
}

bool add_comparison(std::string_view name, FormSteps& steps) {
    const auto comparator = comparator_in(name);
    const bool is_unsigned = name.ends_with("_u32");
    if (!comparator || (!is_unsigned && !name.ends_with("_i32"))) return false;
    auto left = steps.number(0);
    auto right = steps.number(1);
    if (!left || !right) return false;
    if (name.starts_with("s_cmpk") && !is_unsigned)
        right = operand_of(sign_extended(constant(right).value_or(0)));
    std::vector<std::string> modifiers{std::string{*comparator}};
    if (is_unsigned) modifiers.emplace_back("U32");
    modifiers.emplace_back("AND");
    steps.add("ISETP", std::move(modifiers),
              {operand_of(scc_predicate), truth_operand(true), *left, *right, truth_operand(true)});
    return true;
}

void test_result(Register result, FormSteps& steps) {
    steps.add("ISETP", {"NE", "U32", "AND"},
              {operand_of(scc_predicate), truth_operand(true), operand_of(result),
               operand_of(std::int64_t{0}), truth_operand(true)});
}

/// Instructions with a constant of 16 bits.
bool add_with_constant(std::string_view name, Register result, FormSteps& steps) {
    const auto given = constant(steps.number(1));
    if (!given) return false;
    const Operand number = operand_of(sign_extended(*given));
    if (name == "s_movk_i32") return add_arithmetic("mov", result, {number}, steps);
    const Operand old = operand_of(result);
    if (name == "s_addk_i32") return add_arithmetic("add", result, {old, number}, steps);
    if (name == "s_mulk_i32") return add_arithmetic("mul", result, {old, number}, steps);
    return false;
}

/// The low word of a shifted pair.
bool add_shifted_pair(std::string_view name, Register result, FormSteps& steps) {
    const auto bits = shift_of(steps.number(2));
    const auto low = steps.number(1);
    const auto high = steps.number(1, 1);
    if (!bits || !low || !high) return false;
    if (name == "s_lshl_b64") return add_shift("lshl", result, *low, steps.number(2), steps);
    if (*bits == 0) return add_arithmetic("mov", result, {low}, steps);
    const Operand part = operand_of(temporary(2));
    steps.add("SHR", {"U32"}, {part, *low, operand_of(std::int64_t{*bits})});
    steps.add("IMAD", {},
              {operand_of(result), *high, operand_of(std::int64_t{1} << (32 - *bits)), part});
    return true;
}

/// The words whose numbers are known.
bool add_moved_pair(FormSteps& steps) {
    bool known = true;
    for (int word = 0; word < 2; ++word) {
        const auto to = steps.destination(word);
        const auto from = steps.number(1, word);
        known = known && to && from;
        if (to && from) steps.add("MOV", {}, {operand_of(*to), *from});
    }
    return known;
}

} // namespace

bool add_scalar_form(std::string_view name, FormSteps& steps) {
    if (name.starts_with("s_cmp")) return add_comparison(name, steps);
    if (name == "s_mov_b64") return add_moved_pair(steps);
    const auto result = steps.destination();
    if (!result || result->file != assembly::RegisterFile::Uniform) return false;
    if (name == "s_lshl_b64" || name == "s_lshr_b64" || name == "s_ashr_i64")
        return add_shifted_pair(name, *result, steps);
    if (add_with_constant(name, *result, steps)) return true;
    const auto a = steps.number(1);
    const auto b = steps.number(2);
    if (name == "s_cselect_b32" && a && b) {
        steps.add("SEL", {}, {operand_of(*result), *a, *b, operand_of(scc_predicate)});
        return true;
    }
    if (name == "s_bfe_u32" || name == "s_bfe_i32") {
        const auto field = constant(b);
        if (!a || !field) return false;
        const bool added =
            add_arithmetic(name == "s_bfe_i32" ? "bfei" : "bfe", *result,
                           {a, operand_of(*field & 0x1f), operand_of(*field >> 16 & 0x7f)}, steps);
        if (added) test_result(*result, steps);
        return added;
    }
    for (int bits = 1; bits <= 4; ++bits)
        if (name == "s_lshl" + std::to_string(bits) + "_add_u32")
            return add_arithmetic("shift_add", *result, {a, operand_of(std::int64_t{bits}), b},
                                  steps);
    const auto* const found = std::find_if(scalar_names.begin(), scalar_names.end(),
                                           [&](const ScalarName& one) { return one.name == name; });
    if (found == scalar_names.end() || !add_arithmetic(found->operation, *result, {a, b}, steps))
        return false;
    if (found->tests_result) test_result(*result, steps);
    return true;
}

} // namespace warpbound::analyzer
