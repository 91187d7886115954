// A node of a path graph is no block: what is known of blocks is not asked by nodes.
#include "analyzer/path/path_graph.hpp"

namespace {

using namespace warpbound::analyzer;

[[maybe_unused]] bool is_reached(const PerBlock<bool>& reached, const PathGraph& paths) {
#ifdef WARPBOUND_CORRECT
    return reached[paths.nodes[start_node].block];
#else
    return reached[start_node];
#endif
}

} // namespace
