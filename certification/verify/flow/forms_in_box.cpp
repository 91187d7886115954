#include "certification/verify/flow/forms_in_box.hpp"

#include "assembly/isa/branch_guard.hpp"

#include <iterator>
#include <set>

namespace warpbound::certification::verify {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;
using assembly::Register;
using assembly::RegisterFile;

bool is_of_predicate(Register reg) {
    return reg.file == RegisterFile::Predicate || reg.file == RegisterFile::UniformPredicate;
}

/// Assigns what is known; where the write may fail, what both have in common.
template <class Value>
void assign(std::map<Register, Value>& known, Register reg, const std::optional<Value>& written,
            bool certainly) {
    const auto old = known.find(reg);
    if (written && certainly)
        known.insert_or_assign(reg, *written);
    else if (old != known.end() && (!written || !(old->second == *written)))
        known.erase(old);
}

void step(const Instruction& instruction, const LaunchValues& launch, const ThreadBox& box,
          RegisterForms& forms) {
    const FormReader reader{launch, box, forms};
    const auto executes = reader.executes(instruction);
    if (executes == std::optional{false}) return;
    if (!instruction.effects.writes_known ||
        instruction.control_flow == assembly::ControlFlow::ExternalCall) {
        forms = {};
        return;
    }
    std::vector<std::optional<AffineForm>> numbers; // Before any of them is written.
    std::vector<std::optional<bool>> truths;
    for (const Register reg : instruction.effects.writes) {
        numbers.push_back(is_of_predicate(reg) ? std::nullopt
                                               : reader.number_written(instruction, reg));
        truths.push_back(is_of_predicate(reg) ? reader.truth_written(instruction, reg)
                                              : std::nullopt);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Register reg = instruction.effects.writes[i];
        if (is_of_predicate(reg))
            assign(forms.truths, reg, truths[i], executes.has_value());
        else
            assign(forms.numbers, reg, numbers[i], executes.has_value());
    }
}

template <class Value>
void reduce_to_common(std::map<Register, Value>& known, const std::map<Register, Value>& other) {
    for (auto entry = known.begin(); entry != known.end();) {
        const auto same = other.find(entry->first);
        const bool agrees = same != other.end() && same->second == entry->second;
        entry = agrees ? std::next(entry) : known.erase(entry);
    }
}

/// Lanes on other ways may have written them before the next block is executed.
void drop_registers_of_warp(RegisterForms& forms) {
    std::erase_if(forms.numbers,
                  [](const auto& entry) { return entry.first.file == RegisterFile::Uniform; });
    std::erase_if(forms.truths, [](const auto& entry) {
        return entry.first.file == RegisterFile::UniformPredicate;
    });
}

} // namespace

FormsInBox::FormsInBox(const Function& function, const ControlFlowGraph& graph,
                       const LaunchValues& launch, const ThreadBox& box, const PossibleWays& ways)
    : function_{function}, graph_{graph}, launch_{launch}, box_{box},
      at_begin_(graph.blocks.size()), taken_(graph.edges.size(), false),
      ends_(graph.blocks.size(), false) {
    at_begin_.front().emplace();
    std::set<std::size_t> open{0};
    while (!open.empty()) { // What is known of a block's begin only becomes less.
        const std::size_t block = *open.begin();
        open.erase(open.begin());
        RegisterForms forms = *at_begin_[block];
        follow(block, forms, {});
        const FormReader at_end{launch_, box_, forms};
        const Instruction& last = function.instructions[graph.blocks[block].last];
        if (ways.ends[block] && at_end.executes(last) != std::optional{false}) ends_[block] = true;
        for (const std::size_t edge : graph.blocks[block].out)
            if (ways.edges[edge] && may_leave_over(graph.edges[edge], at_end)) taken_[edge] = true;
        drop_registers_of_warp(forms);
        for (const std::size_t edge : graph.blocks[block].out) {
            if (!taken_[edge]) continue;
            auto& next = at_begin_[graph.edges[edge].to];
            const auto before = next;
            if (!next) {
                next = forms;
            } else {
                reduce_to_common(next->numbers, forms.numbers);
                reduce_to_common(next->truths, forms.truths);
            }
            if (next != before) open.insert(graph.edges[edge].to);
        }
    }
}

void FormsInBox::follow(std::size_t block, RegisterForms& forms, const Visit& each) const {
    for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i) {
        const Instruction& instruction = function_.instructions[i];
        if (each) each(block, instruction, FormReader{launch_, box_, forms});
        if (!instruction.effects.writes.empty() || !instruction.effects.writes_known ||
            instruction.control_flow == assembly::ControlFlow::ExternalCall)
            step(instruction, launch_, box_, forms);
    }
}

void FormsInBox::visit(const Visit& each) const {
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
        if (!at_begin_[block]) continue;
        RegisterForms forms = *at_begin_[block];
        follow(block, forms, each);
    }
}

/// An edge is excluded where a comparison of forms decides against it for all threads of the box.
bool FormsInBox::may_leave_over(const assembly::Edge& edge, const FormReader& at_end) const {
    const Instruction& last = function_.instructions[graph_.blocks[edge.from].last];
    const auto guard = at_end.executes(last);
    if (last.control_flow == assembly::ControlFlow::Exit) return guard != std::optional{true};
    if (last.control_flow != assembly::ControlFlow::Branch) return true;
    const bool jumps = edge.kind == assembly::EdgeKind::Taken;
    if (assembly::is_decided_by_guard(last)) return guard != std::optional{!jumps};
    const auto* const operand = assembly::deciding_operand(last);
    if (operand == nullptr) return true;
    const auto decides = at_end.truth(*operand);
    if (!assembly::is_guarded(last)) return decides != std::optional{!jumps};
    if (!jumps) return true;
    return guard != std::optional{false} && decides != std::optional{false};
}

bool FormsInBox::all_ends_lie_behind(const std::vector<bool>& blocks,
                                     const PossibleWays& part) const {
    std::vector<bool> seen = blocks;
    std::vector<std::size_t> open;
    const auto come_to = [&](std::size_t block) {
        if (seen[block]) return;
        seen[block] = true;
        open.push_back(block);
    };
    come_to(0);
    while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (ends_[block] && part.ends[block]) return false;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (taken_[edge] && part.edges[edge]) come_to(graph_.edges[edge].to);
    }
    return true;
}

} // namespace warpbound::certification::verify
