#include "certification/verify/flow/register_values.hpp"

#include "certification/verify/flow/instruction_forms.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

constexpr int depth_limit = 300; ///< Of evaluations that need each other.

} // namespace

RegisterValues::RegisterValues(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph, const LaunchValues& launch,
                               bool lanes_diverge, const std::vector<std::int64_t>& iterations)
    : function_{function}, graph_{graph}, launch_{launch}, lanes_diverge_{lanes_diverge},
      iterations_{iterations}, reaching_{function, graph}, loop_of_header_(graph.blocks.size()) {
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop)
        loop_of_header_[graph.loops[loop].header] = loop;
}

bool RegisterValues::is_shared(Register reg) const {
    return lanes_diverge_ &&
           (reg.file == RegisterFile::Uniform || reg.file == RegisterFile::UniformPredicate);
}

NumberSet RegisterValues::value(Register reg, ProgramPoint point) {
    if (depth_ > depth_limit || is_exhausted()) {
        ++reads_of_iterations_; // Not to be kept.
        return anything(reg);
    }
    return remembered(at_points_, &Execution::at_points, RegisterPoint{reg, point}, [&] {
        return is_shared(reg) ? shared_value(reg, point) : value_of(sum_at(reg, point), point);
    });
}

/// Follows moves and sums with constants to the number that they are made of.
SourceSum RegisterValues::sum_at(Register reg, ProgramPoint point) {
    const RegisterPoint key{reg, point};
    if (const auto known = terms_.find(key); known != terms_.end()) return known->second;
    const ValueSource source = reaching_.source_of(reg, point);
    SourceSum term{source, 0};
    const auto& instruction = function_.instructions.at(
        std::min(source.at.instruction, function_.instructions.size() - 1));
    const bool is_sum = source.kind == ValueSource::Kind::Definition &&
                        !assembly::is_guarded(instruction) && !is_predicate_file(reg.file) &&
                        instruction.effects.writes_known && !instruction.has_modifier("X") &&
                        instruction.mnemonic != "R2UR" && !instruction.effects.memory;
    if (is_sum && depth_ < depth_limit) {
        ++depth_;
        if (const auto sum = sum_of(instruction, reg, source.at)) term = *sum;
        --depth_;
    }
    terms_.emplace(key, term);
    return term;
}

/// One register plus constants; none: another operation.
std::optional<SourceSum> RegisterValues::sum_of(const Instruction& instruction, Register reg,
                                                ProgramPoint point) {
    const SourceOperands sources = sources_of(instruction);
    const std::string& name = instruction.mnemonic;
    const auto is = [&](std::string_view plain) {
        return name == plain || name == "U" + std::string{plain};
    };
    std::vector<const Operand*> addends = sources.numbers;
    if (is("IMAD")) { // 0 times anything, or a number times 1.
        if (addends.size() != 3 || instruction.has_modifier("HI") ||
            instruction.has_modifier("WIDE"))
            return std::nullopt;
        const auto is_constant = [&](std::size_t i, std::uint32_t number) {
            const auto term = sum_at(*addends[i], point);
            return term && !term->source && term->constant == number;
        };
        if (is_constant(0, 0) || is_constant(1, 0))
            addends = {addends[2]};
        else if (is_constant(1, 1))
            addends = {addends[0], addends[2]};
        else
            return std::nullopt;
    } else if (is("MOV") ? addends.size() != 1 || !instruction.modifiers.empty()
                         : (!is("IADD3") && name != "VIADD" && name != "IADD") ||
                               !instruction.modifiers.empty()) {
        return std::nullopt;
    }
    if (std::count_if(instruction.effects.writes.begin(), instruction.effects.writes.end(),
                      [&](Register written) { return written.file == reg.file; }) != 1)
        return std::nullopt;
    SourceSum sum;
    for (const Operand* addend : addends) {
        const auto term = sum_at(*addend, point);
        if (!term || (term->source && sum.source)) return std::nullopt;
        if (term->source) sum.source = term->source;
        sum.constant += term->constant;
    }
    return sum;
}

std::optional<SourceSum> RegisterValues::sum_at(const Operand& operand, ProgramPoint point) {
    if (const auto* reg = std::get_if<RegisterOperand>(&operand); reg != nullptr && reg->index) {
        if (reg->negated || reg->inverted || reg->absolute || !has_plain_suffixes(reg->suffixes) ||
            is_predicate_file(reg->file) || is_shared({reg->file, *reg->index}))
            return std::nullopt;
        return sum_at(Register{reg->file, *reg->index}, point);
    }
    const NumberSet constant = this->operand(operand, point);
    return constant.is_single() ? std::optional{SourceSum{std::nullopt, constant.first()}}
                                : std::nullopt;
}

/// The number at a point behind the source, on all paths or on those over an edge from the point's
/// block: its source's, as comparisons leave it that were decided since.
NumberSet RegisterValues::value_of(const SourceSum& term, ProgramPoint point,
                                   std::optional<std::size_t> edge) {
    if (!term.source) return NumberSet::of(term.constant);
    const auto narrowed_value = [&] { return narrowed_source(*term.source, point, edge); };
    const NumberSet number = edge ? narrowed_value()
                                  : remembered(narrowed_, &Execution::narrowed,
                                               SourcePoint{*term.source, point}, narrowed_value);
    return number + NumberSet::of(term.constant);
}

NumberSet RegisterValues::narrowed_source(const ValueSource& source, ProgramPoint point,
                                          std::optional<std::size_t> edge) {
    NumberSet number = number_read(source);
    if (number.is_single() || is_exhausted()) return number;
    // From the point upwards; the outermost comparison is applied first.
    std::vector<std::pair<std::size_t, ProgramPoint>> edges;
    if (edge) edges.emplace_back(*edge, point);
    for (std::size_t block = point.block; block != source.at.block && !is_exhausted();) {
        ++work_;
        const auto& in = graph_.blocks[block].in;
        if (in.size() == 1 && block != 0)
            edges.emplace_back(in.front(), end_of(graph_, graph_.edges[in.front()].from));
        const auto& dominator = graph_.immediate_dominator[block];
        if (!dominator) break;
        block = *dominator;
    }
    std::reverse(edges.begin(), edges.end());
    const auto narrow = [&](const ComparedNumber& own, Order order, bool is_signed,
                            const ComparedNumber& other, ProgramPoint at) {
        if (!own.term || own.term->source != source) return;
        if (other.term && other.term->source == source) return;
        const NumberSet shift = NumberSet::of(own.term->constant);
        number = narrowed(number + shift, order, is_signed, value_of(other, at)) + -shift;
    };
    for (int pass = 0; pass < 2; ++pass) // `!=` cuts off ends that others have moved.
        for (const auto& [number_of_edge, at] : edges)
            for (const DecidedComparison& decided : decided_on(number_of_edge)) {
                work_ += 2;
                narrow(decided.left, decided.order, decided.is_signed, decided.right, at);
                narrow(decided.right, mirrored(decided.order), decided.is_signed, decided.left, at);
            }
    return number;
}

NumberSet RegisterValues::value_of(const ComparedNumber& number, ProgramPoint point) {
    if (depth_ > depth_limit) {
        ++reads_of_iterations_;
        return {};
    }
    ++depth_;
    const NumberSet set =
        number.term ? value_of(*number.term, point) : operand(*number.operand, number.point);
    --depth_;
    return set;
}

NumberSet RegisterValues::number_read(const ValueSource& source) {
    if (source.kind == ValueSource::Kind::Entry) return anything(source.reg);
    if (depth_ > depth_limit || is_exhausted()) {
        ++reads_of_iterations_;
        return anything(source.reg);
    }
    return remembered(of_sources_, &Execution::of_sources, source, [&] {
        return source.kind == ValueSource::Kind::Definition ? defined_value(source)
                                                            : joined_value(source);
    });
}

NumberSet RegisterValues::defined_value(const ValueSource& source) {
    const Instruction& instruction = function_.instructions[source.at.instruction];
    if (!instruction.effects.writes_known) return anything(source.reg);
    if (!assembly::is_guarded(instruction)) {
        if (instruction.guard && instruction.guard->never()) return value(source.reg, source.at);
        return result_of(instruction, source.reg, source.at, *this);
    }
    const NumberSet executes = truth(instruction.guard->predicate, source.at);
    NumberSet number = NumberSet::none();
    if (may_hold(Order::NotEqual, false, executes, NumberSet::of(0)))
        number = result_of(instruction, source.reg, source.at, *this);
    if (may_hold(Order::Equal, false, executes, NumberSet::of(0)))
        number = joined(number, value(source.reg, source.at));
    return number;
}

NumberSet RegisterValues::joined_value(const ValueSource& source) {
    const std::size_t block = source.at.block;
    if (loop_of_header_[block]) return header_value(*loop_of_header_[block], source);
    if (graph_.blocks[block].in.empty() || block == 0) return anything(source.reg);
    NumberSet number = NumberSet::none();
    for (const std::size_t edge : graph_.blocks[block].in)
        if (may_take(edge)) number = joined(number, value_on(edge, source.reg));
    return number;
}

NumberSet RegisterValues::value_on(std::size_t edge, Register reg) {
    const ProgramPoint end = end_of(graph_, graph_.edges[edge].from);
    if (is_shared(reg)) return shared_value(reg, end);
    if (depth_ > depth_limit || is_exhausted()) {
        ++reads_of_iterations_;
        return anything(reg);
    }
    ++depth_;
    const NumberSet number = value_of(sum_at(reg, end), end, edge);
    --depth_;
    return number;
}

/// What a register of the warp holds that pending lanes may have written: within the basic block of
/// a write that write's number, else that of any instruction that writes the register.
NumberSet RegisterValues::shared_value(Register reg, ProgramPoint point) {
    const ValueSource source = reaching_.source_of(reg, point);
    if (source.kind != ValueSource::Kind::Definition || !sharing_.insert(reg).second) {
        ++reads_of_iterations_;
        return anything(reg);
    }
    executions_.emplace_back(); // Other lanes may be in other iterations.
    NumberSet number = NumberSet::none();
    if (source.at.block == point.block) {
        number = defined_value(source);
    } else if (launch_.is_one_thread()) { // Others may have come where this thread does not.
        number = anything(reg);
    } else {
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
            for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i)
                if (writes(function_.instructions[i], reg))
                    number = joined(number,
                                    result_of(function_.instructions[i], reg, {block, i}, *this));
    }
    executions_.pop_back();
    sharing_.erase(reg);
    return number;
}

} // namespace warpbound::certification::verify
