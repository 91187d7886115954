#include "analyzer/divergence/node_graph.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Nodes = ProductNodes;
using NodeList = std::vector<ProductIndex>;
using NodeSet = std::set<ProductIndex>;
using BlockSet = std::set<BlockIndex>;

constexpr std::size_t most_candidates = 100; ///< For the header of a loop of nodes.

/// Strongly connected components of some nodes, by Tarjan's algorithm without recursion.
class Components {
public:
    Components(const Nodes& nodes, const PerProductNode<bool>& inside)
        : nodes_{nodes}, inside_{inside}, number_(nodes.size(), 0), low_(nodes.size(), 0),
          on_stack_(nodes.size(), false) {}

    std::vector<NodeList> find(const NodeList& from) {
        for (const ProductIndex node : from)
            if (number_[node] == 0) visit(node);
        return std::move(found_);
    }

private:
    struct Frame {
        ProductIndex node;
        std::set<std::pair<ProductIndex, bool>>::const_iterator next;
    };
    void open(ProductIndex node) {
        number_[node] = low_[node] = ++count_;
        stack_.push_back(node);
        on_stack_[node] = true;
        frames_.push_back({node, nodes_[node].successors.begin()});
    }
    void visit(ProductIndex start) {
        open(start);
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            const ProductIndex node = frame.node;
            if (frame.next != nodes_[node].successors.end()) {
                const ProductIndex to = (frame.next++)->first;
                if (!inside_[to]) continue;
                if (number_[to] == 0)
                    open(to);
                else if (on_stack_[to])
                    low_[node] = std::min(low_[node], number_[to]);
                continue;
            }
            frames_.pop_back();
            if (!frames_.empty())
                low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
            if (low_[node] == number_[node]) close(node);
        }
    }
    void close(ProductIndex node) {
        NodeList component;
        ProductIndex member;
        do {
            member = stack_.back();
            stack_.pop_back();
            on_stack_[member] = false;
            component.push_back(member);
        } while (member != node);
        found_.push_back(std::move(component));
    }

    const Nodes& nodes_;
    const PerProductNode<bool>& inside_;
    PerProductNode<std::size_t> number_; ///< In which it was opened; 0: it was not.
    PerProductNode<std::size_t> low_;
    PerProductNode<bool> on_stack_;
    NodeList stack_;
    std::vector<Frame> frames_;
    std::size_t count_ = 0;
    std::vector<NodeList> found_;
};

PerProductNode<NodeList> predecessors(const Nodes& nodes) {
    PerProductNode<NodeList> before(nodes.size());
    for (const ProductIndex node : nodes.indices())
        for (const auto& [to, falls] : nodes[node].successors)
            before[to].push_back(node);
    return before;
}

bool iterates(const Nodes& nodes, const NodeList& component) {
    if (component.size() > 1) return true;
    const auto& successors = nodes[component.front()].successors;
    return std::any_of(successors.begin(), successors.end(),
                       [&](const auto& to) { return to.first == component.front(); });
}

/// Nodes of the component at which it is entered.
NodeSet entries_of(const NodeList& component, const PerProductNode<NodeList>& before) {
    const NodeSet loop(component.begin(), component.end());
    NodeSet entries;
    for (const ProductIndex node : component)
        if (node == first_node || std::any_of(before[node].begin(), before[node].end(),
                                              [&](auto from) { return loop.count(from) == 0; }))
            entries.insert(node);
    return entries;
}

class EntrySplitter {
public:
    EntrySplitter(Nodes nodes, const HeaderRank& rank, std::size_t node_limit)
        : nodes_{std::move(nodes)}, before_{predecessors(nodes_)}, rank_{rank}, node_limit_{
                                                                                    node_limit} {}

    std::optional<Nodes> run() {
        NodeList all;
        for (const ProductIndex node : nodes_.indices())
            all.push_back(node);
        if (!split(std::move(all))) return std::nullopt;
        return std::move(nodes_);
    }

private:
    /// Splits the loops among the nodes, and those inside them. `level` gets the copies.
    bool split(NodeList level) {
        while (true) {
            check_stop("the serialized control-flow graph");
            if (nodes_.size() > node_limit_) return false;
            PerProductNode<bool> inside(nodes_.size(), false);
            for (const ProductIndex node : level)
                inside[node] = true;
            const auto components = Components{nodes_, inside}.find(level);
            bool copied = false;
            std::vector<std::pair<ProductIndex, NodeList>> loops;
            for (const auto& component : components) {
                if (!iterates(nodes_, component)) continue;
                const NodeSet entries = entries_of(component, before_);
                const NodeSet loop(component.begin(), component.end());
                const bool may_copy = entries.count(first_node) == 0;
                if (entries.size() > 1 && !may_copy) return false;
                if (const auto header = better_header(loop, entries); header && may_copy) {
                    const ProductIndex first = nodes_.next();
                    copy_before(*header, loop, entries);
                    for (const ProductIndex node : assembly::IndexRange{first, nodes_.next()})
                        level.push_back(node);
                    copied = true;
                    continue;
                }
                NodeList rest;
                const ProductIndex header = entries.empty() ? component.front() : *entries.begin();
                for (const ProductIndex node : component)
                    if (node != header) rest.push_back(node);
                loops.emplace_back(header, std::move(rest));
            }
            if (copied) continue;
            for (auto& [header, rest] : loops)
                if (!split(std::move(rest))) return false;
            return true;
        }
    }

    /// What lies between the entries and the header, in the loop.
    [[nodiscard]] NodeSet before_header(ProductIndex header, const NodeSet& loop,
                                        const NodeSet& entries) const {
        NodeSet reached;
        NodeList work;
        for (const ProductIndex entry : entries)
            if (entry != header && reached.insert(entry).second) work.push_back(entry);
        while (!work.empty()) {
            const ProductIndex node = work.back();
            work.pop_back();
            for (const auto& [to, falls] : nodes_[node].successors)
                if (to != header && loop.count(to) != 0 && reached.insert(to).second)
                    work.push_back(to);
        }
        return reached;
    }

    /// Nodes of the loops that remain without the header.
    [[nodiscard]] std::size_t iterating_without(ProductIndex header, const NodeSet& loop) const {
        PerProductNode<bool> inside(nodes_.size(), false);
        NodeList rest;
        for (const ProductIndex node : loop)
            if (node != header) {
                inside[node] = true;
                rest.push_back(node);
            }
        std::size_t iterating = 0;
        for (const auto& component : Components{nodes_, inside}.find(rest))
            if (iterates(nodes_, component)) iterating += component.size();
        return iterating;
    }

    /// A header, where the loop has several entries or one that does not do.
    [[nodiscard]] std::optional<ProductIndex> better_header(const NodeSet& loop,
                                                            const NodeSet& entries) const {
        BlockSet blocks;
        for (const ProductIndex node : loop)
            blocks.insert(nodes_[node].block);
        const auto rank = [&](ProductIndex node) { return rank_(blocks, nodes_[node].block); };
        if (entries.empty()) return std::nullopt;
        const bool is_single = entries.size() == 1;
        if (is_single && rank(*entries.begin()) != unbounded_rank) return std::nullopt;
        const ProductIndex best = header_of(blocks, loop, entries);
        if (is_single && rank(best) == unbounded_rank) return std::nullopt;
        return best;
    }

    /// The header of the lowest rank, one of the entries if possible, with which least iterates
    /// inside and is copied.
    [[nodiscard]] ProductIndex header_of(const BlockSet& blocks, const NodeSet& loop,
                                         const NodeSet& entries) const {
        std::map<BlockIndex, int> ranks;
        for (const BlockIndex block : blocks)
            ranks[block] = rank_(blocks, block);
        const auto kind = [&](ProductIndex node) {
            return std::pair{ranks.at(nodes_[node].block), entries.count(node) == 0};
        };
        auto least = kind(*loop.begin());
        for (const ProductIndex node : loop)
            least = std::min(least, kind(node));
        const auto cost = [&](ProductIndex node) {
            return std::tuple{iterating_without(node, loop),
                              before_header(node, loop, entries).size(), node};
        };
        std::optional<std::tuple<std::size_t, std::size_t, ProductIndex>> best;
        std::size_t candidates = 0;
        for (const ProductIndex node : loop)
            if (kind(node) == least && ++candidates <= most_candidates)
                best = best ? std::min(*best, cost(node)) : cost(node);
        return std::get<2>(*best);
    }

    void copy_before(ProductIndex header, const NodeSet& loop, const NodeSet& entries) {
        const ProductIndex first = nodes_.next();
        std::map<ProductIndex, ProductIndex> copies;
        for (const ProductIndex node : before_header(header, loop, entries))
            copies.emplace(node, ProductIndex{first.value() + copies.size()});
        for (const auto& [node, copy] : copies) {
            ProductNode made{nodes_[node].block, nodes_[node].stacks};
            for (const auto& [to, falls] : nodes_[node].successors) {
                const auto copied = copies.find(to);
                made.successors.emplace(copied == copies.end() ? to : copied->second, falls);
            }
            nodes_.push_back(std::move(made));
        }
        before_.resize(nodes_.size());
        for (const ProductIndex copy : assembly::IndexRange{first, nodes_.next()})
            for (const auto& [to, falls] : nodes_[copy].successors)
                before_[to].push_back(copy);
        for (const auto& [node, copy] : copies)
            redirect(node, copy, loop, first);
    }

    /// Lets nodes outside the loop, of those below `end`, lead to the copy of a node.
    void redirect(ProductIndex node, ProductIndex copy, const NodeSet& loop, ProductIndex end) {
        NodeList inside;
        for (const ProductIndex from : before_[node]) {
            if (from >= end || loop.count(from) != 0) {
                inside.push_back(from);
                continue;
            }
            for (const bool falls : {false, true})
                if (nodes_[from].successors.erase({node, falls}) != 0)
                    nodes_[from].successors.emplace(copy, falls);
            before_[copy].push_back(from);
        }
        before_[node] = std::move(inside);
    }

    Nodes nodes_;
    PerProductNode<NodeList> before_; ///< Those that lead to it.
    const HeaderRank& rank_;
    std::size_t node_limit_;
};

} // namespace

namespace {

/// Where a node is in the loops of nodes.
struct LoopPlace {
    std::size_t depth = 0; ///< Loops around the node.
    bool enters = false;   ///< The innermost one is entered there.
    friend auto operator<=>(const LoopPlace&, const LoopPlace&) = default;
};

/// Places of the nodes; of loops inside one with several entries the outer one's.
PerProductNode<LoopPlace> loop_places(const Nodes& nodes) {
    PerProductNode<LoopPlace> places(nodes.size());
    const auto before = predecessors(nodes);
    NodeList all;
    for (const ProductIndex node : nodes.indices())
        all.push_back(node);
    std::vector<NodeList> levels{std::move(all)};
    while (!levels.empty()) {
        check_stop("the serialized control-flow graph");
        const NodeList level = std::move(levels.back());
        levels.pop_back();
        PerProductNode<bool> inside(nodes.size(), false);
        for (const ProductIndex node : level)
            inside[node] = true;
        for (auto& component : Components{nodes, inside}.find(level)) {
            if (!iterates(nodes, component)) continue;
            const NodeSet entries = entries_of(component, before);
            for (const ProductIndex node : component)
                places[node] = {places[node].depth + 1, entries.count(node) != 0};
            if (entries.size() != 1) continue;
            std::erase(component, *entries.begin());
            levels.push_back(std::move(component));
        }
    }
    return places;
}

} // namespace

ProductNodes without_bisimilar(ProductNodes nodes) {
    PerProductNode<ProductIndex> part(nodes.size()); // The node of the result that it becomes.
    const auto number = [](auto& known, auto key) {
        return known.try_emplace(std::move(key), ProductIndex{known.size()}).first->second;
    };
    {
        const PerProductNode<LoopPlace> places = loop_places(nodes);
        std::map<std::pair<BlockIndex, LoopPlace>, ProductIndex> known;
        for (const ProductIndex node : nodes.indices())
            part[node] = number(known, std::pair{nodes[node].block, places[node]});
    }
    std::size_t parts = 0;
    while (true) {
        check_stop("the serialized control-flow graph");
        using Signature = std::pair<ProductIndex, std::set<std::pair<ProductIndex, bool>>>;
        std::map<Signature, ProductIndex> known;
        PerProductNode<ProductIndex> next(nodes.size());
        for (const ProductIndex node : nodes.indices()) {
            Signature signature{part[node], {}};
            for (const auto& [to, falls] : nodes[node].successors)
                signature.second.emplace(part[to], falls);
            next[node] = number(known, std::move(signature));
        }
        part = std::move(next);
        if (known.size() == parts) break;
        parts = known.size();
    }
    ProductNodes merged(parts);
    for (const ProductIndex node : nodes.indices()) {
        ProductNode& to = merged[part[node]];
        to.block = nodes[node].block;
        for (AbstractStack& stack : nodes[node].stacks)
            if (std::find(to.stacks.begin(), to.stacks.end(), stack) == to.stacks.end())
                to.stacks.push_back(std::move(stack));
        for (const auto& [successor, falls] : nodes[node].successors)
            to.successors.emplace(part[successor], falls);
    }
    return merged; // The first node is numbered first.
}

std::optional<ProductNodes> with_single_entries(ProductNodes nodes, const HeaderRank& rank,
                                                std::size_t node_limit) {
    return EntrySplitter{std::move(nodes), rank, node_limit}.run();
}

} // namespace warpbound::analyzer
