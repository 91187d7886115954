#include "tests/support/branch_serialization/multiway_branches.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Set = SerializedBlocks::Set;
using Duplicates = SerializedBlocks::Duplicates;

/// Beyond so many paths, no nodes are made for each set of paths that went before.
constexpr std::size_t max_paths_with_sets = 16;

class MultiwaySerializer {
public:
    MultiwaySerializer(SerializedBlocks& nodes, const DivergentBranch& branch,
                       const SerializedBlocks::Reached& reached, std::vector<std::size_t> starts)
        : nodes_{nodes}, branch_{branch}, reached_{reached}, starts_{std::move(starts)} {
        for (const std::size_t start : starts_)
            paths_.push_back(nodes_.reached_from(start, branch_));
    }

    /// Of each path one duplicate for each set of other paths that went before.
    [[nodiscard]] bool fits(std::size_t max_nodes) const {
        if (starts_.size() > max_paths_with_sets) return false;
        std::size_t blocks = 0;
        for (const Set& path : paths_)
            blocks += path.size();
        return blocks << (starts_.size() - 1) <= max_nodes;
    }

    /// Each path once, in any order.
    void follow_once(std::size_t branch_node) {
        separate(branch_node);
        const std::size_t sets = std::size_t{1} << starts_.size();
        std::map<PathAfter, Duplicates> later; // paths that are not the first
        for (std::size_t gone = 1; gone < sets; ++gone)
            for (std::size_t path = 0; path < starts_.size(); ++path)
                if (!contains(gone, path))
                    later.emplace(PathAfter{gone, path},
                                  nodes_.duplicate_all(paths_[path], branch_));
        const auto lead = [&](const Set& from, std::size_t gone) {
            for (std::size_t next = 0; next < starts_.size(); ++next)
                if (!contains(gone, next)) lead_to(from, later.at({gone, next}).at(starts_[next]));
            nodes_.resume_at_reconvergence(from, branch_, reached_.reconvergence);
        };
        for (const auto& [path, duplicates] : later)
            lead(SerializedBlocks::values_of(duplicates), with(path.first, path.second));
        for (std::size_t path = 0; path < starts_.size(); ++path)
            lead(paths_[path], with(0, path));
    }

    /// Any path, `times` times.
    void follow_often(std::size_t times) {
        std::vector<Duplicates> stages;
        for (std::size_t stage = 1; stage < times; ++stage)
            stages.push_back(nodes_.duplicate_all(reached_.inside, branch_));
        Set from = reached_.inside;
        for (const Duplicates& stage : stages) {
            for (const std::size_t start : starts_)
                lead_to(from, stage.at(start));
            nodes_.resume_at_reconvergence(from, branch_, reached_.reconvergence);
            from = SerializedBlocks::values_of(stage);
        }
        nodes_.resume_at_reconvergence(from, branch_, reached_.reconvergence);
    }

private:
    /// The paths that went before, one bit each, and the path.
    using PathAfter = std::pair<std::size_t, std::size_t>;

    static bool contains(std::size_t set, std::size_t path) { return ((set >> path) & 1U) != 0; }
    static std::size_t with(std::size_t set, std::size_t path) {
        return set | std::size_t{1} << path;
    }
    void lead_to(const Set& from, std::size_t to) {
        for (const std::size_t node : from)
            if (nodes_.ends_path(node, branch_)) nodes_.add_successor(node, to);
    }

    /// Gives each path its own nodes for what it shares with the paths listed before it.
    void separate(std::size_t branch_node) {
        std::vector<Duplicates> own;
        Set taken;
        for (const Set& path : paths_) {
            Set shared;
            std::set_intersection(path.begin(), path.end(), taken.begin(), taken.end(),
                                  std::inserter(shared, shared.end()));
            taken.insert(path.begin(), path.end());
            own.push_back(nodes_.duplicate_all(shared, branch_));
        }
        for (std::size_t path = 0; path < starts_.size(); ++path) {
            for (const auto& [node, duplicate] : own[path]) {
                paths_[path].erase(node);
                paths_[path].insert(duplicate);
            }
            for (const std::size_t node : paths_[path])
                for (SerializedBlocks::Node::Successor& successor : nodes_[node].successors)
                    if (const auto duplicate = own[path].find(successor.to);
                        duplicate != own[path].end() &&
                        nodes_.remains_in_region(node, successor, branch_))
                        successor.to = duplicate->second;
            const auto start = own[path].find(starts_[path]);
            if (start == own[path].end()) continue;
            for (SerializedBlocks::Node::Successor& successor : nodes_[branch_node].successors)
                if (successor.to == start->first) successor.to = start->second;
            starts_[path] = start->second;
        }
    }

    SerializedBlocks& nodes_;
    const DivergentBranch& branch_;
    const SerializedBlocks::Reached& reached_;
    std::vector<std::size_t> starts_;
    std::vector<Set> paths_; ///< Nodes of each path where it goes first.
};

} // namespace

void serialize_multiway_branch(SerializedBlocks& nodes, std::size_t branch_node,
                               const DivergentBranch& branch,
                               const SerializedBlocks::Reached& reached,
                               const std::vector<std::size_t>& starts, std::size_t max_nodes,
                               std::int64_t lanes) {
    MultiwaySerializer serializer{nodes, branch, reached, starts};
    if (serializer.fits(max_nodes))
        serializer.follow_once(branch_node);
    else
        serializer.follow_often(std::min(starts.size(), static_cast<std::size_t>(lanes)));
}

} // namespace warpbound::analyzer
