#include "assembly/isa/returning_calls.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace warpbound::assembly {

namespace {

/// Instructions by the ones that lead to them.
class ReverseFlow {
public:
    explicit ReverseFlow(const Function& function)
        : function_{function}, predecessors_(function.instructions.size()) {}

    void add(std::size_t from, std::int64_t address) {
        if (const auto to = function_.index_of(address)) predecessors_[*to].push_back(from);
    }

    void add_next(std::size_t from) {
        if (from + 1 < predecessors_.size()) predecessors_[from + 1].push_back(from);
    }

    /// Marks all from which `end` can be reached.
    void mark(std::size_t end, std::vector<bool>& reaches) const {
        std::vector<std::size_t> work;
        const auto visit = [&](std::size_t index) {
            if (reaches[index]) return;
            reaches[index] = true;
            work.push_back(index);
        };
        visit(end);
        while (!work.empty()) {
            check_stop("the reading of the listing");
            const std::size_t index = work.back();
            work.pop_back();
            for (const std::size_t before : predecessors_[index])
                visit(before);
        }
    }

private:
    const Function& function_;
    std::vector<std::vector<std::size_t>> predecessors_;
};

std::vector<std::int64_t> convergence_targets(const Function& function) {
    std::vector<std::int64_t> targets;
    for (const Instruction& instruction : function.instructions)
        if (instruction.control_flow == ControlFlow::ConvergenceSet)
            if (const auto target = named_target(instruction)) targets.push_back(*target);
    return targets;
}

/// The flow in which a call goes on after it where `returning` holds its target, else at its target
/// if `follows_jumps`.
ReverseFlow flow_of(const Function& function, const std::set<std::int64_t>& returning,
                    bool follows_jumps) {
    ReverseFlow flow{function};
    const std::vector<std::int64_t> converged = convergence_targets(function);
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& instruction = function.instructions[i];
        const auto target = named_target(instruction);
        const bool may_fall_through = instruction.guard && !instruction.guard->always();
        switch (instruction.control_flow) {
        case ControlFlow::Branch:
            if (target) flow.add(i, *target);
            flow.add_next(i); // An operand may decide it, too.
            break;
        case ControlFlow::IndirectBranch:
            for (const std::int64_t address : instruction.indirect_targets)
                flow.add(i, address);
            flow.add_next(i);
            break;
        case ControlFlow::Call: {
            const bool returns = target && returning.count(*target) > 0;
            if (returns || may_fall_through) flow.add_next(i);
            if (!returns && follows_jumps && target) flow.add(i, *target);
            break;
        }
        case ControlFlow::Exit:
        case ControlFlow::Return:
            if (may_fall_through) flow.add_next(i);
            break;
        case ControlFlow::ConvergenceWait:
            for (const std::int64_t address : converged)
                flow.add(i, address);
            flow.add_next(i);
            break;
        default:
            flow.add_next(i);
        }
    }
    return flow;
}

/// Targets of calls from which a return can be reached.
std::set<std::int64_t> returning_targets(const Function& function) {
    std::set<std::int64_t> called;
    std::vector<std::size_t> returns;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& instruction = function.instructions[i];
        if (instruction.control_flow == ControlFlow::Return) returns.push_back(i);
        if (instruction.control_flow == ControlFlow::Call)
            if (const auto target = named_target(instruction)) called.insert(*target);
    }
    std::set<std::int64_t> returning;
    if (called.empty() || returns.empty()) return returning;
    // First the code that returns without a jump written as a call, then what such jumps lead to.
    for (const bool follows_jumps : {false, true}) {
        for (bool changed = true; changed;) {
            const ReverseFlow flow = flow_of(function, returning, follows_jumps);
            std::vector<bool> reaches(function.instructions.size(), false);
            for (const std::size_t end : returns)
                flow.mark(end, reaches);
            changed = false;
            for (const std::int64_t target : called)
                if (const auto index = function.index_of(target); index && reaches[*index])
                    changed = returning.insert(target).second || changed;
        }
    }
    return returning;
}

} // namespace

std::optional<std::int64_t> named_target(const Instruction& instruction) {
    for (auto operand = instruction.operands.rbegin(); operand != instruction.operands.rend();
         ++operand)
        if (const auto* target = std::get_if<TargetOperand>(&*operand)) return target->address;
    return std::nullopt;
}

void take_jumps_for_branches(Function& function) {
    const auto is_jump = [](const Instruction& instruction) {
        return instruction.control_flow == ControlFlow::Call && instruction.has_modifier("NOINC");
    };
    if (std::ranges::none_of(function.instructions, is_jump)) return;
    const std::set<std::int64_t> returning = returning_targets(function);
    for (Instruction& instruction : function.instructions) {
        const auto target = named_target(instruction);
        if (is_jump(instruction) && target && returning.count(*target) == 0)
            instruction.control_flow = ControlFlow::Branch;
    }
}

} // namespace warpbound::assembly
