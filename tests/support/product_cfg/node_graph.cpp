#include "tests/support/product_cfg/node_graph.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Nodes = std::vector<ProductNode>;
using Set = std::set<std::size_t>;

constexpr std::size_t most_candidates = 400; ///< Nodes of a loop with several entries.

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

class EntrySplitter {
public:
    EntrySplitter(Nodes nodes, const std::vector<int>& rank, std::size_t node_limit)
        : nodes_{std::move(nodes)}, rank_{rank}, node_limit_{node_limit} {}

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
            const auto before = predecessors();
            bool copied = false;
            std::vector<std::pair<std::size_t, std::vector<std::size_t>>> loops;
            for (const auto& component : components) {
                if (!iterates(component)) continue;
                const Set loop(component.begin(), component.end());
                Set entries;
                for (const std::size_t node : component) {
                    const bool enters =
                        node == 0 || std::any_of(before[node].begin(), before[node].end(),
                                                 [&](auto from) { return loop.count(from) == 0; });
                    if (enters) entries.insert(node);
                }
                if (entries.size() > 1) {
                    const std::size_t first = nodes_.size();
                    if (loop.size() > most_candidates || entries.count(0) != 0) return false;
                    copy_before(header_of(loop, entries), loop, entries);
                    for (std::size_t node = first; node < nodes_.size(); ++node)
                        level.push_back(node);
                    copied = true;
                    break;
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

    [[nodiscard]] std::vector<std::vector<std::size_t>> predecessors() const {
        std::vector<std::vector<std::size_t>> before(nodes_.size());
        for (std::size_t node = 0; node < nodes_.size(); ++node)
            for (const auto& [to, falls] : nodes_[node].successors)
                before[to].push_back(node);
        return before;
    }

    [[nodiscard]] bool iterates(const std::vector<std::size_t>& component) const {
        if (component.size() > 1) return true;
        const auto& successors = nodes_[component.front()].successors;
        return std::any_of(successors.begin(), successors.end(),
                           [&](const auto& to) { return to.first == component.front(); });
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

    /// Loops that remain without the header.
    [[nodiscard]] std::size_t loops_without(std::size_t header, const Set& loop) const {
        std::vector<bool> inside(nodes_.size(), false);
        std::vector<std::size_t> rest;
        for (const std::size_t node : loop)
            if (node != header) {
                inside[node] = true;
                rest.push_back(node);
            }
        const auto components = Components{nodes_, inside}.find(rest);
        return static_cast<std::size_t>(
            std::count_if(components.begin(), components.end(),
                          [&](const auto& component) { return iterates(component); }));
    }

    /// The header with which least is copied.
    [[nodiscard]] std::size_t header_of(const Set& loop, const Set& entries) const {
        const auto cost = [&](std::size_t node) {
            return std::tuple{rank_[nodes_[node].block], loops_without(node, loop),
                              before_header(node, loop, entries).size(), node};
        };
        auto best = cost(*loop.begin());
        for (const std::size_t node : loop)
            best = std::min(best, cost(node));
        return std::get<3>(best);
    }

    void copy_before(std::size_t header, const Set& loop, const Set& entries) {
        std::map<std::size_t, std::size_t> copies;
        for (const std::size_t node : before_header(header, loop, entries)) {
            copies[node] = nodes_.size();
            ProductNode copy = nodes_[node];
            nodes_.push_back(std::move(copy));
        }
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            if (loop.count(node) != 0) continue;
            std::set<std::pair<std::size_t, bool>> successors;
            for (const auto& [to, falls] : nodes_[node].successors) {
                const auto copy = copies.find(to);
                successors.emplace(copy == copies.end() ? to : copy->second, falls);
            }
            nodes_[node].successors = std::move(successors);
        }
    }

    Nodes nodes_;
    const std::vector<int>& rank_;
    std::size_t node_limit_;
};

} // namespace

std::vector<ProductNode> without_bisimilar(std::vector<ProductNode> nodes) {
    std::vector<std::size_t> part(nodes.size());
    for (std::size_t node = 0; node < nodes.size(); ++node)
        part[node] = nodes[node].block;
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
                                                            const std::vector<int>& rank,
                                                            std::size_t node_limit) {
    return EntrySplitter{std::move(nodes), rank, node_limit}.run();
}

} // namespace warpbound::analyzer
