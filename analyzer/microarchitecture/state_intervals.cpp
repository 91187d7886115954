#include "analyzer/microarchitecture/state_intervals.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <set>

namespace warpbound::analyzer {

namespace {

constexpr int interval_changes_before_widening = 64;

/// Moves both ends of the interval of what is outstanding.
class IntervalStepper {
public:
    IntervalStepper(const PipelineModel& lower, const PipelineModel& upper)
        : lower_{lower}, upper_{upper}, top_{upper.top()} {}

    /// Remaining times shrink by at least the shorter and at most the longer wait.
    void step(StateInterval& state, std::size_t instruction) const {
        const std::int64_t shorter = lower_.wait_of(state.lower, instruction).cycles;
        const std::int64_t longer = upper_.wait_of(state.upper, instruction).cycles;
        lower_.issue(state.lower, instruction, longer);
        upper_.issue(state.upper, instruction, shorter);
        for (std::size_t i = 0; i < top_.size(); ++i)
            state.upper[i] = std::min(state.upper[i], top_[i]);
    }

    void leave(StateInterval& state, std::size_t instruction, bool transferred) const {
        lower_.leave(state.lower, instruction, transferred);
        upper_.leave(state.upper, instruction, transferred);
    }

    /// Issues first .. last.
    void run(StateInterval& state, std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i <= last; ++i) {
            step(state, i);
            if (i < last) leave(state, i, false);
        }
    }

    void join(StateInterval& into, const StateInterval& other) const {
        lower_.join(into.lower, other.lower);
        upper_.join(into.upper, other.upper);
    }

    void widen(StateInterval& state) const {
        lower_.join(state.lower, lower_.top());
        upper_.join(state.upper, top_);
    }

private:
    const PipelineModel& lower_;
    const PipelineModel& upper_;
    PipelineState top_;
};

class OutstandingAnalysis {
public:
    OutstandingAnalysis(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                        const PipelineModel& upper)
        : graph_{graph}, stepper_{lower, upper}, changes_(graph.blocks.size(), 0) {
        found_.entries.resize(graph.blocks.size());
        found_.beyond_gap.assign(graph.blocks.size(), std::vector<std::int64_t>(upper.size(), 0));
    }

    Outstanding run(const PerBlock<bool>& never, const Span& span, StateInterval from) {
        never_ = &never;
        stop_ = span.stop ? std::optional{span.stop->block} : std::nullopt;
        // The start may be in the middle of its block, which is then in no loop.
        const auto& first = block_at(graph_, span.block);
        if (span.next == first.first) {
            enter(span.block, std::move(from));
        } else {
            stepper_.run(from, span.next, first.last);
            leave_block(span.block, from);
        }
        while (!work_.empty()) {
            check_stop("the intervals of pipeline states");
            const BlockIndex block = *work_.begin();
            work_.erase(work_.begin());
            StateInterval state = *found_.entries[block];
            stepper_.run(state, block_at(graph_, block).first, block_at(graph_, block).last);
            leave_block(block, state);
        }
        return std::move(found_);
    }

private:
    void leave_block(BlockIndex block, const StateInterval& state) {
        if (stop_ == block) return;
        const auto& code = block_at(graph_, block);
        for (const std::size_t edge : code.out) {
            const auto& taken = graph_.edges[edge];
            if ((*never_)[to_block(taken)]) continue;
            StateInterval next = state;
            stepper_.leave(next, code.last, taken.kind == assembly::EdgeKind::Taken);
            enter(to_block(taken), std::move(next));
        }
    }

    void enter(BlockIndex block, StateInterval state) {
        auto& beyond = found_.beyond_gap[block];
        for (std::size_t i = 0; i < beyond.size(); ++i)
            beyond[i] =
                std::max(beyond[i], state.upper[i] - state.upper[PipelineModel::gap_component]);
        auto& entry = found_.entries[block];
        if (!entry) {
            entry = std::move(state);
            work_.insert(block);
            return;
        }
        StateInterval joined = *entry;
        stepper_.join(joined, state);
        if (joined.lower == entry->lower && joined.upper == entry->upper) return;
        if (++changes_[block] > interval_changes_before_widening) stepper_.widen(joined);
        entry = std::move(joined);
        work_.insert(block);
    }

    const assembly::ControlFlowGraph& graph_;
    IntervalStepper stepper_;
    const PerBlock<bool>* never_ = nullptr;
    std::optional<BlockIndex> stop_;
    Outstanding found_;
    PerBlock<int> changes_;
    std::set<BlockIndex> work_; ///< Lowest block first: reverse postorder.
};

} // namespace

Outstanding outstanding(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                        const PipelineModel& upper, const PerBlock<bool>& never, const Span& span,
                        const StateInterval& from) {
    return OutstandingAnalysis{graph, lower, upper}.run(never, span, from);
}

StateInterval state_after(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                          const PipelineModel& upper, StateInterval entry, BlockIndex block,
                          std::size_t instruction) {
    IntervalStepper{lower, upper}.run(entry, block_at(graph, block).first, instruction);
    return entry;
}

} // namespace warpbound::analyzer
