#include "analyzer/path/subtours.hpp"

#include <algorithm>

namespace warpbound::analyzer {

std::vector<std::vector<std::size_t>>
subtours_of(const std::vector<std::vector<std::size_t>>& successors) {
    std::vector<bool> seen(successors.size(), false);
    const auto reach = [&](std::size_t start) {
        std::vector<std::size_t> reached{start};
        seen[start] = true;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const std::size_t to : successors[reached[i]])
                if (!seen[to]) {
                    seen[to] = true;
                    reached.push_back(to);
                }
        std::sort(reached.begin(), reached.end());
        return reached;
    };
    reach(0);
    std::vector<std::vector<std::size_t>> subtours;
    for (std::size_t node = 0; node < successors.size(); ++node)
        if (!seen[node] && !successors[node].empty()) subtours.push_back(reach(node));
    return subtours;
}

} // namespace warpbound::analyzer
