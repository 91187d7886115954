#pragma once
/// \file
/// Nodes and edges of a certificate's table by the blocks and nodes that they belong to.

#include "certification/verify/flow/control_flow.hpp"

#include <map>
#include <vector>

namespace warpbound::certification::verify {

/// Every list is in the order of the table and names nothing twice.
class TableIndex {
public:
    using List = std::vector<std::size_t>;

    TableIndex(const ControlFlow& flow, const Certificate& certificate);

    [[nodiscard]] const List& nodes_of(std::size_t block) const { return nodes_of_[block]; }
    [[nodiscard]] List nodes_in(const CheckedLoop& loop) const;
    /// Of the blocks that begin there.
    [[nodiscard]] List nodes_at(std::int64_t address) const;
    [[nodiscard]] List incoming_edges(const List& nodes) const { return edges_at(in_, nodes); }
    [[nodiscard]] List outgoing_edges(const List& nodes) const { return edges_at(out_, nodes); }
    /// One block begins there, which no loop contains.
    [[nodiscard]] bool at_most_once(std::int64_t address) const;

private:
    [[nodiscard]] static List edges_at(const std::vector<List>& edges_of, const List& nodes);
    [[nodiscard]] const List& blocks_at(std::int64_t address) const;

    std::vector<List> nodes_of_;      ///< By block.
    std::vector<List> in_;            ///< Edges by the node that they lead to.
    std::vector<List> out_;           ///< Edges by the node that they leave.
    std::vector<bool> is_in_loop_;    ///< By block.
    std::map<std::int64_t, List> at_; ///< Blocks by address.
};

} // namespace warpbound::certification::verify
