#include "tests/support/branch_serialization/reconvergence.hpp"

#include "assembly/flow/post_dominators.hpp"
#include "assembly/isa/source_places.hpp"
#include "tests/support/branch_serialization/influence_region.hpp"
#include "tests/support/branch_serialization/loop_exit_groups.hpp"
#include "tests/support/branch_serialization/reconvergence_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

Result<void> check_guarded_barriers(const AnalysisContext& context) {
    const auto& instructions = context.request.function->instructions;
    for (std::size_t i = 0; i < context.used.size(); ++i) {
        if (!context.used[i]) continue;
        const Instruction& instruction = instructions[i];
        if (assembly::synchronizes_threads(instruction) && assembly::is_guarded(instruction))
            return refuse_at(context, i,
                             "a guarded barrier is not bounded where lanes may diverge");
    }
    return boost::outcome_v2::success();
}

class ReconvergenceAnalysis {
public:
    /// `breaks_inside`: where some lanes leave the point of a branch by BREAK inside it, others
    /// reconverge at that point.
    ReconvergenceAnalysis(const AnalysisContext& context, const ReconvergenceStacks& stacks,
                          bool breaks_inside)
        : breaks_inside_{breaks_inside}, context_{context}, function_{*context.request.function},
          graph_{*context.request.graph}, stacks_{stacks}, before_{stacks.before},
          at_end_{stacks.at_end}, arrival_of_{stacks.arrival_of} {
        for (const auto& [edge, point] : arrival_of_) {
            found_.arrivals.insert(edge);
            arrivals_at_[point].push_back(edge);
        }
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
            blocks_ending_at_[graph_.blocks[block].last].push_back(block);
    }

    Result<Reconvergence> find() {
        for (const auto& fact : context_.request.facts->divergents)
            if (auto added = add_fact(fact); !added) return added.as_failure();
        sort_branches();
        if (auto related = group_loop_exits(context_, stacks_, found_.divergent_branches); !related)
            return related.as_failure();
        return std::move(found_);
    }

private:
    [[nodiscard]] Failure refuse(std::size_t instruction, const std::string& what) const {
        return refuse_at(context_, instruction, what);
    }
    /// On a path that the facts allow.
    [[nodiscard]] bool is_reached(std::size_t block) const { return before_[block].has_value(); }

    /// Larger regions first; a branch at which lanes leave the point of another by BREAK comes
    /// before that one.
    void sort_branches() {
        std::map<std::size_t, std::size_t> sizes;
        for (const DivergentBranch& branch : found_.divergent_branches)
            sizes[branch.block] = branch.region.size();
        for (const DivergentBranch& broken : found_.divergent_branches)
            for (const std::size_t edge : broken.break_edges) {
                auto& size = sizes[graph_.edges[edge].from];
                size = std::max(size, broken.region.size() + 1);
            }
        const auto key = [&](const DivergentBranch& branch) {
            return std::pair{sizes.at(branch.block), !branch.loop_exit.has_value()};
        };
        std::stable_sort(
            found_.divergent_branches.begin(), found_.divergent_branches.end(),
            [&](const DivergentBranch& a, const DivergentBranch& b) { return key(a) > key(b); });
    }

    Result<void> add_fact(const models::DivergentFact& fact) {
        const auto index = function_.index_of(fact.at);
        const auto refuse_fact = [&](const std::string& what) {
            return models::refused(
                *context_.request.facts, fact.from,
                fmt::format("{}: {}",
                            index ? assembly::place_of(function_, function_.instructions[*index])
                                  : fmt::format("0x{:04x}", fact.at),
                            what));
        };
        if (!index)
            return refuse_fact(
                "the flow facts state that lanes diverge here, where no instruction stands");
        bool decides = assembly::is_guarded(function_.instructions[*index]);
        for (const std::size_t block : blocks_ending_at_[*index]) {
            const auto& code = graph_.blocks[block];
            if (!is_reached(block)) continue;
            const std::size_t successors = successors_of(block).size();
            // EXIT, at which some lanes end and the others go on, or a branch that all take alike.
            if (successors < 2) {
                decides = decides || code.out.size() >= 2;
                continue;
            }
            decides = true;
            if (code.exits)
                return refuse(*index, "lanes may diverge here to more than two successors of which "
                                      "one ends, which is not bounded");
            if (auto added = add_branch(block); !added) return added.as_failure();
        }
        if (!decides)
            return refuse_fact(
                "the flow facts state that lanes diverge here, where nothing is decided");
        return boost::outcome_v2::success();
    }

    [[nodiscard]] std::optional<std::size_t> post_dominator_of(std::size_t block) {
        if (post_dominators_.empty())
            post_dominators_ = assembly::immediate_post_dominators(graph_);
        return post_dominators_[block];
    }

    [[nodiscard]] std::set<std::size_t> successors_of(std::size_t block) const {
        std::set<std::size_t> successors;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (is_reached(graph_.edges[edge].to)) successors.insert(graph_.edges[edge].to);
        return successors;
    }

    Result<void> add_branch(std::size_t block) {
        DivergentBranch branch;
        branch.block = block;
        const std::size_t last = graph_.blocks[block].last;
        const ReconvergenceStack& joined = *at_end_[block];
        ReconvergenceTarget target;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (const auto arrival = arrival_of_.find(edge); arrival != arrival_of_.end())
                target.point = arrival->second;
        if (!target.point && !joined.empty()) target.point = joined.back();
        if (auto set = resolve_target(target, last); !set) return set;
        if (!target.point) target.block = post_dominator_of(block);
        InfluenceRegion region = influence_region_of(graph_, stacks_, block, target);
        const bool multiway = successors_of(block).size() > 2;
        if (multiway && (!region.left_points.empty() || region.blocks.count(block) != 0))
            return refuse(last, "lanes that diverge here to more than two successors may leave "
                                "reconvergence points, or execute this branch again before they "
                                "reconverge, which is not bounded");
        std::size_t inner_points = 0; // of the branch, inside that of the reconvergence
        if (!region.left_points.empty()) {
            auto enclosing = enclosing_target(region.left_points, block);
            if (!enclosing) return enclosing.as_failure();
            const bool leaves_again =
                breaks_inside_ || reaches_again(block, enclosing.value().region);
            if (leaves_again && points_left_at(block) == 0)
                return add_branch_with_breaks(std::move(branch), target, enclosing.value());
            target = std::move(enclosing.value().target);
            region = std::move(enclosing.value().region);
            inner_points = target.inner_points.size();
            if (leaves_again) {
                if (!target.point || points_left_at(block) < inner_points)
                    return refuse_outer_points(last);
            } else {
                if (inner_points > 1 || region.after_inner_point.size() > 1)
                    return refuse_outer_points(last);
                branch.inner_point = DivergentBranch::InnerPoint{region.inner_arrivals, {}};
                if (!region.after_inner_point.empty())
                    branch.inner_point->after = *region.after_inner_point.begin();
            }
        }
        if (!region.always_arrives)
            return refuse(last, "lanes that diverge here may pass their reconvergence point "
                                "without arriving at it, which is not bounded");
        branch.reconvergence = target.block;
        branch.has_point = target.point.has_value();
        branch.region = region.blocks;
        branch.is_multiway = multiway;
        branch.one_sided = region.one_sided && !multiway;
        if (!branch.one_sided && branch.region.count(block) != 0) {
            branch.loop_exit = loop_exit_of(branch);
            if (!branch.loop_exit)
                return refuse(last, "lanes that diverge here may execute this branch again before "
                                    "they reconverge, which is not bounded");
        } else if (inner_points > 0 && !branch.inner_point) {
            branch.loop_exit = exit_once(branch);
        }
        if (branch.inner_point)
            if (auto checked = check_inner_point(branch); !checked) return checked;
        std::set<std::size_t> waiting = region.waiting_blocks; // blocks before which lanes may wait
        if (target.block) waiting.insert(*target.block);
        const auto iterates = [&](std::size_t at) {
            return iterates_before(block, at, std::nullopt);
        };
        if (std::any_of(waiting.begin(), waiting.end(), iterates) ||
            (branch.inner_point && branch.inner_point->after &&
             iterates_before(block, *branch.inner_point->after, target.block)))
            return refuse(last, "lanes may iterate a loop while others wait for them inside it, "
                                "which is not bounded");
        if (auto found = find_non_uniform(branch, joined.size() - inner_points); !found)
            return found;
        found_.divergent_branches.push_back(std::move(branch));
        return boost::outcome_v2::success();
    }

    /// Lanes that leave their innermost points reconverge with the others at the point around
    /// these.
    struct EnclosingTarget {
        ReconvergenceTarget target;
        InfluenceRegion region;
    };
    [[nodiscard]] Result<EnclosingTarget> enclosing_target(const ReconvergenceStack& left,
                                                           std::size_t block) const {
        const std::size_t last = graph_.blocks[block].last;
        const ReconvergenceStack& joined = *at_end_[block];
        EnclosingTarget enclosing;
        const auto first_left = joined.end() - static_cast<std::ptrdiff_t>(left.size());
        enclosing.target.inner_points.assign(first_left, joined.end());
        if (!std::is_permutation(left.begin(), left.end(), first_left, joined.end()))
            return refuse_outer_points(last);
        if (first_left != joined.begin()) enclosing.target.point = *std::prev(first_left);
        if (auto set = resolve_target(enclosing.target, last); !set) return set.as_failure();
        enclosing.region = influence_region_of(graph_, stacks_, block, enclosing.target);
        if (enclosing.region.left_points.size() != left.size() ||
            !enclosing.region.waiting_blocks.empty() || enclosing.region.one_sided)
            return refuse_outer_points(last);
        return enclosing;
    }
    [[nodiscard]] Failure refuse_outer_points(std::size_t last) const {
        return refuse(last,
                      "lanes that diverge here may leave reconvergence points that are not their "
                      "innermost, or go on at several blocks after it, which is not bounded");
    }
    /// How many points lanes leave at the branch itself, over one of its edges.
    [[nodiscard]] std::size_t points_left_at(std::size_t block) const {
        std::size_t most = 0;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (const auto left = stacks_.left_on_edge.find(edge);
                left != stacks_.left_on_edge.end())
                most = std::max(most, left->second.size());
        return most;
    }
    /// After an inner point, lanes may execute the branch again before the reconvergence.
    [[nodiscard]] bool reaches_again(std::size_t block, const InfluenceRegion& region) const {
        return std::any_of(region.after_inner_point.begin(), region.after_inner_point.end(),
                           [&](std::size_t from) {
                               return from == block || blocks_within(from, region.blocks)[block];
                           });
    }

    /// A branch whose lanes reconverge in every iteration of a loop, which some of them leave
    /// before.
    Result<void> add_branch_with_breaks(DivergentBranch branch, ReconvergenceTarget target,
                                        const EnclosingTarget& enclosing) {
        const std::size_t last = graph_.blocks[branch.block].last;
        target.ends_at_break = true;
        const InfluenceRegion region = influence_region_of(graph_, stacks_, branch.block, target);
        const auto iterates = [&](std::size_t at) {
            return iterates_before(branch.block, at, enclosing.target.block);
        };
        if (!enclosing.target.point || !region.always_arrives || region.one_sided ||
            !region.waiting_blocks.empty() || region.blocks.count(branch.block) != 0 ||
            iterates(*target.block) || iterates(*enclosing.target.block))
            return refuse(last, "lanes that diverge here may execute this branch again before they "
                                "reconverge, which is not bounded");
        branch.reconvergence = target.block;
        branch.has_point = true;
        branch.region = region.blocks;
        branch.break_edges = region.break_edges;
        branch.non_uniform = enclosing.region.blocks;
        found_.divergent_branches.push_back(std::move(branch));
        return boost::outcome_v2::success();
    }
    /// Sets the block at which the lanes go on that arrive at the target's point.
    Result<void> resolve_target(ReconvergenceTarget& target, std::size_t last) const {
        if (!target.point) return boost::outcome_v2::success();
        const auto arrivals = arrivals_at_.find(*target.point);
        if (arrivals == arrivals_at_.end()) return boost::outcome_v2::success();
        for (const std::size_t edge : arrivals->second) {
            const std::size_t to = graph_.edges[edge].to;
            if (target.block && *target.block != to)
                return refuse(last, "the lanes that diverge here go on at several blocks after "
                                    "their reconvergence point, which is not bounded");
            target.block = to;
        }
        return boost::outcome_v2::success();
    }

    /// After the inner point the branch must not be executed again before the reconvergence, and
    /// lanes that leave a loop must have left that point.
    [[nodiscard]] Result<void> check_inner_point(const DivergentBranch& branch) const {
        const std::size_t last = graph_.blocks[branch.block].last;
        if (branch.inner_point->after) {
            const std::vector<bool> after =
                blocks_within(*branch.inner_point->after, branch.region);
            if (after[branch.block] || *branch.inner_point->after == branch.block)
                return refuse(last,
                              "lanes that diverge here may execute this branch again when others "
                              "have left their reconvergence point, which is not bounded");
        }
        if (branch.loop_exit)
            for (const std::size_t edge : branch.inner_point->arrivals)
                if (branch.loop_exit->region.count(graph_.edges[edge].from) != 0)
                    return refuse(last,
                                  "lanes that leave a loop here may arrive at the reconvergence "
                                  "point that others leave, which is not bounded");
        return boost::outcome_v2::success();
    }

    /// The blocks after a branch at which lanes are still in at least so many points, and the edges
    /// that lead out of these points.
    struct Reach {
        std::set<std::size_t> blocks;
        std::set<std::size_t> arrivals;
    };
    [[nodiscard]] Reach reach_within(std::size_t block, std::size_t points) const {
        Reach reach;
        std::vector<std::size_t> work{block};
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            for (const std::size_t edge : graph_.blocks[at].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (!is_reached(to)) continue;
                if (before_[to]->size() < points)
                    reach.arrivals.insert(edge);
                else if (reach.blocks.insert(to).second)
                    work.push_back(to);
            }
        }
        return reach;
    }

    /// Extends the non-uniform blocks by those that some lanes execute after the reconvergence
    /// while others wait at a point around it. `joined`: how many points are around the
    /// reconvergence, its own included.
    Result<void> find_non_uniform(DivergentBranch& branch, std::size_t joined) const {
        const std::size_t last = graph_.blocks[branch.block].last;
        branch.non_uniform = branch.region;
        if (joined == 0) return boost::outcome_v2::success();
        const auto left = [&](std::size_t edge) { return before_[graph_.edges[edge].to]->size(); };
        const Reach inside = reach_within(branch.block, joined);
        branch.non_uniform.insert(inside.blocks.begin(), inside.blocks.end());
        std::size_t fewest = joined - 1;
        for (const std::size_t edge : inside.arrivals)
            fewest = std::min(fewest, left(edge));
        if (fewest + 1 == joined) return boost::outcome_v2::success();
        const Reach enclosing = reach_within(branch.block, fewest + 1);
        std::set<std::size_t> blocks;
        bool several = false;
        for (const std::size_t edge : inside.arrivals)
            several = several || (left(edge) != fewest && left(edge) + 1 != joined);
        for (const std::size_t edge : enclosing.arrivals) {
            several = several || left(edge) != fewest;
            blocks.insert(graph_.edges[edge].to);
        }
        if (several || blocks.size() > 1)
            return refuse(last, "lanes that diverge here may wait at several reconvergence points "
                                "around the innermost, which is not bounded");
        for (const std::size_t block : enclosing.blocks)
            if (graph_.blocks[block].exits)
                return refuse(last, "lanes that diverge here may wait at a reconvergence point "
                                    "around the innermost while others end, which is not bounded");
        branch.non_uniform = enclosing.blocks;
        return boost::outcome_v2::success();
    }

    /// After the block, lanes may execute the header of a loop around `waiting` before they come to
    /// `waiting` or `end`. The loop bound is about one lane, and lanes that wait there do not count
    /// these iterations.
    [[nodiscard]] bool iterates_before(std::size_t block, std::size_t waiting,
                                       std::optional<std::size_t> end) const {
        const std::vector<bool> seen =
            assembly::blocks_reachable_from(graph_, block, [&](const assembly::Edge& edge) {
                return edge.to != waiting && edge.to != end && is_reached(edge.to);
            });
        return std::any_of(graph_.loops.begin(), graph_.loops.end(), [&](const auto& loop) {
            return seen[loop.header] &&
                   std::binary_search(loop.blocks.begin(), loop.blocks.end(), waiting);
        });
    }

    /// The edge over which lanes leave points, at a branch that is not executed again.
    [[nodiscard]] DivergentBranch::LoopExit exit_once(const DivergentBranch& branch) const {
        const auto& out = graph_.blocks[branch.block].out;
        const auto exit_edge = std::find_if(out.begin(), out.end(), [&](std::size_t out_edge) {
            return stacks_.left_on_edge.count(out_edge) != 0;
        });
        return exit_from(graph_.edges[*exit_edge].to, branch);
    }
    /// Blocks of the region that may follow the block without leaving the region.
    [[nodiscard]] std::vector<bool> blocks_within(std::size_t from,
                                                  const std::set<std::size_t>& region) const {
        return assembly::blocks_reachable_from(graph_, from, [&](const assembly::Edge& edge) {
            return region.count(edge.to) != 0 && is_reached(edge.to);
        });
    }
    /// What lanes may pass from the start on, up to the reconvergence.
    [[nodiscard]] DivergentBranch::LoopExit exit_from(std::size_t start,
                                                      const DivergentBranch& branch) const {
        DivergentBranch::LoopExit loop_exit{start, {start}, 1};
        const std::vector<bool> reached = blocks_within(start, branch.region);
        std::copy_if(branch.region.begin(), branch.region.end(),
                     std::inserter(loop_exit.region, loop_exit.region.end()),
                     [&](std::size_t block) { return reached[block]; });
        return loop_exit;
    }

    /// The path of a branch in a loop that does not come to it again; none when both do.
    [[nodiscard]] std::optional<DivergentBranch::LoopExit>
    loop_exit_of(const DivergentBranch& branch) const {
        for (const std::size_t edge : graph_.blocks[branch.block].out) {
            if (!is_reached(graph_.edges[edge].to)) continue;
            DivergentBranch::LoopExit loop_exit = exit_from(graph_.edges[edge].to, branch);
            if (loop_exit.region.count(branch.block) != 0) continue;
            if (std::any_of(
                    graph_.loops.begin(), graph_.loops.end(),
                    [&](const assembly::Loop& loop) { return loop.header == loop_exit.start; }))
                return std::nullopt;
            for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
                const auto& blocks = graph_.loops[loop].blocks;
                const auto inside = [&](std::size_t block) {
                    return std::binary_search(blocks.begin(), blocks.end(), block);
                };
                if (!inside(branch.block) || branch.region.count(graph_.loops[loop].header) == 0)
                    continue;
                // Each pending group is at least one lane.
                const std::int64_t lanes = context_.shape.warp_size;
                const std::int64_t iterations = context_.facts.loops[loop].max;
                loop_exit.max_groups =
                    iterations >= lanes ? lanes
                                        : std::min(lanes, loop_exit.max_groups * (iterations + 1));
            }
            return loop_exit;
        }
        return std::nullopt;
    }

    bool breaks_inside_;
    const AnalysisContext& context_;
    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const ReconvergenceStacks& stacks_;
    const std::vector<std::optional<ReconvergenceStack>>& before_;
    const std::vector<std::optional<ReconvergenceStack>>& at_end_;
    const std::map<std::size_t, ReconvergencePoint>& arrival_of_;
    std::map<ReconvergencePoint, std::vector<std::size_t>> arrivals_at_; ///< Edges.
    std::map<std::size_t, std::vector<std::size_t>> blocks_ending_at_;   ///< By last instruction.
    std::vector<std::optional<std::size_t>> post_dominators_;            ///< Once needed.
    Reconvergence found_;
};

/// Barriers count warps or, from sm_70 on, lanes (C9), so no lanes may be elsewhere.
Result<void> check_barriers(const AnalysisContext& context, const Reconvergence& reconvergence) {
    const auto& graph = *context.request.graph;
    const auto& instructions = context.request.function->instructions;
    for (const DivergentBranch& branch : reconvergence.divergent_branches)
        for (const std::size_t block : branch.non_uniform)
            for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i)
                if (assembly::synchronizes_threads(instructions[i]))
                    return refuse_at(
                        context, i,
                        fmt::format(
                            "some lanes may come to this barrier while others that diverged from "
                            "them at 0x{:04x} are elsewhere, which is not bounded",
                            instructions[graph.blocks[branch.block].last].address));
    return boost::outcome_v2::success();
}

} // namespace

Result<Reconvergence> find_reconvergence(const AnalysisContext& context) {
    if (auto checked = check_guarded_barriers(context); !checked) return checked.as_failure();
    const auto stacks = reconvergence_stacks(context);
    if (!stacks) return stacks.as_failure();
    auto reconvergence = ReconvergenceAnalysis{context, stacks.value(), false}.find();
    if (!reconvergence)
        if (auto with_breaks = ReconvergenceAnalysis{context, stacks.value(), true}.find())
            reconvergence = std::move(with_breaks);
    if (!reconvergence) return reconvergence;
    if (auto checked = check_barriers(context, reconvergence.value()); !checked)
        return checked.as_failure();
    return reconvergence;
}

} // namespace warpbound::analyzer
