#include "analyzer/flow/divergent_definitions.hpp"

#include "assembly/flow/post_dominators.hpp"

#include <algorithm>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;

/// Barrier registers that the active lanes have joined, in the order in which they did.
using OpenBarriers = std::vector<int>;

/// The open barriers at the begin and at the end of each block.
class BarrierStacks {
public:
    BarrierStacks(const Function& function, const ControlFlowGraph& graph)
        : function_{function}, graph_{graph}, before_(graph.blocks.size()),
          at_end_(graph.blocks.size()) {
        before_[0] = OpenBarriers{};
        for (std::size_t block = 0; known_ && block < graph.blocks.size(); ++block) {
            if (!before_[block]) continue; // Not reached.
            OpenBarriers open = *before_[block];
            const auto& code = graph.blocks[block];
            for (std::size_t i = code.first; i <= code.last; ++i)
                execute(function.instructions[i], open);
            at_end_[block] = open;
            const Instruction& last = function.instructions[code.last];
            if (last.control_flow == ControlFlow::ConvergenceWait) arrive(last, open);
            for (const std::size_t edge : code.out) {
                auto& next = before_[graph.edges[edge].to];
                known_ = known_ && (!next || *next == open);
                next = open;
            }
        }
    }

    /// Blocks come here with the same open barriers on all paths, by instructions that are
    /// modelled.
    [[nodiscard]] bool known() const { return known_; }
    [[nodiscard]] const OpenBarriers& at_end(std::size_t block) const { return *at_end_[block]; }
    /// Where lanes of the branch go on that have arrived at its innermost open barrier; nothing
    /// where there is no such block, or several.
    [[nodiscard]] std::optional<std::size_t> after_wait(std::size_t branch) const {
        const OpenBarriers& open = at_end(branch);
        std::vector<bool> seen(graph_.blocks.size(), false);
        std::vector<std::size_t> pending{branch};
        std::optional<std::size_t> after;
        while (!pending.empty()) {
            const std::size_t block = pending.back();
            pending.pop_back();
            const Instruction& last = function_.instructions[graph_.blocks[block].last];
            const bool arrives =
                last.control_flow == ControlFlow::ConvergenceWait && *at_end_[block] == open;
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (arrives && after && *after != to) return std::nullopt;
                if (arrives) after = to;
                if (arrives || seen[to]) continue;
                seen[to] = true;
                pending.push_back(to);
            }
        }
        return after;
    }

private:
    void execute(const Instruction& instruction, OpenBarriers& open) {
        switch (instruction.control_flow) {
        case ControlFlow::ConvergenceSet:
            if (const auto reg = assembly::barrier_register(instruction);
                reg && !assembly::is_guarded(instruction)) {
                std::erase(open, *reg);
                open.push_back(*reg);
            } else {
                known_ = false;
            }
            return;
        case ControlFlow::ConvergenceBreak:
        case ControlFlow::PushReconvergence:
        case ControlFlow::PushBreak:
        case ControlFlow::PushContinue:
        case ControlFlow::PopReconvergence:
        case ControlFlow::PopBreak:
        case ControlFlow::PopContinue:
            known_ = false;
            return;
        default:
            break;
        }
        // BMOV.CLEAR before a BSSY leaves the barrier.
        for (const assembly::Register reg : instruction.effects.writes)
            if (reg.file == assembly::RegisterFile::Barrier)
                known_ = known_ && forget(open, reg.index);
        if (instruction.mnemonic == "BMOV")
            for (const assembly::Register reg : instruction.effects.reads)
                if (reg.file == assembly::RegisterFile::Barrier)
                    known_ = known_ && forget(open, reg.index);
    }
    /// Whether no barrier that is open was left.
    static bool forget(OpenBarriers& open, int reg) { return std::erase(open, reg) == 0; }
    void arrive(const Instruction& wait, OpenBarriers& open) {
        const auto reg = assembly::barrier_register(wait);
        if (!reg || open.empty() || open.back() != *reg || assembly::is_guarded(wait))
            known_ = false;
        else
            open.pop_back();
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    std::vector<std::optional<OpenBarriers>> before_;
    std::vector<std::optional<OpenBarriers>> at_end_;
    bool known_ = true;
};

/// What lanes may pass from a divergent branch on until they are together again.
struct Region {
    std::vector<int> paths; ///< Per block: from how many successors of the branch it is reached.
    std::optional<std::size_t> together;

    /// Lanes that left the branch by different successors may come here.
    [[nodiscard]] bool meets(std::size_t block) const {
        return block == together || paths[block] > 1;
    }
};

Region region_of(const ControlFlowGraph& graph, std::size_t branch,
                 std::optional<std::size_t> together) {
    Region region{std::vector<int>(graph.blocks.size(), 0), together};
    std::set<std::size_t> successors;
    for (const std::size_t edge : graph.blocks[branch].out)
        successors.insert(graph.edges[edge].to);
    for (const std::size_t successor : successors) {
        if (successor == together) continue;
        auto reached = assembly::blocks_reachable_from(
            graph, successor, [&](const assembly::Edge& edge) { return edge.to != together; });
        reached[successor] = true;
        for (std::size_t block = 0; block < reached.size(); ++block)
            region.paths[block] += reached[block] ? 1 : 0;
    }
    return region;
}

/// Whether lanes that went different ways at the branch, which they left in one iteration of the
/// loop or before it, are in one iteration when they execute an instruction of the loop together.
bool keeps_step(const assembly::Loop& loop, std::size_t branch, const Region& region) {
    if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), branch))
        return region.paths[loop.header] == 0;
    return std::none_of(loop.blocks.begin(), loop.blocks.end(), [&](std::size_t block) {
        return region.meets(block) && !(block == loop.header && region.together == block);
    });
}

} // namespace

std::optional<DivergentDefinitions> divergent_definitions(const Function& function,
                                                          const ControlFlowGraph& graph,
                                                          const std::set<std::size_t>& divergent) {
    DivergentDefinitions found;
    found.in_step.assign(graph.loops.size(), true);
    if (divergent.empty()) return found;
    const BarrierStacks stacks{function, graph};
    if (!stacks.known()) return std::nullopt;
    const auto post_dominator = assembly::immediate_post_dominators(graph);
    for (const std::size_t branch : divergent) {
        const OpenBarriers& open = stacks.at_end(branch);
        const auto together = open.empty() ? post_dominator[branch] : stacks.after_wait(branch);
        const Region region = region_of(graph, branch, together);
        for (std::size_t loop = 0; loop < graph.loops.size(); ++loop)
            found.in_step[loop] =
                found.in_step[loop] && keeps_step(graph.loops[loop], branch, region);
        std::set<assembly::Register> written;
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            if (region.paths[block] == 0) continue;
            for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i) {
                const auto& effects = function.instructions[i].effects;
                if (!effects.exact) return std::nullopt;
                written.insert(effects.writes.begin(), effects.writes.end());
            }
        }
        for (std::size_t block = 0; block < graph.blocks.size(); ++block)
            if (region.meets(block)) {
                found.joined[block].insert(written.begin(), written.end());
                const auto& in = graph.blocks[block].in;
                if (std::any_of(in.begin(), in.end(), [&](std::size_t edge) {
                        return !region.meets(graph.edges[edge].from);
                    }))
                    found.reconverged[block].insert(written.begin(), written.end());
            }
        for (const assembly::Register reg : written)
            if (reg.file == assembly::RegisterFile::Uniform ||
                reg.file == assembly::RegisterFile::UniformPredicate)
                found.shared.insert(reg);
    }
    return found;
}

} // namespace warpbound::analyzer
