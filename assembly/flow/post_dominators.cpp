#include "assembly/flow/post_dominators.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

namespace warpbound::assembly {

std::vector<std::optional<std::size_t>> immediate_post_dominators(const ControlFlowGraph& graph) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
    const std::size_t end = graph.blocks.size();
    Graph backwards(end + 1);
    for (const Edge& edge : graph.edges)
        boost::add_edge(edge.to, edge.from, backwards);
    for (std::size_t block = 0; block < end; ++block)
        if (graph.blocks[block].exits) boost::add_edge(end, block, backwards);
    const auto none = boost::graph_traits<Graph>::null_vertex();
    std::vector<std::size_t> above(end + 1, none);
    boost::lengauer_tarjan_dominator_tree(
        backwards, end,
        boost::make_iterator_property_map(above.begin(), get(boost::vertex_index, backwards)));
    std::vector<std::optional<std::size_t>> found(end);
    for (std::size_t block = 0; block < end; ++block)
        if (above[block] != none && above[block] != end) found[block] = above[block];
    return found;
}

} // namespace warpbound::assembly
