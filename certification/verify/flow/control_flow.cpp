#include "certification/verify/flow/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using Transfer = assembly::ControlFlow;
using Indices = std::set<std::size_t>; // of instructions

/// Where an instruction can lead.
struct Successors {
    Indices must; ///< Each of them.
    Indices may;  ///< At least one of them, if there are any.
    bool ends = false;
};

[[noreturn]] void fail(const std::string& id, const std::string& what) {
    throw Finding{Verdict::Failed, id + ": " + what};
}
[[noreturn]] void fail(const KernelCase& kernel, const std::string& what) {
    fail(kernel.id, what);
}

/// Some register decides besides the guard.
bool register_decides(const assembly::Instruction& instruction) {
    return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                       [](const assembly::Operand& operand) {
                           const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
                           return reg != nullptr && (reg->index || reg->negated);
                       });
}

/// The listing's own relation between instructions. Where a stack decides (pops, returns), any
/// matching push or call may have been the one: which it was is the analysis' claim.
class Listing {
public:
    explicit Listing(const KernelCase& kernel)
        : kernel_{kernel}, code_{kernel.function->instructions} {}

    [[nodiscard]] Successors after(std::size_t index) const {
        const auto& instruction = code_[index];
        const bool never = instruction.guard && instruction.guard->never();
        const bool conditional = assembly::is_guarded(instruction);
        Successors successors;
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
        case Transfer::Return:
            for (std::size_t i = 0; i + 1 < code_.size(); ++i)
                if (code_[i].control_flow == Transfer::Call) successors.may.insert(i + 1);
            break;
        case Transfer::ConvergenceWait:
            if (index + 1 < code_.size()) successors.may.insert(index + 1);
            [[fallthrough]];
        case Transfer::PopReconvergence:
        case Transfer::PopBreak:
        case Transfer::PopContinue:
            for (const auto& other : code_)
                if (other.control_flow == pushed_by(instruction.control_flow))
                    successors.may.insert(at(target_of(other), other));
            break;
        default:
            fail(kernel_, fmt::format("0x{:04x}: control flow that this check does not know",
                                      instruction.address));
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
            fail(kernel_, fmt::format("0x{:04x}: its target is no instruction", from.address));
        return *index;
    }

private:
    const KernelCase& kernel_;
    const std::vector<assembly::Instruction>& code_;
};

void check_blocks(const KernelCase& kernel, ControlFlow& flow) {
    const Listing listing{kernel};
    const auto& code = kernel.function->instructions;
    if (kernel.blocks.empty()) fail(kernel, "no blocks");
    flow.blocks = kernel.blocks;
    for (const BlockRow& block : kernel.blocks) {
        const auto first = kernel.function->index_of(block.first);
        const auto last = kernel.function->index_of(block.last);
        if (!first || !last || *first > *last)
            fail(kernel, fmt::format("block 0x{:04x}..0x{:04x} is not in the listing", block.first,
                                     block.last));
        flow.first.push_back(*first);
        flow.last.push_back(*last);
    }
    if (flow.first.front() != 0) fail(kernel, "block 0 is not the entry");
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        const auto where = fmt::format("block 0x{:04x}", kernel.blocks[block].first);
        for (std::size_t i = flow.first[block]; i < flow.last[block]; ++i)
            if (!Listing::is_straight(code[i])) fail(kernel, where + " is left in its middle");
        const Successors expected = listing.after(flow.last[block]);
        Indices found;
        for (const std::size_t to : kernel.blocks[block].successors)
            found.insert(flow.first[to]);
        for (const std::size_t must : expected.must)
            if (found.count(must) == 0)
                fail(kernel,
                     fmt::format("{} lacks the way to 0x{:04x}", where, code[must].address));
        bool some = expected.may.empty();
        for (const std::size_t to : found) {
            const bool may = expected.may.count(to) != 0;
            some = some || may;
            if (!may && expected.must.count(to) == 0)
                fail(kernel, fmt::format("{} has a way to 0x{:04x} that the listing does not",
                                         where, code[to].address));
        }
        if (!some) fail(kernel, where + " lacks the way of its last instruction");
        if (kernel.blocks[block].exits != expected.ends)
            fail(kernel, where + " does not end the warp as its last instruction says");
    }
}

/// Reverse post order from the entry.
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
    if (done.size() != count) fail(id, "a block cannot be reached from the entry");
    flow.order.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i)
        flow.order[done[i]] = count - 1 - i;
}

/// Natural loops: every edge that goes back must go to a block that dominates its source.
void find_loops(const std::string& id, ControlFlow& flow) {
    const std::size_t count = flow.blocks.size();
    std::vector<std::vector<std::size_t>> before(count);
    for (std::size_t from = 0; from < count; ++from)
        for (const std::size_t to : flow.blocks[from].successors)
            before[to].push_back(from);
    std::set<std::size_t> headers;
    for (std::size_t from = 0; from < count; ++from)
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
                fail(id, fmt::format("the loop at 0x{:04x} is entered in its middle",
                                     flow.blocks[header].first));
        flow.loops.push_back(std::move(loop));
    }
    std::stable_sort(flow.loops.begin(), flow.loops.end(),
                     [](const CheckedLoop& a, const CheckedLoop& b) {
                         return a.blocks.size() < b.blocks.size();
                     });
}

/// The header executes min to max times per entry; 0 at most: never at all.
void bound_loops(const KernelCase& kernel, ControlFlow& flow) {
    flow.never.assign(kernel.blocks.size(), false);
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        for (const auto& fact : kernel.facts.nevers)
            if (fact.block == kernel.blocks[block].first) flow.never[block] = true;
    for (CheckedLoop& loop : flow.loops) {
        const std::int64_t address = kernel.blocks[loop.header].first;
        const auto fact =
            std::find_if(kernel.facts.loops.begin(), kernel.facts.loops.end(),
                         [&](const models::LoopFact& bound) { return bound.header == address; });
        const auto derived =
            std::find_if(kernel.derived.begin(), kernel.derived.end(),
                         [&](const DerivedBound& bound) { return bound.header == loop.header; });
        std::optional<std::int64_t> most;
        if (fact != kernel.facts.loops.end()) {
            if (fact->max == 0) flow.never[loop.header] = true;
            loop.min_turns = fact->min > 1 ? fact->min - 1 : 0;
            most = fact->max > 1 ? fact->max - 1 : 0;
        }
        if (derived != kernel.derived.end()) {
            loop.min_turns = std::max(loop.min_turns, derived->min - 1);
            most = std::min(most.value_or(derived->max - 1), derived->max - 1);
        }
        if (!most && !flow.never[loop.header])
            fail(kernel, fmt::format("the loop at 0x{:04x} has no bound", address));
        loop.max_turns = most.value_or(0);
        if (!flow.never[loop.header] && loop.min_turns > loop.max_turns)
            fail(kernel,
                 fmt::format("the bounds of the loop at 0x{:04x} contradict each other", address));
    }
    if (flow.never[0]) fail(kernel, "the entry is stated never to be executed");
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
    bound_loops(kernel, flow);
    return flow;
}

void find_order_and_loops(const std::string& id, ControlFlow& flow) {
    order_blocks(id, flow);
    find_loops(id, flow);
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
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = 0; block < count; ++block) {
            if (live[block] || !reached[block]) continue;
            for (const std::size_t to : flow.blocks[block].successors)
                if (live[to]) live[block] = changed = true;
        }
    }
    return live;
}

} // namespace warpbound::certification::verify
