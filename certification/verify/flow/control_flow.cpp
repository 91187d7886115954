#include "certification/verify/flow/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::certification::verify {

namespace {

using Transfer = assembly::ControlFlow;
using InstructionSet = std::set<std::size_t>; ///< Indices of instructions.

/// The instructions that may follow one in the listing.
struct ListedSuccessors {
    InstructionSet must; ///< Each of them.
    /// At least one of `may` and `next`, if there are any. Null: none.
    const InstructionSet* may = nullptr;
    std::optional<std::size_t> next;
    bool ends = false;

    [[nodiscard]] bool is_choice() const { return next || (may != nullptr && !may->empty()); }
    [[nodiscard]] bool may_be(std::size_t instruction) const {
        return next == instruction || (may != nullptr && may->count(instruction) != 0);
    }
};

[[noreturn]] void refuse_flow(const std::string& id, const std::string& what) {
    refuted(id + ": " + what);
}
[[noreturn]] void refuse_flow(const KernelCase& kernel, const std::string& what) {
    refuse_flow(kernel.id, what);
}

std::string unsupported(const assembly::Instruction& instruction) {
    return fmt::format("0x{:04x}: control flow that this check does not support",
                       instruction.address);
}

/// A register decides about the branch in addition to the guard.
bool register_decides(const assembly::Instruction& instruction) {
    // BRA.DIV and BRA.CONV ask which lanes are active; the mask may be ~URZ (C102).
    if (instruction.has_modifier("DIV") || instruction.has_modifier("CONV")) return true;
    return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                       [](const assembly::Operand& operand) {
                           const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
                           return reg != nullptr && (reg->index || reg->negated);
                       });
}

/// The successor relation of the listing. Where a stack decides (pops, returns), any matching push
/// or call may be the one that counts: the analysis claims which. What they may be is collected
/// once per kind.
class ListedFlow {
public:
    explicit ListedFlow(const KernelCase& kernel)
        : kernel_{kernel}, code_{kernel.function->instructions} {}

    /// Refers to this object.
    [[nodiscard]] ListedSuccessors after(std::size_t index) {
        const auto& instruction = code_[index];
        const bool never = instruction.guard && instruction.guard->never();
        const bool conditional = assembly::is_guarded(instruction);
        ListedSuccessors successors;
        if (conditional || is_straight(instruction) ||
            (instruction.control_flow == Transfer::Branch && register_decides(instruction)))
            if (index + 1 < code_.size()) successors.must.insert(index + 1);
        if (never || is_straight(instruction)) return successors;
        switch (instruction.control_flow) {
        case Transfer::Branch:
        case Transfer::Call:
            successors.must.insert(at(target_of(instruction), instruction));
            break;
        case Transfer::IndirectBranch:
            for (const std::int64_t target : instruction.indirect_targets)
                successors.must.insert(at(target, instruction));
            break;
        case Transfer::Exit:
            successors.ends = true;
            break;
        case Transfer::Trap:
        case Transfer::ExternalCall: // Nothing follows in the listing.
            successors.ends = true;
            break;
        case Transfer::Return:
            successors.may = &returns();
            break;
        case Transfer::ConvergenceWait:
            if (index + 1 < code_.size()) successors.next = index + 1;
            [[fallthrough]];
        case Transfer::PopReconvergence:
        case Transfer::PopBreak:
        case Transfer::PopContinue:
            successors.may = &targets_of(*pushed_by(instruction.control_flow));
            break;
        default:
            refuse_flow(kernel_, unsupported(instruction));
        }
        return successors;
    }

    static bool is_straight(const assembly::Instruction& instruction) {
        switch (instruction.control_flow) {
        case Transfer::None:
        case Transfer::PushReconvergence:
        case Transfer::PushBreak:
        case Transfer::PushContinue:
        case Transfer::PushReturn:
        case Transfer::ConvergenceSet:
        case Transfer::ConvergenceBreak:
            return true;
        default:
            return false;
        }
    }

    [[nodiscard]] std::size_t at(const std::optional<std::int64_t>& address,
                                 const assembly::Instruction& from) const {
        const auto index = address ? kernel_.function->index_of(*address) : std::nullopt;
        if (!index)
            refuse_flow(kernel_,
                        fmt::format("0x{:04x}: its target is not an instruction", from.address));
        return *index;
    }

private:
    /// The instructions after the calls.
    const InstructionSet& returns() {
        const auto [known, fresh] = resumed_.try_emplace(Transfer::Call);
        for (std::size_t i = 0; fresh && i + 1 < code_.size(); ++i)
            if (code_[i].control_flow == Transfer::Call) known->second.insert(i + 1);
        return known->second;
    }
    /// The targets of all instructions that push or set a point like this.
    const InstructionSet& targets_of(Transfer push) {
        const auto [known, fresh] = resumed_.try_emplace(push);
        for (std::size_t i = 0; fresh && i < code_.size(); ++i)
            if (code_[i].control_flow == push)
                known->second.insert(at(target_of(code_[i]), code_[i]));
        return known->second;
    }

    const KernelCase& kernel_;
    const std::vector<assembly::Instruction>& code_;
    std::map<Transfer, InstructionSet> resumed_; ///< By what pushes, as far as asked for.
};

void check_blocks(const KernelCase& kernel, ControlFlow& flow) {
    ListedFlow listing{kernel};
    const auto& code = kernel.function->instructions;
    if (kernel.blocks.empty()) refuse_flow(kernel, "no blocks");
    flow.blocks = kernel.blocks;
    for (const BlockRow& block : kernel.blocks) {
        const auto first = kernel.function->index_of(block.first);
        const auto last = kernel.function->index_of(block.last);
        if (!first || !last || *first > *last)
            refuse_flow(kernel, fmt::format("block 0x{:04x}..0x{:04x} is not in the listing",
                                            block.first, block.last));
        flow.first.push_back(*first);
        flow.last.push_back(*last);
    }
    if (flow.first.front() != 0) refuse_flow(kernel, "block 0 is not the entry");
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        const auto where = fmt::format("block 0x{:04x}", kernel.blocks[block].first);
        for (std::size_t i = flow.first[block]; i < flow.last[block]; ++i)
            if (!ListedFlow::is_straight(code[i]))
                refuse_flow(kernel, where + " branches before its last instruction");
        const ListedSuccessors expected = listing.after(flow.last[block]);
        InstructionSet found;
        for (const std::size_t to : kernel.blocks[block].successors)
            found.insert(flow.first[to]);
        for (const std::size_t must : expected.must)
            if (found.count(must) == 0)
                refuse_flow(kernel, fmt::format("{} lacks the successor 0x{:04x}", where,
                                                code[must].address));
        bool some = !expected.is_choice();
        for (const std::size_t to : found) {
            const bool may = expected.may_be(to);
            some = some || may;
            if (!may && expected.must.count(to) == 0)
                refuse_flow(kernel,
                            fmt::format("{} has the successor 0x{:04x}, which the listing lacks",
                                        where, code[to].address));
        }
        if (!some) refuse_flow(kernel, where + " lacks a successor of its last instruction");
        if (kernel.blocks[block].exits != expected.ends)
            refuse_flow(kernel,
                        where + " and its last instruction differ in whether they end the warp");
    }
}

/// Reverse postorder from the entry.
void order_blocks(const std::string& id, ControlFlow& flow) {
    const std::size_t count = flow.blocks.size();
    std::vector<int> state(count, 0);
    std::vector<std::size_t> done;
    std::vector<std::size_t> stack{0};
    while (!stack.empty()) {
        const std::size_t block = stack.back();
        if (state[block] == 0) {
            state[block] = 1;
            for (const std::size_t to : flow.blocks[block].successors)
                if (state[to] == 0) stack.push_back(to);
            continue;
        }
        stack.pop_back();
        if (state[block] == 1) done.push_back(block);
        state[block] = 2;
    }
    if (done.size() != count) refuse_flow(id, "a block cannot be reached from the entry");
    flow.order.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i)
        flow.order[done[i]] = count - 1 - i;
}

/// Natural loops: the target of every back edge must dominate its source.
void find_loops(const std::string& id, ControlFlow& flow) {
    const auto before = predecessors_of(flow);
    std::set<std::size_t> headers;
    for (std::size_t from = 0; from < flow.blocks.size(); ++from)
        for (const std::size_t to : flow.blocks[from].successors)
            if (flow.order[to] <= flow.order[from]) headers.insert(to);
    for (const std::size_t header : headers) {
        CheckedLoop loop;
        loop.header = header;
        loop.blocks.insert(header);
        std::vector<std::size_t> work;
        for (const std::size_t from : before[header])
            if (flow.order[header] <= flow.order[from]) work.push_back(from);
        while (!work.empty()) {
            const std::size_t block = work.back();
            work.pop_back();
            if (!loop.blocks.insert(block).second) continue;
            work.insert(work.end(), before[block].begin(), before[block].end());
        }
        for (const std::size_t block : loop.blocks)
            if (flow.order[block] < flow.order[header])
                refuse_flow(id, fmt::format("the loop at 0x{:04x} has more than one entry",
                                            flow.blocks[header].first));
        flow.loops.push_back(std::move(loop));
    }
    std::stable_sort(flow.loops.begin(), flow.loops.end(),
                     [](const CheckedLoop& a, const CheckedLoop& b) {
                         return a.blocks.size() < b.blocks.size();
                     });
}

/// A loop bound counts executions of the header per entry; at most 0: the header never executes.
void bound_code_loops(const KernelCase& kernel, ControlFlow& flow) {
    std::set<std::int64_t> nevers;
    for (const models::NeverFact& fact : kernel.facts.nevers)
        nevers.insert(fact.block);
    std::map<std::int64_t, const models::LoopFact*> bounds;
    for (const models::LoopFact& fact : kernel.facts.loops)
        bounds.emplace(fact.header, &fact);
    for (const BlockRow& block : kernel.blocks)
        flow.never.push_back(nevers.count(block.first) != 0);
    for (CheckedLoop& loop : flow.loops) {
        const std::int64_t address = kernel.blocks[loop.header].first;
        const auto bound = bounds.find(address);
        std::optional<std::int64_t> most;
        if (bound != bounds.end()) {
            const models::LoopFact& fact = *bound->second;
            if (fact.max == 0) flow.never[loop.header] = true;
            loop.min_back_edges = fact.min > 1 ? fact.min - 1 : 0;
            most = fact.max > 1 ? fact.max - 1 : 0;
        }
        if (!most && !flow.never[loop.header])
            refuse_flow(kernel, fmt::format("the loop at 0x{:04x} has no bound", address));
        loop.max_back_edges = most.value_or(0);
        if (!flow.never[loop.header] && loop.min_back_edges > loop.max_back_edges)
            refuse_flow(
                kernel,
                fmt::format("the bounds of the loop at 0x{:04x} contradict each other", address));
    }
    if (flow.never[0]) refuse_flow(kernel, "the entry is stated never to execute");
}

/// What ends a thread abnormally, or leads out of the listing, is in blocks that are assumed not to
/// be executed, or under a guard: times contain neither traps nor other code.
void check_normal_ends(const KernelCase& kernel, const ControlFlow& flow) {
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        const auto& last = kernel.function->instructions[flow.last[block]];
        if (!flow.never[block] && !assembly::is_guarded(last) &&
            (last.control_flow == Transfer::Trap || last.control_flow == Transfer::ExternalCall))
            refuse_flow(kernel, unsupported(last));
    }
}

} // namespace

std::optional<assembly::ControlFlow> pushed_by(assembly::ControlFlow pop) {
    switch (pop) {
    case Transfer::PopReconvergence:
        return Transfer::PushReconvergence;
    case Transfer::PopBreak:
        return Transfer::PushBreak;
    case Transfer::PopContinue:
        return Transfer::PushContinue;
    case Transfer::ConvergenceWait:
        return Transfer::ConvergenceSet;
    default:
        return std::nullopt;
    }
}

ControlFlow check_control_flow(const KernelCase& kernel) {
    ControlFlow flow;
    check_blocks(kernel, flow);
    find_order_and_loops(kernel.id, flow);
    bound_code_loops(kernel, flow);
    check_normal_ends(kernel, flow);
    return flow;
}

void find_order_and_loops(const std::string& id, ControlFlow& flow) {
    order_blocks(id, flow);
    find_loops(id, flow);
}

ControlFlow flow_of_beginnings(ControlFlow flow) {
    for (CheckedLoop& loop : flow.loops)
        loop.min_back_edges = 0;
    return flow;
}

std::vector<std::vector<std::size_t>> predecessors_of(const ControlFlow& flow) {
    std::vector<std::vector<std::size_t>> before(flow.blocks.size());
    for (std::size_t from = 0; from < flow.blocks.size(); ++from)
        for (const std::size_t to : flow.blocks[from].successors)
            before[to].push_back(from);
    return before;
}

std::optional<std::int64_t> target_of(const assembly::Instruction& instruction) {
    for (const auto& operand : instruction.operands)
        if (const auto* target = std::get_if<assembly::TargetOperand>(&operand))
            if (target->address) return target->address;
    return std::nullopt;
}

std::vector<bool> live_blocks(const ControlFlow& flow,
                              const std::optional<std::pair<std::size_t, std::size_t>>& between) {
    const std::size_t count = flow.blocks.size();
    std::vector<bool> reached(count, false);
    std::vector<std::size_t> work{between ? between->first : 0};
    reached[work.back()] = true;
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        if (between && block == between->second) continue;
        for (const std::size_t to : flow.blocks[block].successors)
            if (!reached[to] && !flow.never[to]) {
                reached[to] = true;
                work.push_back(to);
            }
    }
    std::vector<bool> live(count, false);
    for (std::size_t block = 0; block < count; ++block)
        live[block] =
            reached[block] && (between ? block == between->second : flow.blocks[block].exits);
    const auto before = predecessors_of(flow);
    for (std::size_t block = 0; block < count; ++block)
        if (live[block]) work.push_back(block);
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        for (const std::size_t from : before[block])
            if (reached[from] && !live[from]) {
                live[from] = true;
                work.push_back(from);
            }
    }
    return live;
}

} // namespace warpbound::certification::verify
