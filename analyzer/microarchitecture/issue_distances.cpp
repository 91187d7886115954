#include "analyzer/microarchitecture/issue_distances.hpp"

#include <algorithm>

namespace warpbound::analyzer {

IssueDistances::IssueDistances(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                               const PipelineModel& upper)
    : lower_{&lower}, upper_{&upper} {
    for (const assembly::BasicBlock& block : graph.blocks) {
        auto& successors = behind_block_[block.last];
        for (const std::size_t index : block.out) {
            const assembly::Edge& edge = graph.edges[index];
            successors.push_back(
                {graph.blocks[edge.to].first, edge.kind == assembly::EdgeKind::Taken});
        }
    }
    start();
}

void IssueDistances::start() {
    before_.reset();
    earliest_ = lower_->start();
    latest_ = upper_->start();
}

void IssueDistances::gap() {
    before_.reset();
    earliest_ = lower_->top();
    latest_ = upper_->top();
}

bool IssueDistances::leave_for(std::size_t instruction) {
    const std::size_t before = *before_;
    const auto ends_block = behind_block_.find(before);
    if (ends_block == behind_block_.end()) {
        lower_->leave(earliest_, before, false);
        upper_->leave(latest_, before, false);
        return instruction == before + 1;
    }
    bool is_reached = false;
    for (const Successor& next : ends_block->second) {
        if (next.instruction != instruction) continue;
        PipelineState earliest = earliest_;
        PipelineState latest = latest_;
        lower_->leave(earliest, before, next.transferred);
        upper_->leave(latest, before, next.transferred);
        if (is_reached) {
            lower_->join(earliest, earliest_);
            upper_->join(latest, latest_);
        }
        earliest_ = std::move(earliest);
        latest_ = std::move(latest);
        is_reached = true;
    }
    return is_reached;
}

std::optional<IssueDistance> IssueDistances::issue(std::size_t instruction, std::int64_t elapsed) {
    std::optional<IssueDistance> distance;
    if (before_ && !leave_for(instruction)) gap();
    if (before_) {
        distance = {lower_->wait_of(earliest_, instruction).cycles,
                    upper_->wait_of(latest_, instruction).cycles, *before_};
    }
    const std::int64_t passed = distance ? std::max<std::int64_t>(0, elapsed) : 0;
    lower_->issue(earliest_, instruction, passed);
    upper_->issue(latest_, instruction, passed);
    before_ = instruction;
    return distance;
}

} // namespace warpbound::analyzer
