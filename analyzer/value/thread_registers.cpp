#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/thread_computation.hpp"
#include "analyzer/value/thread_domain.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::OpcodeClass;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

/// `CS2R R4, SRZ`.
bool reads_zero(const Instruction& instruction) {
    if (instruction.mnemonic != "CS2R" || instruction.operands.size() != 2) return false;
    const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&instruction.operands[1]);
    return special != nullptr && special->name == "SRZ";
}

/// What a guard asks of a predicate of its own for each lane.
std::optional<RegisterOperand> condition_of(const std::optional<assembly::Guard>& guard) {
    if (!guard || guard->predicate.file != RegisterFile::Predicate || !guard->predicate.index)
        return std::nullopt;
    return guard->predicate;
}

} // namespace

ThreadNumber ThreadRegisters::number_under(const Condition& condition, Register reg) const {
    const auto guarded = condition ? guarded_.find(reg) : guarded_.end();
    if (guarded != guarded_.end() && guarded->second.negated == condition->negated &&
        guarded->second.predicate == Register{condition->file, *condition->index})
        return guarded->second.number;
    const auto found = numbers_.find(reg);
    return found == numbers_.end() ? arithmetic_->unknown() : found->second;
}

void ThreadRegisters::set_under(const RegisterOperand& guard, Register written,
                                const ThreadNumber& value) {
    if (written.file != RegisterFile::General) return;
    guarded_.erase(written);
    if (guard.file != RegisterFile::Predicate || !guard.index || value.is_unknown()) return;
    guarded_.emplace(written, GuardedNumber{{guard.file, *guard.index}, guard.negated, value});
}

std::optional<ThreadPredicate> ThreadRegisters::predicate(Register reg) const {
    const auto found = predicates_.find(reg);
    if (found != predicates_.end()) return found->second;
    return std::nullopt;
}

bool ThreadRegisters::is_uniform(Register reg) const {
    if (is_predicate(reg.file)) {
        const auto found = predicate(reg);
        return found && arithmetic_->is_uniform(*found);
    }
    return arithmetic_->is_uniform(number(reg));
}

std::optional<ThreadPredicate> ThreadRegisters::truth(const RegisterOperand& reg) const {
    if (!reg.index)
        return ThreadPredicate{std::vector<bool>(arithmetic_->threads(), !reg.negated), {}};
    auto found = predicate({reg.file, *reg.index});
    if (found && found->truth && reg.negated) found->truth->flip();
    return found;
}

std::optional<ThreadNumber> ThreadRegisters::address(const assembly::MemoryOperand& operand,
                                                     const std::optional<assembly::Guard>& guard,
                                                     Origin origin) const {
    const Condition condition = condition_of(guard);
    ThreadNumber sum = arithmetic_->constant(static_cast<std::uint32_t>(operand.offset));
    const auto add = [&](const std::optional<RegisterOperand>& reg) {
        if (!reg || !reg->index) return true;
        std::uint32_t factor = 1;
        for (const std::string& suffix : reg->suffixes)
            if (suffix == "X4" || suffix == "X8" || suffix == "X16")
                factor = suffix == "X4" ? 4 : suffix == "X8" ? 8 : 16;
            else if (suffix != "64" && suffix != "U32" && suffix != "reuse")
                return false;
        if (reg->negated || reg->absolute || reg->inverted) return false;
        sum =
            arithmetic_->sum(sum,
                             arithmetic_->product(number_under(condition, {reg->file, *reg->index}),
                                                  arithmetic_->constant(factor), origin),
                             origin);
        return true;
    };
    if (!add(operand.base) || !add(operand.uniform)) return std::nullopt;
    return sum;
}

bool ThreadRegisters::is_tracked(Register reg) const {
    // Uniform registers: another path may write them while the thread is pending.
    return arithmetic_->convergence() == Convergence::Converged ||
           (reg.file != RegisterFile::Uniform && reg.file != RegisterFile::UniformPredicate);
}

void ThreadRegisters::set(Register reg, const ThreadNumber& value) {
    if (!value.is_unknown() && is_tracked(reg))
        numbers_.insert_or_assign(reg, value);
    else
        numbers_.erase(reg);
}

void ThreadRegisters::set(Register reg, std::optional<ThreadPredicate> value) {
    if (value && is_tracked(reg))
        predicates_.insert_or_assign(reg, std::move(*value));
    else
        predicates_.erase(reg);
}

void ThreadRegisters::execute(const Instruction& instruction, Origin origin) {
    const auto& effects = instruction.effects;
    if (instruction.guard && instruction.guard->never()) return;
    if (!effects.writes_known) { // The set of written registers is not known.
        numbers_.clear();
        predicates_.clear();
        electing_.clear();
        guarded_.clear();
        masks_.clear();
        return;
    }
    under_ = condition_of(instruction.guard);
    const ThreadComputation computation{*arithmetic_, *this, instruction, origin};
    const bool uniform = computation.is_uniform();
    const auto number = computation.number();
    const auto predicate = computation.predicate();
    const Origin uniform_origin = arithmetic_->convergence() == Convergence::Converged ? 0 : origin;
    const bool unconditional = !is_guarded(instruction);
    const auto guard = unconditional ? std::nullopt : truth(instruction.guard->predicate);
    const auto predicate_destination =
        computation.nonzero() ? computation.nonzero() : computation.destination();
    for (const Register written : effects.writes) {
        // The warp has one such register.
        const bool is_warp_register = arithmetic_->convergence() == Convergence::Converged &&
                                      (written.file == RegisterFile::Uniform ||
                                       written.file == RegisterFile::UniformPredicate);
        electing_.erase(written);
        if (is_predicate(written.file)) {
            std::optional<ThreadPredicate> after =
                written == predicate_destination ? predicate : std::nullopt;
            if (!after && (uniform || is_warp_register))
                after = ThreadPredicate{{}, uniform_origin};
            if (!unconditional) {
                const auto old = this->predicate(written);
                const bool stays_uniform = guard && arithmetic_->is_uniform(*guard) && after &&
                                           old && arithmetic_->is_uniform(*after) &&
                                           arithmetic_->is_uniform(*old);
                if (stays_uniform)
                    after = ThreadPredicate{{}, uniform_origin};
                else if (!after || old != after ||
                         !arithmetic_->is_one_value(after->uniform, after->truth.has_value()))
                    after.reset();
            }
            set(written, std::move(after));
            if (unconditional && written == computation.destination() &&
                computation.elects_one_lane())
                electing_.insert(written);
        } else {
            ThreadNumber after = arithmetic_->unknown();
            if (number && written == computation.destination())
                after = *number;
            else if (const auto word = computation.number_loaded_into(written))
                after = *word;
            else if (reads_zero(instruction))
                after = arithmetic_->constant(0);
            if (after.is_unknown())
                after =
                    is_warp_register ? arithmetic_->uniform(origin) : computation.generic_number();
            if (unconditional) {
                guarded_.erase(written);
            } else {
                set_under(instruction.guard->predicate, written, after);
                after =
                    arithmetic_->select(guard, after, number_under(std::nullopt, written), origin);
            }
            set(written, after);
        }
    }
    for (auto entry = guarded_.begin(); entry != guarded_.end();)
        entry = std::ranges::count(effects.writes, entry->second.predicate) > 0
                    ? guarded_.erase(entry)
                    : std::next(entry);
    if (arithmetic_->convergence() == Convergence::Converged) masks_.execute(instruction);
    under_.reset();
}

void ThreadRegisters::join(const ThreadRegisters& other, Origin origin,
                           const std::set<Register>* differing) {
    leave_block();
    const auto is_uniform_choice = [&](Register reg) {
        return arithmetic_->convergence() == Convergence::Converged &&
               (differing == nullptr || differing->count(reg) == 0);
    };
    for (auto reg = electing_.begin(); reg != electing_.end();)
        reg = other.electing_.count(*reg) != 0 && is_uniform_choice(*reg) ? std::next(reg)
                                                                          : electing_.erase(reg);
    for (auto entry = numbers_.begin(); entry != numbers_.end();) {
        const auto found = other.numbers_.find(entry->first);
        if (found != other.numbers_.end())
            entry->second = arithmetic_->join(entry->second, found->second,
                                              is_uniform_choice(entry->first), origin);
        if (found == other.numbers_.end() || entry->second.is_unknown())
            entry = numbers_.erase(entry);
        else
            ++entry;
    }
    for (auto entry = predicates_.begin(); entry != predicates_.end();) {
        const auto found = other.predicates_.find(entry->first);
        const bool both = found != other.predicates_.end();
        const bool uniform_choice = is_uniform_choice(entry->first);
        if (both && entry->second == found->second &&
            (uniform_choice ||
             arithmetic_->is_one_value(entry->second.uniform, entry->second.truth.has_value()))) {
            ++entry;
        } else if (both && uniform_choice && arithmetic_->is_uniform(entry->second) &&
                   arithmetic_->is_uniform(found->second)) {
            entry->second = ThreadPredicate{{}, 0};
            ++entry;
        } else {
            entry = predicates_.erase(entry);
        }
    }
}

void ThreadRegisters::forget_bases(const std::set<Register>& registers) {
    leave_block();
    for (auto entry = numbers_.begin(); entry != numbers_.end();) {
        if (registers.count(entry->first) != 0 && !entry->second.is_exact())
            entry->second = arithmetic_->join(entry->second, entry->second, false, 0);
        entry = entry->second.is_unknown() ? numbers_.erase(entry) : std::next(entry);
    }
    for (const Register reg : registers)
        electing_.erase(reg);
    for (auto entry = predicates_.begin(); entry != predicates_.end();)
        entry = registers.count(entry->first) != 0 && !entry->second.truth
                    ? predicates_.erase(entry)
                    : std::next(entry);
}

void ThreadRegisters::forget(const std::vector<Register>& written,
                             const std::set<Register>& registers) {
    for (const Register reg : written) {
        if (registers.count(reg) == 0) continue;
        leave_block();
        numbers_.erase(reg);
        predicates_.erase(reg);
    }
}

} // namespace warpbound::analyzer
