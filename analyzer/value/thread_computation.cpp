#include "analyzer/value/thread_computation.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::OpcodeClass;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

/// MOVM gives each lane numbers of others, FSWZADD adds by the place of the lane among four.
bool depends_on_lane(const Instruction& instruction) {
    constexpr std::array<std::string_view, 3> names{"MOVM", "FSWZ", "FSWZADD"};
    return std::ranges::find(names, instruction.mnemonic) != names.end();
}

/// Whether the results are a pure function of the operands, in every lane and at any time.
bool is_pure(const Instruction& instruction) {
    if (depends_on_lane(instruction)) return false;
    switch (instruction.opcode_class) {
    case OpcodeClass::IntegerAdd:
    case OpcodeClass::IntegerMultiply:
    case OpcodeClass::Logic:
    case OpcodeClass::Shift:
    case OpcodeClass::Move:
    case OpcodeClass::IntegerCompare:
    case OpcodeClass::FloatAdd:
    case OpcodeClass::FloatMultiply:
    case OpcodeClass::FloatMultiplyAdd:
    case OpcodeClass::FloatCompare:
    case OpcodeClass::Half:
    case OpcodeClass::Double:
    case OpcodeClass::SpecialFunction:
    case OpcodeClass::Conversion:
    case OpcodeClass::BitCount:
    case OpcodeClass::LoadConstant: // Nothing writes constant banks during a launch.
        return true;
    default:
        return false;
    }
}

bool is_zero_register(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && !reg->index && !is_predicate(reg->file);
}

} // namespace

ThreadComputation::ThreadComputation(const ThreadArithmetic& arithmetic,
                                     const ThreadRegisters& registers,
                                     const Instruction& instruction, Origin origin)
    : arithmetic_{arithmetic}, registers_{registers}, instruction_{instruction}, origin_{origin} {
    const auto& operands = instruction.operands;
    std::size_t index = 0;
    const auto destination = [&]() -> std::optional<Register> {
        if (index == operands.size()) return std::nullopt;
        const auto* reg = std::get_if<RegisterOperand>(&operands[index++]);
        if (reg == nullptr || !reg->index || !only_suffix(reg->suffixes, "CC")) return std::nullopt;
        return Register{reg->file, *reg->index};
    };
    destination_ = destination();
    // LOP3 and ULOP3 may have a first destination: the predicate "the result is not zero".
    if (is("LOP3", "ULOP3") && !operands.empty() && as_predicate(operands[0]) != nullptr) {
        nonzero_ = destination_;
        destination_ = destination();
    }
    for (; index < operands.size(); ++index)
        if (as_predicate(operands[index]) == nullptr)
            sources_.push_back(&operands[index]);
        else
            predicates_.push_back(as_predicate(operands[index]));
}

/// Lanes with one address get one value (C96); at another time it may be another one.
bool ThreadComputation::loads_one_word() const {
    const auto& memory = instruction_.effects.memory;
    return (is("LDG") || is("LDS")) && memory && memory->bytes_per_lane <= 4 &&
           arithmetic_.convergence() == Convergence::Converged;
}

/// All lanes that execute it together get the result, at another time it may be another one.
bool ThreadComputation::votes() const {
    return is("VOTE", "VOTEU") && arithmetic_.convergence() == Convergence::Converged;
}

bool ThreadComputation::is_pure_of_registers() const {
    const auto& operands = instruction_.operands;
    return (is_pure(instruction_) || loads_one_word()) &&
           std::none_of(operands.begin(), operands.end(), [](const Operand& operand) {
               return std::holds_alternative<assembly::SpecialRegisterOperand>(operand);
           });
}

ThreadComputation::Number ThreadComputation::decorated(Number number, bool negated,
                                                       bool inverted) const {
    if (number && negated) number = arithmetic_.negation(*number, origin_);
    if (number && inverted) // -x - 1
        number = arithmetic_.sum(arithmetic_.negation(*number, origin_),
                                 arithmetic_.constant(~std::uint32_t{0}), origin_);
    return number;
}

ThreadComputation::Number ThreadComputation::source(std::size_t index) const {
    return index < sources_.size() ? value_of_source(*sources_[index]) : std::nullopt;
}

ThreadComputation::Number ThreadComputation::value_of_source(const Operand& operand) const {
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
        if (reg->absolute || !only_suffix(reg->suffixes, "reuse")) return std::nullopt;
        const Number number =
            reg->index ? registers_.number({reg->file, *reg->index}) : arithmetic_.constant(0);
        return decorated(number, reg->negated, reg->inverted);
    }
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand)) {
        const auto value = value_of(*immediate);
        return value ? Number{arithmetic_.constant(*value)} : std::nullopt;
    }
    if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand)) {
        if (!is_one_word(*word) || word->absolute || !word->suffixes.empty()) return std::nullopt;
        return decorated(arithmetic_.constant_word(word->bank, word->offset, origin_),
                         word->negated, word->inverted);
    }
    return std::nullopt;
}

ThreadComputation::Number ThreadComputation::multiply_add() const {
    // WIDE: the low half, to which the low half of the third operand is added.
    if (!only({"MOV", "IADD", "SHL", "U32", "WIDE"}) || sources_.size() != 3) return std::nullopt;
    const Number a = source(0);
    const Number b = source(1);
    if (!a || !b) return std::nullopt;
    return sum(arithmetic_.product(*a, *b, origin_), source(2));
}

/// XMAD: the product of two unsigned 16-bit halves plus the third operand. PSL shifts the product
/// left by 16. CBCC also adds the second factor, shifted left by 16: uniform where the factors are.
ThreadComputation::Number ThreadComputation::half_product() const {
    if (!only({"PSL", "CBCC"}) || sources_.size() != 3) return std::nullopt;
    std::array<Number, 2> factors;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        if (const auto* reg = std::get_if<RegisterOperand>(sources_[i])) {
            if (reg->negated || reg->absolute || reg->inverted) return std::nullopt;
            Number number =
                reg->index ? registers_.number({reg->file, *reg->index}) : arithmetic_.constant(0);
            unsigned shift = 0;
            for (const std::string& suffix : reg->suffixes)
                if (suffix == "H1")
                    shift = 16;
                else if (suffix != "reuse")
                    return std::nullopt;
            factors[i] = arithmetic_.shifted_right(*number, shift, false, origin_);
        } else if (const auto* word = std::get_if<assembly::ConstantOperand>(sources_[i])) {
            if (!is_one_word(*word)) return std::nullopt;
            factors[i] = arithmetic_.uniform(origin_);
        } else {
            factors[i] = source(i);
        }
        if (!factors[i]) return std::nullopt;
    }
    const bool high = instruction_.has_modifier("PSL");
    const bool whole = !instruction_.has_modifier("CBCC");
    if (!whole && !(arithmetic_.is_uniform(*factors[0]) && arithmetic_.is_uniform(*factors[1])))
        return std::nullopt;
    const auto product = [&](std::uint32_t x, std::uint32_t y) {
        const std::uint32_t plain = (x & 0xffffU) * (y & 0xffffU);
        return high ? plain << 16U : plain;
    };
    return sum(whole ? arithmetic_.map(*factors[0], *factors[1], product, origin_)
                     : arithmetic_.uniform(origin_),
               source(2));
}

ThreadComputation::Number ThreadComputation::logic() const {
    const auto looked_up = [&](Number a, Number b, Number c, std::uint32_t table) -> Number {
        if (!a || !b || !c) return std::nullopt;
        return arithmetic_.lookup({*a, *b, *c}, table & 0xffU, origin_);
    };
    if (is("LOP3", "ULOP3")) {
        const auto table = immediate(3);
        if (!only({"LUT"}) || sources_.size() != 4 || !table) return std::nullopt;
        return looked_up(source(0), source(1), source(2), *table);
    }
    if (instruction_.modifiers.size() != 1 || sources_.size() != 2) return std::nullopt;
    const std::string& name = instruction_.modifiers.front();
    const std::uint32_t table = name == "AND" ? 0xc0U : name == "OR" ? 0xfcU : 0x3cU;
    if (name != "AND" && name != "OR" && name != "XOR") return std::nullopt;
    return looked_up(source(0), source(1), arithmetic_.constant(0), table);
}

ThreadComputation::Number ThreadComputation::shifted_left_by_numbers() const {
    const Number a = source(0);
    const Number by = source(1);
    if (!a || !by || !a->is_exact() || !by->is_exact() || by->most() > 31) return std::nullopt;
    return arithmetic_.map(
        *a, *by, [](std::uint32_t x, std::uint32_t count) { return x << count; }, origin_);
}

ThreadComputation::Number ThreadComputation::shift() const {
    if (is("SHL")) return only({}) ? shifted_left(source(0), immediate(1)) : std::nullopt;
    if (is("SHR"))
        return only({"U32", "S32"})
                   ? shifted_right(source(0), immediate(1), !instruction_.has_modifier("U32"))
                   : std::nullopt;
    if (sources_.size() != 3) return std::nullopt;
    // Funnel shift of a register pair, whose other register is zero. Up to Pascal, SHF.L is the
    // upper word.
    if (instruction_.has_modifier("L") && instruction_.has_modifier("U32") && only({"L", "U32"}) &&
        is_zero_register(*sources_[2]))
        return immediate(1) ? shifted_left(source(0), immediate(1)) : shifted_left_by_numbers();
    if (instruction_.has_modifier("R") && instruction_.has_modifier("HI") &&
        only({"R", "U32", "S32", "HI"}) && is_zero_register(*sources_[0]))
        return shifted_right(source(2), immediate(1), instruction_.has_modifier("S32"));
    return std::nullopt;
}

ThreadComputation::Number ThreadComputation::scaled_sum() const {
    if (only({}) && sources_.size() == 3)
        return sum(shifted_left(source(0), immediate(2)), source(1));
    // HI of a register pair whose high register is zero: the bits shifted out of the low register.
    if (only({"HI"}) && sources_.size() == 4 && is_zero_register(*sources_[2]) &&
        !negates_pair(instruction_))
        if (const auto by = immediate(3); by && *by >= 1 && *by <= 31)
            return sum(shifted_right(source(0), 32 - *by, false), source(1));
    return std::nullopt;
}

ThreadComputation::Number ThreadComputation::selection() const {
    if (sources_.size() != 2 || predicates_.empty()) return std::nullopt;
    const Number a = source(0);
    const Number b = source(1);
    if (!a || !b) return std::nullopt;
    const auto predicate = registers_.truth(*predicates_.back()); // Others are written.
    if (is("SEL", "USEL"))
        return only({}) ? Number{arithmetic_.select(predicate, *a, *b, origin_)} : std::nullopt;
    if (!only({"U32"}) || !predicate || !predicate->truth) return std::nullopt;
    const bool is_signed = !instruction_.has_modifier("U32");
    const auto least = [&](std::uint32_t x, std::uint32_t y) {
        return Comparison{Comparator::Less, is_signed, {}, {}}.holds(x, y) ? x : y;
    };
    const auto most = [&](std::uint32_t x, std::uint32_t y) {
        return Comparison{Comparator::Less, is_signed, {}, {}}.holds(x, y) ? y : x;
    };
    return arithmetic_.select(predicate, arithmetic_.map(*a, *b, least, origin_),
                              arithmetic_.map(*a, *b, most, origin_), origin_);
}

ThreadComputation::Number ThreadComputation::of_disjoint_bits() const {
    constexpr unsigned table_and = 0xc0;
    constexpr unsigned table_or = 0xfc;
    const Number a = source(0);
    if (is("LOWBITS")) {
        const auto mask = immediate(1);
        if (!a || !mask) return std::nullopt;
        if (a->most() <= *mask) return a;
        return arithmetic_.lookup({*a, arithmetic_.constant(*mask), arithmetic_.constant(0)},
                                  table_and, origin_);
    }
    const Number b = source(1);
    const auto shifted = immediate(2);
    if (!a || !b || !shifted) return std::nullopt;
    if (*shifted > 0 && b->most() < std::uint32_t{1} << *shifted) return sum(a, b);
    return arithmetic_.lookup({*a, *b, arithmetic_.constant(0)}, table_or, origin_);
}

ThreadNumber ThreadComputation::generic_number() const {
    std::vector<ThreadNumber> numbers;
    std::vector<ThreadPredicate> truths;
    if (votes()) return arithmetic_.uniform(origin_);
    if (!is_pure_of_registers()) return arithmetic_.unknown();
    const auto& guard = instruction_.guard;
    for (const Register reg : instruction_.effects.reads) {
        // The guard decides whether the instruction executes, not its result.
        if (guard && guard->predicate.index &&
            reg == Register{guard->predicate.file, *guard->predicate.index})
            continue;
        if (!is_predicate(reg.file)) {
            numbers.push_back(registers_.number(reg));
            continue;
        }
        const auto predicate = registers_.predicate(reg);
        if (!predicate) return arithmetic_.unknown();
        truths.push_back(*predicate);
    }
    return arithmetic_.determined_by(numbers, truths, origin_);
}

ThreadComputation::Number ThreadComputation::number_loaded_into(Register written) const {
    const auto word = loaded_word(instruction_, written);
    return word ? value_of_source(*word) : std::nullopt;
}

ThreadComputation::Number ThreadComputation::number() const {
    if (is("IMAD", "UIMAD")) return multiply_add();
    if (is("XMAD")) return half_product();
    if (is("LOP3", "ULOP3") || is("LOP", "LOP32I")) return logic();
    if (is("SHL", "SHR") || is("SHF", "USHF")) return shift();
    if (is("LEA", "ULEA") || is("ISCADD")) return scaled_sum();
    if (is("SEL", "USEL") || is("IMNMX", "VIMNMX")) return selection();
    if (is("OR") || is("LOWBITS")) return of_disjoint_bits();
    if (const auto constant = moved_halves(instruction_)) return arithmetic_.constant(*constant);
    if (is("LDC", "ULDC") || is("LDCU"))
        return destination_ ? number_loaded_into(*destination_) : std::nullopt;
    if (!only({})) return std::nullopt;
    if (is("S2R", "S2UR")) {
        if (instruction_.operands.size() != 2) return std::nullopt;
        const auto* special =
            std::get_if<assembly::SpecialRegisterOperand>(&instruction_.operands[1]);
        if (special == nullptr) return std::nullopt;
        // The index of the block in its cluster.
        if (special->name == "SR_CgaCtaId") return arithmetic_.uniform(origin_);
        const auto known = geometry_read(instruction_);
        return known ? arithmetic_.geometry(*known, origin_) : std::nullopt;
    }
    const auto sum_of = [&](std::size_t count) -> Number {
        if (sources_.size() != count) return std::nullopt;
        Number total = source(0);
        for (std::size_t index = 1; index < count; ++index)
            total = sum(total, source(index));
        return total;
    };
    if (is("MOV", "MOV32I") || is("UMOV")) return sum_of(1);
    if (is("IADD", "IADD32I") || is("VIADD")) return sum_of(2);
    if (is("IADD3", "UIADD3")) return sum_of(3);
    return std::nullopt;
}

std::optional<ThreadPredicate>
ThreadComputation::combined(const std::vector<std::optional<ThreadPredicate>>& inputs,
                            const std::function<bool(const std::vector<bool>&)>& result) const {
    bool known = true;
    for (const auto& input : inputs) {
        if (!input) return std::nullopt;
        known = known && input->truth;
    }
    if (known) {
        std::vector<bool> truth(arithmetic_.threads());
        std::vector<bool> row(inputs.size());
        for (std::size_t thread = 0; thread < truth.size(); ++thread) {
            for (std::size_t i = 0; i < inputs.size(); ++i)
                row[i] = (*inputs[i]->truth)[thread];
            truth[thread] = result(row);
        }
        return ThreadPredicate{std::move(truth), {}};
    }
    for (const auto& input : inputs)
        if (!arithmetic_.is_uniform(*input)) return std::nullopt;
    return ThreadPredicate{{}, arithmetic_.convergence() == Convergence::Converged ? 0 : origin_};
}

std::optional<ThreadPredicate> ThreadComputation::comparison_result() const {
    const auto comparator = comparator_of(instruction_);
    const bool all = instruction_.has_modifier("AND");
    if (!comparator || sources_.size() != 2 || predicates_.size() != 2 ||
        all == instruction_.has_modifier("OR"))
        return std::nullopt;
    const Number left = source(0);
    const Number right = source(1);
    if (!left || !right || !left->is_exact() || !right->is_exact()) return std::nullopt;
    const Comparison comparison{*comparator, !instruction_.has_modifier("U32"), {}, {}};
    std::vector<bool> truth(arithmetic_.threads());
    for (std::size_t thread = 0; thread < truth.size(); ++thread)
        truth[thread] = comparison.holds(left->offsets()[thread], right->offsets()[thread]);
    return combined(
        {ThreadPredicate{std::move(truth), {}}, registers_.truth(*predicates_.back())},
        [&](const std::vector<bool>& row) { return all ? row[0] && row[1] : row[0] || row[1]; });
}

bool ThreadComputation::elects_one_lane() const {
    if (arithmetic_.convergence() != Convergence::Converged || !is("ISETP") ||
        comparator_of(instruction_) != Comparator::Equal || !instruction_.has_modifier("AND") ||
        sources_.size() != 2)
        return false;
    const Number left = source(0);
    const Number right = source(1);
    if (!left || !right) return false;
    return (arithmetic_.differs_in_lanes(*left) && arithmetic_.is_uniform(*right)) ||
           (arithmetic_.differs_in_lanes(*right) && arithmetic_.is_uniform(*left));
}

bool ThreadComputation::finds_no_overlap() const {
    const auto table = immediate(3);
    // Under a guard nothing is known of the numbers of the other lanes.
    if (!is("LOP3") || !only({"LUT"}) || sources_.size() != 4 || !table || is_guarded(instruction_))
        return false;
    std::optional<unsigned> active; // Bits of the row of the table.
    std::optional<Register> numbers;
    std::array<std::optional<Register>, 3> inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto* reg = std::get_if<RegisterOperand>(sources_[i]);
        if (reg == nullptr || !reg->index || reg->negated || reg->absolute || reg->inverted ||
            !only_suffix(reg->suffixes, "reuse"))
            return false;
        inputs[i] = Register{reg->file, *reg->index};
        if (registers_.masks().is_active_mask(*inputs[i])) active = 4U >> i;
        if (const auto matched = registers_.masks().matched(*inputs[i])) numbers = matched;
    }
    if (!active || !numbers) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i] == numbers && (*table & 0xffU) == 1U << (*active | (4U >> i)))
            return registers_.is_uniform(*numbers) ||
                   arithmetic_.is_mask_of_equals(registers_.number(*numbers));
    return false;
}

std::optional<ThreadPredicate> ThreadComputation::predicate() const {
    if (nonzero_) { // The last operand, !PT, is combined with OR.
        if (predicates_.size() != 1 || predicates_[0]->index || !predicates_[0]->negated)
            return std::nullopt;
        if (finds_no_overlap()) return ThreadPredicate{{}, Origin{0}};
        const Number result = number();
        if (!result || !result->is_exact()) return std::nullopt;
        std::vector<bool> truth(arithmetic_.threads());
        for (std::size_t thread = 0; thread < truth.size(); ++thread)
            truth[thread] = result->offsets()[thread] != 0;
        return ThreadPredicate{std::move(truth), {}};
    }
    if (is("ISETP", "UISETP")) return comparison_result();
    if (is("PLOP3", "UPLOP3") && only({"LUT"}) && predicates_.size() == 4) {
        const auto table = immediate(0);
        if (!table) return std::nullopt;
        std::vector<std::optional<ThreadPredicate>> inputs;
        for (std::size_t index = 1; index < predicates_.size(); ++index)
            inputs.push_back(registers_.truth(*predicates_[index]));
        return combined(inputs, [&](const std::vector<bool>& row) {
            const unsigned number = (row[0] ? 4U : 0U) + (row[1] ? 2U : 0U) + (row[2] ? 1U : 0U);
            return ((*table >> number) & 1U) != 0;
        });
    }
    return std::nullopt;
}

} // namespace warpbound::analyzer
