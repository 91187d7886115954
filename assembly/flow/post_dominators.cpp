#include "assembly/flow/post_dominators.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

namespace warpbound::assembly {

std::vector<std::optional<std::size_t>> immediate_post_dominators(const ControlFlowGraph& graph) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
    const std::size_t end = graph.blocks.size();
    Graph reversed(end + 1);
    for (const Edge& edge : graph.edges)
        boost::add_edge(edge.to, edge.from, reversed);
    for (std::size_t block = 0; block < end; ++block)
        if (graph.blocks[block].exits) boost::add_edge(end, block, reversed);
    const auto none = boost::graph_traits<Graph>::null_vertex();
    std::vector<std::size_t> dominator_of(end + 1, none);
    boost::lengauer_tarjan_dominator_tree(
        reversed, end,
        boost::make_iterator_property_map(dominator_of.begin(),
                                          get(boost::vertex_index, reversed)));
    std::vector<std::optional<std::size_t>> post_dominators(end);
    for (std::size_t block = 0; block < end; ++block)
        if (dominator_of[block] != none && dominator_of[block] != end)
            post_dominators[block] = dominator_of[block];
    return post_dominators;
}

} // namespace warpbound::assembly
