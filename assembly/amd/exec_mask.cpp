#include "assembly/amd/exec_mask.hpp"

#include "assembly/amd/lane_mask.hpp"
#include "assembly/amd/state_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warpbound::assembly::amd {

namespace {

constexpr Register exec_register{RegisterFile::State, static_cast<int>(StateRegister::ExecLo)};

/// Reads masks among the operands of instructions.
class MaskOperands {
public:
    MaskOperands(const Instruction& instruction, int lanes)
        : instruction_{instruction}, lanes_{lanes} {}

    /// By the names of gfx9; empty for instructions that are not about masks.
    [[nodiscard]] std::string operation() const {
        return mask_operation(instruction_.mnemonic, lanes_).value_or(std::string{});
    }
    [[nodiscard]] std::string_view text(std::size_t operand) const {
        if (operand >= instruction_.operands.size()) return {};
        const auto* const text = std::get_if<TextOperand>(&instruction_.operands[operand]);
        return text == nullptr ? std::string_view{} : std::string_view{text->text};
    }
    /// The first register of an operand that is a mask.
    [[nodiscard]] std::optional<Register> mask(std::size_t operand) const {
        return mask_register(text(operand), lanes_);
    }

private:
    const Instruction& instruction_;
    int lanes_;
};

/// Whether one of the registers of a mask is among others.
bool accesses(const std::vector<Register>& registers, Register first, int lanes) {
    const Register second{first.file, first.index + (lanes == 64 ? 1 : 0)};
    return std::any_of(registers.begin(), registers.end(),
                       [&](const Register& one) { return one == first || one == second; });
}

/// What is known of masks: which are not empty, and which are not empty together with EXEC.
class Masks {
public:
    [[nodiscard]] bool exec() const { return exec_; }
    void set_exec(bool has_lanes) { exec_ = has_lanes; }
    /// EXEC is empty: what is not empty together with it is not empty.
    void empty_exec() {
        exec_ = false;
        alone_.insert(with_exec_.begin(), with_exec_.end());
    }

    [[nodiscard]] bool has_lanes(const std::optional<Register>& mask) const {
        return mask && (*mask == exec_register ? exec_ : alone_.count(*mask) != 0);
    }
    [[nodiscard]] bool has_lanes_with_exec(const std::optional<Register>& mask) const {
        return exec_ || has_lanes(mask) || (mask && with_exec_.count(*mask) != 0);
    }

    /// Masks that a write overlaps are no longer known.
    void forget(const std::vector<Register>& written, int lanes) {
        for (auto* const masks : {&alone_, &with_exec_})
            std::erase_if(*masks,
                          [&](const Register& mask) { return accesses(written, mask, lanes); });
    }
    /// EXEC has another value: only what is not empty alone is so together with it.
    void change_exec(bool has_lanes) {
        exec_ = has_lanes;
        with_exec_.clear();
    }
    void add(const std::optional<Register>& mask, bool alone, bool with_exec) {
        if (!mask || *mask == exec_register) return;
        if (alone) alone_.insert(*mask);
        if (with_exec) with_exec_.insert(*mask);
    }

    /// Keeps what both know. Returns whether that is less than before.
    bool join(const Masks& other) {
        const Masks before = *this;
        std::set<Register> both;
        for (const auto* const masks :
             {&before.alone_, &before.with_exec_, &other.alone_, &other.with_exec_})
            for (const Register& mask : *masks)
                if (before.has_lanes_with_exec(mask) && other.has_lanes_with_exec(mask))
                    both.insert(mask);
        with_exec_ = std::move(both);
        std::erase_if(alone_, [&](const Register& mask) { return other.alone_.count(mask) == 0; });
        exec_ = exec_ && other.exec_;
        return exec_ != before.exec_ || alone_ != before.alone_ || with_exec_ != before.with_exec_;
    }

    /// The instruction passes.
    void pass(const Instruction& instruction, int lanes);

private:
    bool exec_ = false;
    std::set<Register> alone_;
    std::set<Register> with_exec_; ///< Those of `alone_`, and all where EXEC has lanes, need not be
                                   ///< in it.
};

void Masks::pass(const Instruction& instruction, int lanes) {
    const auto& written = instruction.effects.writes;
    const MaskOperands operands{instruction, lanes};
    const std::string name = operands.operation();
    const auto result = operands.mask(0);
    const auto first = operands.mask(1);
    const auto second = operands.mask(2);
    const Masks before = *this;
    forget(written, lanes);
    if (name == "and_saveexec") { // result = EXEC; EXEC &= first
        change_exec(false);
        add(result, before.exec_, before.exec_);
    } else if (name == "or_saveexec") { // result = EXEC; EXEC |= first
        change_exec(before.has_lanes_with_exec(first));
        add(result, before.exec_, before.exec_);
    } else if (name == "andn2_saveexec") { // result = EXEC; EXEC = first & ~EXEC
        change_exec(false);
        add(result, before.exec_, before.has_lanes_with_exec(first));
    } else if (accesses(written, exec_register, lanes)) {
        const bool of_exec = result == exec_register && first == exec_register;
        const bool joins = name == "or" && of_exec;
        const bool moves = name == "mov" && result == exec_register;
        const bool all = moves && operands.text(1) == "-1";
        change_exec((joins && before.has_lanes_with_exec(second)) ||
                    (moves && (all || before.has_lanes(first))));
        // EXEC and this mask have the same lanes together as before.
        if (of_exec && (name == "xor" || name == "andn2"))
            add(second, false, before.has_lanes_with_exec(second));
    } else if (name == "xor" && first == exec_register) { // The same lanes with EXEC.
        add(result, false, before.has_lanes_with_exec(second));
    } else if (name == "mov") {
        add(result, before.has_lanes(first), before.has_lanes(first));
    }
}

/// Whether the outcome of a branch on EXEC says that it has lanes; nothing for other branches.
std::optional<bool> has_lanes_if_taken(const Instruction& branch) {
    if (!branch.guard || branch.control_flow != ControlFlow::Branch ||
        branch.guard->predicate.file != RegisterFile::State ||
        branch.guard->predicate.index != exec_register.index)
        return std::nullopt;
    return !branch.guard->predicate.negated;
}

class ExecAnalysis {
public:
    ExecAnalysis(const Function& function, const ControlFlowGraph& graph)
        : function_{function}, graph_{graph}, before_(graph.blocks.size()) {
        Masks start;
        start.set_exec(true);
        before_[0] = start;
        std::vector<std::size_t> changed{0};
        while (!changed.empty()) {
            const std::size_t block = changed.back();
            changed.pop_back();
            Masks masks = *before_[block];
            for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i)
                masks.pass(function.instructions[i], function.entry.lanes);
            for (const std::size_t edge : graph.blocks[block].out)
                if (enter(graph.edges[edge], masks)) changed.push_back(graph.edges[edge].to);
        }
    }

    /// Per instruction, whether EXEC may be empty in front of it.
    [[nodiscard]] std::vector<bool> may_be_empty() const {
        std::vector<bool> may(function_.instructions.size(), false);
        for (std::size_t block = 0; block < before_.size(); ++block) {
            Masks masks = before_[block].value_or(Masks{});
            for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i) {
                may[i] = may[i] || !masks.exec();
                masks.pass(function_.instructions[i], function_.entry.lanes);
            }
        }
        return may;
    }

private:
    /// Whether less is known in front of the block to which the edge leads.
    bool enter(const Edge& edge, Masks masks) {
        const Instruction& last = function_.instructions[graph_.blocks[edge.from].last];
        if (const auto if_taken = has_lanes_if_taken(last)) {
            if ((edge.kind == EdgeKind::Taken) == *if_taken)
                masks.set_exec(true);
            else
                masks.empty_exec();
        }
        if (before_[edge.to]) return before_[edge.to]->join(masks);
        before_[edge.to] = std::move(masks);
        return true;
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    std::vector<std::optional<Masks>> before_;
};

bool is_vector(const Instruction& instruction) {
    return !instruction.mnemonic.starts_with("s_") &&
           std::ranges::count(instruction.effects.reads, exec_register) != 0;
}

} // namespace

void add_exec_guards(Function& function) {
    const auto graph = build_control_flow_graph(function);
    const std::vector<bool> may_be_empty =
        graph ? ExecAnalysis{function, graph.value()}.may_be_empty()
              : std::vector<bool>(function.instructions.size(), true);
    for (std::size_t i = 0; i < may_be_empty.size(); ++i) {
        Instruction& instruction = function.instructions[i];
        if (!may_be_empty[i] || instruction.guard || !is_vector(instruction)) continue;
        Guard guard;
        guard.predicate.file = exec_register.file;
        guard.predicate.index = exec_register.index;
        instruction.guard = guard;
    }
}

} // namespace warpbound::assembly::amd
