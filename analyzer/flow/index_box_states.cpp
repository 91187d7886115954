#include "analyzer/flow/index_box_states.hpp"

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/transfer_functions.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;
using assembly::Register;
using assembly::RegisterFile;

/// Least and largest value.
struct Ends {
    std::int64_t lo = 0;
    std::int64_t hi = 0;
};

std::optional<Ends> ends_of(Geometry number, const IndexBox& box) {
    const auto of = [&](Geometry x, const std::array<std::int64_t, 3>& first,
                        const std::array<std::int64_t, 3>& last) {
        const std::size_t dimension =
            static_cast<std::size_t>(number) - static_cast<std::size_t>(x);
        return Ends{first[dimension], last[dimension]};
    };
    if (number <= Geometry::ThreadZ)
        return of(Geometry::ThreadX, box.first_thread, box.last_thread);
    if (number <= Geometry::BlockZ) return of(Geometry::BlockX, *box.first_block, box.last_block);
    return std::nullopt;
}

/// The numbers as those of 32 bits with or without sign; nothing where they may wrap around.
std::optional<Ends> ends_of(const AffineExpression& form, bool is_signed, const IndexBox& box) {
    const auto constant = std::int64_t{static_cast<std::int32_t>(form.constant())};
    Ends sum{constant, constant};
    constexpr std::int64_t limit = std::int64_t{1} << 60U;
    for (const auto& [symbol, coefficient] : form.terms()) {
        const auto number = geometry_of(symbol);
        const auto ends = number ? ends_of(*number, box) : std::nullopt;
        if (!ends) return std::nullopt;
        const auto factor = std::int64_t{static_cast<std::int32_t>(coefficient)};
        // An index is below 2^31, so that each product is below 2^62.
        sum.lo += std::min(factor * ends->lo, factor * ends->hi);
        sum.hi += std::max(factor * ends->lo, factor * ends->hi);
        if (sum.lo < -limit || sum.hi > limit) return std::nullopt;
    }
    using Signed = std::numeric_limits<std::int32_t>;
    const std::int64_t least = is_signed ? std::int64_t{Signed::min()} : 0;
    const std::int64_t most = is_signed ? std::int64_t{Signed::max()}
                                        : std::int64_t{std::numeric_limits<std::uint32_t>::max()};
    if (sum.lo < least || sum.hi > most) return std::nullopt;
    return sum;
}

std::optional<bool> inverted(std::optional<bool> truth) {
    return truth ? std::optional{!*truth} : std::nullopt;
}

std::optional<bool> is_less(const Ends& a, const Ends& b) {
    if (a.hi < b.lo) return true;
    return a.lo >= b.hi ? std::optional{false} : std::nullopt;
}

std::optional<bool> truth_of(const Comparison& comparison, const IndexBox& box) {
    const auto left = ends_of(comparison.left, comparison.is_signed, box);
    const auto right = ends_of(comparison.right, comparison.is_signed, box);
    if (!left || !right) return std::nullopt;
    const auto are_equal = [&]() -> std::optional<bool> {
        if (left->hi < right->lo || right->hi < left->lo) return false;
        const bool one = left->lo == left->hi && right->lo == right->hi;
        return one ? std::optional{true} : std::nullopt;
    };
    switch (comparison.comparator) {
    case Comparator::Less:
        return is_less(*left, *right);
    case Comparator::GreaterEqual:
        return inverted(is_less(*left, *right));
    case Comparator::Greater:
        return is_less(*right, *left);
    case Comparator::LessEqual:
        return inverted(is_less(*right, *left));
    case Comparator::Equal:
        return are_equal();
    case Comparator::NotEqual:
        return inverted(are_equal());
    }
    return std::nullopt;
}

std::optional<bool> truth_of(const Predicate& predicate, const IndexBox& box) {
    std::optional<bool> all = true;
    for (const Comparison& comparison : predicate.all) {
        const auto truth = truth_of(comparison, box);
        if (truth == std::optional{false}) {
            all = false;
            break;
        }
        if (!truth) all.reset();
    }
    return predicate.negated ? inverted(all) : all;
}

/// The sum of a product with the same low 32 bits in the same register; nothing: this is no form
/// of one.
std::optional<Instruction> as_multiply_add(const Instruction& instruction) {
    const std::string& name = instruction.mnemonic;
    Instruction sum = instruction;
    sum.mnemonic = "IMAD";
    sum.modifiers.clear();
    if (name == "IMAD")
        return instruction.has_modifier("WIDE") && only_modifiers(instruction, {"WIDE", "U32"})
                   ? std::optional{sum}
                   : std::nullopt;
    const bool adds = name == "LEA" || name == "ULEA";
    const bool shifts = (name == "SHF" || name == "USHF") && instruction.has_modifier("L") &&
                        instruction.has_modifier("U32") &&
                        only_modifiers(instruction, {"L", "U32"});
    if (!shifts && !(adds && instruction.modifiers.empty())) return std::nullopt;
    std::vector<assembly::Operand> numbers;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i)
        if (as_predicate(instruction.operands[i]) == nullptr)
            numbers.push_back(instruction.operands[i]);
    constexpr std::size_t operands = 3;
    if (numbers.size() != operands) return std::nullopt;
    const auto* by = std::get_if<assembly::ImmediateOperand>(&numbers[adds ? 2 : 1]);
    const auto count = by == nullptr ? std::nullopt : value_of(*by);
    if (!count || *count > 31) return std::nullopt;
    // The bits that SHF shifts in come from its third operand: none where that is zero.
    const auto* zero = std::get_if<assembly::RegisterOperand>(&numbers[2]);
    if (shifts && (zero == nullptr || zero->index)) return std::nullopt;
    const std::int64_t factor = std::int64_t{1} << *count;
    sum.operands = {instruction.operands.front(), numbers[0],
                    assembly::ImmediateOperand{fmt::format("0x{:x}", factor), factor},
                    adds ? numbers[1] : numbers[2]};
    return sum;
}

bool belongs_to_warp(Register reg) {
    return reg.file == RegisterFile::Uniform || reg.file == RegisterFile::UniformPredicate;
}

std::set<Register> written_uniform_registers(const Function& code) {
    std::set<Register> written;
    for (const Instruction& instruction : code.instructions)
        for (const Register reg : instruction.effects.writes)
            if (belongs_to_warp(reg)) written.insert(reg);
    return written;
}

} // namespace

IndexBoxStates::IndexBoxStates(const Function& code, const ControlFlowGraph& graph,
                               const models::Launch& launch, const IndexBox& box, EdgesBy edges)
    : code_{code}, graph_{graph}, box_{box}, uniform_{written_uniform_registers(code)},
      begins_(graph.blocks.size()) {
    if (edges == EdgesBy::Execution) {
        run_ = execute_abstractly(code, graph, launch, uniform_, &box);
    } else {
        run_.taken.assign(graph.edges.size(), false);
        run_.exits.assign(graph.blocks.size(), false);
    }
    begins_.front().emplace(Convergence::Converged);
    std::vector<bool> pending(graph.blocks.size(), false);
    pending.front() = true;
    // Ends: a value of a block's begin only becomes unknown.
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            if (!pending[block]) continue;
            check_stop("the value analysis");
            pending[block] = false;
            changed = true;
            SymbolicRegisters values = *begins_[block];
            execute(block, values, {});
            if (edges == EdgesBy::Forms) add_ways_out(block, values);
            forget_uniform_registers(values);
            for (const std::size_t edge : graph.blocks[block].out) {
                if (!run_.taken[edge]) continue;
                auto& next = begins_[graph.edges[edge].to];
                const auto before = next;
                if (next)
                    next->join(values);
                else
                    next = values;
                if (!(next == before)) pending[graph.edges[edge].to] = true;
            }
        }
    }
}

/// Other lanes of the warp may have executed other blocks meanwhile.
void IndexBoxStates::forget_uniform_registers(SymbolicRegisters& values) const {
    for (const Register reg : uniform_)
        if (reg.file == RegisterFile::UniformPredicate)
            values.assign(reg, std::optional<Predicate>{}, std::nullopt);
        else
            values.assign(reg, std::optional<AffineExpression>{}, std::nullopt);
}

std::optional<bool> IndexBoxStates::guard_of(const Instruction& instruction,
                                             const SymbolicRegisters& values) const {
    if (!assembly::is_guarded(instruction))
        return !instruction.guard || !instruction.guard->never();
    const assembly::RegisterOperand& guard = instruction.guard->predicate;
    return guard.index ? truth_of_operand(guard, values) : std::nullopt;
}

std::optional<bool> IndexBoxStates::truth_of_operand(const assembly::RegisterOperand& operand,
                                                     const SymbolicRegisters& values) const {
    if (!operand.index) return !operand.negated;
    const auto predicate = values.predicate({operand.file, *operand.index});
    if (!predicate) return std::nullopt;
    const auto truth = truth_of(*predicate, box_);
    return operand.negated ? inverted(truth) : truth;
}

bool IndexBoxStates::can_traverse(const assembly::Edge& edge,
                                  const SymbolicRegisters& values) const {
    const Instruction& last = code_.instructions[graph_.blocks[edge.from].last];
    const auto guard = guard_of(last, values);
    if (last.control_flow == assembly::ControlFlow::Exit) return guard != std::optional{true};
    if (last.control_flow != assembly::ControlFlow::Branch) return true;
    const bool jumps = edge.kind == assembly::EdgeKind::Taken;
    if (assembly::is_decided_by_guard(last)) return guard != std::optional{!jumps};
    const assembly::RegisterOperand* const operand = assembly::deciding_operand(last);
    if (operand == nullptr) return true;
    const auto truth = truth_of_operand(*operand, values);
    if (!assembly::is_guarded(last)) return truth != std::optional{!jumps};
    return !jumps || (guard != std::optional{false} && truth != std::optional{false});
}

void IndexBoxStates::add_ways_out(std::size_t block, const SymbolicRegisters& values) {
    const assembly::BasicBlock& code = graph_.blocks[block];
    for (const std::size_t edge : code.out)
        if (can_traverse(graph_.edges[edge], values)) run_.taken[edge] = true;
    if (code.exits && guard_of(code_.instructions[code.last], values) != std::optional{false})
        run_.exits[block] = true;
}

void IndexBoxStates::execute(std::size_t block, SymbolicRegisters& values, const Each& each) const {
    for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i) {
        const Instruction& instruction = code_.instructions[i];
        if (each) each(block, instruction, values);
        const auto executes = guard_of(instruction, values);
        if (executes == std::optional{false}) continue;
        Instruction unguarded = instruction;
        if (executes) unguarded.guard.reset();
        const auto sum = executes ? as_multiply_add(unguarded) : std::nullopt;
        const auto low = sum ? number_computed(values, *sum) : std::nullopt;
        analyzer::execute(values, unguarded);
        if (!low) continue;
        const auto& written = std::get<assembly::RegisterOperand>(sum->operands.front());
        if (written.index) values.assign({written.file, *written.index}, low, std::nullopt);
    }
}

void IndexBoxStates::for_each(const Each& each) const {
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
        if (!begins_[block]) continue;
        SymbolicRegisters values = *begins_[block];
        execute(block, values, each);
    }
}

bool IndexBoxStates::all_pass(const std::vector<bool>& blocks) const {
    if (blocks.front()) return true;
    if (run_.exits.front()) return false;
    const auto reachable =
        assembly::blocks_reachable_from(graph_, 0, [&](const assembly::Edge& edge) {
            const auto& out = graph_.blocks[edge.from].out;
            return !blocks[edge.to] && std::ranges::any_of(out, [&](std::size_t number) {
                return run_.taken[number] && graph_.edges[number] == edge;
            });
        });
    for (std::size_t block = 0; block < reachable.size(); ++block)
        if (reachable[block] && run_.exits[block]) return false;
    return true;
}

} // namespace warpbound::analyzer
