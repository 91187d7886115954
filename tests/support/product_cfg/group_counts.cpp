#include "tests/support/product_cfg/group_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Kind = std::pair<std::size_t, std::size_t>; ///< Of groups: origin and resume.
using Blocks = std::set<std::size_t>;

class GroupCounts {
public:
    GroupCounts(const AnalysisContext& context, const std::vector<ProductNode>& nodes,
                const Overtaking& overtaking, const assembly::ControlFlowGraph& graph,
                const std::vector<const ProductNode*>& in_order)
        : context_{context}, code_{*context.request.graph}, graph_{graph}, in_order_{in_order},
          overtaking_{overtaking}, headed_(code_.blocks.size()),
          divergent_(code_.blocks.size(), false), repeated_(in_order.size()) {
        for (std::size_t loop = 0; loop < code_.loops.size(); ++loop)
            headed_[code_.loops[loop].header] = loop;
        for (std::size_t block = 0; block < code_.blocks.size(); ++block)
            for (const auto& fact : context.request.facts->divergents)
                if (context.request.function->instructions[code_.blocks[block].last].address ==
                    fact.at)
                    divergent_[block] = true;
        for (const ProductNode& node : nodes)
            for (const AbstractStack& stack : node.stacks)
                note(node.block, stack);
    }

    Result<std::vector<std::optional<std::int64_t>>> find() {
        for (const assembly::Loop& loop : graph_.loops) {
            const std::size_t header = in_order_[loop.header]->block;
            if (headed_[header]) {
                if (!stays_inside(loop, *headed_[header])) return refuse(header);
                continue;
            }
            const auto most = most_executions(loop);
            if (!most) return refuse(header);
            repeated_[loop.header] = *most;
        }
        return std::move(repeated_);
    }

private:
    [[nodiscard]] Failure refuse(std::size_t header) const {
        return Failure{fmt::format("divergent groups of lanes may execute 0x{:04x} one after the "
                                   "other without limit, which is not bounded in this version",
                                   code_.blocks[header].address),
                       context_.request.function->name};
    }
    [[nodiscard]] bool is_in_loop(std::size_t loop, std::size_t block) const {
        const auto& blocks = code_.loops[loop].blocks;
        return std::binary_search(blocks.begin(), blocks.end(), block);
    }
    [[nodiscard]] std::vector<std::size_t> code_successors(std::size_t block) const {
        std::vector<std::size_t> successors;
        for (const std::size_t edge : code_.blocks[block].out)
            if (!context_.facts.never[code_.edges[edge].to])
                successors.push_back(code_.edges[edge].to);
        return successors;
    }

    /// Notes which groups are pending at headers.
    void note(std::size_t block, const AbstractStack& stack) {
        if (!headed_[block]) return;
        for (const auto& entry : stack.entries)
            for (const PendingGroup& group : entry.groups)
                if (!group.released)
                    iterated_[{group.origin, group.resume}].insert(*headed_[block]);
    }

    /// No lane leaves the loop of the code and enters it again within one traversal of its nodes.
    [[nodiscard]] bool stays_inside(const assembly::Loop& loop, std::size_t of_code) const {
        return std::none_of(loop.blocks.begin(), loop.blocks.end(), [&](std::size_t node) {
            const std::size_t block = in_order_[node]->block;
            if (is_in_loop(of_code, block)) return false;
            const auto next = code_successors(block);
            return std::find(next.begin(), next.end(), code_.loops[of_code].header) != next.end();
        });
    }

    /// Blocks among the given ones from which a lane comes to `to` within them. None: it may come
    /// from there to itself.
    [[nodiscard]] std::optional<Blocks> leading_to(std::size_t to, const Blocks& blocks) const {
        Blocks leading{to};
        bool grows = true;
        while (grows) {
            grows = false;
            for (const std::size_t block : blocks)
                for (const std::size_t next : code_successors(block)) {
                    if (leading.count(next) == 0) continue;
                    if (block == to) return std::nullopt;
                    grows = leading.insert(block).second || grows;
                }
        }
        return leading;
    }

    /// Lanes that go on at the block come to the branch, if at all, in a later iteration of a loop
    /// around both.
    [[nodiscard]] bool comes_later(std::size_t from, std::size_t branch) const {
        std::set<std::size_t> headers;
        for (std::size_t loop = 0; loop < code_.loops.size(); ++loop)
            if (is_in_loop(loop, branch) && is_in_loop(loop, from))
                headers.insert(code_.loops[loop].header);
        std::set<std::size_t> seen{from};
        std::vector<std::size_t> work{from};
        while (!work.empty()) {
            const std::size_t block = work.back();
            work.pop_back();
            if (block == branch) return false;
            for (const std::size_t next : code_successors(block))
                if (headers.count(next) == 0 && seen.insert(next).second) work.push_back(next);
        }
        return true;
    }

    /// Groups of one kind that are pending at the same time: each is of another iteration.
    [[nodiscard]] std::int64_t most_pending(const Kind& kind) const {
        const std::int64_t lanes = context_.shape.warp_size;
        if (const auto others = overtaking_.find(kind); others != overtaking_.end())
            for (const std::size_t resume : others->second)
                if (!comes_later(resume, kind.first)) return lanes;
        std::int64_t most = 1;
        const auto loops = iterated_.find(kind);
        if (loops == iterated_.end()) return most;
        for (const std::size_t loop : loops->second) {
            if (!is_in_loop(loop, kind.first)) continue;
            const std::int64_t iterations = context_.facts.loops[loop].max;
            if (iterations >= lanes) return lanes;
            most = std::min(lanes, most * (iterations + 1));
        }
        return most;
    }

    /// Executions of the header in one traversal of the loop of nodes, without the first. Each is
    /// of lanes that did not execute it yet (S67).
    [[nodiscard]] std::optional<std::int64_t> most_executions(const assembly::Loop& loop) const {
        Blocks blocks;
        for (const std::size_t node : loop.blocks)
            blocks.insert(in_order_[node]->block);
        const std::size_t header = in_order_[loop.header]->block;
        const auto leading = leading_to(header, blocks);
        if (!leading) return std::nullopt;
        const std::int64_t most = context_.shape.warp_size - 1;
        for (const std::size_t block : *leading)
            if (block != header && divergent_[block] && code_successors(block).size() > 1)
                return most;
        std::set<Kind> kinds;
        for (const std::size_t node : loop.blocks)
            for (const AbstractStack& stack : in_order_[node]->stacks)
                for (const auto& entry : stack.entries) {
                    if (entry.waiting && leading->count(entry.waiting->resume) != 0) return most;
                    for (const PendingGroup& group : entry.groups) {
                        if (leading->count(group.resume) == 0) continue;
                        if (group.released) return most;
                        kinds.emplace(group.origin, group.resume);
                    }
                }
        std::int64_t groups = 0;
        for (const Kind& kind : kinds)
            groups = std::min(most, groups + most_pending(kind));
        return groups;
    }

    const AnalysisContext& context_;
    const assembly::ControlFlowGraph& code_;
    const assembly::ControlFlowGraph& graph_;
    const std::vector<const ProductNode*>& in_order_;
    const Overtaking& overtaking_;
    std::vector<std::optional<std::size_t>> headed_; ///< Per block: the loop of the code.
    std::vector<bool> divergent_;                    ///< Per block.
    std::map<Kind, std::set<std::size_t>> iterated_; ///< Loops with such groups at the header.
    std::vector<std::optional<std::int64_t>> repeated_;
};

} // namespace

Result<std::vector<std::optional<std::int64_t>>>
group_counts(const AnalysisContext& context, const std::vector<ProductNode>& nodes,
             const Overtaking& overtaking, const assembly::ControlFlowGraph& graph,
             const std::vector<const ProductNode*>& in_order) {
    return GroupCounts{context, nodes, overtaking, graph, in_order}.find();
}

} // namespace warpbound::analyzer
