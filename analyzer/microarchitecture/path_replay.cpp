#include "analyzer/microarchitecture/path_replay.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

namespace {

using models::times;

void add_cycles(std::int64_t& sum, std::int64_t more) {
    sum = models::plus(sum, more);
}

/// Steps the pipeline along a path. A rule that comes again in the same state is not stepped again,
/// so a loop costs no more than the iterations until its state repeats.
class PathReplay {
public:
    PathReplay(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
               const BlockPath& path)
        : graph_{graph}, pipeline_{pipeline}, path_{path} {
        max_visits_ = max_values / std::max<std::size_t>(1, pipeline.size());
        position_of({std::nullopt, pipeline.start()});
    }

    /// False when it would take too much memory.
    bool run() { return follow(path_.rules.last(), 0).has_value(); }

    /// Calls `step(block, instruction, step, count)` for every issue and `end(block, cycles)` at
    /// the end.
    template <class Step, class End> void report(Step step, End end) const {
        std::vector<std::int64_t> uses(visits_.size(), 0);
        uses.back() = 1;
        for (std::size_t index = visits_.size(); index-- > 0;) {
            const Visit& visit = visits_[index];
            for (const std::size_t child : visit.children)
                add_cycles(uses[child], uses[index]);
            const auto* block = std::get_if<BlockIndex>(&visit.symbol);
            if (block == nullptr) continue;
            PipelineState state = positions_[visit.from].second;
            for (const auto& [instruction, issued] :
                 enter(positions_[visit.from].first, *block, state))
                step(*block, instruction, issued, uses[index]);
        }
        const auto& [block, state] = positions_[visits_.back().to];
        end(block.value(), pipeline_.completion(state));
    }

private:
    static constexpr std::size_t max_values = std::size_t{1} << 24; // 256 MiB, each state twice
    /// A block (none: before the start), and the state after its last issue.
    using Position = std::pair<std::optional<BlockIndex>, PipelineState>;
    using Steps = std::vector<std::pair<std::size_t, IssueStep>>;

    struct Visit {
        PathSymbol symbol;
        std::size_t from = 0; ///< Position.
        std::size_t to = 0;
        std::vector<std::size_t> children; ///< Visits of the symbols of a rule.
    };

    std::size_t position_of(Position position) {
        const auto [known, inserted] = numbers_.emplace(std::move(position), positions_.size());
        if (inserted) positions_.push_back(known->first);
        return known->second;
    }

    /// Issues a block after another one; of several edges between them, the one that takes longer
    /// (lower side: shorter).
    Steps enter(std::optional<BlockIndex> before, BlockIndex block, PipelineState& state) const {
        if (!before) return issue(block, state);
        const assembly::BasicBlock& code = block_at(graph_, *before);
        std::optional<Steps> best;
        std::int64_t best_time = 0;
        PipelineState best_state;
        for (const std::size_t index : code.out) {
            const assembly::Edge& edge = graph_.edges[index];
            if (to_block(edge) != block) continue;
            PipelineState entered = state;
            pipeline_.leave(entered, code.last, edge.kind == assembly::EdgeKind::Taken);
            Steps steps = issue(block, entered);
            std::int64_t time = 0;
            for (const auto& [instruction, step] : steps)
                add_cycles(time, step.cycles);
            const bool better =
                pipeline_.side() == Side::Upper ? time > best_time : time < best_time;
            if (best && !better) continue;
            best = std::move(steps);
            best_time = time;
            best_state = std::move(entered);
        }
        state = std::move(best_state);
        return best.value();
    }

    Steps issue(BlockIndex block, PipelineState& state) const {
        Steps steps;
        const auto& code = block_at(graph_, block);
        for (std::size_t i = code.first; i <= code.last; ++i) {
            steps.emplace_back(i, pipeline_.advance(state, i));
            if (i < code.last) pipeline_.leave(state, i, false);
        }
        return steps;
    }

    /// Number of the visit; none when there are too many.
    std::optional<std::size_t> follow(const PathSymbol& symbol, std::size_t from) {
        check_stop("the replay of the worst-case path");
        const auto known = known_.find({symbol, from});
        if (known != known_.end()) return known->second;
        Visit visit{symbol, from, from, {}};
        if (const auto* block = std::get_if<BlockIndex>(&symbol)) {
            PipelineState state = positions_[from].second;
            enter(positions_[from].first, *block, state);
            visit.to = position_of({*block, std::move(state)});
        } else {
            for (const PathSymbol& child : path_.rules[std::get<RuleIndex>(symbol)]) {
                const auto number = follow(child, visit.to);
                if (!number) return std::nullopt;
                visit.children.push_back(*number);
                visit.to = visits_[*number].to;
            }
        }
        if (visits_.size() >= max_visits_) return std::nullopt;
        visits_.push_back(std::move(visit));
        known_.emplace(std::make_pair(symbol, from), visits_.size() - 1);
        return visits_.size() - 1;
    }

    const assembly::ControlFlowGraph& graph_;
    const PipelineModel& pipeline_;
    const BlockPath& path_;
    std::size_t max_visits_ = 0;
    std::vector<Position> positions_;
    std::map<Position, std::size_t> numbers_;
    std::vector<Visit> visits_; ///< Children come before their parents.
    std::map<std::pair<PathSymbol, std::size_t>, std::size_t> known_;
};

} // namespace

void replay_path(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                 const PipelineModel& pipeline, const BlockPath& path, SideResult& result) {
    std::map<BlockIndex, BlockContribution> blocks;
    for (const auto& [block, count] : counts_of(path)) {
        blocks[block].block = block.value();
        add_cycles(blocks[block].count, count);
    }
    constexpr std::size_t longest_sequence = 1'000'000;
    result.path.clear();
    for (const BlockIndex block :
         sequence_of(path, longest_sequence).value_or(std::vector<BlockIndex>{}))
        result.path.push_back(block.value());
    PathReplay replay{graph, pipeline, path};
    if (unless_stopped([&] { return replay.run(); }).value_or(false)) {
        std::map<StackCategory, std::int64_t> stack;
        std::int64_t total = 0;
        result.instruction_cycles.assign(function.instructions.size(), 0);
        result.instruction_counts.assign(function.instructions.size(), 0);
        const auto pass = [&](BlockIndex block, std::size_t instruction, std::int64_t cycles) {
            add_cycles(total, cycles);
            add_cycles(blocks[block].cycles, cycles);
            add_cycles(result.instruction_cycles[instruction], cycles);
        };
        replay.report(
            [&](BlockIndex block, std::size_t instruction, const IssueStep& step,
                std::int64_t count) {
                add_cycles(result.instruction_counts[instruction], count);
                pass(block, instruction, times(step.cycles, count));
                if (step.gap > 0) add_cycles(stack[step.gap_category], times(step.gap, count));
                if (step.cycles > step.gap)
                    add_cycles(stack[step.wait], times(step.cycles - step.gap, count));
            },
            [&](BlockIndex block, std::int64_t cycles) {
                pass(block, block_at(graph, block).last, cycles);
                add_cycles(stack[StackCategory::Completion], cycles);
            });
        result.best_found = models::Cycles{total};
        result.stack.assign(stack.begin(), stack.end());
    }
    for (const auto& [block, contribution] : blocks)
        result.blocks.push_back(contribution);
}

} // namespace warpbound::analyzer
