#include "tests/support/branch_serialization/loop_divergence.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Node = SerializedBlocks::Node;

/// The successors of a branch node with a divergent loop exit.
struct ExitSuccessors {
    std::size_t exit = 0;               ///< First node of the lanes that exit.
    std::vector<std::size_t> remaining; ///< First nodes of the lanes that remain.
};

ExitSuccessors exit_successors(const SerializedBlocks& nodes, std::size_t branch_node,
                               const DivergentBranch& branch) {
    ExitSuccessors successors;
    for (const Node::Successor& successor : nodes[branch_node].successors)
        if (successor.edge && nodes[successor.to].original == branch.loop_exit->start)
            successors.exit = successor.to;
        else if (successor.edge)
            successors.remaining.push_back(successor.to);
    return successors;
}

SerializedBlocks::Duplicates duplicate_exit_path(SerializedBlocks& nodes,
                                                 const DivergentBranch& branch,
                                                 const SerializedBlocks::Set& inside) {
    SerializedBlocks::Set exit_path;
    for (const std::size_t node : inside)
        if (branch.loop_exit->region.count(nodes[node].original) != 0) exit_path.insert(node);
    return nodes.duplicate_all(exit_path, branch);
}

/// Duplicates the path of the lanes that exit and go on at once, before those that remain. Returns
/// its first node.
std::size_t exit_at_once(SerializedBlocks& nodes, const DivergentBranch& branch,
                         const SerializedBlocks::Set& inside, const ExitSuccessors& successors) {
    const SerializedBlocks::Duplicates duplicates = duplicate_exit_path(nodes, branch, inside);
    for (const auto& [node, duplicate] : duplicates) {
        nodes[duplicate].exited_at = branch.block;
        if (!nodes.ends_path(node, branch)) continue;
        std::erase_if(nodes[duplicate].successors, [&](const Node::Successor& successor) {
            return !successor.edge || nodes.leaves_region(*successor.edge, branch);
        });
        for (const std::size_t to : successors.remaining)
            nodes.add_successor(duplicate, to);
    }
    return duplicates.at(successors.exit);
}

/// What lanes may pass that exit at one of several branches: S19d's X of each, up to F or E.
struct ExitPaths {
    std::vector<std::size_t> starts;
    SerializedBlocks::Set before_last;
    std::size_t last = 0;                 ///< F: the last block of those that reconverge.
    std::optional<std::size_t> exit_node; ///< E: the block in which the others end.
};

/// Of the blocks of `region`; none where one of them has several nodes.
std::optional<ExitPaths> exit_paths_of(const SerializedBlocks& nodes,
                                       const std::set<std::size_t>& region,
                                       const DivergentBranch& branch,
                                       const SerializedBlocks::Set& inside) {
    ExitPaths paths;
    std::set<std::size_t> originals;
    bool ends = false;
    for (const std::size_t node : inside) {
        if (region.count(nodes[node].original) == 0) continue;
        if (!originals.insert(nodes[node].original).second) return std::nullopt;
        if (!nodes.ends_path(node, branch)) {
            paths.before_last.insert(node);
        } else if (nodes.block_of(node).exits) {
            paths.exit_node = node;
        } else {
            ends = true;
            paths.last = node;
        }
    }
    return ends ? std::optional{paths} : std::nullopt;
}

/// The lanes that exit here end in the next block (S19d's E).
bool ends_at_once(const SerializedBlocks& nodes, const DivergentBranch& branch) {
    return nodes.original_of(branch.loop_exit->start).exits;
}

/// Duplicates of exit paths, one of which comes next.
struct PendingGroups {
    SerializedBlocks::Duplicates before_last;
    std::optional<std::size_t> exit_node;
};

/// Duplicates what leads to the last block, with the node `repeated_last` in place of that block.
SerializedBlocks::Duplicates duplicate_before_last(SerializedBlocks& nodes, const ExitPaths& paths,
                                                   std::size_t repeated_last) {
    SerializedBlocks::Duplicates duplicates;
    for (const std::size_t node : paths.before_last)
        duplicates[node] = nodes.duplicate(node);
    for (const auto& [node, duplicate] : duplicates)
        for (Node::Successor& successor : nodes[duplicate].successors)
            if (successor.edge)
                successor.to =
                    successor.to == paths.last ? repeated_last : duplicates.at(successor.to);
    return duplicates;
}

} // namespace

void serialize_loop_exit(SerializedBlocks& nodes, std::size_t branch_node,
                         const DivergentBranch& branch, const SerializedBlocks::Reached& reached) {
    const ExitSuccessors successors = exit_successors(nodes, branch_node, branch);
    const std::size_t at_once = exit_at_once(nodes, branch, reached.inside, successors);
    const SerializedBlocks::Duplicates pending = duplicate_exit_path(nodes, branch, reached.inside);
    const std::size_t pending_start = pending.at(successors.exit);
    const bool repeats = branch.region.count(branch.block) != 0; // in several iterations
    if (repeats) nodes[pending_start].repeated = branch.loop_exit->max_groups;
    nodes.add_successor(branch_node, at_once);
    const std::vector<std::size_t> resumed = nodes.duplicate_after_inner_point(reached, branch);
    const auto others_go_on = [&](const SerializedBlocks::Set& after, bool groups_pending) {
        for (const std::size_t node : after) {
            if (!nodes.ends_path(node, branch) && !nodes.arrives_at_inner_point(node, branch))
                continue;
            if (groups_pending) nodes.add_successor(node, pending_start);
            if (reached.reconvergence && nodes.misses_reconvergence(node, branch))
                nodes.add_successor(node, *reached.reconvergence);
        }
    };
    others_go_on(reached.inside, true);
    const SerializedBlocks::Set pending_nodes = SerializedBlocks::values_of(pending);
    others_go_on(pending_nodes, repeats);
    nodes.resume_after_inner_point(pending_nodes, branch, resumed);
}

std::optional<SerializedBlocks::Set>
serialize_loop_exits(SerializedBlocks& nodes, std::size_t branch_node,
                     const DivergentBranch& branch,
                     const std::vector<DivergentBranch>& divergent_branches,
                     const SerializedBlocks::Reached& reached, std::int64_t lanes) {
    std::map<std::size_t, std::size_t> branch_nodes{{branch.block, branch_node}}; // by original
    for (const std::size_t node : reached.inside)
        if (branch.loop_exit->siblings.count(nodes[node].original) != 0 &&
            !branch_nodes.emplace(nodes[node].original, node).second)
            return std::nullopt;
    if (branch_nodes.size() != branch.loop_exit->siblings.size() + 1) return std::nullopt;
    std::set<std::size_t> region;
    std::int64_t max_groups = 0;
    std::int64_t max_ending = 0; // of these, those that end in S19d's E
    for (const DivergentBranch& other : divergent_branches)
        if (branch_nodes.count(other.block) != 0) {
            region.insert(other.loop_exit->region.begin(), other.loop_exit->region.end());
            max_groups = std::min(lanes, max_groups + other.loop_exit->max_groups);
            max_ending = std::min(
                lanes, max_ending + (ends_at_once(nodes, other) ? other.loop_exit->max_groups : 0));
        }
    auto paths = exit_paths_of(nodes, region, branch, reached.inside);
    if (!paths) return std::nullopt;
    std::map<std::size_t, std::size_t> at_once; // by branch node
    for (const DivergentBranch& other : divergent_branches) {
        const auto found = branch_nodes.find(other.block);
        if (found == branch_nodes.end()) continue;
        const ExitSuccessors successors = exit_successors(nodes, found->second, other);
        if (successors.exit != paths->exit_node) paths->starts.push_back(successors.exit);
        at_once[found->second] = exit_at_once(nodes, other, reached.inside, successors);
    }
    const std::size_t repeated_last = nodes.duplicate(paths->last);
    nodes[repeated_last].repeated = max_groups;
    // Groups that end follow each other before the first group that reconverges, and before each
    // further one.
    const auto pending_groups = [&] {
        PendingGroups groups{duplicate_before_last(nodes, *paths, repeated_last), {}};
        if (!paths->exit_node) return groups;
        groups.exit_node = nodes.duplicate(*paths->exit_node);
        nodes[*groups.exit_node].repeated = max_ending;
        return groups;
    };
    const PendingGroups first = pending_groups();
    const PendingGroups next = pending_groups();
    const auto lead_to = [&](std::size_t from, const PendingGroups& to) {
        for (const std::size_t start : paths->starts)
            nodes.add_successor(from,
                                start == paths->last ? repeated_last : to.before_last.at(start));
        if (to.exit_node) nodes.add_successor(from, *to.exit_node);
    };
    SerializedBlocks::Set serialized;
    for (const auto& [from, to] : at_once) {
        nodes.add_successor(from, to);
        serialized.insert(from);
    }
    const auto go_on = [&](std::size_t node, const PendingGroups& to) {
        lead_to(node, to);
        if (reached.reconvergence && nodes.misses_reconvergence(node, branch))
            nodes.add_successor(node, *reached.reconvergence);
    };
    for (const std::size_t node : reached.inside)
        if (nodes.ends_path(node, branch)) go_on(node, first);
    go_on(repeated_last, next);
    for (const PendingGroups& groups : {first, next})
        if (groups.exit_node) go_on(*groups.exit_node, groups);
    return serialized;
}

namespace {

/// What lanes pass that leave a path by BREAK.
struct BreakPaths {
    SerializedBlocks::Set starts;
    SerializedBlocks::Set blocks;
    std::set<std::size_t> branches; ///< Blocks of the kernel where they leave.
};

BreakPaths break_paths_of(const SerializedBlocks& nodes, const DivergentBranch& branch,
                          const std::vector<DivergentBranch>& divergent_branches,
                          const SerializedBlocks::Set& path) {
    BreakPaths paths;
    for (const std::size_t node : path) {
        if (!nodes.has_break(node, branch)) continue;
        const auto exit =
            std::find_if(divergent_branches.begin(), divergent_branches.end(),
                         [&](const DivergentBranch& other) {
                             return other.block == nodes[node].original && other.loop_exit;
                         });
        paths.branches.insert(exit->block);
        for (const Node::Successor& successor : nodes[node].successors)
            if (successor.edge && branch.break_edges.count(*successor.edge) != 0) {
                paths.starts.insert(successor.to);
                paths.blocks.merge(nodes.reached_from(successor.to, *exit));
            }
    }
    return paths;
}

} // namespace

void serialize_breaks(SerializedBlocks& nodes, const DivergentBranch& branch,
                      const std::vector<DivergentBranch>& divergent_branches,
                      const SerializedBlocks::Set& path, const SerializedBlocks::Set& ends,
                      std::size_t next) {
    const auto [starts, blocks, branches] = break_paths_of(nodes, branch, divergent_branches, path);
    // The lanes of this path passed each of the branches once.
    std::vector<SerializedBlocks::Duplicates> groups;
    for (std::size_t group = 0; group < branches.size(); ++group) {
        SerializedBlocks::Duplicates duplicates;
        for (const std::size_t node : blocks)
            duplicates[node] = nodes.duplicate(node);
        for (const auto& [node, duplicate] : duplicates)
            for (Node::Successor& successor : nodes[duplicate].successors)
                if (successor.edge && blocks.count(successor.to) != 0)
                    successor.to = duplicates.at(successor.to);
        groups.push_back(std::move(duplicates));
    }
    const auto follow = [&](std::size_t from, std::size_t group) {
        for (; group < groups.size(); ++group)
            for (const std::size_t start : starts)
                nodes.add_successor(from, groups[group].at(start));
    };
    for (const std::size_t node : ends)
        follow(node, 0);
    for (std::size_t group = 0; group < groups.size(); ++group)
        for (const auto& [node, duplicate] : groups[group]) {
            const auto& successors = nodes[node].successors;
            if (!nodes.block_of(node).exits &&
                std::all_of(successors.begin(), successors.end(),
                            [&](const Node::Successor& successor) {
                                return successor.edge && blocks.count(successor.to) != 0;
                            }))
                continue;
            follow(duplicate, group + 1);
            nodes.add_successor(duplicate, next);
        }
}

SerializedBlocks::Set nodes_after_breaks(const SerializedBlocks& nodes,
                                         const DivergentBranch& branch,
                                         const std::vector<DivergentBranch>& divergent_branches,
                                         const SerializedBlocks::Set& path) {
    const BreakPaths paths = break_paths_of(nodes, branch, divergent_branches, path);
    SerializedBlocks::Set after;
    for (const std::size_t node : paths.blocks)
        for (const Node::Successor& successor : nodes[node].successors)
            if (successor.edge && paths.blocks.count(successor.to) == 0) after.insert(successor.to);
    return after;
}

} // namespace warpbound::analyzer
