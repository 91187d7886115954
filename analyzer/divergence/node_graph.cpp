#include "analyzer/divergence/node_graph.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Nodes = std::vector<ProductNode>;
using Set = std::set<std::size_t>;

constexpr std::size_t most_candidates = 100; ///< For the header of a loop of nodes.

/// Strongly connected components of some nodes, by Tarjan's algorithm without recursion.
class Components {
public:
    Components(const Nodes& nodes, const std::vector<bool>& inside)
        : nodes_{nodes}, inside_{inside}, number_(nodes.size(), 0), low_(nodes.size(), 0),
          on_stack_(nodes.size(), false) {}

    std::vector<std::vector<std::size_t>> find(const std::vector<std::size_t>& from) {
        for (const std::size_t node : from)
            if (number_[node] == 0) visit(node);
        return std::move(found_);
    }

private:
    struct Frame {
        std::size_t node = 0;
        std::set<std::pair<std::size_t, bool>>::const_iterator next;
    };
    void open(std::size_t node) {
        number_[node] = low_[node] = ++count_;
        stack_.push_back(node);
        on_stack_[node] = true;
        frames_.push_back({node, nodes_[node].successors.begin()});
    }
    void visit(std::size_t start) {
        open(start);
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            const std::size_t node = frame.node;
            if (frame.next != nodes_[node].successors.end()) {
                const std::size_t to = (frame.next++)->first;
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
    void close(std::size_t node) {
        std::vector<std::size_t> component;
        std::size_t member = 0;
        do {
            member = stack_.back();
            stack_.pop_back();
            on_stack_[member] = false;
            component.push_back(member);
        } while (member != node);
        found_.push_back(std::move(component));
    }

    const Nodes& nodes_;
    const std::vector<bool>& inside_;
    std::vector<std::size_t> number_;
    std::vector<std::size_t> low_;
    std::vector<bool> on_stack_;
    std::vector<std::size_t> stack_;
    std::vector<Frame> frames_;
    std::size_t count_ = 0;
    std::vector<std::vector<std::size_t>> found_;
};

std::vector<std::vector<std::size_t>> predecessors(const Nodes& nodes) {
    std::vector<std::vector<std::size_t>> before(nodes.size());
    for (std::size_t node = 0; node < nodes.size(); ++node)
        for (const auto& [to, falls] : nodes[node].successors)
            before[to].push_back(node);
    return before;
}

bool iterates(const Nodes& nodes, const std::vector<std::size_t>& component) {
    if (component.size() > 1) return true;
    const auto& successors = nodes[component.front()].successors;
    return std::any_of(successors.begin(), successors.end(),
                       [&](const auto& to) { return to.first == component.front(); });
}

/// Nodes of the component at which it is entered.
Set entries_of(const std::vector<std::size_t>& component,
               const std::vector<std::vector<std::size_t>>& before) {
    const Set loop(component.begin(), component.end());
    Set entries;
    for (const std::size_t node : component)
        if (node == 0 || std::any_of(before[node].begin(), before[node].end(),
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
        std::vector<std::size_t> all(nodes_.size());
        for (std::size_t node = 0; node < all.size(); ++node)
            all[node] = node;
        if (!split(std::move(all))) return std::nullopt;
        return std::move(nodes_);
    }

private:
    /// Splits the loops among the nodes, and those inside them. `level` gets the copies.
    bool split(std::vector<std::size_t> level) {
        while (true) {
            check_stop("the serialized control-flow graph");
            if (nodes_.size() > node_limit_) return false;
            std::vector<bool> inside(nodes_.size(), false);
            for (const std::size_t node : level)
                inside[node] = true;
            const auto components = Components{nodes_, inside}.find(level);
            bool copied = false;
            std::vector<std::pair<std::size_t, std::vector<std::size_t>>> loops;
            for (const auto& component : components) {
                if (!iterates(nodes_, component)) continue;
                const Set entries = entries_of(component, before_);
                const Set loop(component.begin(), component.end());
                const bool may_copy = entries.count(0) == 0;
                if (entries.size() > 1 && !may_copy) return false;
                if (const auto header = better_header(loop, entries); header && may_copy) {
                    const std::size_t first = nodes_.size();
                    copy_before(*header, loop, entries);
                    for (std::size_t node = first; node < nodes_.size(); ++node)
                        level.push_back(node);
                    copied = true;
                    continue;
                }
                std::vector<std::size_t> rest;
                const std::size_t header = entries.empty() ? component.front() : *entries.begin();
                for (const std::size_t node : component)
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
    [[nodiscard]] Set before_header(std::size_t header, const Set& loop, const Set& entries) const {
        Set reached;
        std::vector<std::size_t> work;
        for (const std::size_t entry : entries)
            if (entry != header && reached.insert(entry).second) work.push_back(entry);
        while (!work.empty()) {
            const std::size_t node = work.back();
            work.pop_back();
            for (const auto& [to, falls] : nodes_[node].successors)
                if (to != header && loop.count(to) != 0 && reached.insert(to).second)
                    work.push_back(to);
        }
        return reached;
    }

    /// Nodes of the loops that remain without the header.
    [[nodiscard]] std::size_t iterating_without(std::size_t header, const Set& loop) const {
        std::vector<bool> inside(nodes_.size(), false);
        std::vector<std::size_t> rest;
        for (const std::size_t node : loop)
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
    [[nodiscard]] std::optional<std::size_t> better_header(const Set& loop,
                                                           const Set& entries) const {
        Set blocks;
        for (const std::size_t node : loop)
            blocks.insert(nodes_[node].block);
        const auto rank = [&](std::size_t node) { return rank_(blocks, nodes_[node].block); };
        if (entries.empty()) return std::nullopt;
        const bool is_single = entries.size() == 1;
        if (is_single && rank(*entries.begin()) != unbounded_rank) return std::nullopt;
        const std::size_t best = header_of(blocks, loop, entries);
        if (is_single && rank(best) == unbounded_rank) return std::nullopt;
        return best;
    }

    /// The header of the lowest rank, one of the entries if possible, with which least iterates
    /// inside and is copied.
    [[nodiscard]] std::size_t header_of(const Set& blocks, const Set& loop,
                                        const Set& entries) const {
        std::map<std::size_t, int> ranks;
        for (const std::size_t block : blocks)
            ranks[block] = rank_(blocks, block);
        const auto kind = [&](std::size_t node) {
            return std::pair{ranks.at(nodes_[node].block), entries.count(node) == 0};
        };
        auto least = kind(*loop.begin());
        for (const std::size_t node : loop)
            least = std::min(least, kind(node));
        const auto cost = [&](std::size_t node) {
            return std::tuple{iterating_without(node, loop),
                              before_header(node, loop, entries).size(), node};
        };
        std::optional<std::tuple<std::size_t, std::size_t, std::size_t>> best;
        std::size_t candidates = 0;
        for (const std::size_t node : loop)
            if (kind(node) == least && ++candidates <= most_candidates)
                best = best ? std::min(*best, cost(node)) : cost(node);
        return std::get<2>(*best);
    }

    void copy_before(std::size_t header, const Set& loop, const Set& entries) {
        const std::size_t first = nodes_.size();
        std::map<std::size_t, std::size_t> copies;
        for (const std::size_t node : before_header(header, loop, entries))
            copies.emplace(node, first + copies.size());
        for (const auto& [node, copy] : copies) {
            ProductNode made{nodes_[node].block, nodes_[node].stacks};
            for (const auto& [to, falls] : nodes_[node].successors) {
                const auto copied = copies.find(to);
                made.successors.emplace(copied == copies.end() ? to : copied->second, falls);
            }
            nodes_.push_back(std::move(made));
        }
        before_.resize(nodes_.size());
        for (std::size_t copy = first; copy < nodes_.size(); ++copy)
            for (const auto& [to, falls] : nodes_[copy].successors)
                before_[to].push_back(copy);
        for (const auto& [node, copy] : copies)
            redirect(node, copy, loop, first);
    }

    /// Lets nodes outside the loop, of those below `end`, lead to the copy of a node.
    void redirect(std::size_t node, std::size_t copy, const Set& loop, std::size_t end) {
        std::vector<std::size_t> inside;
        for (const std::size_t from : before_[node]) {
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
    std::vector<std::vector<std::size_t>> before_; ///< Per node: those that lead to it.
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
std::vector<LoopPlace> loop_places(const Nodes& nodes) {
    std::vector<LoopPlace> places(nodes.size());
    const auto before = predecessors(nodes);
    std::vector<std::size_t> all(nodes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> levels{std::move(all)};
    while (!levels.empty()) {
        check_stop("the serialized control-flow graph");
        const std::vector<std::size_t> level = std::move(levels.back());
        levels.pop_back();
        std::vector<bool> inside(nodes.size(), false);
        for (const std::size_t node : level)
            inside[node] = true;
        for (auto& component : Components{nodes, inside}.find(level)) {
            if (!iterates(nodes, component)) continue;
            const Set entries = entries_of(component, before);
            for (const std::size_t node : component)
                places[node] = {places[node].depth + 1, entries.count(node) != 0};
            if (entries.size() != 1) continue;
            std::erase(component, *entries.begin());
            levels.push_back(std::move(component));
        }
    }
    return places;
}

} // namespace

std::vector<ProductNode> without_bisimilar(std::vector<ProductNode> nodes) {
    std::vector<std::size_t> part(nodes.size());
    {
        const std::vector<LoopPlace> places = loop_places(nodes);
        std::map<std::pair<std::size_t, LoopPlace>, std::size_t> known;
        for (std::size_t node = 0; node < nodes.size(); ++node)
            part[node] =
                known.try_emplace({nodes[node].block, places[node]}, known.size()).first->second;
    }
    std::size_t parts = 0;
    while (true) {
        check_stop("the serialized control-flow graph");
        using Signature = std::pair<std::size_t, std::set<std::pair<std::size_t, bool>>>;
        std::map<Signature, std::size_t> known;
        std::vector<std::size_t> next(nodes.size());
        for (std::size_t node = 0; node < nodes.size(); ++node) {
            Signature signature{part[node], {}};
            for (const auto& [to, falls] : nodes[node].successors)
                signature.second.emplace(part[to], falls);
            next[node] = known.try_emplace(std::move(signature), known.size()).first->second;
        }
        part = std::move(next);
        if (known.size() == parts) break;
        parts = known.size();
    }
    std::vector<ProductNode> merged(parts);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        ProductNode& to = merged[part[node]];
        to.block = nodes[node].block;
        for (AbstractStack& stack : nodes[node].stacks)
            if (std::find(to.stacks.begin(), to.stacks.end(), stack) == to.stacks.end())
                to.stacks.push_back(std::move(stack));
        for (const auto& [successor, falls] : nodes[node].successors)
            to.successors.emplace(part[successor], falls);
    }
    return merged; // Node 0 is numbered first.
}

std::optional<std::vector<ProductNode>> with_single_entries(std::vector<ProductNode> nodes,
                                                            const HeaderRank& rank,
                                                            std::size_t node_limit) {
    return EntrySplitter{std::move(nodes), rank, node_limit}.run();
}

} // namespace warpbound::analyzer
