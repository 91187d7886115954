#include "analyzer/policies/strict_round_robin/dependence_stalls.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// The fixed point over all paths of the largest remaining times.
class StallAnalysis {
public:
    StallAnalysis(const TimedKernel& kernel, const PipelinePair& pipelines, Remaining remaining)
        : kernel_{kernel}, remaining_{remaining}, graph_{*kernel.graph}, lower_{pipelines.lower},
          upper_{pipelines.upper}, top_{upper_.top()}, after_first_(graph_.blocks.size()) {
        for (const assembly::Edge& edge : graph_.edges)
            (edge.kind == assembly::EdgeKind::Taken ? transfers_ : falls_).insert(ends_of(edge));
        longest_.instructions.assign(kernel.timings.size(), 0);
    }

    LongestStalls run() {
        PipelineState state = upper_.start();
        upper_.issue(state, block_at(graph_, assembly::entry_block).first, 0);
        after_first_[assembly::entry_block] = std::move(state);
        work_.insert(assembly::entry_block);
        while (!work_.empty()) {
            check_stop("the dependence stalls of a warp");
            const BlockIndex block = *work_.begin();
            work_.erase(work_.begin());
            follow(block, *after_first_[block]);
        }
        return std::move(longest_);
    }

private:
    /// The last instruction before the edge, and the first one behind it.
    [[nodiscard]] std::pair<std::size_t, std::size_t> ends_of(const assembly::Edge& edge) const {
        return {graph_.blocks[edge.from].last, graph_.blocks[edge.to].first};
    }

    /// `state`: after the issue of the block's first instruction.
    void follow(BlockIndex block, PipelineState state) {
        const assembly::BasicBlock& code = block_at(graph_, block);
        for (std::size_t i = code.first; i < code.last; ++i)
            pass(i, i + 1, false, state);
        if (code.exits)
            longest_.completion = std::max(longest_.completion, upper_.completion(state));
        for (const std::size_t index : code.out) {
            const assembly::Edge& edge = graph_.edges[index];
            if (kernel_.facts.never[to_block(edge)]) continue;
            // In a serialized CFG, lanes may come to an instruction in both ways (C41).
            if (transfers_.count(ends_of(edge)) > 0) pass_edge(edge, true, state);
            if (falls_.count(ends_of(edge)) > 0) pass_edge(edge, false, state);
        }
    }

    void pass_edge(const assembly::Edge& edge, bool transfers, PipelineState state) {
        const auto [last, first] = ends_of(edge);
        pass(last, first, transfers, state);
        auto& known = after_first_[to_block(edge)];
        if (!known) {
            known = std::move(state);
        } else {
            PipelineState joined = *known;
            upper_.join(joined, state);
            if (joined == *known) return;
            *known = std::move(joined);
        }
        work_.insert(to_block(edge));
    }

    /// From the issue of `before` to that of `next`.
    void pass(std::size_t before, std::size_t next, bool transfers, PipelineState& state) {
        upper_.leave(state, before, transfers);
        longest_.instructions[next] =
            std::max(longest_.instructions[next], upper_.wait_of(state, next).cycles);
        upper_.issue(state, next, least_distance(before, next, transfers));
        for (std::size_t i = 0; i < state.size(); ++i)
            state[i] = std::min(state[i], top_[i]);
    }

    /// Of what is outstanding, only what `before` leaves is sure to be.
    [[nodiscard]] std::int64_t least_distance(std::size_t before, std::size_t next,
                                              bool transfers) const {
        if (remaining_ == Remaining::AsBegun) return 0;
        PipelineState state = lower_.start();
        lower_.issue(state, before, std::numeric_limits<std::int64_t>::max());
        lower_.leave(state, before, transfers);
        return lower_.wait_of(state, next).cycles;
    }

    const TimedKernel& kernel_;
    Remaining remaining_;
    const assembly::ControlFlowGraph& graph_;
    const PipelineModel& lower_;
    const PipelineModel& upper_;
    PipelineState top_;
    /// Pairs of instructions between which control is transferred, and falls through.
    std::set<std::pair<std::size_t, std::size_t>> transfers_;
    std::set<std::pair<std::size_t, std::size_t>> falls_;
    /// Of the blocks to which paths lead: the state after the issue of the first instruction.
    PerBlock<std::optional<PipelineState>> after_first_;
    std::set<BlockIndex> work_; ///< Lowest block first: reverse postorder.
    LongestStalls longest_;
};

} // namespace

LongestStalls longest_stalls(const TimedKernel& kernel, const PipelinePair& pipelines,
                             Remaining remaining) {
    return StallAnalysis{kernel, pipelines, remaining}.run();
}

} // namespace warpbound::analyzer
