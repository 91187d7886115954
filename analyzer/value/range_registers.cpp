#include "analyzer/value/range_registers.hpp"

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/range_functions.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;
using Truth = std::optional<bool>;

Truth inverted(Truth truth) {
    return truth ? Truth{!*truth} : truth;
}

/// A Boolean function of truths of which some may not be known.
template <std::size_t Count, class Function>
Truth combine(const std::array<Truth, Count>& inputs, Function function) {
    Truth result;
    for (unsigned row = 0; row < (1U << Count); ++row) {
        std::array<bool, Count> truths{};
        bool possible = true;
        for (std::size_t i = 0; i < Count; ++i) {
            truths[i] = ((row >> i) & 1U) != 0;
            possible = possible && inputs[i].value_or(truths[i]) == truths[i];
        }
        if (!possible) continue;
        const bool value = function(truths);
        if (result && *result != value) return std::nullopt;
        result = value;
    }
    return result;
}

/// The destination: the first operand; of LOP3 with a predicate before it, the second.
std::size_t destination_position(const Instruction& instruction) {
    const bool is_logic = instruction.mnemonic == "LOP3" || instruction.mnemonic == "ULOP3";
    return is_logic && !instruction.operands.empty() &&
                   as_predicate(instruction.operands.front()) != nullptr
               ? 1
               : 0;
}

/// Of the first two inputs of LOP3, where the third is `third`.
bool is_conjunction(std::uint32_t table, const ValueRange& third) {
    constexpr std::uint32_t with_zero = 0x55; // Rows with a third bit of 0.
    constexpr std::uint32_t with_one = 0xaa;
    constexpr std::uint32_t both = 0xc0;
    return table == both ||
           (third == ValueRange{0U} && (table & with_zero) == (both & with_zero)) ||
           (third == ValueRange{~std::uint32_t{0}} && (table & with_one) == (both & with_one));
}

} // namespace

RegisterNumbers deciding_registers(const assembly::Function& function,
                                   const std::vector<bool>& guards) {
    std::set<Register> needed;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& instruction = function.instructions[i];
        if (instruction.control_flow == assembly::ControlFlow::None &&
            (i >= guards.size() || !guards[i]))
            continue;
        for (const Register reg : instruction.effects.reads)
            if (is_predicate(reg.file)) needed.insert(reg);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const Instruction& instruction : function.instructions) {
            const auto& writes = instruction.effects.writes;
            if (std::none_of(writes.begin(), writes.end(),
                             [&](Register reg) { return needed.count(reg) != 0; }))
                continue;
            for (const Register reg : instruction.effects.reads)
                changed = needed.insert(reg).second || changed;
        }
    }
    RegisterNumbers numbers;
    for (const Register reg : needed)
        numbers.emplace(reg, numbers.size());
    return numbers;
}

std::vector<std::int32_t> compared_numbers(const assembly::Function& function) {
    std::set<std::int32_t> numbers;
    for (const Instruction& instruction : function.instructions) {
        if (instruction.mnemonic != "ISETP" && instruction.mnemonic != "UISETP") continue;
        for (const Operand& operand : instruction.operands)
            if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand))
                if (const auto value = value_of(*immediate))
                    for (const std::uint32_t near : {*value - 1, *value, *value + 1})
                        numbers.insert(static_cast<std::int32_t>(near));
    }
    return {numbers.begin(), numbers.end()};
}

RangeRegisters::Value RangeRegisters::held(Register reg) const {
    const auto found = of_->find(reg);
    return found == of_->end() ? Value{} : values_[found->second];
}

ValueRange RangeRegisters::number(Register reg) const {
    return held(reg).range;
}

Truth RangeRegisters::truth(Register reg) const {
    const auto value = held(reg).range.value();
    return value ? Truth{*value != 0} : std::nullopt;
}

Truth RangeRegisters::truth(const RegisterOperand& operand) const {
    const Truth plain = operand.index ? truth(Register{operand.file, *operand.index}) : Truth{true};
    return operand.negated ? inverted(plain) : plain;
}

Truth RangeRegisters::guard_of(const Instruction& instruction) const {
    return instruction.guard ? truth(instruction.guard->predicate) : Truth{true};
}

std::optional<RangeRegisters::Value> RangeRegisters::source(const Operand& operand) const {
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
        if (reg->absolute || !only_suffix(reg->suffixes, "reuse") || is_predicate(reg->file))
            return std::nullopt;
        Value value = reg->index ? held({reg->file, *reg->index}) : Value{ValueRange{0U}};
        if (reg->negated || reg->inverted) value = Value{value.range};
        if (reg->negated) value.range = value.range.negated();
        if (reg->inverted) value.range = value.range.negated() + ValueRange{~std::uint32_t{0}};
        return value;
    }
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand)) {
        const auto value = value_of(*immediate);
        return value ? std::optional{Value{ValueRange{*value}}} : std::nullopt;
    }
    return Value{}; // A word of a constant bank that is not stated.
}

std::optional<RangeRegisters::Value>
RangeRegisters::special_number(const Instruction& instruction,
                               const GeometryRanges& geometry) const {
    const auto* special =
        instruction.operands.size() == 2
            ? std::get_if<assembly::SpecialRegisterOperand>(&instruction.operands[1])
            : nullptr;
    if (special == nullptr) return std::nullopt;
    if (special->name == "SRZ") return Value{ValueRange{0U}};
    const auto index = geometry_read(instruction);
    return index ? std::optional{Value{geometry(*index)}} : std::nullopt;
}

std::optional<RangeRegisters::Value>
RangeRegisters::number_of(const Instruction& instruction, RangeOperation operation,
                          const GeometryRanges& geometry) const {
    const auto plain = [](const ValueRange& range) { return std::optional{Value{range}}; };
    switch (operation) {
    case RangeOperation::None:
    case RangeOperation::Comparison:
    case RangeOperation::ExtendedComparison:
    case RangeOperation::PredicateLookup:
        return std::nullopt;
    case RangeOperation::ActiveMask:
        return Value{ValueRange{}, true, {}};
    case RangeOperation::Halves:
        return plain(ValueRange{*moved_halves(instruction)});
    case RangeOperation::Special:
        return special_number(instruction, geometry);
    case RangeOperation::NarrowLoad:
        return plain(*loaded_range(instruction));
    default:
        break;
    }
    boost::container::small_vector<Value, 5> sources;
    const RegisterOperand* predicate = nullptr; // The last one.
    for (std::size_t i = destination_position(instruction) + 1; i < instruction.operands.size();
         ++i) {
        if (const auto* reg = as_predicate(instruction.operands[i])) {
            predicate = reg;
            continue;
        }
        const auto value = source(instruction.operands[i]);
        if (!value) return std::nullopt;
        sources.push_back(*value);
    }
    const auto range = [&](std::size_t i) { return sources[i].range; };
    const auto shift = [&](std::size_t i) {
        const auto by = range(i).value();
        return by && *by < 32 ? by : std::nullopt;
    };
    const auto only = [&](std::initializer_list<std::string_view> modifiers) {
        return only_modifiers(instruction, modifiers);
    };
    const auto count = sources.size();
    if (instruction.mnemonic == "FIRSTLANE") // Computed from registers of another lane.
        return count == 1 ? plain(range(0)) : std::nullopt;
    if (operation == RangeOperation::Move)
        return count == 1 && only({"64", "128"}) ? std::optional{sources[0]} : std::nullopt;
    const auto ranged = [](const std::optional<ValueRange>& number) {
        return number ? std::optional{Value{*number}} : std::nullopt;
    };
    if (operation == RangeOperation::Sum) return ranged(sum_of(instruction));
    if (operation == RangeOperation::MultiplyAdd && instruction.has_modifier("HI"))
        return ranged(high_product_of(instruction));
    if (operation == RangeOperation::MultiplyAdd) {
        const auto carries = carries_into(instruction);
        if (count != 3 || !only({"MOV", "IADD", "SHL", "U32", "WIDE", "X"}) || !carries ||
            (instruction.has_modifier("WIDE") && instruction.has_modifier("X")))
            return std::nullopt;
        if (only({"MOV", "IADD", "U32"}))
            if (const auto sum = sum_of(instruction)) return plain(*sum);
        return plain(range(0) * range(1) + range(2) + *carries);
    }
    if (operation == RangeOperation::ShiftAdd && count == 3 && only({}) && shift(2))
        return plain(range(0) * ValueRange{std::uint32_t{1} << *shift(2)} + range(1));
    if (operation == RangeOperation::ShiftAdd && predicate == nullptr &&
        instruction.has_modifier("HI") && !negates_pair(instruction)) {
        // The upper word of the first number, shifted left; the third extends it.
        const bool is_signed = count == 3 && instruction.has_modifier("SX32");
        if (!is_signed && (count != 4 || range(2) != ValueRange{0U})) return std::nullopt;
        const auto by = shift(count - 1);
        if (!only({"HI", "SX32"}) || !by || *by == 0) return std::nullopt;
        return plain(range(0).shifted_right(32 - *by, is_signed) + range(1));
    }
    if (operation == RangeOperation::ShiftLeft && count == 2 && only({}) && shift(1))
        return plain(range(0) * ValueRange{std::uint32_t{1} << *shift(1)});
    if (operation == RangeOperation::ShiftRight && count == 2 && only({"U32", "S32"}) && shift(1))
        return plain(range(0).shifted_right(*shift(1), !instruction.has_modifier("U32")));
    if (operation == RangeOperation::FunnelShift && count == 3 &&
        shift(1)) { // Where the other register is zero.
        // Up to Pascal, SHF.L is the upper word.
        if (only({"L", "U32"}) && instruction.has_modifier("L") &&
            instruction.has_modifier("U32") && range(2) == ValueRange{0U})
            return plain(range(0) * ValueRange{std::uint32_t{1} << *shift(1)});
        if (only({"R", "U32", "S32", "HI"}) && instruction.has_modifier("R") &&
            instruction.has_modifier("HI") && range(0) == ValueRange{0U})
            return plain(range(2).shifted_right(*shift(1), instruction.has_modifier("S32")));
        // A pair of registers: either word, where the other one adds nothing.
        if (only({"R", "U64", "S64"}) && instruction.has_modifier("R") &&
            range(2) == ValueRange{0U})
            return plain(range(0).shifted_right(*shift(1), false));
        if (only({"L", "U64", "HI"}) && instruction.has_modifier("HI") &&
            range(0).shifted_right(31 - *shift(1), false).shifted_right(1, false) == ValueRange{0U})
            return plain(range(2) * ValueRange{std::uint32_t{1} << *shift(1)});
    }
    constexpr std::uint32_t table_and = 0xc0;
    if (operation == RangeOperation::Lookup && count == 4 && only({"LUT"}) && range(1).value() &&
        range(3).value() && is_conjunction(*range(3).value(), range(2)))
        if (const auto masked = range(0).masked(*range(1).value())) return plain(*masked);
    if (operation == RangeOperation::Lookup && count == 4 && only({"LUT"}) && range(3).value())
        return plain(looked_up(range(0), range(1), range(2), *range(3).value(),
                               sources[0].is_active_mask && sources[1].is_active_mask));
    constexpr std::uint32_t table_or = 0xfc;
    const auto most = [&](std::size_t i) {
        return static_cast<std::uint64_t>(range(i).ends(false).hi);
    };
    if (operation == RangeOperation::Or && count == 3 && shift(2)) {
        const bool is_sum = *shift(2) > 0 && most(1) < std::uint64_t{1} << *shift(2);
        return plain(is_sum ? range(0) + range(1)
                            : looked_up(range(0), range(1), ValueRange{0U}, table_or, false));
    }
    if (operation == RangeOperation::LowBits && count == 2 && range(1).value())
        return plain(most(0) <= *range(1).value()
                         ? range(0)
                         : looked_up(range(0), range(1), ValueRange{0U}, table_and, false));
    if (operation == RangeOperation::Select && count == 2 && only({}) && predicate != nullptr) {
        const Truth first = truth(*predicate);
        return plain(!first ? range(0).join(range(1)) : *first ? range(0) : range(1));
    }
    const auto extreme_of = [&](const ValueRange& one, const ValueRange& other) {
        return extreme(one, other, !instruction.has_modifier("U32"), truth(*predicate));
    };
    const bool has_order = only({"U32"}) && predicate != nullptr;
    if (operation == RangeOperation::MinMax && has_order && count == 2)
        return plain(extreme_of(range(0), range(1)));
    if (operation == RangeOperation::MinMax && has_order && count == 3)
        return plain(extreme_of(extreme_of(range(0), range(1)), range(2)));
    if (operation == RangeOperation::SumMinMax && has_order && count == 3)
        return plain(extreme_of(range(0) + range(1), range(2)));
    if (operation == RangeOperation::Permute && count == 3 && only({}) && range(1).value())
        return plain(permuted_bytes(range(0), *range(1).value(), range(2)));
    if (operation == RangeOperation::Quotient && count == 2)
        return plain(quotient(range(0), range(1)));
    if (operation == RangeOperation::Remainder && count == 2)
        return plain(remainder(range(0), range(1)));
    if (operation == RangeOperation::Absolute && count == 1 && only({}))
        return plain(absolute(range(0)));
    if (operation == RangeOperation::CountOnes && count == 1 && only({}))
        return plain(count_of_ones(range(0)));
    if (operation == RangeOperation::HighestOne && count == 1 && only({"U32", "SH"}) &&
        instruction.has_modifier("U32"))
        return plain(highest_one(range(0), instruction.has_modifier("SH")));
    return std::nullopt;
}

Truth RangeRegisters::truth_of(const Instruction& instruction, RangeOperation operation) const {
    const auto& operands = instruction.operands;
    if (operation == RangeOperation::ExtendedComparison) return extended_truth_of(instruction);
    if (operation == RangeOperation::Comparison && operands.size() == 5) {
        const auto* combined = as_predicate(operands[4]);
        const auto left = source(operands[2]);
        const auto right = source(operands[3]);
        const auto& modifiers = instruction.modifiers;
        const auto logic = std::find_if(modifiers.begin(), modifiers.end(), [](const auto& text) {
            return text == "AND" || text == "OR" || text == "XOR";
        });
        if (combined == nullptr || !left || !right || logic == modifiers.end()) return std::nullopt;
        const std::string_view combination = *logic;
        const auto comparator = comparator_of(instruction, combination);
        // A form of comparison that is not known may have another meaning.
        if (!comparator) return std::nullopt;
        const bool is_signed = !instruction.has_modifier("U32");
        Truth holds = compare(*comparator, is_signed, left->range, right->range);
        if (!holds) holds = compared_by_bounds(*comparator, is_signed, operands[2], operands[3]);
        return combine(std::array{holds, truth(*combined)}, [&](const std::array<bool, 2>& in) {
            return combination == "AND"  ? in[0] && in[1]
                   : combination == "OR" ? in[0] || in[1]
                                         : in[0] != in[1];
        });
    }
    if (operation == RangeOperation::PredicateLookup && operands.size() == 7 &&
        only_modifiers(instruction, {"LUT"})) {
        const auto* table = std::get_if<assembly::ImmediateOperand>(&operands[5]);
        std::array<Truth, 3> inputs;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto* input = as_predicate(operands[i + 2]);
            if (input == nullptr) return std::nullopt;
            inputs[i] = truth(*input);
        }
        if (table == nullptr || !table->integer) return std::nullopt;
        return combine(inputs, [&](const std::array<bool, 3>& in) {
            const unsigned row = (in[0] ? 4U : 0U) + (in[1] ? 2U : 0U) + (in[2] ? 1U : 0U);
            return ((*table->integer >> row) & 1) != 0;
        });
    }
    // The result of LOP3 is not zero; its last operand, !PT, is combined with OR.
    if (operation == RangeOperation::Lookup && destination_position(instruction) == 1) {
        const auto* combined = as_predicate(operands.back());
        if (combined == nullptr || combined->index || !combined->negated) return std::nullopt;
        const auto number =
            number_of(instruction, operation, [](Geometry) { return ValueRange{}; });
        if (!number) return std::nullopt;
        return compare(Comparator::NotEqual, false, number->range, ValueRange{0U});
    }
    return std::nullopt;
}

void RangeRegisters::execute(const Instruction& instruction, RangeOperation operation,
                             const GeometryRanges& geometry) {
    if (!instruction.effects.writes_known) {
        std::fill(values_.begin(), values_.end(), Value{});
        implied_.clear();
        return;
    }
    const auto& writes = instruction.effects.writes;
    if (std::none_of(writes.begin(), writes.end(),
                     [&](Register reg) { return of_->count(reg) != 0; }))
        return;
    const Truth guard = guard_of(instruction);
    if (guard && !*guard) return;
    const auto destination = [&](std::size_t position) -> std::optional<Register> {
        const auto* reg = position < instruction.operands.size()
                              ? std::get_if<RegisterOperand>(&instruction.operands[position])
                              : nullptr;
        if (reg == nullptr || !reg->index) return std::nullopt;
        return Register{reg->file, *reg->index};
    };
    Implied implied = implied_by(instruction, operation);
    const auto with_guard = guard ? std::nullopt : where_guard(instruction, true);
    const auto without_guard = guard ? std::nullopt : where_guard(instruction, false);
    const RangeRegisters& before_it = with_guard ? *with_guard : *this;
    auto number = before_it.number_of(instruction, operation, geometry);
    if (number && number->origin.kind == Origin::Kind::None)
        number->origin = origin_of(instruction, operation);
    if (number) before_it.add_bounds(instruction, operation, *number);
    const auto written_number = destination(destination_position(instruction));
    // CS2R: both words of SRZ.
    const bool zeroes_pair =
        operation == RangeOperation::Special && number && instruction.mnemonic == "CS2R";
    const bool writes_predicate = std::any_of(writes.begin(), writes.end(),
                                              [](Register reg) { return is_predicate(reg.file); });
    const Truth computed = writes_predicate ? truth_of(instruction, operation) : std::nullopt;
    const Truth carry =
        writes_predicate && operation == RangeOperation::Sum ? carry_of(instruction) : std::nullopt;
    const auto is_second = [&](Register reg) {
        return written_number && reg.file == written_number->file &&
               reg.index == written_number->index + 1;
    };
    boost::container::small_vector<std::pair<std::size_t, Value>, 4> results;
    for (const Register reg : writes) {
        const auto index = of_->find(reg);
        if (index == of_->end()) continue;
        Value after;
        if (is_predicate(reg.file)) {
            const Truth truth = reg == destination(0) ? computed : carry;
            if (truth) after.range = ValueRange{*truth ? 1U : 0U};
        } else if (number && (reg == written_number || zeroes_pair)) {
            after = *number;
        } else if (is_second(reg)) {
            if (operation == RangeOperation::MultiplyAdd) after.range = upper_word_of(instruction);
        }
        if (operation == RangeOperation::Move)
            if (const auto word = loaded_word(instruction, reg))
                after = source(*word).value_or(Value{});
        if (!guard) {
            const Value& before = (without_guard ? *without_guard : *this).values_[index->second];
            after.is_active_mask = after.is_active_mask && before.is_active_mask;
            if (after.origin != before.origin) after.origin = {};
            after.bounds = after.bounds.join(before.bounds);
            after.range = after.range.join(before.range);
        }
        after.bounds.forget(instruction.address);
        if (guard && reg == written_number && !is_predicate(reg.file) && !after.bounds.is_known() &&
            !after.range.value())
            after.bounds = RelativeBounds::of_result(instruction.address);
        results.emplace_back(index->second, after);
    }
    for (Value& value : values_)
        value.bounds.forget(instruction.address);
    for (const auto& [index, value] : results)
        values_[index] = value;
    for (const auto& [index, value] : results)
        forget(index);
    if (guard && !(implied.when_true.empty() && implied.when_false.empty()))
        add_implied(std::move(implied));
}

void RangeRegisters::begin_block(const std::set<Register>& shared) {
    for (Value& value : values_)
        value.is_active_mask = false;
    forget(shared);
}

void RangeRegisters::forget(const std::set<Register>& registers) {
    std::vector<bool> named = named_by_others();
    for (const Register reg : registers) {
        const auto index = of_->find(reg);
        if (index == of_->end()) continue;
        values_[index->second] = {};
        if (!named[index->second]) continue;
        forget(index->second);
        named = named_by_others(); // What is handed on names other registers.
    }
}

void RangeRegisters::join(const RangeRegisters& other) {
    keep_implied_of(other);
    imply_by_joining(other);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (values_[i].origin != other.values_[i].origin) values_[i].origin = {};
        values_[i].bounds = values_[i].bounds.join(other.values_[i].bounds);
        values_[i].range = values_[i].range.join(other.values_[i].range);
    }
}

void RangeRegisters::widen(const RangeRegisters& other,
                           const std::vector<std::int32_t>& thresholds) {
    keep_implied_of(other);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        Value& value = values_[i];
        value.is_active_mask = value.is_active_mask && other.values_[i].is_active_mask;
        if (value.origin != other.values_[i].origin) value.origin = {};
        if (value.bounds != other.values_[i].bounds) value.bounds = {};
        const ValueRange joined = value.range.join(other.values_[i].range);
        if (joined != value.range) value.range = value.range.widened_to(joined, thresholds);
    }
}

} // namespace warpbound::analyzer
