#include "analyzer/policies/exact/single_path.hpp"

#include <algorithm>
#include <iterator>

namespace warpbound::analyzer {

namespace {

class Walk {
public:
    explicit Walk(const AnalysisContext& context)
        : graph_{*context.request.graph}, facts_{context.facts}, turns_(graph_.loops.size(), 0) {}

    std::optional<std::vector<PathStep>> steps(std::size_t longest, Others others) {
        std::vector<PathStep> steps;
        std::size_t block = 0;
        while (true) {
            const auto& code = graph_.blocks[block];
            if (steps.size() + (code.last - code.first) >= longest) return std::nullopt;
            for (std::size_t i = code.first; i <= code.last; ++i)
                steps.push_back({i, false});
            const std::vector<std::size_t> ways = allowed(code.out);
            if (ways.empty() && code.exits && !graph_.innermost_loop[block]) return steps;
            if (ways.empty() || (code.exits && others == Others::None)) return std::nullopt;
            const auto way = ways.size() == 1 ? ways.front() : in_turn(ways, block);
            if (!way || !pass(*way)) return std::nullopt;
            const assembly::Edge& edge = graph_.edges[*way];
            steps.back().transferred = edge.kind == assembly::EdgeKind::Taken;
            block = edge.to;
        }
    }

private:
    [[nodiscard]] std::vector<std::size_t> allowed(const std::vector<std::size_t>& edges) const {
        std::vector<std::size_t> ways;
        std::copy_if(edges.begin(), edges.end(), std::back_inserter(ways),
                     [&](std::size_t edge) { return !facts_.never[graph_.edges[edge].to]; });
        return ways;
    }

    [[nodiscard]] bool contains(std::size_t loop, std::size_t block) const {
        const auto& blocks = graph_.loops[loop].blocks;
        return std::binary_search(blocks.begin(), blocks.end(), block);
    }

    /// The only way out of a loop is taken when all turns are done, and not before.
    [[nodiscard]] std::optional<std::size_t> in_turn(const std::vector<std::size_t>& ways,
                                                     std::size_t block) const {
        const auto loop = graph_.innermost_loop[block];
        if (!loop || ways.size() != 2) return std::nullopt;
        const bool first_stays = contains(*loop, graph_.edges[ways.front()].to);
        const bool second_stays = contains(*loop, graph_.edges[ways.back()].to);
        if (first_stays == second_stays || allowed(graph_.loops[*loop].exit_edges).size() != 1)
            return std::nullopt;
        const bool stay = turns_[*loop] < facts_.loops[*loop].max;
        return stay == first_stays ? ways.front() : ways.back();
    }

    /// Counts the turns; false when an edge does not keep loop bounds.
    bool pass(std::size_t edge) {
        const std::size_t from = graph_.edges[edge].from;
        const std::size_t to = graph_.edges[edge].to;
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
            const BackEdgeBounds& bounds = facts_.loops[loop];
            if (contains(loop, from) && !contains(loop, to)) {
                if (bounds.min != bounds.max || turns_[loop] != bounds.max) return false;
            } else if (graph_.loops[loop].header == to) {
                turns_[loop] = contains(loop, from) ? turns_[loop] + 1 : 0;
                if (turns_[loop] > bounds.max) return false;
            }
        }
        return true;
    }

    const assembly::ControlFlowGraph& graph_;
    const ResolvedFacts& facts_;
    std::vector<std::int64_t> turns_; ///< Back edges taken since the loop was entered.
};

} // namespace

std::optional<std::vector<PathStep>> single_path(const AnalysisContext& context,
                                                 std::size_t longest, Others others) {
    return Walk{context}.steps(longest, others);
}

} // namespace warpbound::analyzer
