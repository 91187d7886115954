#pragma once
/// \file
/// Control flow and path certificates as a bundle states them.

#include "certification/verify/certificate_ids.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

struct BlockRow {
    std::int64_t first = 0; ///< Address.
    std::int64_t last = 0;
    bool exits = false;
    std::vector<std::size_t> successors; ///< Blocks.
};

/// A block in the sequence of a warp whose lanes may diverge (S67 of docs/theory).
struct SerializedBlockRow {
    std::size_t of = 0;                  ///< Block.
    std::vector<std::size_t> successors; ///< Copies.
    bool converged = false;              ///< Said: all lanes that have not ended execute it.
    /// Said: how often lanes that left a loop come there behind others that did, of a copy that
    /// heads such a sequence.
    std::optional<std::int64_t> repeated{};
    std::vector<std::size_t> stacks{}; ///< Said: with which of the case's stacks lanes come there.
};

/// Said: a block with events of infeasible pairs that have occurred on every path to the state.
struct PairStateRow {
    std::size_t block = 0;
    std::vector<std::size_t> memory;     ///< Events.
    std::vector<std::size_t> successors; ///< States: of each next block that no pair excludes.
};

/// Said: which paths infeasible pairs exclude (S87 of docs/theory).
struct PairStatesRow {
    /// Addresses: a block is entered, if from one then over an edge from it.
    std::vector<std::pair<std::optional<std::int64_t>, std::int64_t>> events;
    std::vector<PairStateRow> states;
    std::vector<std::size_t> exclusives;  ///< Of the facts in use: those that the script states.
    std::vector<std::size_t> constraints; ///< Likewise.
};

/// A table of a path problem with the bound that is claimed for it.
struct Certificate {
    struct Edge {
        std::size_t from = 0;
        std::size_t to = 0;
        std::int64_t cost = 0;
    };
    struct Node {
        std::size_t block = 0; ///< Upper side where lanes may diverge: a copy of one.
        std::optional<std::int64_t> end;
    };
    std::string id;
    std::string text;
    bool upper = true;
    bool all_facts = true;
    std::optional<std::pair<std::size_t, std::size_t>> between; ///< Blocks.
    std::int64_t bound = 0;
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    /// None: the script is about the table itself, and states all facts that are used.
    std::optional<PairStatesRow> pairs{};
    /// Rules of blocks (>= 0) and earlier rules (-1 - rule); the last one is the path.
    std::vector<std::vector<std::int64_t>> witness;
    std::int64_t witness_cost = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> counts; ///< Block, executions.
    /// Nodes of the product with the states, if there are some, in which no path turns without
    /// entering them from outside: rows of the script.
    std::vector<std::vector<std::size_t>> regions;
    std::string script; ///< As shipped.

    /// Whether its paths may end at any issue, not only where a warp ends (S74).
    [[nodiscard]] bool is_of_beginnings() const { return id == certificate_id::prefix_stall; }
};

} // namespace warpbound::certification::verify
