#include "analyzer/divergence/group_counts.hpp"

#include "analyzer/divergence/branch_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

using GroupKind = std::pair<BlockIndex, BlockIndex>; ///< Of groups: origin and resume.
using Blocks = std::set<BlockIndex>;
using Loops = std::set<std::size_t>; ///< Of the code.

/// No lane leaves the loop of the code and enters it again within these blocks.
bool stays_inside(const TimedKernel& kernel, const Blocks& blocks, const assembly::Loop& of_code) {
    return std::none_of(blocks.begin(), blocks.end(), [&](BlockIndex block) {
        if (has_block(of_code, block)) return false;
        return next_blocks(kernel, block).count(header_block(of_code)) != 0;
    });
}

/// Blocks among the given ones from which a lane comes to `to` within them. None: it may come from
/// there to itself.
std::optional<Blocks> leading_to(const TimedKernel& kernel, BlockIndex to, const Blocks& blocks) {
    Blocks leading{to};
    bool grows = true;
    while (grows) {
        grows = false;
        for (const BlockIndex block : blocks)
            for (const BlockIndex next : next_blocks(kernel, block)) {
                if (leading.count(next) == 0) continue;
                if (block == to) return std::nullopt;
                grows = leading.insert(block).second || grows;
            }
    }
    return leading;
}

class GroupCounts {
public:
    GroupCounts(const TimedKernel& kernel, const ProductNodes& nodes, const Overtaking& overtaking,
                const assembly::ControlFlowGraph& graph,
                const PerSerializedNode<const ProductNode*>& in_order)
        : kernel_{kernel}, code_{*kernel.graph}, graph_{graph}, in_order_{in_order},
          overtaking_{overtaking}, headed_(code_.blocks.size()), repeated_(in_order.size()) {
        for (std::size_t loop = 0; loop < code_.loops.size(); ++loop)
            headed_[header_block(code_.loops[loop])] = loop;
        for (const ProductNode& node : nodes)
            for (const AbstractStack& stack : node.stacks)
                note(node.block, stack);
    }

    Result<PerSerializedNode<std::optional<std::int64_t>>> find() {
        for (const assembly::Loop& loop : graph_.loops) {
            const BlockIndex header = header_of(loop);
            if (headed_[header]) {
                if (!stays_inside(kernel_, blocks_of(loop), code_.loops[*headed_[header]]))
                    return refuse(header);
                continue;
            }
            const auto most = most_executions(loop);
            if (!most) return refuse(header);
            repeated_[node_of_serialized(header_block(loop))] = *most;
        }
        return std::move(repeated_);
    }

private:
    [[nodiscard]] Failure refuse(BlockIndex header) const {
        return Failure{fmt::format("divergent groups of lanes may execute 0x{:04x} one after the "
                                   "other without limit, which is not bounded in this version",
                                   block_at(code_, header).address),
                       kernel_.function->name};
    }
    [[nodiscard]] bool is_in_loop(std::size_t loop, BlockIndex block) const {
        return has_block(code_.loops[loop], block);
    }
    /// The block of the code at which a loop of nodes has its header.
    [[nodiscard]] BlockIndex header_of(const assembly::Loop& loop) const {
        return in_order_[node_of_serialized(header_block(loop))]->block;
    }
    [[nodiscard]] static std::vector<SerializedNode> nodes_of(const assembly::Loop& loop) {
        std::vector<SerializedNode> nodes;
        for (const std::size_t node : loop.blocks)
            nodes.push_back(node_of_serialized(BlockIndex{node}));
        return nodes;
    }
    /// Notes which groups are pending at the block.
    void note(BlockIndex block, const AbstractStack& stack) {
        for (const auto& entry : stack.entries)
            for (const PendingGroup& group : entry.groups)
                if (!group.released) below_[{group.origin, group.resume}].insert(block);
    }

    [[nodiscard]] Blocks blocks_of(const assembly::Loop& loop) const {
        Blocks blocks;
        for (const SerializedNode node : nodes_of(loop))
            blocks.insert(in_order_[node]->block);
        return blocks;
    }

    /// Lanes that go on at the block while such groups are pending come to their branch, if at all,
    /// over the header of one of the loops that is around the block.
    [[nodiscard]] bool comes_later(BlockIndex from, const GroupKind& kind,
                                   const Loops& loops) const {
        Blocks allowed = below_.at(kind);
        if (allowed.count(from) == 0) return true;
        for (const std::size_t loop : loops)
            if (is_in_loop(loop, from)) allowed.erase(header_block(code_.loops[loop]));
        std::vector<BlockIndex> work{from};
        while (!work.empty()) {
            const BlockIndex block = work.back();
            work.pop_back();
            if (block == kind.first) return false;
            for (const BlockIndex next : next_blocks(kernel_, block))
                if (allowed.erase(next) != 0) work.push_back(next);
        }
        return true;
    }

    [[nodiscard]] bool is_inside(std::size_t loop, std::size_t outer) const {
        return is_in_loop(outer, header_block(code_.loops[loop]));
    }

    /// Of the loops that lanes iterate while such groups are pending, those whose iterations tell
    /// these groups apart (docs/theory, S67, loop bounds). None: no loops do.
    [[nodiscard]] std::optional<Loops> counted_loops(const GroupKind& kind) const {
        Loops iterated;
        Loops counted;
        for (const BlockIndex block : below_.at(kind))
            if (headed_[block]) iterated.insert(*headed_[block]);
        for (const std::size_t loop : iterated)
            if (is_in_loop(loop, kind.first)) counted.insert(loop);
        const auto over = overtaking_.find(kind);
        if (over == overtaking_.end()) return counted;
        const auto come_later = [&] {
            return std::all_of(over->second.begin(), over->second.end(), [&](BlockIndex resume) {
                return comes_later(resume, kind, counted);
            });
        };
        if (come_later()) return counted;
        for (const std::size_t loop : iterated)
            for (const BlockIndex resume : over->second)
                if (is_in_loop(loop, resume)) counted.insert(loop);
        for (const std::size_t loop : counted)
            for (const std::size_t other : iterated) {
                const bool nested = is_inside(loop, other) || is_inside(other, loop);
                if (counted.count(other) != 0 ? !nested : is_inside(loop, other))
                    return std::nullopt;
            }
        if (!come_later()) return std::nullopt;
        return counted;
    }

    /// The lanes from which such groups diverge all take the loop's back edge next.
    [[nodiscard]] bool iterate_next(const GroupKind& kind, std::size_t loop) const {
        const BlockIndex header = header_block(code_.loops[loop]);
        return overtaking_.count(kind) == 0 && kind.second != header &&
               next_blocks(kernel_, kind.first) == Blocks{kind.second, header};
    }

    /// Groups of one kind that are pending at the same time: each is of another iteration.
    [[nodiscard]] std::int64_t most_pending(const GroupKind& kind) const {
        const std::int64_t lanes = kernel_.warp_size;
        if (below_.at(kind).count(kind.first) == 0) return 1;
        const auto loops = counted_loops(kind);
        if (!loops) return lanes;
        std::int64_t most = 1;
        for (const std::size_t loop : *loops) {
            const std::int64_t iterations = kernel_.facts.loops[loop].max;
            if (iterations >= lanes) return lanes;
            const std::int64_t last = iterate_next(kind, loop) ? 0 : 1;
            most = std::min(lanes, most * std::max<std::int64_t>(iterations + last, 1));
        }
        return most;
    }

    /// Executions of the header in one traversal of the loop of nodes, without the first. Each is
    /// of lanes that did not execute it yet (S67).
    [[nodiscard]] std::optional<std::int64_t> most_executions(const assembly::Loop& loop) const {
        const BlockIndex header = header_of(loop);
        const auto leading = leading_to(kernel_, header, blocks_of(loop));
        if (!leading) return std::nullopt;
        const std::int64_t most = kernel_.warp_size - 1;
        for (const BlockIndex block : *leading)
            if (block != header && diverges_after(kernel_, block) &&
                next_blocks(kernel_, block).size() > 1)
                return most;
        std::set<GroupKind> kinds;
        for (const SerializedNode node : nodes_of(loop))
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
        for (const GroupKind& kind : kinds)
            groups = std::min(most, groups + most_pending(kind));
        return groups;
    }

    const TimedKernel& kernel_;
    const assembly::ControlFlowGraph& code_;
    const assembly::ControlFlowGraph& graph_;
    const PerSerializedNode<const ProductNode*>& in_order_;
    const Overtaking& overtaking_;
    PerBlock<std::optional<std::size_t>> headed_; ///< The loop of the code.
    std::map<GroupKind, Blocks> below_;           ///< Blocks that lanes execute above such groups.
    PerSerializedNode<std::optional<std::int64_t>> repeated_;
};

} // namespace

bool may_head_loop(const TimedKernel& kernel, const std::set<BlockIndex>& blocks,
                   BlockIndex header) {
    for (const assembly::Loop& loop : kernel.graph->loops)
        if (header_block(loop) == header) return stays_inside(kernel, blocks, loop);
    return leading_to(kernel, header, blocks).has_value();
}

Result<PerSerializedNode<std::optional<std::int64_t>>>
group_counts(const TimedKernel& kernel, const ProductNodes& nodes, const Overtaking& overtaking,
             const assembly::ControlFlowGraph& graph,
             const PerSerializedNode<const ProductNode*>& in_order) {
    return GroupCounts{kernel, nodes, overtaking, graph, in_order}.find();
}

} // namespace warpbound::analyzer
