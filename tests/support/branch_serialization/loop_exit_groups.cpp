#include "tests/support/branch_serialization/loop_exit_groups.hpp"

#include <algorithm>
#include <string>

namespace warpbound::analyzer {

namespace {

class ExitGrouping {
public:
    ExitGrouping(const AnalysisContext& context, const ReconvergenceStacks& stacks,
                 std::vector<DivergentBranch>& divergent_branches)
        : context_{context}, graph_{*context.request.graph}, stacks_{stacks},
          branches_{divergent_branches} {}

    Result<void> find() {
        if (auto checked = check_nesting(); !checked) return checked;
        if (auto checked = check_break_edges(); !checked) return checked;
        return find_siblings();
    }

private:
    [[nodiscard]] Failure refuse(std::size_t instruction, const std::string& what) const {
        return refuse_at(context_, instruction, what);
    }
    /// On a path that the facts allow.
    [[nodiscard]] bool is_reached(std::size_t block) const {
        return stacks_.before[block].has_value();
    }

    /// A branch whose lanes may leave their point must not lie in the region of another such
    /// branch. Without a point around, it must not lie in the region of a branch without a point
    /// either.
    [[nodiscard]] Result<void> check_nesting() const {
        for (const DivergentBranch& inner : branches_) {
            if (!inner.inner_point) continue;
            for (const DivergentBranch& outer : branches_) {
                if (inner.block == outer.block || outer.region.count(inner.block) == 0) continue;
                if (outer.inner_point ||
                    (!outer.has_point && outer.reconvergence && !inner.has_point))
                    return refuse(
                        graph_.blocks[inner.block].last,
                        "lanes that diverge here may leave their reconvergence point while others "
                        "that diverged before are elsewhere, which is not bounded");
            }
        }
        return boost::outcome_v2::success();
    }

    /// The edges over which lanes leave an iteration by BREAK are those of loop exits.
    [[nodiscard]] Result<void> check_break_edges() const {
        for (const DivergentBranch& broken : branches_)
            for (const std::size_t edge : broken.break_edges) {
                const auto leaves = [&](const DivergentBranch& branch) {
                    return branch.block == graph_.edges[edge].from && branch.loop_exit &&
                           !branch.inner_point && branch.loop_exit->start == graph_.edges[edge].to;
                };
                const auto found = std::find_if(branches_.begin(), branches_.end(), leaves);
                if (found == branches_.end())
                    return refuse(graph_.blocks[graph_.edges[edge].from].last,
                                  "lanes may leave their reconvergence point and an iteration of a "
                                  "loop here, which is bounded only where a flow fact states that "
                                  "lanes diverge here");
                const auto is_inside_region = [&](const assembly::Loop& loop) {
                    return broken.region.count(loop.header) != 0 &&
                           std::binary_search(loop.blocks.begin(), loop.blocks.end(), found->block);
                };
                if (std::any_of(graph_.loops.begin(), graph_.loops.end(), is_inside_region))
                    return refuse(graph_.blocks[found->block].last,
                                  "lanes that diverge here may leave several loops at once, which "
                                  "is not bounded");
                for (const DivergentBranch& inside : branches_)
                    if (found->loop_exit->region.count(inside.block) != 0)
                        return refuse(graph_.blocks[inside.block].last,
                                      "lanes that have left a loop may diverge here before they "
                                      "reconverge with the others, which is not bounded");
            }
        return boost::outcome_v2::success();
    }

    /// Branches at which lanes exit in the same iterations: all lanes that exited come to the
    /// reconvergence over the same last block.
    Result<void> find_siblings() {
        for (DivergentBranch& a : branches_) {
            if (!a.loop_exit) continue;
            for (const DivergentBranch& b : branches_) {
                const bool same_iterations = a.block != b.block && b.loop_exit &&
                                             a.region.count(b.block) != 0 &&
                                             b.region.count(a.block) != 0;
                if (!same_iterations) continue;
                if (a.inner_point || b.inner_point || a.reconvergence != b.reconvergence ||
                    a.region != b.region || a.loop_exit->region.count(b.block) != 0 ||
                    b.loop_exit->region.count(a.block) != 0)
                    return refuse_different_ends(b);
                a.loop_exit->siblings.insert(b.block);
            }
        }
        for (const DivergentBranch& branch : branches_)
            if (branch.loop_exit && !branch.loop_exit->siblings.empty() &&
                !share_last_block(branch))
                return refuse_different_ends(branch);
        return boost::outcome_v2::success();
    }
    [[nodiscard]] Failure refuse_different_ends(const DivergentBranch& branch) const {
        return refuse(graph_.blocks[branch.block].last,
                      "lanes may leave a loop at several branches whose paths end differently "
                      "before they reconverge, which is not bounded");
    }
    /// All lanes that exit at the branch or a sibling come to the reconvergence from one block,
    /// except those that end in the next block, which is the same for all of these.
    [[nodiscard]] bool share_last_block(const DivergentBranch& branch) const {
        std::set<std::size_t> ends;
        std::set<std::size_t> exits;
        for (const DivergentBranch& other : branches_) {
            if (&other != &branch && branch.loop_exit->siblings.count(other.block) == 0) continue;
            const auto& region = other.loop_exit->region;
            if (const auto& code = graph_.blocks[other.loop_exit->start];
                region.size() == 1 && code.exits && code.out.empty()) {
                exits.insert(other.loop_exit->start);
                continue;
            }
            for (const std::size_t block : region) {
                const auto& code = graph_.blocks[block];
                const auto meets = [&](std::size_t edge) {
                    return graph_.edges[edge].to == branch.reconvergence;
                };
                const auto away = [&](std::size_t edge) {
                    const std::size_t to = graph_.edges[edge].to;
                    return is_reached(to) && !meets(edge) && other.region.count(to) == 0;
                };
                if (code.exits || std::any_of(code.out.begin(), code.out.end(), away)) return false;
                if (std::none_of(code.out.begin(), code.out.end(), meets)) continue;
                if (!std::all_of(code.out.begin(), code.out.end(), meets)) return false;
                ends.insert(block);
            }
        }
        return ends.size() == 1 && exits.size() <= 1;
    }

    const AnalysisContext& context_;
    const assembly::ControlFlowGraph& graph_;
    const ReconvergenceStacks& stacks_;
    std::vector<DivergentBranch>& branches_;
};

} // namespace

Result<void> group_loop_exits(const AnalysisContext& context, const ReconvergenceStacks& stacks,
                              std::vector<DivergentBranch>& divergent_branches) {
    return ExitGrouping{context, stacks, divergent_branches}.find();
}

} // namespace warpbound::analyzer
