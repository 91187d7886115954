#include "analyzer/path/infeasible_pairs.hpp"

#include "analyzer/flow/flow_facts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

constexpr std::size_t most_nodes = 300'000;
constexpr std::size_t most_header_copies = 512; ///< Work at a loop grows with their cube.
/// Pairs that may be open at a block, most first.
constexpr std::array<std::size_t, 6> caps{SIZE_MAX, 12, 6, 3, 1, 0};

/// Taken when the block is entered, or (with `from`) over an edge.
struct Happening {
    std::optional<std::int64_t> from;
    std::int64_t block = 0; ///< Address.
};

/// At most one of the two happens; both are the same where it must not happen at all.
struct Pair {
    std::array<Happening, 2> sides;
    bool exclusive = true; ///< Of the exclusive facts, else of the linear ones.
    std::size_t index = 0;
    /// `Shape:` [side][block]: it may still happen behind the block.
    std::array<std::vector<bool>, 2> ahead{};
    std::size_t width = 0; ///< Blocks at which it may be open.
};

std::vector<Pair> pairs_of(const ControlFlowGraph& graph, const models::FlowFacts& facts) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < facts.exclusives.size(); ++i) {
        const auto& fact = facts.exclusives[i];
        pairs.push_back({{Happening{{}, fact.first}, Happening{{}, fact.second}}, true, i});
    }
    for (std::size_t i = 0; i < facts.constraints.size(); ++i) {
        const auto& fact = facts.constraints[i];
        if (!is_pair(graph, fact)) continue;
        const auto happening = [&](std::size_t term) {
            return Happening{fact.terms[term].from, fact.terms[term].block};
        };
        if (fact.constant == 1) pairs.push_back({{happening(0), happening(1)}, false, i});
        for (std::size_t term = 0; fact.constant == 0 && term < fact.terms.size(); ++term)
            pairs.push_back({{happening(term), happening(term)}, false, i});
    }
    return pairs;
}

class Product {
public:
    Product(const ControlFlowGraph& graph, const PathGraph& paths, std::vector<Pair> pairs)
        : graph_{graph}, paths_{paths}, pairs_{std::move(pairs)} {
        for (std::size_t block = 0; block < graph.blocks.size(); ++block)
            at_[graph.blocks[block].address].push_back(block);
        for (Pair& pair : pairs_)
            look_ahead(pair);
        std::stable_sort(pairs_.begin(), pairs_.end(),
                         [](const Pair& a, const Pair& b) { return a.width < b.width; });
    }

    /// The pairs that stay when at most `cap` may be open at a block.
    [[nodiscard]] std::vector<bool> chosen(std::size_t cap) const {
        std::vector<bool> take(pairs_.size(), true);
        std::vector<std::size_t> open(graph_.blocks.size(), 0);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const auto is_open = [&](std::size_t block) {
                return pairs_[i].ahead[0][block] || pairs_[i].ahead[1][block];
            };
            for (std::size_t block = 0; block < open.size() && take[i]; ++block)
                if (is_open(block) && open[block] >= cap) take[i] = is_forbidden(pairs_[i]);
            for (std::size_t block = 0; block < open.size() && take[i]; ++block)
                if (is_open(block)) ++open[block];
        }
        return take;
    }

    /// The graph in which those pairs hold; nothing when it gets too large.
    [[nodiscard]] std::optional<PathGraph> build(const std::vector<bool>& take, Side side) {
        take_ = &take;
        on_entry_.assign(graph_.blocks.size(), {});
        on_edge_.clear();
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            for (std::size_t which = 0; take[i] && which < 2; ++which)
                for (const std::size_t to : at_.at(pairs_[i].sides[which].block)) {
                    const auto& from = pairs_[i].sides[which].from;
                    if (!from) on_entry_[to].push_back(2 * i + which);
                    for (const std::size_t edge : graph_.blocks[to].in)
                        if (from && graph_.blocks[graph_.edges[edge].from].address == *from)
                            on_edge_[{graph_.edges[edge].from, to}].push_back(2 * i + which);
                }
        nodes_.clear();
        numbers_.clear();
        copies_.assign(graph_.blocks.size(), 0);
        const auto start = entered({}, std::nullopt, paths_.nodes[0].block);
        PathGraph result;
        result.exact = paths_.exact;
        if (!start) return PathGraph{{{paths_.nodes[0].block, std::nullopt, {}}}, paths_.exact};
        number(0, *start);
        for (std::size_t at = 0; at < nodes_.size(); ++at) {
            const auto [original, memory] = nodes_[at];
            const PathNode& node = paths_.nodes[original];
            if (is_header(node.block) && copies_[node.block] > most_header_copies)
                return std::nullopt;
            PathNode copy{node.block, node.end_cost, {}};
            for (const PathEdge& edge : node.successors) {
                const std::size_t block = paths_.nodes[edge.to].block;
                const auto next = entered(memory, node.block, block);
                if (!next) continue;
                copy.successors.push_back({number(edge.to, *next), edge.cost});
            }
            result.nodes.push_back(std::move(copy));
            if (nodes_.size() > most_nodes) return std::nullopt;
        }
        return tidy(std::move(result), side);
    }

    [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }

private:
    using Memory = std::vector<std::size_t>; ///< What happened, as 2 * pair + side; sorted.

    static bool is_forbidden(const Pair& pair) {
        return pair.sides[0].from == pair.sides[1].from &&
               pair.sides[0].block == pair.sides[1].block;
    }

    [[nodiscard]] bool is_header(std::size_t block) const {
        const auto loop = graph_.innermost_loop[block];
        return loop && graph_.loops[*loop].header == block;
    }

    void look_ahead(Pair& pair) const {
        for (std::size_t which = 0; which < 2; ++which) {
            auto& ahead = pair.ahead[which];
            ahead.assign(graph_.blocks.size(), false);
            std::vector<std::size_t> work;
            const auto add = [&](std::size_t block) {
                if (ahead[block]) return;
                ahead[block] = true;
                work.push_back(block);
            };
            for (const std::size_t to : at_.at(pair.sides[which].block))
                for (const std::size_t edge : graph_.blocks[to].in) {
                    const std::size_t from = graph_.edges[edge].from;
                    if (!pair.sides[which].from ||
                        graph_.blocks[from].address == *pair.sides[which].from)
                        add(from);
                }
            while (!work.empty()) {
                const std::size_t block = work.back();
                work.pop_back();
                for (const std::size_t edge : graph_.blocks[block].in)
                    add(graph_.edges[edge].from);
            }
        }
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
            if (pair.ahead[0][block] || pair.ahead[1][block]) ++pair.width;
    }

    /// The memory behind a step into a block; nothing when a pair forbids it.
    [[nodiscard]] std::optional<Memory> entered(Memory memory, std::optional<std::size_t> from,
                                                std::size_t to) const {
        const auto take = [&](const std::vector<std::size_t>& happenings) {
            for (const std::size_t happening : happenings) {
                if (is_forbidden(pairs_[happening / 2])) return false;
                if (std::binary_search(memory.begin(), memory.end(), happening ^ 1U)) return false;
                const auto place = std::lower_bound(memory.begin(), memory.end(), happening);
                if (place == memory.end() || *place != happening) memory.insert(place, happening);
            }
            return true;
        };
        if (from)
            if (const auto edge = on_edge_.find({*from, to}); edge != on_edge_.end())
                if (!take(edge->second)) return std::nullopt;
        if (!take(on_entry_[to])) return std::nullopt;
        // Forgotten when the other cannot happen any more.
        memory.erase(std::remove_if(memory.begin(), memory.end(),
                                    [&](std::size_t happening) {
                                        return !pairs_[happening / 2].ahead[1 - happening % 2][to];
                                    }),
                     memory.end());
        return memory;
    }

    std::size_t number(std::size_t original, const Memory& memory) {
        const auto [place, fresh] = numbers_.emplace(std::pair{original, memory}, nodes_.size());
        if (fresh) {
            nodes_.emplace_back(original, memory);
            ++copies_[paths_.nodes[original].block];
        }
        return place->second;
    }

    const ControlFlowGraph& graph_;
    const PathGraph& paths_;
    std::vector<Pair> pairs_; ///< Those that are open at few blocks first.
    std::map<std::int64_t, std::vector<std::size_t>> at_; ///< Blocks by address.
    const std::vector<bool>* take_ = nullptr;
    std::vector<std::vector<std::size_t>> on_entry_; ///< Per block.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> on_edge_;
    std::vector<std::pair<std::size_t, Memory>> nodes_; ///< Original node and memory.
    std::map<std::pair<std::size_t, Memory>, std::size_t> numbers_;
    std::vector<std::size_t> copies_; ///< Nodes per block.
};

} // namespace

bool is_pair(const ControlFlowGraph& graph, const models::LinearFact& fact) {
    if (fact.relation != models::Relation::AtMost || fact.terms.empty()) return false;
    const auto positive = [](const models::LinearTerm& term) { return term.coefficient > 0; };
    if (fact.constant == 0) return std::all_of(fact.terms.begin(), fact.terms.end(), positive);
    const auto once = [&](const models::LinearTerm& term) {
        return term.coefficient == 1 && executes_at_most_once(graph, term.block);
    };
    return fact.constant == 1 && fact.terms.size() == 2 &&
           std::all_of(fact.terms.begin(), fact.terms.end(), once) &&
           fact.terms[0] != fact.terms[1];
}

PairConstrainedPaths encode_pairs(const ControlFlowGraph& graph, const PathGraph& paths,
                                  const models::FlowFacts& facts, Side side) {
    PairConstrainedPaths result;
    Product product{graph, paths, pairs_of(graph, facts)};
    std::vector<bool> exclusive_held(facts.exclusives.size(), false);
    std::vector<bool> linear_held(facts.constraints.size(), false);
    result.paths = paths;
    for (const std::size_t cap : caps) {
        const auto take = product.chosen(cap);
        auto built = product.build(take, side);
        if (!built) continue;
        result.paths = std::move(*built);
        std::vector<bool> linear_missed(facts.constraints.size(), false);
        for (std::size_t i = 0; i < take.size(); ++i) {
            const Pair& pair = product.pairs()[i];
            (pair.exclusive ? exclusive_held : linear_held)[pair.index] = true;
            if (!take[i] && pair.exclusive) exclusive_held[pair.index] = false;
            if (!take[i] && !pair.exclusive) linear_missed[pair.index] = true;
        }
        for (std::size_t i = 0; i < linear_missed.size(); ++i)
            if (linear_missed[i]) linear_held[i] = false;
        break;
    }
    for (std::size_t i = 0; i < facts.exclusives.size(); ++i)
        if (!exclusive_held[i]) result.left.exclusives.push_back(facts.exclusives[i]);
    for (std::size_t i = 0; i < facts.constraints.size(); ++i)
        if (!linear_held[i]) result.left.constraints.push_back(facts.constraints[i]);
    return result;
}

} // namespace warpbound::analyzer
