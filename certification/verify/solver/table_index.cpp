#include "certification/verify/solver/table_index.hpp"

#include "certification/verify/flow/path_problem.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

TableIndex::TableIndex(const ControlFlow& flow, const Certificate& certificate)
    : nodes_of_{nodes_by_block(certificate, flow.blocks.size())}, in_(certificate.nodes.size()),
      out_(certificate.nodes.size()), is_in_loop_(flow.blocks.size(), false) {
    for (std::size_t edge = 0; edge < certificate.edges.size(); ++edge) {
        out_[certificate.edges[edge].from].push_back(edge);
        in_[certificate.edges[edge].to].push_back(edge);
    }
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        at_[flow.blocks[block].first].push_back(block);
    for (const CheckedLoop& loop : flow.loops)
        for (const std::size_t block : loop.blocks)
            is_in_loop_[block] = true;
}

TableIndex::List TableIndex::nodes_in(const CheckedLoop& loop) const {
    List nodes;
    for (const std::size_t block : loop.blocks)
        nodes.insert(nodes.end(), nodes_of_[block].begin(), nodes_of_[block].end());
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

TableIndex::List TableIndex::nodes_at(std::int64_t address) const {
    List nodes;
    for (const std::size_t block : blocks_at(address))
        nodes.insert(nodes.end(), nodes_of_[block].begin(), nodes_of_[block].end());
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

TableIndex::List TableIndex::edges_at(const std::vector<List>& edges_of, const List& nodes) {
    List edges;
    for (const std::size_t node : nodes)
        edges.insert(edges.end(), edges_of[node].begin(), edges_of[node].end());
    std::sort(edges.begin(), edges.end());
    return edges;
}

bool TableIndex::at_most_once(std::int64_t address) const {
    const List& blocks = blocks_at(address);
    return blocks.size() == 1 && !is_in_loop_[blocks.front()];
}

const TableIndex::List& TableIndex::blocks_at(std::int64_t address) const {
    static const List none;
    const auto blocks = at_.find(address);
    return blocks == at_.end() ? none : blocks->second;
}

} // namespace warpbound::certification::verify
