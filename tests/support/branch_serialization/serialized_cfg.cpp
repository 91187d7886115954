#include "tests/support/branch_serialization/serialized_cfg.hpp"

#include "tests/support/branch_serialization/loop_divergence.hpp"
#include "tests/support/branch_serialization/multiway_branches.hpp"
#include "tests/support/branch_serialization/reconvergence.hpp"
#include "tests/support/branch_serialization/serialized_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// Up to so many, each path of a multi-way branch has nodes for each set of paths before it.
constexpr std::size_t max_multiway_nodes = 500;

/// Makes the serialized CFG branch by branch, outer regions first.
class CfgSerializer {
public:
    /// `sparing`: duplicates fewer nodes where this only makes the longest path longer.
    CfgSerializer(const AnalysisContext& context, const Reconvergence& reconvergence,
                  std::size_t node_limit, bool sparing)
        : context_{context}, reconvergence_{reconvergence},
          node_limit_{node_limit}, sparing_{sparing}, nodes_{context, reconvergence} {}

    /// None: more nodes than the limit.
    std::optional<Result<SerializedCfg>> run() {
        for (const DivergentBranch& branch : reconvergence_.divergent_branches) {
            const std::vector<std::size_t> of_branch = nodes_.nodes_of(branch.block);
            for (const std::size_t node : of_branch) {
                if (serialized_.count(node) != 0) continue;
                if (!serialize(node, branch) || nodes_.size() > node_limit_) return std::nullopt;
            }
        }
        return nodes_.in_reverse_postorder();
    }

private:
    using Node = SerializedBlocks::Node;
    using Set = SerializedBlocks::Set;
    using Duplicates = SerializedBlocks::Duplicates;

    /// Lets the paths of one node of the branch follow each other. False when it cannot.
    bool serialize(std::size_t branch_node, const DivergentBranch& branch) {
        const SerializedBlocks::Reached reached = nodes_.reached_by(branch_node, branch);
        if (branch.loop_exit && !branch.loop_exit->siblings.empty()) {
            auto exits =
                serialize_loop_exits(nodes_, branch_node, branch, reconvergence_.divergent_branches,
                                     reached, context_.shape.warp_size);
            if (exits) serialized_.merge(*exits);
            return exits.has_value();
        }
        if (branch.loop_exit)
            serialize_loop_exit(nodes_, branch_node, branch, reached);
        else if (branch.one_sided)
            nodes_.resume_at_reconvergence(reached.inside, branch, reached.reconvergence);
        else if (sparing_ && !branch.inner_point && branch.break_edges.empty() &&
                 !branch.is_multiway)
            serialize_loop_exit(nodes_, branch_node, with_shorter_path_as_exit(branch_node, branch),
                                reached);
        else
            serialize_paths(branch_node, branch, reached);
        return true;
    }

    /// The branch as if its path with fewer nodes were a loop exit: its lanes go on before all
    /// others, or after them, so only this path is duplicated. A path of the graph may contain it
    /// at both positions.
    [[nodiscard]] DivergentBranch with_shorter_path_as_exit(std::size_t branch_node,
                                                            const DivergentBranch& branch) const {
        std::optional<Set> shortest;
        DivergentBranch with_exit = branch;
        for (const Node::Successor& successor : nodes_[branch_node].successors) {
            if (!successor.edge || nodes_.leaves_region(*successor.edge, branch)) continue;
            Set reached = nodes_.reached_from(successor.to, branch);
            if (shortest && shortest->size() <= reached.size()) continue;
            shortest = std::move(reached);
            with_exit.loop_exit = DivergentBranch::LoopExit{nodes_[successor.to].original, {}, 1};
        }
        for (const std::size_t node : *shortest)
            with_exit.loop_exit->region.insert(nodes_[node].original);
        return with_exit;
    }

    /// After one path come the others, then the reconvergence.
    void serialize_paths(std::size_t branch_node, const DivergentBranch& branch,
                         const SerializedBlocks::Reached& reached) {
        const auto& [inside, reconvergence] = reached;
        std::vector<std::size_t> starts;
        for (const Node::Successor& successor : nodes_[branch_node].successors)
            if (successor.edge && inside.count(successor.to) != 0 &&
                std::find(starts.begin(), starts.end(), successor.to) == starts.end())
                starts.push_back(successor.to);
        if (starts.size() > 2)
            return serialize_multiway_branch(
                nodes_, branch_node, branch, reached, starts,
                sparing_ ? 0 : max_multiway_nodes - std::min(max_multiway_nodes, nodes_.size()),
                context_.shape.warp_size);
        std::vector<Set> paths;
        for (const std::size_t start : starts)
            paths.push_back(nodes_.reached_from(start, branch));
        Set shared;
        if (paths.size() == 2)
            std::set_intersection(paths[0].begin(), paths[0].end(), paths[1].begin(),
                                  paths[1].end(), std::inserter(shared, shared.end()));
        const std::vector<std::size_t> resumed =
            nodes_.duplicate_after_inner_point(reached, branch);
        // All lanes of one path may have left by BREAK, and all of the other one may end.
        for (const std::size_t after :
             nodes_after_breaks(nodes_, branch, reconvergence_.divergent_branches, inside))
            for (const std::size_t node : inside)
                if (may_end(node, branch)) nodes_.add_successor(node, after);
        // Where they share much, either may follow either: fewer nodes, and only longer paths.
        if (paths.size() != 2 || 2 * shared.size() > inside.size()) {
            const SecondPath second = duplicate_second(inside, branch, reconvergence, resumed);
            for (const std::size_t start : starts)
                lead(inside, branch, second, start);
            nodes_.resume_at_reconvergence(inside, branch, reconvergence);
            return;
        }
        const std::array<SecondPath, 2> second{
            duplicate_second(paths[1], branch, reconvergence, resumed),
            duplicate_second(paths[0], branch, reconvergence, resumed)};
        // Path 1 gets its own nodes for what both share.
        const Duplicates own = nodes_.duplicate_all(shared, branch);
        Set first = paths[1];
        first.insert(branch_node);
        for (const std::size_t node : first) {
            if (shared.count(node) != 0) continue;
            for (Node::Successor& successor : nodes_[node].successors)
                if (nodes_.remains_in_region(node, successor, branch) &&
                    own.count(successor.to) != 0 &&
                    (node != branch_node || successor.to == starts[1]))
                    successor.to = own.at(successor.to);
        }
        first.erase(branch_node);
        for (const auto& [node, duplicate] : own) {
            first.erase(node);
            first.insert(duplicate);
        }
        const std::array<Set, 2> before{paths[0], first};
        for (const std::size_t path : {0U, 1U}) {
            lead(before[path], branch, second[path], starts[1 - path]);
            nodes_.resume_at_reconvergence(before[path], branch, reconvergence);
        }
    }

    /// All lanes of the path may end here, not only those that left it by BREAK.
    [[nodiscard]] bool may_end(std::size_t node, const DivergentBranch& branch) const {
        return nodes_.block_of(node).exits && !nodes_.is_after_break(node, branch);
    }

    /// Nodes of a path that comes second: after the end of the first one, or while the lanes of the
    /// first one wait at the inner point.
    struct SecondPath {
        Duplicates after_end;
        Duplicates while_waiting;
    };
    SecondPath duplicate_second(const Set& path, const DivergentBranch& branch,
                                std::optional<std::size_t> reconvergence,
                                const std::vector<std::size_t>& resumed) {
        SecondPath second{nodes_.duplicate_all(path, branch), {}};
        const Set after_end = SerializedBlocks::values_of(second.after_end);
        nodes_.resume_at_reconvergence(after_end, branch, reconvergence);
        if (reconvergence && !branch.break_edges.empty()) {
            Set missing; // nodes after which none of the path comes to the reconvergence
            std::copy_if(after_end.begin(), after_end.end(), std::inserter(missing, missing.end()),
                         [&](std::size_t node) {
                             return nodes_.has_break(node, branch) || may_end(node, branch);
                         });
            serialize_breaks(nodes_, branch, reconvergence_.divergent_branches, after_end, missing,
                             *reconvergence);
        }
        if (resumed.empty()) return second;
        second.while_waiting = nodes_.duplicate_all(path, branch);
        const Set while_waiting = SerializedBlocks::values_of(second.while_waiting);
        nodes_.resume_at_reconvergence(while_waiting, branch, reconvergence);
        nodes_.resume_after_inner_point(while_waiting, branch, resumed);
        return second;
    }

    /// Leads from the first path to the second, which begins at `start`. Where lanes diverge again
    /// in the first, some of them may end while others wait at the inner point.
    void lead(const Set& first, const DivergentBranch& branch, const SecondPath& second,
              std::size_t start) {
        const auto& branches = reconvergence_.divergent_branches;
        const bool diverges =
            !second.while_waiting.empty() &&
            std::any_of(first.begin(), first.end(), [&](std::size_t node) {
                return std::any_of(branches.begin(), branches.end(),
                                   [&](const DivergentBranch& inner) {
                                       return inner.block == nodes_[node].original;
                                   });
            });
        for (const std::size_t node : first) {
            if (nodes_.ends_path(node, branch))
                nodes_.add_successor(node, second.after_end.at(start));
            if (!second.while_waiting.empty() && (nodes_.arrives_at_inner_point(node, branch) ||
                                                  (diverges && nodes_.block_of(node).exits)))
                nodes_.add_successor(node, second.while_waiting.at(start));
        }
        if (branch.break_edges.empty()) return;
        Set ends;
        std::copy_if(first.begin(), first.end(), std::inserter(ends, ends.end()),
                     [&](std::size_t node) {
                         return nodes_.has_break(node, branch) || nodes_.ends_path(node, branch);
                     });
        serialize_breaks(nodes_, branch, branches, first, ends, second.after_end.at(start));
    }

    const AnalysisContext& context_;
    const Reconvergence& reconvergence_;
    std::size_t node_limit_;
    bool sparing_;
    SerializedBlocks nodes_;
    Set serialized_; ///< Branch nodes that were serialized with a sibling.
};

} // namespace

Result<SerializedCfg> branch_serialized_cfg(const AnalysisContext& context,
                                            std::optional<std::size_t> sparing_above) {
    const auto reconvergence = find_reconvergence(context);
    if (!reconvergence) return reconvergence.as_failure();
    const auto& graph = *context.request.graph;
    const std::size_t most = most_serialized_nodes(graph.blocks.size());
    auto made =
        CfgSerializer{context, reconvergence.value(), sparing_above.value_or(most), false}.run();
    if (!made) made = CfgSerializer{context, reconvergence.value(), most, true}.run();
    if (!made)
        return Failure{fmt::format("divergent branches are nested so deeply that their serialized "
                                   "paths need more than {} nodes, the limit for {} basic blocks",
                                   most, graph.blocks.size()),
                       context.request.function->name};
    auto cfg = std::move(*made);
    if (!cfg) return cfg;
    for (const auto& loop : cfg.value().graph.loops) {
        const std::size_t header = cfg.value().original[loop.header];
        if (cfg.value().repeated[loop.header]) continue;
        if (std::none_of(graph.loops.begin(), graph.loops.end(),
                         [&](const assembly::Loop& known) { return known.header == header; }))
            return Failure{fmt::format("divergent groups of lanes may execute 0x{:04x} one after "
                                       "the other without limit, which is not bounded in this "
                                       "version",
                                       graph.blocks[header].address),
                           context.request.function->name};
    }
    return cfg;
}

} // namespace warpbound::analyzer
