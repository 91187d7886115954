#include "assembly/flow/block_exploration.hpp"

#include "assembly/isa/program.hpp"
#include "assembly/isa/returning_calls.hpp"
#include "assembly/isa/source_places.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <set>

namespace warpbound::assembly {

namespace {

constexpr std::size_t context_limit = 16;
constexpr std::size_t block_limit = 1'000'000;
constexpr std::size_t stack_limit = 64;
constexpr std::int64_t disagreement = -1; ///< The target differs between paths.
/// Target of a pop. `kind` is that of the pushing instruction.
struct StackEntry {
    ControlFlow kind = ControlFlow::None;
    std::int64_t target = disagreement;
    friend bool operator==(const StackEntry&, const StackEntry&) = default;
};

/// What holds at the start of a block on every path to it.
struct EntryState {
    std::vector<StackEntry> stack;
    bool stack_known = true;
    std::map<int, std::int64_t> barriers;  ///< Target per convergence barrier register.
    std::map<int, std::int64_t> constants; ///< General registers that hold a known value.
    friend bool operator==(const EntryState&, const EntryState&) = default;
};

/// Keeps what holds in both.
EntryState join(const EntryState& a, const EntryState& b) {
    EntryState result;
    result.stack_known = a.stack_known && b.stack_known && a.stack.size() == b.stack.size();
    if (result.stack_known)
        for (std::size_t i = 0; i < a.stack.size(); ++i)
            result.stack.push_back(a.stack[i] == b.stack[i] ? a.stack[i] : StackEntry{});
    for (const auto& [barrier, target] : a.barriers) {
        const auto other = b.barriers.find(barrier);
        result.barriers[barrier] =
            other != b.barriers.end() && other->second == target ? target : disagreement;
    }
    for (const auto& [barrier, target] : b.barriers)
        if (a.barriers.find(barrier) == a.barriers.end()) result.barriers[barrier] = disagreement;
    for (const auto& [reg, value] : a.constants)
        if (const auto other = b.constants.find(reg);
            other != b.constants.end() && other->second == value)
            result.constants.emplace(reg, value);
    return result;
}

bool ends_block(const Instruction& instruction) {
    switch (instruction.control_flow) {
    case ControlFlow::None:
    case ControlFlow::PushReconvergence:
    case ControlFlow::PushBreak:
    case ControlFlow::PushContinue:
    case ControlFlow::PushReturn:
    case ControlFlow::ConvergenceSet:
    case ControlFlow::ConvergenceBreak:
        return false;
    default:
        return true;
    }
}

std::int64_t code_target(const Instruction& instruction) {
    return named_target(instruction).value_or(disagreement);
}

/// `BRA P0, t`, `BRA.U !UP0, t`, `BRA.DIV ~URZ, t`: an operand decides in addition to the guard.
bool decided_by_operand(const Instruction& instruction) {
    if (instruction.has_modifier("DIV") || instruction.has_modifier("CONV")) return true;
    for (const auto& operand : instruction.operands)
        if (const auto* reg = std::get_if<RegisterOperand>(&operand))
            if (reg->index || reg->negated) return true;
    return false;
}

/// Number of the register that a return or a convergence instruction names first.
std::optional<int> first_register(const Instruction& instruction, RegisterFile file) {
    for (const auto& operand : instruction.operands) {
        if (const auto* reg = std::get_if<RegisterOperand>(&operand);
            reg != nullptr && reg->file == file)
            return reg->index;
        // `RET.REL.NODEC R6 0x0`: one operand contains the register and the offset.
        if (const auto* text = std::get_if<TextOperand>(&operand);
            text != nullptr && file == RegisterFile::General && text->text.substr(0, 1) == "R") {
            int index = 0;
            const char* begin = text->text.data() + 1;
            const auto [end, error] =
                std::from_chars(begin, text->text.data() + text->text.size(), index);
            if (error == std::errc{} && *end == ' ') return index;
        }
    }
    return std::nullopt;
}

/// The source of an unguarded move: MOV R6, 0x340; IMAD.MOV.U32 R6, RZ, RZ, R7.
const Operand* moved(const Instruction& instruction) {
    const bool move = instruction.mnemonic == "MOV" || instruction.mnemonic == "MOV32I" ||
                      (instruction.mnemonic == "IMAD" && instruction.has_modifier("MOV"));
    if (!move || instruction.operands.empty() || is_guarded(instruction)) return nullptr;
    return &instruction.operands.back();
}

std::optional<std::int64_t> moved_constant(const Instruction& instruction) {
    const Operand* operand = moved(instruction);
    const auto* immediate = operand ? std::get_if<ImmediateOperand>(operand) : nullptr;
    return immediate != nullptr ? immediate->integer : std::nullopt;
}

/// The general register that a move copies unchanged.
std::optional<int> moved_register(const Instruction& instruction) {
    const Operand* operand = moved(instruction);
    const auto* reg = operand ? std::get_if<RegisterOperand>(operand) : nullptr;
    const bool is_plain = reg != nullptr && reg->file == RegisterFile::General && !reg->negated &&
                          !reg->absolute && !reg->inverted;
    return is_plain ? reg->index : std::nullopt;
}

class BlockExplorer {
public:
    explicit BlockExplorer(const Function& function) : function_{function} {}

    Result<std::vector<ExploredBlock>> run() {
        find_leaders();
        node(0, {}, EntryState{});
        while (!work_.empty()) {
            check_stop(graph_step);
            const std::size_t block = work_.front();
            work_.pop_front();
            queued_[block] = false;
            visit(block);
            if (blocks_.size() > block_limit) {
                refuse(0, fmt::format("more than {} blocks after expanding calls", block_limit));
                break;
            }
        }
        const bool any_exit = std::any_of(blocks_.begin(), blocks_.end(),
                                          [](const auto& block) { return block.exits; });
        if (!any_exit && failures_.empty()) refuse(0, "no EXIT can be reached from the entry");
        if (!failures_.empty()) return combined_failure();
        return std::move(blocks_);
    }

private:
    void find_leaders() {
        const auto& instructions = function_.instructions;
        leader_.assign(instructions.size() + 1, false);
        leader_[0] = true;
        const auto mark = [&](std::int64_t address) {
            if (const auto index = function_.index_of(address)) leader_[*index] = true;
        };
        for (std::size_t i = 0; i < instructions.size(); ++i) {
            check_stop(graph_step);
            const auto& instruction = instructions[i];
            if (instruction.control_flow == ControlFlow::None) {
                // A register may hold a return address.
                if (const auto value = moved_constant(instruction); value && *value != 0)
                    mark(*value);
                continue;
            }
            if (ends_block(instruction)) leader_[i + 1] = true;
            if (const auto target = code_target(instruction); target != disagreement) mark(target);
            for (const auto target : instruction.indirect_targets)
                mark(target);
        }
    }

    /// The block at an instruction in a context; `state` is joined into its entry state.
    std::size_t node(std::size_t first, const std::vector<std::int64_t>& context,
                     const EntryState& state) {
        const auto [found, inserted] =
            index_.emplace(std::make_pair(first, context), blocks_.size());
        const std::size_t block = found->second;
        if (inserted) {
            ExploredBlock explored;
            explored.first = first;
            explored.last = first;
            while (!ends_block(function_.instructions[explored.last]) &&
                   explored.last + 1 < function_.instructions.size() && !leader_[explored.last + 1])
                ++explored.last;
            explored.context = context;
            blocks_.push_back(std::move(explored));
            entry_.push_back(state);
            queued_.push_back(true);
            work_.push_back(block);
            return block;
        }
        EntryState merged = join(entry_[block], state);
        if (merged != entry_[block]) {
            entry_[block] = std::move(merged);
            if (!queued_[block]) {
                queued_[block] = true;
                work_.push_back(block);
            }
        }
        return block;
    }

    void refuse(std::size_t instruction, std::string what) {
        const auto& at = function_.instructions[instruction];
        what = fmt::format("{}: {}", place_of(function_, at), what);
        if (refused_.insert(what).second)
            failures_.push_back({std::move(what), {}, at.position.line, at.position.column});
    }

    Failure combined_failure() const {
        constexpr std::size_t shown = 20;
        Failure failure = failures_.front();
        for (std::size_t i = 1; i < failures_.size() && i < shown; ++i)
            failure.what += "; " + failures_[i].what;
        if (failures_.size() > shown)
            failure.what += fmt::format("; and {} more", failures_.size() - shown);
        failure.what = fmt::format("kernel '{}': {}", function_.name, failure.what);
        return failure;
    }

    /// Effects of an instruction that does not end its block.
    void step(std::size_t index, EntryState& state) {
        const auto& instruction = function_.instructions[index];
        switch (instruction.control_flow) {
        case ControlFlow::PushReconvergence:
        case ControlFlow::PushBreak:
        case ControlFlow::PushContinue:
            if (state.stack.size() >= stack_limit)
                return refuse(index, "the reconvergence stack grows without limit");
            state.stack.push_back({instruction.control_flow, code_target(instruction)});
            return;
        case ControlFlow::PushReturn:
            return refuse(index, "PRET is not supported");
        case ControlFlow::ConvergenceSet:
            if (const auto barrier = first_register(instruction, RegisterFile::Barrier))
                state.barriers[*barrier] = code_target(instruction);
            return;
        case ControlFlow::ConvergenceBreak:
            return; // The participating lanes change, not the reconvergence point.
        default:
            break;
        }
        auto constant = moved_constant(instruction);
        if (const auto from = moved_register(instruction))
            if (const auto known = state.constants.find(*from); known != state.constants.end())
                constant = known->second;
        for (const auto& reg : instruction.effects.writes) {
            if (reg.file == RegisterFile::General) state.constants.erase(reg.index);
            // BMOV may restore any barrier register.
            if (reg.file == RegisterFile::Barrier) state.barriers[reg.index] = disagreement;
        }
        if (instruction.mnemonic == "BMOV")
            if (const auto barrier = first_register(instruction, RegisterFile::Barrier))
                if (!instruction.operands.empty() &&
                    std::holds_alternative<RegisterOperand>(instruction.operands.front()) &&
                    std::get<RegisterOperand>(instruction.operands.front()).file ==
                        RegisterFile::Barrier)
                    state.barriers[*barrier] = disagreement;
        if (constant)
            if (const auto* reg = std::get_if<RegisterOperand>(&instruction.operands.front());
                reg != nullptr && reg->index)
                state.constants[*reg->index] = *constant;
    }

    /// The target of a pop of an entry that `pushed` made; `state` is the state after it.
    std::optional<std::int64_t> pop(std::size_t index, ControlFlow pushed, EntryState& state) {
        if (!state.stack_known) {
            refuse(index, "paths to this pop disagree about the reconvergence stack");
            return std::nullopt;
        }
        while (!state.stack.empty()) {
            const StackEntry entry = state.stack.back();
            state.stack.pop_back();
            if (entry.target == disagreement) {
                refuse(index, "paths to this pop disagree about its target");
                return std::nullopt;
            }
            if (entry.kind == pushed) return entry.target;
            // BRK and CONT also pop the reconvergence points of the branches that they exit.
            if (pushed == ControlFlow::PushReconvergence) break;
        }
        refuse(index, "no matching push before this pop");
        return std::nullopt;
    }

    void visit(std::size_t block) {
        EntryState state = entry_[block];
        const std::size_t last = blocks_[block].last;
        for (std::size_t i = blocks_[block].first; i < last; ++i) {
            check_stop(graph_step);
            step(i, state);
        }
        blocks_[block].successors.clear();
        blocks_[block].exits = false;
        const auto& instruction = function_.instructions[last];
        if (!ends_block(instruction)) {
            step(last, state);
            return fall_through(block, last, state);
        }
        const bool never = instruction.guard && instruction.guard->never();
        if (never) return fall_through(block, last, state);
        terminate(block, last, is_guarded(instruction), state);
    }

    void terminate(std::size_t block, std::size_t last, bool guarded, EntryState& state) {
        const auto& instruction = function_.instructions[last];
        const EntryState before = state;
        bool falls = guarded;
        switch (instruction.control_flow) {
        case ControlFlow::Branch:
            falls = falls || decided_by_operand(instruction);
            add_successor(block, last, code_target(instruction), blocks_[block].context, state);
            break;
        case ControlFlow::IndirectBranch:
            if (instruction.indirect_targets.empty())
                return refuse(
                    last,
                    is_amd(function_.target)
                        ? fmt::format("{} to an address that is not known here, as of a function "
                                      "that is not inlined or not linked",
                                      instruction.mnemonic)
                        : fmt::format("indirect branch {} without known targets (nvdisasm lists "
                                      "them as BRANCH_TARGETS)",
                                      instruction.mnemonic));
            for (const auto target : instruction.indirect_targets)
                add_successor(block, last, target, blocks_[block].context, state);
            break;
        case ControlFlow::Exit:
            // `EXIT CC.NE`: whether it falls through is not decided by its guard alone.
            if (decided_by_operand(instruction) || instruction.has_modifier("PREEMPTED"))
                return refuse(last, fmt::format("{} that not its guard alone decides is not "
                                                "supported",
                                                opcode_text(instruction)));
            blocks_[block].exits = true;
            break;
        case ControlFlow::Call:
            call(block, last, state);
            break;
        case ControlFlow::Return:
            return_from_call(block, last, state);
            break;
        case ControlFlow::PopReconvergence:
            pop_to(block, last, ControlFlow::PushReconvergence, state);
            break;
        case ControlFlow::PopBreak:
            pop_to(block, last, ControlFlow::PushBreak, state);
            break;
        case ControlFlow::PopContinue:
            pop_to(block, last, ControlFlow::PushContinue, state);
            break;
        case ControlFlow::ConvergenceWait:
            converge(block, last, state);
            break;
        case ControlFlow::Trap:
        case ControlFlow::ExternalCall: // Nothing is known of what follows.
            blocks_[block].exits = true;
            break;
        default:
            return refuse(last,
                          fmt::format("unknown control instruction {}", opcode_text(instruction)));
        }
        if (falls) fall_through(block, last, before);
    }

    void pop_to(std::size_t block, std::size_t last, ControlFlow pushed, EntryState& state) {
        if (const auto target = pop(last, pushed, state))
            add_successor(block, last, *target, blocks_[block].context, state);
    }

    void converge(std::size_t block, std::size_t last, EntryState& state) {
        const auto barrier = first_register(function_.instructions[last], RegisterFile::Barrier);
        const auto found = barrier ? state.barriers.find(*barrier) : state.barriers.end();
        if (found == state.barriers.end() || found->second == disagreement)
            return refuse(last, "the reconvergence point of BSYNC is not the same on every path");
        const std::size_t next = last + 1;
        const std::int64_t here = function_.instructions[last].address;
        // A target at the BSYNC itself or at the next instruction: execution falls through.
        if (found->second == here || found->second == here + function_.step)
            return fall_through(block, last, state);
        (void)next;
        add_successor(block, last, found->second, blocks_[block].context, state);
    }

    void call(std::size_t block, std::size_t last, EntryState& state) {
        const auto& instruction = function_.instructions[last];
        std::vector<std::int64_t> context = blocks_[block].context;
        if (std::find(context.begin(), context.end(), instruction.address) != context.end())
            return refuse(last, "recursion");
        if (context.size() >= context_limit)
            return refuse(last, fmt::format("calls nested deeper than {}", context_limit));
        context.push_back(instruction.address);
        add_successor(block, last, code_target(instruction), context, state);
    }

    void return_from_call(std::size_t block, std::size_t last, EntryState& state) {
        std::vector<std::int64_t> context = blocks_[block].context;
        if (context.empty()) return refuse(last, "a return outside a call");
        std::int64_t address = context.back() + function_.step;
        if (function_.target.sm >= 70) {
            const auto reg = first_register(function_.instructions[last], RegisterFile::General);
            const auto value = reg ? state.constants.find(*reg) : state.constants.end();
            if (value == state.constants.end())
                return refuse(last, "the return address is not known");
            address = value->second;
            // Calls that the return passes by did not come back: they were jumps.
            const auto caller =
                std::find(context.rbegin(), context.rend(), address - function_.step);
            if (caller != context.rend()) context.erase(caller.base(), context.end());
        } else if (!function_.index_of(address)) {
            address += function_.step; // a control word lies between
        }
        context.pop_back();
        add_successor(block, last, address, context, state);
    }

    void add_successor(std::size_t block, std::size_t last, std::int64_t address,
                       const std::vector<std::int64_t>& context, const EntryState& state) {
        const auto target = function_.index_of(address);
        if (!target) return refuse(last, "the target is no instruction of this function");
        const std::size_t to = node(*target, context, state);
        blocks_[block].successors.push_back({to, true});
    }

    void fall_through(std::size_t block, std::size_t last, const EntryState& state) {
        if (last + 1 >= function_.instructions.size())
            return refuse(last, "the code runs past the last instruction");
        const std::size_t to = node(last + 1, blocks_[block].context, state);
        blocks_[block].successors.push_back({to, false});
    }

    const Function& function_;
    std::vector<bool> leader_;
    std::vector<ExploredBlock> blocks_;
    std::vector<EntryState> entry_;
    std::vector<bool> queued_;
    std::deque<std::size_t> work_;
    std::map<std::pair<std::size_t, std::vector<std::int64_t>>, std::size_t> index_;
    std::vector<Failure> failures_;
    std::set<std::string> refused_;
};

} // namespace

Result<std::vector<ExploredBlock>> explore_blocks(const Function& function) {
    if (function.instructions.empty())
        return Failure{"kernel '" + function.name + "' has no instruction"};
    return BlockExplorer{function}.run();
}

} // namespace warpbound::assembly
