#include "certification/verify/flow/held_numbers.hpp"

#include "certification/verify/flow/instruction_forms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace warpbound::certification::verify {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;

constexpr int most_depth = 6;                ///< Of numbers that narrow each other.
constexpr std::size_t most_comparisons = 24; ///< That a truth says.

NumberSet of_truth(bool truth) {
    return NumberSet::of(truth ? 1U : 0U);
}

bool reads(const Instruction& instruction, Register reg) {
    const auto& all = instruction.effects.reads;
    return std::find(all.begin(), all.end(), reg) != all.end();
}

/// The register that a plain operand is.
std::optional<Register> register_of(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    if (reg == nullptr || !reg->index || reg->negated || reg->inverted || reg->absolute ||
        is_predicate_file(reg->file) || !has_plain_suffixes(reg->suffixes))
        return std::nullopt;
    return Register{reg->file, *reg->index};
}

/// Numbers of `one`, and perhaps more of them, that `other` has, too.
NumberSet common(const NumberSet& one, const NumberSet& other) {
    return narrowed(narrowed(one, Order::Equal, false, other), Order::Equal, true, other);
}

template <class Comparisons>
void list_comparison(const ComparedRegister& comparison, Comparisons& to) {
    if (to.size() < most_comparisons && std::find(to.begin(), to.end(), comparison) == to.end())
        to.push_back(comparison);
}

} // namespace

NumberSet HeldNumbers::held(Register reg) const {
    const auto known = numbers_.find(reg);
    return known == numbers_.end() ? anything(reg) : known->second;
}

NumberSet HeldNumbers::value(Register reg, ProgramPoint /*point*/) {
    return held(reg);
}

void HeldNumbers::set(Register reg, const NumberSet& number) {
    if (number == anything(reg))
        numbers_.erase(reg);
    else
        numbers_.insert_or_assign(reg, number);
}

void HeldNumbers::drop_all() {
    numbers_.clear();
    made_by_.clear();
    says_.clear();
}

void HeldNumbers::forget(Register reg) {
    prepare_write(reg, {});
    numbers_.erase(reg);
}

void HeldNumbers::join(const HeldNumbers& other) {
    for (auto known = numbers_.begin(); known != numbers_.end();) {
        const auto at = other.numbers_.find(known->first);
        if (at != other.numbers_.end()) known->second = joined(known->second, at->second);
        const bool is_known = at != other.numbers_.end() && known->second != anything(known->first);
        known = is_known ? std::next(known) : numbers_.erase(known);
    }
    std::erase_if(made_by_, [&](const auto& entry) {
        const auto at = other.made_by_.find(entry.first);
        return at == other.made_by_.end() || at->second != entry.second;
    });
    for (auto& [predicate, says] : says_) {
        const auto at = other.says_.find(predicate);
        const auto reduce = [&](Comparisons& own, const Comparisons* others) {
            std::erase_if(own, [&](const ComparedRegister& one) {
                return others == nullptr ||
                       std::find(others->begin(), others->end(), one) == others->end();
            });
        };
        reduce(says.if_true, at == other.says_.end() ? nullptr : &at->second.if_true);
        reduce(says.if_false, at == other.says_.end() ? nullptr : &at->second.if_false);
    }
    std::erase_if(says_, [](const auto& entry) { return entry.second == Sayings{}; });
}

void HeldNumbers::extend_beyond(const HeldNumbers& before,
                                const std::vector<std::int64_t>& limits) {
    for (auto known = numbers_.begin(); known != numbers_.end();) {
        const NumberSet old = before.held(known->first);
        if (known->second == old) {
            ++known;
            continue;
        }
        const auto from = old.view(true);
        auto to = known->second.view(true);
        const auto step = static_cast<std::int64_t>(std::max(to.step, std::uint64_t{1}));
        if (to.hi > from.hi) {
            const auto next = std::lower_bound(limits.begin(), limits.end(), to.hi);
            if (next != limits.end()) to.hi += (*next - to.hi + step - 1) / step * step;
        }
        if (to.lo < from.lo) {
            const auto next = std::upper_bound(limits.begin(), limits.end(), to.lo);
            if (next != limits.begin())
                to.lo -= (to.lo - *std::prev(next) + step - 1) / step * step;
        }
        known->second = NumberSet::range(to.lo, to.hi, static_cast<std::uint64_t>(step));
        known = known->second == anything(known->first) ? numbers_.erase(known) : std::next(known);
    }
}

bool HeldNumbers::may_be(const RegisterOperand& predicate, bool wanted) {
    return may_hold(Order::Equal, false, truth(predicate, {}), of_truth(wanted));
}

bool HeldNumbers::may_execute(const Instruction& instruction) {
    return !instruction.guard || may_be(instruction.guard->predicate, true);
}

bool HeldNumbers::must_execute(const Instruction& instruction) {
    return !instruction.guard || !may_be(instruction.guard->predicate, false);
}

void HeldNumbers::execute(const Instruction& instruction) {
    if (!instruction.effects.writes_known) return drop_all();
    if (!may_execute(instruction)) return;
    const auto& writes = instruction.effects.writes;
    const bool is_sure = must_execute(instruction);
    std::vector<std::pair<Register, NumberSet>> results;
    std::map<Register, Sayings> sayings;
    for (const Register reg : writes) {
        if (!is_followed(reg)) continue;
        const NumberSet result = result_of(instruction, reg, {}, *this);
        results.emplace_back(reg, is_sure ? result : joined(result, held(reg)));
        if (is_sure && is_predicate_file(reg.file)) sayings[reg] = said_by(instruction, reg);
    }
    std::vector<Heirs> heirs;
    for (const auto& [reg, unused] : results)
        heirs.push_back(heirs_of(reg, instruction, is_sure));
    for (std::size_t i = 0; i < results.size(); ++i)
        prepare_write(results[i].first, heirs[i]);
    const bool keeps_sources = std::none_of(writes.begin(), writes.end(),
                                            [&](Register reg) { return reads(instruction, reg); });
    for (const auto& [reg, result] : results) {
        set(reg, result);
        if (is_sure && keeps_sources && instruction.effects.exact) made_by_[reg] = &instruction;
    }
    for (auto& [reg, says] : sayings) {
        for (Comparisons* all : {&says.if_true, &says.if_false})
            std::erase_if(*all, [&](const ComparedRegister& one) {
                return std::any_of(writes.begin(), writes.end(), [&](Register written) {
                    return one.reg == written || one.other == written;
                });
            });
        if (!(says == Sayings{})) says_[reg] = std::move(says);
    }
}

/// IADD3 and the like with one register whose number is not known.
std::optional<HeldNumbers::RegisterSum> HeldNumbers::as_sum(const Instruction& instruction) {
    const std::string& name = instruction.mnemonic;
    const bool is_move = name == "MOV";
    const bool is_product = name == "IMAD";
    const bool is_sum = name == "IADD3" || name == "IADD" || name == "VIADD";
    if (!is_move && !is_sum && !is_product) return std::nullopt;
    if (!has_only(instruction, is_product
                                   ? std::initializer_list<std::string_view>{"MOV", "IADD", "U32"}
                                   : std::initializer_list<std::string_view>{}))
        return std::nullopt;
    std::vector<const Operand*> addends = sources_of(instruction).numbers;
    NumberSet constant = NumberSet::of(0);
    if (is_product) {
        if (addends.size() != 3) return std::nullopt;
        constant = operand(*addends[0], {}) * operand(*addends[1], {});
        if (!constant.is_single()) return std::nullopt;
        addends = {addends[2]};
    }
    if (is_move && addends.size() != 1) return std::nullopt;
    std::optional<RegisterSum> sum;
    for (const Operand* addend : addends) {
        const NumberSet number = operand(*addend, {});
        if (number.empty()) return std::nullopt;
        if (number.is_single()) {
            constant = constant + number;
            continue;
        }
        const auto* named = std::get_if<RegisterOperand>(addend);
        if (sum || named == nullptr) return std::nullopt;
        RegisterOperand plain = *named;
        plain.negated = false;
        const auto reg = register_of(Operand{plain});
        if (!reg) return std::nullopt;
        sum = RegisterSum{*reg, named->negated, {}};
    }
    if (sum) sum->constant = constant;
    return sum;
}

HeldNumbers::Sayings HeldNumbers::said_by(const Instruction& instruction, Register reg) {
    const auto* into = instruction.operands.empty()
                           ? nullptr
                           : std::get_if<RegisterOperand>(&instruction.operands.front());
    if (into == nullptr || into->file != reg.file || into->index != reg.index) return {};
    if (compare_form(instruction)) return said_by_comparison(instruction);
    const auto logic = predicate_logic(instruction);
    if (!logic) return {};
    // Sources with one truth in all rows of the table that give the result.
    Sayings says;
    for (const bool result : {false, true}) {
        std::array<bool, 3> may_be_true{};
        std::array<bool, 3> may_be_false{};
        for (unsigned row = 0; row < 8; ++row) {
            bool is_possible = ((logic->table >> row & 1U) != 0) == result;
            for (unsigned i = 0; i < 3 && is_possible; ++i)
                is_possible = may_be(*logic->sources[i], (row >> (2 - i) & 1U) != 0);
            for (unsigned i = 0; i < 3 && is_possible; ++i)
                ((row >> (2 - i) & 1U) != 0 ? may_be_true : may_be_false).at(i) = true;
        }
        for (unsigned i = 0; i < 3; ++i)
            if (may_be_true.at(i) != may_be_false.at(i))
                add_sayings(*logic->sources[i], may_be_true.at(i),
                            result ? says.if_true : says.if_false);
    }
    return says;
}

HeldNumbers::Sayings HeldNumbers::said_by_comparison(const Instruction& compare) {
    using Combination = CompareForm::Combination;
    const CompareForm form = *compare_form(compare);
    const auto with = [&](bool truth) { return may_be(*form.with, truth); };
    // What follows from the truth of the comparison itself.
    const auto add_compared = [&](bool holds, Comparisons& to) {
        if (form.is_extended) {
            const NumberSet left = operand(*form.left, {});
            if (left.is_single() && left == operand(*form.right, {}))
                add_sayings(*form.lower, holds, to);
            return;
        }
        const auto left = register_of(*form.left);
        const auto right = register_of(*form.right);
        const Order order = holds ? form.order : negation_of(form.order);
        if (left && is_followed(*left))
            list_comparison({*left, order, form.is_signed,
                             right && is_followed(*right) ? right : std::nullopt,
                             right && is_followed(*right) ? NumberSet{} : operand(*form.right, {})},
                            to);
        else if (right && is_followed(*right))
            list_comparison(
                {*right, mirrored(order), form.is_signed, std::nullopt, operand(*form.left, {})},
                to);
    };
    Sayings says;
    if (form.combination == Combination::ExclusiveOr) {
        if (with(true) == with(false)) return says;
        add_compared(with(false), says.if_true);
        add_compared(with(true), says.if_false);
        return says;
    }
    const bool is_or = form.combination == Combination::Or;
    // Both sides have the truth that decides; else the comparison alone where the other has not.
    Comparisons& by_both = is_or ? says.if_false : says.if_true;
    Comparisons& by_either = is_or ? says.if_true : says.if_false;
    add_compared(!is_or, by_both);
    add_sayings(*form.with, !is_or, by_both);
    if (!with(is_or)) add_compared(is_or, by_either);
    return says;
}

void HeldNumbers::add_sayings(const RegisterOperand& predicate, bool truth, Comparisons& to) {
    if (!predicate.index || !is_predicate_file(predicate.file)) return;
    const Register reg{predicate.file, *predicate.index};
    if (!is_followed(reg)) return;
    const bool holds = truth != predicate.negated;
    list_comparison({reg, Order::Equal, false, std::nullopt, of_truth(holds)}, to);
    const auto says = says_.find(reg);
    if (says == says_.end()) return;
    for (const ComparedRegister& one : holds ? says->second.if_true : says->second.if_false)
        list_comparison(one, to);
}

HeldNumbers::Heirs HeldNumbers::heirs_of(Register reg, const Instruction& write, bool is_sure) {
    Heirs heirs;
    const auto add = [&](Register heir, const Instruction& maker) {
        const auto sum = as_sum(maker);
        if (sum && sum->reg == reg && !sum->is_subtracted) heirs.emplace_back(heir, sum->constant);
    };
    if (is_predicate_file(reg.file)) return heirs;
    for (const auto& [heir, maker] : made_by_)
        if (reads(*maker, reg) && !writes(write, heir)) add(heir, *maker);
    if (is_sure && reads(write, reg) && write.effects.writes.size() == 1) add(reg, write);
    return heirs;
}

void HeldNumbers::prepare_write(Register reg, const Heirs& heirs) {
    const NumberSet old = held(reg);
    const auto names_it = [&](const ComparedRegister& one) {
        return one.reg == reg || one.other == reg;
    };
    for (auto& [predicate, says] : says_)
        for (Comparisons* all : {&says.if_true, &says.if_false}) {
            if (std::none_of(all->begin(), all->end(), names_it)) continue;
            Comparisons kept;
            for (ComparedRegister one : *all) {
                if (!names_it(one)) {
                    list_comparison(one, kept);
                    continue;
                }
                if (one.reg == reg && one.other == reg) continue;
                if (one.other == reg) {
                    one.other.reset();
                    one.numbers = old;
                    list_comparison(one, kept);
                    continue;
                }
                const NumberSet other = one.other ? held(*one.other) : one.numbers;
                const NumberSet left = narrowed(old, one.order, one.is_signed, other);
                if (!left.empty())
                    for (const auto& [heir, constant] : heirs)
                        list_comparison({heir, Order::Equal, false, std::nullopt, left + constant},
                                        kept);
                if (one.other)
                    list_comparison(
                        {*one.other, mirrored(one.order), one.is_signed, std::nullopt, old}, kept);
            }
            *all = std::move(kept);
        }
    says_.erase(reg);
    std::erase_if(says_, [](const auto& entry) { return entry.second == Sayings{}; });
    made_by_.erase(reg);
    std::erase_if(made_by_, [&](const auto& entry) { return reads(*entry.second, reg); });
}

bool HeldNumbers::keep_where(const RegisterOperand& predicate, bool truth) {
    if (!may_be(predicate, truth)) return false;
    if (!predicate.index || !is_predicate_file(predicate.file)) return true;
    const Register reg{predicate.file, *predicate.index};
    if (!is_followed(reg)) return true;
    depth_ = 0;
    const bool holds = truth != predicate.negated;
    set(reg, of_truth(holds));
    const auto says = says_.find(reg);
    if (says == says_.end()) return true;
    const Comparisons all = holds ? says->second.if_true : says->second.if_false;
    return keep_all(all) && keep_all(all); // `!=` cuts off ends that others have moved.
}

bool HeldNumbers::keep_all(const Comparisons& comparisons) {
    return std::all_of(comparisons.begin(), comparisons.end(),
                       [&](const ComparedRegister& one) { return keep(one); });
}

bool HeldNumbers::keep(const ComparedRegister& one) {
    const NumberSet other = one.other ? held(*one.other) : one.numbers;
    const NumberSet numbers = one.order == Order::Equal
                                  ? common(held(one.reg), other)
                                  : narrowed(held(one.reg), one.order, one.is_signed, other);
    if (!narrow_to(one.reg, numbers)) return false;
    return !one.other || narrow_to(*one.other, narrowed(held(*one.other), mirrored(one.order),
                                                        one.is_signed, held(one.reg)));
}

bool HeldNumbers::narrow_to(Register reg, const NumberSet& numbers) {
    if (numbers.empty()) return false;
    if (numbers == held(reg)) return true;
    set(reg, numbers);
    if (depth_ >= most_depth) return true;
    ++depth_;
    bool is_possible = true;
    if (is_predicate_file(reg.file) && numbers.is_single())
        if (const auto says = says_.find(reg); says != says_.end())
            is_possible = keep_all(
                Comparisons{numbers.first() != 0 ? says->second.if_true : says->second.if_false});
    const auto all = made_by_;
    for (const auto& [made, maker] : all)
        if (is_possible && reads(*maker, reg))
            is_possible = narrow_to(made, common(held(made), result_of(*maker, made, {}, *this)));
    if (const auto maker = all.find(reg); is_possible && maker != all.end())
        if (const auto sum = as_sum(*maker->second)) {
            const NumberSet rest = held(reg) + -sum->constant;
            is_possible =
                narrow_to(sum->reg, common(held(sum->reg), sum->is_subtracted ? -rest : rest));
        }
    --depth_;
    return is_possible;
}

} // namespace warpbound::certification::verify
