#include "analyzer/divergence/loop_exit_groups.hpp"

#include <algorithm>
#include <string>

namespace warpbound::analyzer {

namespace {

class Relations {
public:
    Relations(const AnalysisContext& context, const ReconvergenceStacks& points,
              std::vector<DivergentBranch>& divergent_branches)
        : context_{context}, graph_{*context.request.graph}, points_{points},
          partings_{divergent_branches} {}

    Result<void> find() {
        if (auto checked = check_nesting(); !checked) return checked;
        if (auto checked = check_breaks(); !checked) return checked;
        return find_beside();
    }

private:
    [[nodiscard]] Failure refuse(std::size_t instruction, const std::string& what) const {
        return refuse_at(context_, instruction, what);
    }
    /// On a path that the facts allow.
    [[nodiscard]] bool is_reached(std::size_t block) const {
        return points_.before[block].has_value();
    }

    /// Of branches whose lanes may leave their point none may lie inside another one's region. One
    /// without a point around must not lie where lanes meet without a point of the code.
    [[nodiscard]] Result<void> check_nesting() const {
        for (const DivergentBranch& outer : partings_)
            for (const DivergentBranch& inner : partings_) {
                if (!inner.passed || inner.block == outer.block ||
                    outer.region.count(inner.block) == 0)
                    continue;
                if (outer.passed || (!outer.is_named && outer.meeting && !inner.is_named))
                    return refuse(graph_.blocks[inner.block].last,
                                  "lanes that part here may leave their point while others that "
                                  "parted before are elsewhere, which is not bounded");
            }
        return boost::outcome_v2::success();
    }

    /// All who leave turns there do so at branches that let them go on late.
    [[nodiscard]] Result<void> check_breaks() const {
        for (const DivergentBranch& broken : partings_)
            for (const std::size_t edge : broken.breaks) {
                const auto leaves = [&](const DivergentBranch& parting) {
                    return parting.block == graph_.edges[edge].from && parting.leaving &&
                           !parting.passed && parting.leaving->start == graph_.edges[edge].to;
                };
                const auto found = std::find_if(partings_.begin(), partings_.end(), leaves);
                if (found == partings_.end())
                    return refuse(graph_.blocks[graph_.edges[edge].from].last,
                                  "lanes may leave their point and a turn of a loop here; bounded "
                                  "only where it is stated that lanes may part here");
                const auto turns_inside = [&](const assembly::Loop& loop) {
                    return broken.region.count(loop.header) != 0 &&
                           std::binary_search(loop.blocks.begin(), loop.blocks.end(), found->block);
                };
                if (std::any_of(graph_.loops.begin(), graph_.loops.end(), turns_inside))
                    return refuse(graph_.blocks[found->block].last,
                                  "lanes that part here may leave several loops at once, which is "
                                  "not bounded");
                for (const DivergentBranch& inside : partings_)
                    if (found->leaving->region.count(inside.block) != 0)
                        return refuse(graph_.blocks[inside.block].last,
                                      "lanes that have left a loop may part here before they meet "
                                      "the others, which is not bounded");
            }
        return boost::outcome_v2::success();
    }

    /// Branches at which lanes leave the same turns: whoever left goes to the meeting over the same
    /// last block.
    Result<void> find_beside() {
        for (DivergentBranch& a : partings_)
            for (const DivergentBranch& b : partings_) {
                const bool in_the_same_turns = a.block != b.block && a.leaving && b.leaving &&
                                               a.region.count(b.block) != 0 &&
                                               b.region.count(a.block) != 0;
                if (!in_the_same_turns) continue;
                if (a.passed || b.passed || a.meeting != b.meeting || a.region != b.region ||
                    a.leaving->region.count(b.block) != 0 || b.leaving->region.count(a.block) != 0)
                    return refuse_several(b);
                a.leaving->beside.insert(b.block);
            }
        for (const DivergentBranch& parting : partings_)
            if (parting.leaving && !parting.leaving->beside.empty() && !end_together(parting))
                return refuse_several(parting);
        return boost::outcome_v2::success();
    }
    [[nodiscard]] Failure refuse_several(const DivergentBranch& parting) const {
        return refuse(graph_.blocks[parting.block].last,
                      "lanes may leave a loop at several places, with different ends before they "
                      "meet, which is not bounded");
    }
    /// Whether all who leave beside it come to the meeting from one block, but for those who go to
    /// one block in which they end.
    [[nodiscard]] bool end_together(const DivergentBranch& parting) const {
        std::set<std::size_t> ends;
        std::set<std::size_t> exits;
        for (const DivergentBranch& other : partings_) {
            if (&other != &parting && parting.leaving->beside.count(other.block) == 0) continue;
            const auto& region = other.leaving->region;
            if (const auto& code = graph_.blocks[other.leaving->start];
                region.size() == 1 && code.exits && code.out.empty()) {
                exits.insert(other.leaving->start);
                continue;
            }
            for (const std::size_t block : region) {
                const auto& code = graph_.blocks[block];
                const auto meets = [&](std::size_t edge) {
                    return graph_.edges[edge].to == parting.meeting;
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
    const ReconvergenceStacks& points_;
    std::vector<DivergentBranch>& partings_;
};

} // namespace

Result<void> group_loop_exits(const AnalysisContext& context, const ReconvergenceStacks& points,
                              std::vector<DivergentBranch>& divergent_branches) {
    return Relations{context, points, divergent_branches}.find();
}

} // namespace warpbound::analyzer
