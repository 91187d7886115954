#include "analyzer/longest_path.hpp"

#include <algorithm>
#include <stdexcept>

namespace warpbound::analyzer {

namespace {

std::int64_t plus(std::int64_t a, std::int64_t b) {
    return (models::Cycles{a} + models::Cycles{b}).count();
}

void keep_larger(std::optional<std::int64_t>& value, std::int64_t candidate) {
    if (!value || *value < candidate) value = candidate;
}

} // namespace

StructuralPaths::StructuralPaths(const assembly::ControlFlowGraph& graph, const StateGraph& states,
                                 const std::vector<BackEdgeBounds>& bounds, Side side)
    : graph_{graph}, states_{states}, bounds_{bounds}, side_{side} {
    build_regions();
    // Inner loops come after outer ones in the graph.
    for (std::size_t region = regions_.size(); region-- > 1;)
        solve_loop(region);
}

void StructuralPaths::build_regions() {
    const std::size_t nodes = states_.nodes.size();
    regions_.resize(graph_.loops.size() + 1);
    own_item_.resize(nodes);
    parent_item_.resize(nodes);
    header_number_.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        const std::size_t block = states_.nodes[node].block;
        const auto loop = graph_.innermost_loop[block];
        const std::size_t region = loop ? *loop + 1 : top_region;
        own_item_[node] = regions_[region].items.size();
        regions_[region].items.push_back(node);
        if (!loop || graph_.loops[*loop].header != block) continue;
        header_number_[node] = regions_[region].headers.size();
        regions_[region].headers.push_back(node);
        const auto around = graph_.loops[*loop].parent;
        const std::size_t outer = around ? *around + 1 : top_region;
        parent_item_[node] = regions_[outer].items.size();
        regions_[outer].items.push_back(node);
    }
}

bool StructuralPaths::contains(std::size_t region, std::size_t block) const {
    if (region == top_region) return true;
    auto loop = graph_.innermost_loop[block];
    while (loop && *loop + 1 != region)
        loop = graph_.loops[*loop].parent;
    return loop.has_value();
}

StructuralPaths::Place StructuralPaths::place_of(std::size_t region, std::size_t node) const {
    if (region == top_region) return Place::Inside;
    const std::size_t block = states_.nodes[node].block;
    if (block == graph_.loops[region - 1].header) return Place::Back;
    return contains(region, block) ? Place::Inside : Place::Outside;
}

std::optional<std::size_t> StructuralPaths::inner_region(std::size_t region,
                                                         std::size_t node) const {
    const auto loop = graph_.innermost_loop[states_.nodes[node].block];
    const std::size_t own = loop ? *loop + 1 : top_region;
    return own == region ? std::nullopt : std::optional{own};
}

std::size_t StructuralPaths::item_of(std::size_t region, std::size_t node) const {
    return inner_region(region, node) ? parent_item_[node] : own_item_[node];
}

void StructuralPaths::relax(std::size_t region, Run& run, std::size_t item, std::size_t target,
                            std::int64_t value) const {
    Arrival* arrival = nullptr;
    switch (place_of(region, target)) {
    case Place::Inside:
        arrival = &run.items[item_of(region, target)];
        break;
    case Place::Back:
        arrival = &run.backs[target];
        break;
    case Place::Outside:
        arrival = &run.exits[target];
        break;
    }
    if (arrival->value && *arrival->value >= value) return;
    *arrival = {value, item};
}

StructuralPaths::Run StructuralPaths::run_from(std::size_t region, std::size_t node,
                                               std::optional<std::int64_t> start_cost) const {
    Run run;
    const auto& items = regions_[region].items;
    run.items.resize(items.size());
    run.start = item_of(region, node);
    run.items[run.start].value = 0;
    const auto end_at = [&](std::size_t item, std::int64_t value) {
        if (!run.end.value || *run.end.value < value) run.end = {value, item};
    };
    // Items are in reverse post order: every edge inside the region that is no back edge leads to a
    // later item.
    for (std::size_t item = run.start; item < items.size(); ++item) {
        if (!run.items[item].value) continue;
        const std::int64_t value = *run.items[item].value;
        const std::size_t at = items[item];
        if (const auto inner = inner_region(region, at)) {
            const std::size_t header = header_number_[at];
            std::map<std::size_t, Value> exits;
            Value end;
            for (std::size_t last = 0; last < regions_[*inner].headers.size(); ++last) {
                const Value iterations = all_iterations(*inner)[header][last];
                if (!iterations) continue;
                for (const auto& [exit, arrival] : regions_[*inner].runs[last].exits)
                    keep_larger(exits[exit], plus(*iterations, *arrival.value));
                if (const auto& ended = regions_[*inner].runs[last].end.value)
                    keep_larger(end, plus(*iterations, *ended));
            }
            for (const auto& [exit, stayed] : exits)
                relax(region, run, item, exit, plus(value, *stayed));
            if (end) end_at(item, plus(value, *end));
            continue;
        }
        const auto& state = states_.nodes[at];
        const bool replaced = start_cost && item == run.start;
        const std::int64_t left = plus(value, signed_cost(replaced ? *start_cost : state.cost));
        if (state.end_cost) end_at(item, plus(left, signed_cost(*state.end_cost)));
        for (const std::size_t next : state.successors)
            relax(region, run, item, next, left);
    }
    return run;
}

StructuralPaths::Matrix StructuralPaths::product(const Matrix& a, const Matrix& b) {
    const std::size_t n = a.size();
    Matrix result(n, std::vector<Value>(n));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) {
            if (!a[i][k]) continue;
            for (std::size_t j = 0; j < n; ++j)
                if (b[k][j]) keep_larger(result[i][j], plus(*a[i][k], *b[k][j]));
        }
    return result;
}

void StructuralPaths::solve_loop(std::size_t index) {
    Region& region = regions_[index];
    const std::size_t n = region.headers.size();
    Matrix body(n, std::vector<Value>(n));
    Matrix identity(n, std::vector<Value>(n));
    for (std::size_t i = 0; i < n; ++i) {
        identity[i][i] = 0;
        region.runs.push_back(run_from(index, region.headers[i], std::nullopt));
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

StructuralPaths::Value StructuralPaths::goal_value(const Run& run, const Goal& goal) {
    if (goal.end) return run.end.value;
    const auto found = run.exits.find(goal.exit);
    return found == run.exits.end() ? std::nullopt : found->second.value;
}

std::pair<StructuralPaths::Value, std::size_t>
StructuralPaths::stay(std::size_t region, std::size_t header, const Goal& goal) const {
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

std::optional<NodePath> StructuralPaths::entry_to_end() const {
    const Run run = run_from(top_region, 0, std::nullopt);
    if (!run.end.value) return std::nullopt;
    NodePath path;
    path.cost = signed_cost(*run.end.value);
    Extraction counting{&path.counts, nullptr, 0};
    emit_run(counting, top_region, run, run.end, 1, Goal{true, 0});
    path.last = counting.last;
    constexpr std::int64_t longest_sequence = 1'000'000;
    std::int64_t length = 0;
    for (const auto& [node, count] : path.counts)
        length = plus(length, count);
    if (length <= longest_sequence) {
        Extraction listing{nullptr, &path.sequence, 0};
        emit_run(listing, top_region, run, run.end, 1, Goal{true, 0});
    }
    return path;
}

std::optional<std::int64_t>
StructuralPaths::between(std::size_t from, std::int64_t from_cost,
                         const std::map<std::size_t, std::int64_t>& to_costs) const {
    const Run run = run_from(top_region, from, from_cost);
    Value best;
    for (const auto& [node, cost] : to_costs)
        if (const auto& arrived = run.items[own_item_[node]].value; arrived && node != from)
            keep_larger(best, plus(*arrived, signed_cost(cost)));
    if (!best) return std::nullopt;
    return signed_cost(*best);
}

void StructuralPaths::emit_node(Extraction& out, std::size_t node, std::int64_t times) const {
    out.last = node;
    if (out.counts != nullptr) {
        std::int64_t& count = (*out.counts)[node];
        count = plus(count, times);
    }
    if (out.sequence != nullptr) out.sequence->push_back(node);
}

void StructuralPaths::emit_run(Extraction& out, std::size_t region, const Run& run,
                               const Arrival& arrival, std::int64_t times, const Goal& goal) const {
    std::vector<std::size_t> items{arrival.previous};
    while (items.back() != run.start)
        items.push_back(run.items[items.back()].previous);
    std::reverse(items.begin(), items.end());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::size_t node = regions_[region].items[items[i]];
        const auto inner = inner_region(region, node);
        if (!inner) {
            emit_node(out, node, times);
            continue;
        }
        // A stay in an inner loop ends at the next item, or where this run ends.
        const Goal next =
            i + 1 < items.size() ? Goal{false, regions_[region].items[items[i + 1]]} : goal;
        emit_loop(out, *inner, node, next, times);
    }
}

void StructuralPaths::emit_loop(Extraction& out, std::size_t index, std::size_t node,
                                const Goal& goal, std::int64_t times) const {
    const Region& region = regions_[index];
    const std::size_t first = header_number_[node];
    const auto [value, last] = stay(index, first, goal);
    if (!value) throw std::logic_error{"a path that was found cannot be extracted"};
    // Header copies between the factors, from the last one back.
    std::vector<std::size_t> between(region.factors.size() + 1, last);
    for (std::size_t i = region.factors.size(); i-- > 0;) {
        const Factor& factor = region.factors[i];
        const Matrix& matrix = region.tables[static_cast<std::size_t>(factor.table)][factor.level];
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
    if (out.sequence != nullptr) {
        for (std::size_t i = 0; i < region.factors.size(); ++i)
            emit_power(out, index, region.factors[i], between[i], between[i + 1]);
    } else {
        // Powers are halved level by level; equal halves are counted together.
        using Pair = std::pair<std::size_t, std::size_t>;
        std::map<Pair, std::int64_t> steps;
        for (int table = 0; table < 2; ++table) {
            const auto& levels = region.tables[static_cast<std::size_t>(table)];
            std::vector<std::map<Pair, std::int64_t>> wanted(levels.size());
            for (std::size_t i = 0; i < region.factors.size(); ++i)
                if (region.factors[i].table == table)
                    wanted[region.factors[i].level][{between[i], between[i + 1]}] += times;
            for (std::size_t level = levels.size(); level-- > 0;)
                for (const auto& [ends, count] : wanted[level]) {
                    const auto [a, b] = ends;
                    if (level == 0) {
                        if (!is_identity(index, {table, 0}, a, b))
                            steps[ends] = plus(steps[ends], count);
                        continue;
                    }
                    for (std::size_t middle = 0; middle < region.headers.size(); ++middle) {
                        const Value left = levels[level - 1][a][middle];
                        const Value right = levels[level - 1][middle][b];
                        if (!left || !right || plus(*left, *right) != *levels[level][a][b])
                            continue;
                        auto& lower = wanted[level - 1];
                        lower[{a, middle}] = plus(lower[{a, middle}], count);
                        lower[{middle, b}] = plus(lower[{middle, b}], count);
                        break;
                    }
                }
        }
        for (const auto& [ends, count] : steps)
            emit_step(out, index, ends.first, ends.second, count);
    }
    const Run& run = region.runs[last];
    emit_run(out, index, run, goal.end ? run.end : run.exits.at(goal.exit), times, goal);
}

bool StructuralPaths::is_identity(std::size_t region, const Factor& factor, std::size_t a,
                                  std::size_t b) const {
    if (factor.table == 0 || a != b) return false;
    const auto& runs = regions_[region].runs[a].backs;
    const auto body = runs.find(regions_[region].headers[b]);
    return body == runs.end() || !body->second.value || *body->second.value <= 0;
}

void StructuralPaths::emit_power(Extraction& out, std::size_t index, const Factor& factor,
                                 std::size_t a, std::size_t b) const {
    if (factor.level == 0) {
        if (!is_identity(index, factor, a, b)) emit_step(out, index, a, b, 1);
        return;
    }
    const auto& levels = regions_[index].tables[static_cast<std::size_t>(factor.table)];
    // Staying put costs nothing: no iteration at all, whatever the power.
    if (factor.table == 1 && a == b && levels[factor.level][a][b] == 0) return;
    for (std::size_t middle = 0; middle < levels[factor.level].size(); ++middle) {
        const Value left = levels[factor.level - 1][a][middle];
        const Value right = levels[factor.level - 1][middle][b];
        if (!left || !right || plus(*left, *right) != *levels[factor.level][a][b]) continue;
        emit_power(out, index, {factor.table, factor.level - 1}, a, middle);
        emit_power(out, index, {factor.table, factor.level - 1}, middle, b);
        return;
    }
}

void StructuralPaths::emit_step(Extraction& out, std::size_t index, std::size_t a, std::size_t b,
                                std::int64_t times) const {
    const Run& run = regions_[index].runs[a];
    const std::size_t header = regions_[index].headers[b];
    emit_run(out, index, run, run.backs.at(header), times, Goal{false, header});
}

} // namespace warpbound::analyzer
