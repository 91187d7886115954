#include "assembly/flow/node_splitting.hpp"

#include "assembly/support/stop_token.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace warpbound::assembly {

namespace {

using Nodes = std::set<std::size_t>;

/// Kernels of thousands of blocks are not doubled.
constexpr std::size_t most_copies = 500;

class NodeSplitting {
public:
    explicit NodeSplitting(std::vector<ExploredBlock> blocks) : blocks_{std::move(blocks)} {}

    std::vector<ExploredBlock> run() {
        Nodes all;
        for (std::size_t block = 0; block < blocks_.size(); ++block)
            all.insert(block);
        split(all);
        return std::move(blocks_);
    }

private:
    /// Gives each loop among these blocks one entry, and then those within it.
    void split(const Nodes& nodes) {
        for (const Nodes& loop : components(nodes)) {
            check_stop(graph_step);
            const Nodes entries = entries_of(loop);
            if (entries.empty()) continue; // No path leads there.
            std::size_t header = *entries.begin();
            if (entries.size() > 1) {
                header = best_header(loop, entries);
                const Nodes moved = reached_without(loop, entries, header);
                if (copies_ + moved.size() > most_copies) continue;
                split(copy(loop, moved));
            }
            Nodes inner = loop;
            inner.erase(header);
            split(inner);
        }
    }

    /// Sets of blocks that reach each other.
    [[nodiscard]] std::vector<Nodes> components(const Nodes& nodes) const {
        const std::vector<std::size_t> at{nodes.begin(), nodes.end()};
        std::map<std::size_t, std::size_t> place;
        for (std::size_t i = 0; i < at.size(); ++i)
            place.emplace(at[i], i);
        using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
        Graph flow(at.size());
        for (std::size_t i = 0; i < at.size(); ++i)
            for (const auto& next : blocks_[at[i]].successors)
                if (const auto found = place.find(next.block); found != place.end())
                    boost::add_edge(i, found->second, flow);
        std::vector<std::size_t> of(at.size(), 0);
        const std::size_t count = boost::strong_components(
            flow, boost::make_iterator_property_map(of.begin(), get(boost::vertex_index, flow)));
        std::vector<Nodes> found(count);
        for (std::size_t i = 0; i < at.size(); ++i)
            found[of[i]].insert(at[i]);
        std::erase_if(found, [](const Nodes& one) { return one.size() < 2; });
        std::sort(found.begin(), found.end());
        return found;
    }

    /// Blocks of a loop to which control comes from outside.
    [[nodiscard]] Nodes entries_of(const Nodes& loop) const {
        Nodes entries;
        if (loop.count(0) != 0) entries.insert(0);
        for (std::size_t block = 0; block < blocks_.size(); ++block)
            for (const auto& next : blocks_[block].successors)
                if (loop.count(block) == 0 && loop.count(next.block) != 0)
                    entries.insert(next.block);
        return entries;
    }

    /// What the other entries reach before the header.
    [[nodiscard]] Nodes reached_without(const Nodes& loop, const Nodes& entries,
                                        std::size_t header) const {
        Nodes reached;
        std::vector<std::size_t> work{entries.begin(), entries.end()};
        while (!work.empty()) {
            const std::size_t block = work.back();
            work.pop_back();
            if (block == header || loop.count(block) == 0 || !reached.insert(block).second)
                continue;
            for (const auto& next : blocks_[block].successors)
                work.push_back(next.block);
        }
        return reached;
    }

    /// The start of the function, else the entry that leaves the fewest blocks in copied loops,
    /// then the fewest to copy.
    [[nodiscard]] std::size_t best_header(const Nodes& loop, const Nodes& entries) const {
        if (loop.count(0) != 0) return 0;
        const auto cost = [&](std::size_t header) {
            const Nodes moved = reached_without(loop, entries, header);
            std::size_t in_loops = 0;
            for (const Nodes& one : components(moved))
                in_loops += one.size();
            return std::tuple{in_loops, moved.size(), header};
        };
        return *std::min_element(entries.begin(), entries.end(),
                                 [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
    }

    /// Edges from outside the loop into the moved blocks lead to copies of these. Returns them.
    Nodes copy(const Nodes& loop, const Nodes& moved) {
        std::map<std::size_t, std::size_t> copy_of;
        const std::size_t before = blocks_.size();
        for (const std::size_t block : moved) {
            copy_of.emplace(block, blocks_.size());
            ExploredBlock copied = blocks_[block];
            blocks_.push_back(std::move(copied));
        }
        copies_ += moved.size();
        Nodes copies;
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            if (block >= before) copies.insert(block);
            if (loop.count(block) != 0) continue;
            for (auto& next : blocks_[block].successors)
                if (const auto found = copy_of.find(next.block); found != copy_of.end())
                    next.block = found->second;
        }
        return copies;
    }

    std::vector<ExploredBlock> blocks_;
    std::size_t copies_ = 0;
};

} // namespace

std::vector<ExploredBlock> with_single_entries(std::vector<ExploredBlock> blocks) {
    return NodeSplitting{std::move(blocks)}.run();
}

} // namespace warpbound::assembly
