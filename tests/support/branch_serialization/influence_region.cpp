#include "tests/support/branch_serialization/influence_region.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <vector>

namespace warpbound::analyzer {

namespace {

class RegionWalk {
public:
    RegionWalk(const assembly::ControlFlowGraph& graph, const ReconvergenceStacks& stacks,
               std::size_t block, const ReconvergenceTarget& target)
        : graph_{graph}, stacks_{stacks}, branch_{block}, target_{target} {}

    InfluenceRegion run() {
        for (const std::size_t edge : graph_.blocks[branch_].out) {
            if (graph_.edges[edge].to == target_.block) region_.one_sided = true;
            follow(edge);
        }
        while (!work_.empty()) {
            check_stop("the reconvergence of divergent branches");
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
        if (!stacks_.before[to]) return;
        note_left_points(stacks_.left_on_edge, edge);
        if (target_.ends_at_break && !region_.left_points.empty() && has_break(edge)) {
            region_.break_edges.insert(edge);
            return;
        }
        const auto arrival = stacks_.arrival_of.find(edge);
        const bool arrives = arrival != stacks_.arrival_of.end();
        if (arrives && std::find(target_.inner_points.begin(), target_.inner_points.end(),
                                 arrival->second) != target_.inner_points.end()) {
            region_.inner_arrivals.insert(edge);
            region_.after_inner_point.insert(to);
        } else if (target_.block == to) {
            if (target_.point ? !arrives || arrival->second != *target_.point
                              : stacks_.before[to] != stacks_.at_end[branch_])
                region_.always_arrives = false;
            return;
        } else if (arrives && is_of_branch(arrival->second)) {
            // The lanes wait at a point around the branch's.
            region_.waiting_blocks.insert(to);
            return;
        }
        if (!region_.blocks.insert(to).second) return;
        note_left_points(stacks_.left_in_block, to);
        work_.push_back(to);
    }

    /// Lanes leave a point of the branch over the edge, or in the block before it.
    [[nodiscard]] bool has_break(std::size_t edge) const {
        const auto any_of_branch = [&](const std::map<std::size_t, ReconvergenceStack>& of,
                                       std::size_t at) {
            const auto found = of.find(at);
            return found != of.end() && std::any_of(found->second.begin(), found->second.end(),
                                                    [&](const ReconvergencePoint& point) {
                                                        return is_of_branch(point);
                                                    });
        };
        return any_of_branch(stacks_.left_on_edge, edge) ||
               any_of_branch(stacks_.left_in_block, graph_.edges[edge].from);
    }

    [[nodiscard]] bool is_of_branch(const ReconvergencePoint& point) const {
        const ReconvergenceStack& joined = *stacks_.at_end[branch_];
        return std::find(joined.begin(), joined.end(), point) != joined.end();
    }

    void note_left_points(const std::map<std::size_t, ReconvergenceStack>& of, std::size_t at) {
        const auto found = of.find(at);
        if (found == of.end()) return;
        for (const ReconvergencePoint& point : found->second)
            if (is_of_branch(point) &&
                std::find(region_.left_points.begin(), region_.left_points.end(), point) ==
                    region_.left_points.end())
                region_.left_points.push_back(point);
    }

    const assembly::ControlFlowGraph& graph_;
    const ReconvergenceStacks& stacks_;
    std::size_t branch_;
    const ReconvergenceTarget& target_;
    InfluenceRegion region_;
    std::vector<std::size_t> work_;
};

} // namespace

InfluenceRegion influence_region_of(const assembly::ControlFlowGraph& graph,
                                    const ReconvergenceStacks& stacks, std::size_t block,
                                    const ReconvergenceTarget& target) {
    return RegionWalk{graph, stacks, block, target}.run();
}

} // namespace warpbound::analyzer
