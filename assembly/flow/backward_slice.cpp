#include "assembly/flow/backward_slice.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

namespace warpbound::assembly {

namespace {

using Registers = std::set<Register>;

bool is_predicate(Register reg) {
    return reg.file == RegisterFile::Predicate || reg.file == RegisterFile::UniformPredicate;
}

bool reads_data_memory(const Instruction& instruction) {
    return instruction.effects.memory && instruction.effects.memory->load &&
           instruction.effects.memory->space != StateSpace::Constant;
}

class Slice {
public:
    Slice(const Function& function, const ControlFlowGraph& graph)
        : function_{function}, graph_{graph}, needed_behind_(graph.blocks.size()) {}

    SliceSources of_exits(const Loop& loop) {
        for (const std::size_t edge : loop.exit_edges)
            begin(graph_.edges[edge].from);
        for (const std::size_t block : loop.blocks)
            if (graph_.blocks[block].exits) begin(block);
        while (!worklist_.empty()) {
            const std::size_t block = worklist_.back();
            worklist_.pop_back();
            pass(block);
        }
        return std::move(sources_);
    }

private:
    /// The last instruction of a block is in the slice.
    void begin(std::size_t block) {
        const auto& reads = function_.instructions[graph_.blocks[block].last].effects.reads;
        need(block, Registers{reads.begin(), reads.end()});
    }

    /// Registers whose values matter at the end of a block.
    void need(std::size_t block, const Registers& registers) {
        Registers& known = needed_behind_[block];
        const std::size_t before = known.size();
        known.insert(registers.begin(), registers.end());
        if (known.size() != before) worklist_.push_back(block);
    }

    void pass(std::size_t block) {
        Registers needed = needed_behind_[block];
        const BasicBlock& code = graph_.blocks[block];
        for (std::size_t i = code.last + 1; i-- > code.first;)
            pass_instruction(i, needed);
        for (const std::size_t edge : code.in)
            need(graph_.edges[edge].from, needed);
    }

    void pass_instruction(std::size_t index, Registers& needed) {
        const Instruction& instruction = function_.instructions[index];
        const auto& writes = instruction.effects.writes;
        const bool belongs = std::any_of(writes.begin(), writes.end(),
                                         [&](Register reg) { return needed.count(reg) != 0; });
        if (!belongs) return;
        if (!is_guarded(instruction))
            for (const Register reg : writes)
                needed.erase(reg);
        add_constants(index);
        if (instruction.mnemonic == "F2I") sources_.conversions.insert(index);
        for (const Operand& operand : instruction.operands)
            if (const auto* special = std::get_if<SpecialRegisterOperand>(&operand))
                sources_.specials.insert(special->name);
        if (reads_data_memory(instruction)) {
            sources_.loads.insert(index);
            return;
        }
        needed.insert(instruction.effects.reads.begin(), instruction.effects.reads.end());
    }

    void add_constants(std::size_t index) {
        for (const Operand& operand : function_.instructions[index].operands) {
            const auto* constant = std::get_if<ConstantOperand>(&operand);
            if (constant == nullptr) continue;
            const bool is_word = constant->bank == 0 && constant->index_register.value_or(-1) < 0 &&
                                 constant->uniform_register.value_or(-1) < 0 &&
                                 !constant->bank_register;
            if (is_word)
                sources_.constants.insert(constant->offset);
            else
                sources_.loads.insert(index);
        }
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    std::vector<Registers> needed_behind_; ///< Per block.
    std::vector<std::size_t> worklist_;
    SliceSources sources_;
};

/// The slice of all control instructions, over liveness restricted to it.
class OfControl {
public:
    OfControl(const Function& function, const ControlFlowGraph& graph,
              const std::vector<bool>& guards)
        : function_{function}, graph_{graph}, guards_{guards}, needed_behind_(graph.blocks.size()),
          slice_(graph.blocks.size()) {
        for (std::size_t block = 0; block < graph.blocks.size(); ++block)
            worklist_.push_back(block);
    }

    std::vector<std::vector<std::size_t>> slice() {
        while (!worklist_.empty()) {
            const std::size_t block = worklist_.back();
            worklist_.pop_back();
            pass(block);
        }
        return std::move(slice_);
    }

private:
    void pass(std::size_t block) {
        Registers needed = needed_behind_[block];
        const BasicBlock& code = graph_.blocks[block];
        std::vector<std::size_t>& found = slice_[block];
        found.clear();
        for (std::size_t i = code.last + 1; i-- > code.first;)
            if (pass_instruction(i, needed)) found.push_back(i);
        std::reverse(found.begin(), found.end());
        for (const std::size_t edge : code.in) {
            const std::size_t from = graph_.edges[edge].from;
            Registers& behind = needed_behind_[from];
            const std::size_t before = behind.size();
            behind.insert(needed.begin(), needed.end());
            if (behind.size() != before) worklist_.push_back(from);
        }
    }

    /// Whether the instruction belongs to the slice.
    bool pass_instruction(std::size_t index, Registers& needed) const {
        const Instruction& instruction = function_.instructions[index];
        const bool decides = instruction.control_flow != ControlFlow::None ||
                             (index < guards_.size() && guards_[index]);
        const auto& [reads, writes] =
            std::tie(instruction.effects.reads, instruction.effects.writes);
        const bool belongs = std::any_of(writes.begin(), writes.end(),
                                         [&](Register reg) { return needed.count(reg) != 0; });
        if (belongs && !is_guarded(instruction))
            for (const Register reg : writes)
                needed.erase(reg);
        if (belongs && !reads_data_memory(instruction))
            needed.insert(reads.begin(), reads.end());
        else if (belongs || decides)
            std::copy_if(reads.begin(), reads.end(), std::inserter(needed, needed.end()),
                         is_predicate);
        return belongs || !instruction.effects.writes_known;
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const std::vector<bool>& guards_;
    std::vector<Registers> needed_behind_; ///< Per block.
    std::vector<std::size_t> worklist_;
    std::vector<std::vector<std::size_t>> slice_; ///< Per block.
};

} // namespace

SliceSources exit_sources(const Function& function, const ControlFlowGraph& graph,
                          const Loop& loop) {
    return Slice{function, graph}.of_exits(loop);
}

std::vector<std::vector<std::size_t>> control_slice(const Function& function,
                                                    const ControlFlowGraph& graph,
                                                    const std::vector<bool>& guards) {
    return OfControl{function, graph, guards}.slice();
}

} // namespace warpbound::assembly
