#include "analyzer/microarchitecture/state_intervals.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace warpbound::analyzer {

namespace {

constexpr int changes_before_widening = 64;

/// What may hold a warp between two of its issues: what it waits for itself, or others, too.
enum class Held { ByItself, ByOthersToo };

/// Both ends of what is outstanding, moved together.
class Stepper {
public:
    Stepper(const PipelineModel& lower, const PipelineModel& upper, Held held = Held::ByItself)
        : lower_{lower}, upper_{upper}, top_{upper.top()}, held_{held} {}

    /// What is outstanding shrinks by at least the shorter and at most the longer wait.
    void step(StateInterval& state, std::size_t instruction) const {
        const std::int64_t shorter = lower_.wait_of(state.lower, instruction).cycles;
        const std::int64_t longer = held_ == Held::ByOthersToo
                                        ? std::numeric_limits<std::int64_t>::max()
                                        : upper_.wait_of(state.upper, instruction).cycles;
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
    Held held_;
};

class Search {
public:
    Search(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
           const PipelineModel& upper, Held held = Held::ByItself)
        : graph_{graph}, stepper_{lower, upper, held}, changes_(graph.blocks.size(), 0) {
        found_.entries.resize(graph.blocks.size());
        found_.beyond_gap.assign(graph.blocks.size(), std::vector<std::int64_t>(upper.size(), 0));
    }

    Outstanding run(const std::vector<bool>& never, const Span& span, StateInterval from) {
        never_ = &never;
        stop_ = span.stop ? std::optional{span.stop->block} : std::nullopt;
        // The start may stand in the middle of its block, which only matters outside loops.
        const auto& first = graph_.blocks[span.block];
        if (span.next == first.first) {
            enter(span.block, std::move(from));
        } else {
            stepper_.run(from, span.next, first.last);
            leave_block(span.block, from);
        }
        while (!work_.empty()) {
            const std::size_t block = *work_.begin();
            work_.erase(work_.begin());
            StateInterval state = *found_.entries[block];
            stepper_.run(state, graph_.blocks[block].first, graph_.blocks[block].last);
            leave_block(block, state);
        }
        return std::move(found_);
    }

private:
    void leave_block(std::size_t block, const StateInterval& state) {
        if (stop_ == block) return;
        const auto& code = graph_.blocks[block];
        for (const std::size_t edge : code.out) {
            const auto& taken = graph_.edges[edge];
            if ((*never_)[taken.to]) continue;
            StateInterval next = state;
            stepper_.leave(next, code.last, taken.kind == assembly::EdgeKind::Taken);
            enter(taken.to, std::move(next));
        }
    }

    void enter(std::size_t block, StateInterval state) {
        auto& beyond = found_.beyond_gap[block];
        for (std::size_t i = 0; i < beyond.size(); ++i)
            beyond[i] = std::max(beyond[i], state.upper[i] - state.upper[PipelineModel::gap_slot]);
        auto& entry = found_.entries[block];
        if (!entry) {
            entry = std::move(state);
            work_.insert(block);
            return;
        }
        StateInterval joined = *entry;
        stepper_.join(joined, state);
        if (joined.lower == entry->lower && joined.upper == entry->upper) return;
        if (++changes_[block] > changes_before_widening) stepper_.widen(joined);
        entry = std::move(joined);
        work_.insert(block);
    }

    const assembly::ControlFlowGraph& graph_;
    Stepper stepper_;
    const std::vector<bool>* never_ = nullptr;
    std::optional<std::size_t> stop_;
    Outstanding found_;
    std::vector<int> changes_;
    std::set<std::size_t> work_; ///< Lowest block first: reverse post order.
};

} // namespace

Outstanding outstanding(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                        const PipelineModel& upper, const std::vector<bool>& never,
                        const Span& span, const StateInterval& from) {
    return Search{graph, lower, upper}.run(never, span, from);
}

StateInterval behind(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                     const PipelineModel& upper, StateInterval entry, std::size_t block,
                     std::size_t instruction) {
    Stepper{lower, upper}.run(entry, graph.blocks[block].first, instruction);
    return entry;
}

LongestStalls longest_stalls(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                             const PipelineModel& upper, const std::vector<bool>& never,
                             std::size_t instructions) {
    const Outstanding found = Search{graph, lower, upper, Held::ByOthersToo}.run(
        never, whole_run(graph, upper), {lower.start(), upper.start()});
    const Stepper stepper{lower, upper, Held::ByOthersToo};
    LongestStalls longest;
    longest.instructions.assign(instructions, 0);
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        if (!found.entries[block]) continue;
        StateInterval state = *found.entries[block];
        const auto& code = graph.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i) {
            // A block may have copies: of called code, or of what lanes that part execute.
            longest.instructions[i] =
                std::max(longest.instructions[i], upper.wait_of(state.upper, i).cycles);
            stepper.step(state, i);
            if (i < code.last) stepper.leave(state, i, false);
        }
        if (code.exits)
            longest.completion = std::max(longest.completion, upper.completion(state.upper));
    }
    return longest;
}

} // namespace warpbound::analyzer
