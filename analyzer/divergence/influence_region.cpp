#include "analyzer/divergence/influence_region.hpp"

#include <algorithm>
#include <vector>

namespace warpbound::analyzer {

namespace {

class Walk {
public:
    Walk(const assembly::ControlFlowGraph& graph, const ReconvergenceStacks& points,
         std::size_t block, const Meeting& meeting)
        : graph_{graph}, points_{points}, branch_{block}, meeting_{meeting} {}

    InfluenceRegion run() {
        for (const std::size_t edge : graph_.blocks[branch_].out) {
            if (graph_.edges[edge].to == meeting_.block) region_.one_sided = true;
            follow(edge);
        }
        while (!work_.empty()) {
            const std::size_t at = work_.back();
            work_.pop_back();
            for (const std::size_t edge : graph_.blocks[at].out)
                follow(edge);
        }
        return std::move(region_);
    }

private:
    void follow(std::size_t edge) {
        const std::size_t to = graph_.edges[edge].to;
        if (!points_.before[to]) return;
        note_left(points_.left_over, edge);
        if (meeting_.ends_where_left && !region_.left.empty() && leaves_some(edge)) {
            region_.leaving.insert(edge);
            return;
        }
        const auto arrival = points_.arrival_of.find(edge);
        const bool arrives = arrival != points_.arrival_of.end();
        if (arrives && std::find(meeting_.passed.begin(), meeting_.passed.end(), arrival->second) !=
                           meeting_.passed.end()) {
            region_.passing.insert(edge);
            region_.behind_passed.insert(to);
        } else if (meeting_.block == to) {
            if (meeting_.point ? !arrives || arrival->second != *meeting_.point
                               : points_.before[to] != points_.behind[branch_])
                region_.arrives = false;
            return;
        } else if (arrives && is_joined(arrival->second)) {
            // At a point around the parting the lanes wait.
            region_.waiting.insert(to);
            return;
        }
        if (!region_.blocks.insert(to).second) return;
        note_left(points_.left_in, to);
        work_.push_back(to);
    }

    /// Of the branch's points, by the edge or in the block before it.
    [[nodiscard]] bool leaves_some(std::size_t edge) const {
        const auto any_joined = [&](const std::map<std::size_t, ReconvergenceStack>& of,
                                    std::size_t at) {
            const auto found = of.find(at);
            return found != of.end() &&
                   std::any_of(found->second.begin(), found->second.end(),
                               [&](const ReconvergencePoint& point) { return is_joined(point); });
        };
        return any_joined(points_.left_over, edge) ||
               any_joined(points_.left_in, graph_.edges[edge].from);
    }

    [[nodiscard]] bool is_joined(const ReconvergencePoint& point) const {
        const ReconvergenceStack& joined = *points_.behind[branch_];
        return std::find(joined.begin(), joined.end(), point) != joined.end();
    }

    void note_left(const std::map<std::size_t, ReconvergenceStack>& of, std::size_t at) {
        const auto found = of.find(at);
        if (found == of.end()) return;
        for (const ReconvergencePoint& point : found->second)
            if (is_joined(point) &&
                std::find(region_.left.begin(), region_.left.end(), point) == region_.left.end())
                region_.left.push_back(point);
    }

    const assembly::ControlFlowGraph& graph_;
    const ReconvergenceStacks& points_;
    std::size_t branch_;
    const Meeting& meeting_;
    InfluenceRegion region_;
    std::vector<std::size_t> work_;
};

} // namespace

InfluenceRegion region_of(const assembly::ControlFlowGraph& graph,
                          const ReconvergenceStacks& points, std::size_t block,
                          const Meeting& meeting) {
    return Walk{graph, points, block, meeting}.run();
}

} // namespace warpbound::analyzer
