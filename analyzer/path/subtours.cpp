#include "analyzer/path/subtours.hpp"

#include <algorithm>

namespace warpbound::analyzer {

std::vector<std::vector<NodeIndex>> subtours_of(const PerNode<std::vector<NodeIndex>>& successors) {
    PerNode<bool> seen(successors.size(), false);
    const auto reach = [&](NodeIndex start) {
        std::vector<NodeIndex> reached{start};
        seen[start] = true;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const NodeIndex to : successors[reached[i]])
                if (!seen[to]) {
                    seen[to] = true;
                    reached.push_back(to);
                }
        std::sort(reached.begin(), reached.end());
        return reached;
    };
    reach(start_node);
    std::vector<std::vector<NodeIndex>> subtours;
    for (const NodeIndex node : successors.indices())
        if (!seen[node] && !successors[node].empty()) subtours.push_back(reach(node));
    return subtours;
}

} // namespace warpbound::analyzer
