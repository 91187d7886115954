#include "analyzer/path/loop_bounded_paths.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace warpbound::analyzer {

namespace {

using models::plus;

void keep_larger(std::optional<std::int64_t>& value, std::int64_t candidate) {
    if (!value || *value < candidate) value = candidate;
}

} // namespace

LoopBoundedPaths::LoopBoundedPaths(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                                   const std::vector<BackEdgeBounds>& bounds, Side side)
    : graph_{graph}, paths_{paths}, bounds_{bounds}, side_{side} {
    build_regions();
    // Inner loops come after outer ones in the graph.
    for (std::size_t region = regions_.size(); region-- > 1;)
        solve_loop(region);
}

void LoopBoundedPaths::build_regions() {
    const std::size_t nodes = paths_.nodes.size();
    regions_.resize(graph_.loops.size() + 1);
    own_item_.resize(nodes);
    parent_item_.resize(nodes);
    header_number_.resize(nodes);
    for (const NodeIndex node : paths_.nodes.indices()) {
        const BlockIndex block = paths_.nodes[node].block;
        const auto loop = innermost_loop_of(graph_, block);
        const std::size_t region = loop ? *loop + 1 : top_region;
        own_item_[node] = regions_[region].items.push_back(node);
        if (!loop || header_block(graph_.loops[*loop]) != block) continue;
        header_number_[node] = regions_[region].headers.size();
        regions_[region].headers.push_back(node);
        const auto around = graph_.loops[*loop].parent;
        const std::size_t outer = around ? *around + 1 : top_region;
        parent_item_[node] = regions_[outer].items.push_back(node);
    }
}

bool LoopBoundedPaths::contains(std::size_t region, BlockIndex block) const {
    if (region == top_region) return true;
    auto loop = innermost_loop_of(graph_, block);
    while (loop && *loop + 1 != region)
        loop = graph_.loops[*loop].parent;
    return loop.has_value();
}

LoopBoundedPaths::Target LoopBoundedPaths::target_of(std::size_t region, NodeIndex node) const {
    if (region == top_region) return Target::Inside;
    const BlockIndex block = paths_.nodes[node].block;
    if (block == header_block(graph_.loops[region - 1])) return Target::Header;
    return contains(region, block) ? Target::Inside : Target::Outside;
}

std::size_t LoopBoundedPaths::region_of(NodeIndex node) const {
    const auto loop = innermost_loop_of(graph_, paths_.nodes[node].block);
    return loop ? *loop + 1 : top_region;
}

std::optional<std::size_t> LoopBoundedPaths::inner_region(std::size_t region,
                                                          NodeIndex node) const {
    const std::size_t own = region_of(node);
    return own == region ? std::nullopt : std::optional{own};
}

LoopBoundedPaths::ItemIndex LoopBoundedPaths::item_of(std::size_t region, NodeIndex node) const {
    return inner_region(region, node) ? parent_item_[node] : own_item_[node];
}

void LoopBoundedPaths::relax(std::size_t region, Run& run, ItemIndex item, NodeIndex target,
                             std::int64_t value) const {
    Arrival* arrival = nullptr;
    switch (target_of(region, target)) {
    case Target::Inside:
        arrival = &run.items[item_of(region, target)];
        break;
    case Target::Header:
        arrival = &run.backs[target];
        break;
    case Target::Outside:
        arrival = &run.exits[target];
        break;
    }
    if (arrival->value && *arrival->value >= value) return;
    *arrival = {value, item};
}

LoopBoundedPaths::Run LoopBoundedPaths::run_from(std::size_t region, NodeIndex node) const {
    Run run;
    const auto& items = regions_[region].items;
    run.items.resize(items.size());
    run.start = item_of(region, node);
    run.items[run.start].value = 0;
    const auto end_at = [&](ItemIndex item, std::int64_t value) {
        if (!run.end.value || *run.end.value < value) run.end = {value, item};
    };
    // Items are in reverse postorder: every edge inside the region that is no back edge leads to a
    // later item.
    for (const ItemIndex item : assembly::IndexRange{run.start, items.next()}) {
        check_stop("the search for the longest path");
        if (!run.items[item].value) continue;
        const std::int64_t value = *run.items[item].value;
        const NodeIndex at = items[item];
        if (const auto inner = inner_region(region, at)) {
            const auto [exits, end] = traversals_from(*inner, header_number_[at]);
            for (const auto& [exit, cost] : exits)
                relax(region, run, item, exit, plus(value, *cost));
            if (end) end_at(item, plus(value, *end));
            continue;
        }
        const PathNode& from = paths_.nodes[at];
        if (from.end_cost) end_at(item, plus(value, signed_cost(*from.end_cost)));
        for (const PathEdge& edge : from.successors)
            relax(region, run, item, edge.to, plus(value, signed_cost(edge.cost)));
    }
    return run;
}

LoopBoundedPaths::Traversals LoopBoundedPaths::traversals_from(std::size_t region,
                                                               std::size_t header) const {
    Traversals traversals;
    for (std::size_t last = 0; last < regions_[region].headers.size(); ++last) {
        const Value iterations = all_iterations(region)[header][last];
        if (!iterations) continue;
        const Run& run = regions_[region].runs[last];
        for (const auto& [exit, arrival] : run.exits)
            keep_larger(traversals.exits[exit], plus(*iterations, *arrival.value));
        if (run.end.value) keep_larger(traversals.end, plus(*iterations, *run.end.value));
    }
    return traversals;
}

LoopBoundedPaths::Matrix LoopBoundedPaths::product(const Matrix& a, const Matrix& b) {
    const std::size_t n = a.size();
    Matrix result(n, std::vector<Value>(n));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) {
            check_stop("the search for the longest path");
            if (!a[i][k]) continue;
            for (std::size_t j = 0; j < n; ++j)
                if (b[k][j]) keep_larger(result[i][j], plus(*a[i][k], *b[k][j]));
        }
    return result;
}

void LoopBoundedPaths::solve_loop(std::size_t index) {
    Region& region = regions_[index];
    const std::size_t n = region.headers.size();
    Matrix body(n, std::vector<Value>(n));
    Matrix identity(n, std::vector<Value>(n));
    for (std::size_t i = 0; i < n; ++i) {
        identity[i][i] = 0;
        region.runs.push_back(run_from(index, region.headers[i]));
        for (const auto& [back, arrival] : region.runs.back().backs)
            body[i][header_number_[back]] = arrival.value;
    }
    Matrix optional_body = body;
    for (std::size_t i = 0; i < n; ++i)
        keep_larger(optional_body[i][i], 0);
    const BackEdgeBounds& bounds = bounds_[index - 1];
    region.tables.resize(2);
    region.products.push_back(identity);
    const auto power = [&](int table, Matrix base, std::int64_t exponent) {
        auto& levels = region.tables[static_cast<std::size_t>(table)];
        for (std::size_t level = 0; exponent > 0; ++level, exponent >>= 1) {
            if (level > 0) base = product(base, base);
            levels.push_back(base);
            if ((exponent & 1) == 0) continue;
            region.factors.push_back({table, level});
            region.products.push_back(product(region.products.back(), base));
        }
    };
    power(0, body, bounds.min);
    power(1, optional_body, bounds.max - bounds.min);
}

LoopBoundedPaths::Value LoopBoundedPaths::goal_value(const Run& run, const Goal& goal) {
    if (goal.end) return run.end.value;
    const auto found = run.exits.find(goal.exit);
    return found == run.exits.end() ? std::nullopt : found->second.value;
}

std::pair<LoopBoundedPaths::Value, std::size_t>
LoopBoundedPaths::best_traversal(std::size_t region, std::size_t header, const Goal& goal) const {
    std::pair<Value, std::size_t> best;
    for (std::size_t last = 0; last < regions_[region].headers.size(); ++last) {
        const Value iterations = all_iterations(region)[header][last];
        const Value leaving = goal_value(regions_[region].runs[last], goal);
        if (!iterations || !leaving) continue;
        const std::int64_t value = plus(*iterations, *leaving);
        if (!best.first || *best.first < value) best = {value, last};
    }
    return best;
}

class LoopBoundedPaths::Extraction {
public:
    Extraction(const LoopBoundedPaths& of, BlockPath& path) : of_{of}, path_{path} {}

    void whole(const Run& run) {
        PathRule rule = blocks_of(top_region, run, run.end, Goal{true, {}});
        add(std::move(rule));
    }

    RuleIndex best_traversal(std::size_t index, NodeIndex node, const Goal& goal) {
        // An end counts as one more node.
        const NodeIndex exit = goal.end ? of_.paths_.nodes.next() : goal.exit;
        const Key key{index, Key::Traversal, 0, 0, node.value(), exit.value()};
        return once(key, [&] {
            const Region& region = of_.regions_[index];
            const std::size_t first = of_.header_number_[node];
            const auto [value, last] = of_.best_traversal(index, first, goal);
            if (!value) throw std::logic_error{"a path that was found cannot be extracted"};
            const std::vector<std::size_t> between = headers_between(region, first, last);
            PathRule rule;
            for (std::size_t i = 0; i < region.factors.size(); ++i)
                if (const auto power =
                        power_of(index, region.factors[i], between[i], between[i + 1]))
                    rule.emplace_back(*power);
            const Run& run = region.runs[last];
            const PathRule rest =
                blocks_of(index, run, goal.end ? run.end : run.exits.at(goal.exit), goal);
            rule.insert(rule.end(), rest.begin(), rest.end());
            return rule;
        });
    }

private:
    /// Which rule it is: a loop traversal, a power of the loop body, or one iteration.
    struct Key {
        std::size_t region = 0;
        enum { Traversal, Power, Iteration } kind = Traversal;
        int table = 0;
        std::size_t level = 0;
        std::size_t from = 0; ///< A node of a traversal, else a number of a header.
        std::size_t to = 0;

        friend bool operator<(const Key& a, const Key& b) {
            return std::tie(a.region, a.kind, a.table, a.level, a.from, a.to) <
                   std::tie(b.region, b.kind, b.table, b.level, b.from, b.to);
        }
    };

    RuleIndex add(PathRule rule) { return path_.rules.push_back(std::move(rule)); }

    template <class Make> RuleIndex once(const Key& key, Make make) {
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        const RuleIndex index = add(make());
        known_.emplace(key, index);
        return index;
    }

    PathRule blocks_of(std::size_t region, const Run& run, const Arrival& arrival,
                       const Goal& goal) {
        std::vector<ItemIndex> items{arrival.previous};
        while (items.back() != run.start)
            items.push_back(run.items[items.back()].previous);
        std::reverse(items.begin(), items.end());
        PathRule rule;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const NodeIndex node = of_.regions_[region].items[items[i]];
            const auto inner = of_.inner_region(region, node);
            if (!inner) {
                rule.emplace_back(of_.paths_.nodes[node].block);
                continue;
            }
            // A traversal of an inner loop ends at the next item, or where this run ends.
            const Goal next =
                i + 1 < items.size() ? Goal{false, of_.regions_[region].items[items[i + 1]]} : goal;
            rule.emplace_back(best_traversal(*inner, node, next));
        }
        return rule;
    }

    /// Header nodes between the factors, from the last one back.
    static std::vector<std::size_t> headers_between(const Region& region, std::size_t first,
                                                    std::size_t last) {
        std::vector<std::size_t> between(region.factors.size() + 1, last);
        for (std::size_t i = region.factors.size(); i-- > 0;) {
            const Factor& factor = region.factors[i];
            const Matrix& matrix =
                region.tables[static_cast<std::size_t>(factor.table)][factor.level];
            for (std::size_t middle = 0; middle < region.headers.size(); ++middle) {
                const Value before = region.products[i][first][middle];
                const Value step = matrix[middle][between[i + 1]];
                if (!before || !step ||
                    plus(*before, *step) != *region.products[i + 1][first][between[i + 1]])
                    continue;
                between[i] = middle;
                break;
            }
        }
        return between;
    }

    /// None: no iteration at all.
    std::optional<RuleIndex> power_of(std::size_t index, const Factor& factor, std::size_t a,
                                      std::size_t b) {
        const auto& levels = of_.regions_[index].tables[static_cast<std::size_t>(factor.table)];
        if (factor.level == 0)
            return is_identity(index, factor, a, b) ? std::nullopt
                                                    : std::optional{iteration(index, a, b)};
        // To skip an optional iteration costs nothing, whatever the power.
        if (factor.table == 1 && a == b && levels[factor.level][a][b] == 0) return std::nullopt;
        return once({index, Key::Power, factor.table, factor.level, a, b}, [&] {
            PathRule rule;
            for (std::size_t middle = 0; middle < levels[factor.level].size(); ++middle) {
                const Value left = levels[factor.level - 1][a][middle];
                const Value right = levels[factor.level - 1][middle][b];
                if (!left || !right || plus(*left, *right) != *levels[factor.level][a][b]) continue;
                const Factor half{factor.table, factor.level - 1};
                for (const auto part :
                     {power_of(index, half, a, middle), power_of(index, half, middle, b)})
                    if (part) rule.emplace_back(*part);
                break;
            }
            return rule;
        });
    }

    [[nodiscard]] bool is_identity(std::size_t region, const Factor& factor, std::size_t a,
                                   std::size_t b) const {
        if (factor.table == 0 || a != b) return false;
        const auto& runs = of_.regions_[region].runs[a].backs;
        const auto body = runs.find(of_.regions_[region].headers[b]);
        return body == runs.end() || !body->second.value || *body->second.value <= 0;
    }

    RuleIndex iteration(std::size_t index, std::size_t a, std::size_t b) {
        return once({index, Key::Iteration, 0, 0, a, b}, [&] {
            const Run& run = of_.regions_[index].runs[a];
            const NodeIndex header = of_.regions_[index].headers[b];
            return blocks_of(index, run, run.backs.at(header), Goal{false, header});
        });
    }

    const LoopBoundedPaths& of_;
    BlockPath& path_;
    std::map<Key, RuleIndex> known_;
};

std::optional<BlockPath> LoopBoundedPaths::start_to_end() const {
    const Run run = run_from(top_region, start_node);
    if (!run.end.value) return std::nullopt;
    BlockPath path;
    path.cost = signed_cost(*run.end.value);
    Extraction{*this, path}.whole(run);
    return path;
}

LoopBoundedPaths::Traversal LoopBoundedPaths::traversal_from(NodeIndex header_node) const {
    const auto [exits, end] = traversals_from(region_of(header_node), header_number_[header_node]);
    Traversal traversal;
    for (const auto& [exit, value] : exits)
        traversal.exits.push_back({exit, signed_cost(*value)});
    if (end) traversal.end_cost = signed_cost(*end);
    return traversal;
}

RuleIndex LoopBoundedPaths::append_traversal(BlockPath& path, NodeIndex header_node,
                                             std::optional<NodeIndex> exit) const {
    return Extraction{*this, path}.best_traversal(region_of(header_node), header_node,
                                                  {!exit, exit.value_or(NodeIndex{})});
}

} // namespace warpbound::analyzer
