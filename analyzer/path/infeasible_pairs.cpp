#include "analyzer/path/infeasible_pairs.hpp"

#include "analyzer/flow/flow_facts.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

constexpr std::size_t max_product_nodes = 300'000;
constexpr std::size_t max_header_nodes = 512; ///< Work at a loop grows with their cube.
/// Limits for the pairs that may be open at a block, tried in this order.
constexpr std::array<std::size_t, 6> open_pair_limits{SIZE_MAX, 12, 6, 3, 1, 0};

/// A path enters the block, or (with `from`) takes an edge into it.
struct PathEvent {
    std::optional<std::int64_t> from;
    std::int64_t block = 0; ///< Address.
};

/// At most one of two events occurs; both are the same where it must not occur at all.
struct InfeasiblePair {
    std::array<PathEvent, 2> sides;
    bool exclusive = true; ///< From the exclusive facts, else from the linear ones.
    std::size_t index = 0;
    /// Per side, sorted: blocks after which its event may still occur, of those that a path may
    /// reach after the other one.
    std::array<std::vector<BlockIndex>, 2> ahead{};
    std::vector<BlockIndex> open{}; ///< Blocks at which it may be open: of both lists, sorted.
};

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

/// An edge of a block is taken at least as often as the block is executed.
bool is_only_way(const models::LinearFact& fact) {
    const auto& terms = fact.terms;
    return fact.relation == models::Relation::AtLeast && fact.constant == 0 && terms.size() == 2 &&
           terms[0].coefficient == 1 && terms[1].coefficient == -1 && !terms[1].from &&
           terms[0].from == terms[1].block;
}

/// The graph without other edges of such blocks, and without ends of paths there.
PathGraph with_only_ways(const ControlFlowGraph& graph, PathGraph paths,
                         const std::vector<models::LinearFact>& facts, Side side) {
    std::map<std::int64_t, std::int64_t> next; // Addresses of a block and of the one behind it.
    for (const models::LinearFact& fact : facts)
        if (is_only_way(fact)) next.emplace(fact.terms[1].block, fact.terms[0].block);
    if (next.empty()) return paths;
    for (const NodeIndex number : paths.nodes.indices()) {
        PathNode& node = paths.nodes[number];
        const auto only = next.find(block_at(graph, node.block).address);
        if (only == next.end()) continue;
        node.end_cost.reset();
        std::erase_if(node.successors, [&](const PathEdge& edge) {
            return block_at(graph, paths.nodes[edge.to].block).address != only->second;
        });
    }
    return tidy(std::move(paths), side);
}

std::vector<InfeasiblePair> pairs_of(const ControlFlowGraph& graph,
                                     const models::FlowFacts& facts) {
    std::vector<InfeasiblePair> pairs;
    for (std::size_t i = 0; i < facts.exclusives.size(); ++i) {
        const auto& fact = facts.exclusives[i];
        pairs.push_back({{PathEvent{{}, fact.first}, PathEvent{{}, fact.second}}, true, i});
    }
    for (std::size_t i = 0; i < facts.constraints.size(); ++i) {
        const auto& fact = facts.constraints[i];
        if (!is_pair(graph, fact)) continue;
        const auto event = [&](std::size_t term) {
            return PathEvent{fact.terms[term].from, fact.terms[term].block};
        };
        if (fact.constant == 1) pairs.push_back({{event(0), event(1)}, false, i});
        for (std::size_t term = 0; fact.constant == 0 && term < fact.terms.size(); ++term)
            pairs.push_back({{event(term), event(term)}, false, i});
    }
    return pairs;
}

class PairProduct {
public:
    PairProduct(const ControlFlowGraph& graph, const PathGraph& paths,
                std::vector<InfeasiblePair> pairs)
        : graph_{graph}, paths_{paths}, pairs_{std::move(pairs)} {
        for (const BlockIndex block : all_blocks(graph))
            at_[block_at(graph, block).address].push_back(block);
        find_first_after();
        seen_.assign(graph.blocks.size(), 0);
        for (InfeasiblePair& pair : pairs_)
            if (!is_forbidden(pair)) find_ahead(pair);
        std::stable_sort(pairs_.begin(), pairs_.end(),
                         [](const InfeasiblePair& a, const InfeasiblePair& b) {
                             return a.open.size() < b.open.size();
                         });
    }

    /// The pairs that are encoded when at most `cap` may be open at a block.
    [[nodiscard]] std::vector<bool> chosen(std::size_t cap) const {
        std::vector<bool> chosen_pairs(pairs_.size(), true);
        PerBlock<std::size_t> open(graph_.blocks.size(), 0);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            check_stop("the paths that keep the flow facts");
            const auto& blocks = pairs_[i].open;
            chosen_pairs[i] = std::all_of(blocks.begin(), blocks.end(),
                                          [&](BlockIndex block) { return open[block] < cap; });
            for (const BlockIndex block : blocks)
                if (chosen_pairs[i]) ++open[block];
        }
        return chosen_pairs;
    }

    /// The graph in which those pairs hold; none when it gets too large.
    [[nodiscard]] std::optional<PathGraph> build(const std::vector<bool>& chosen_pairs, Side side) {
        chosen_ = &chosen_pairs;
        on_entry_.assign(graph_.blocks.size(), {});
        on_edge_.clear();
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            for (std::size_t which = 0; chosen_pairs[i] && which < 2; ++which)
                for (const BlockIndex to : at_.at(pairs_[i].sides[which].block)) {
                    const auto& from = pairs_[i].sides[which].from;
                    if (!from) on_entry_[to].push_back(2 * i + which);
                    for (const std::size_t edge : block_at(graph_, to).in) {
                        const BlockIndex before = from_block(graph_.edges[edge]);
                        if (from && block_at(graph_, before).address == *from)
                            on_edge_[{before, to}].push_back(2 * i + which);
                    }
                }
        nodes_.clear();
        numbers_.clear();
        nodes_of_block_.assign(graph_.blocks.size(), 0);
        const BlockIndex first = paths_.nodes[start_node].block;
        const auto start = memory_after({}, std::nullopt, first);
        PathGraph result;
        result.exact = paths_.exact;
        if (!start) return PathGraph{{PathNode{first, std::nullopt, {}}}, paths_.exact};
        number(start_node, *start);
        for (NodeIndex at = start_node; at < nodes_.next(); ++at) {
            check_stop("the paths that keep the flow facts");
            const auto [original, memory] = nodes_[at];
            const PathNode& node = paths_.nodes[original];
            if (is_header(node.block) && nodes_of_block_[node.block] > max_header_nodes)
                return std::nullopt;
            PathNode added{node.block, node.end_cost, {}};
            for (const PathEdge& edge : node.successors) {
                const BlockIndex block = paths_.nodes[edge.to].block;
                const auto next = memory_after(memory, node.block, block);
                if (!next) continue;
                added.successors.push_back({number(edge.to, *next), edge.cost});
            }
            result.nodes.push_back(std::move(added));
            if (nodes_.size() > max_product_nodes) return std::nullopt;
        }
        return tidy(std::move(result), side);
    }

    [[nodiscard]] const std::vector<InfeasiblePair>& pairs() const { return pairs_; }

private:
    using Memory = std::vector<std::size_t>; ///< Events that occurred, as 2 * pair + side; sorted.

    static bool is_forbidden(const InfeasiblePair& pair) {
        return pair.sides[0].from == pair.sides[1].from &&
               pair.sides[0].block == pair.sides[1].block;
    }

    [[nodiscard]] bool is_header(BlockIndex block) const {
        const auto loop = innermost_loop_of(graph_, block);
        return loop && header_block(graph_.loops[*loop]) == block;
    }

    /// A block, or the outermost loop header around it: nothing that a path reaches after the
    /// block precedes that in reverse post order, since only a back edge leads backwards.
    void find_first_after() {
        for (const BlockIndex block : all_blocks(graph_)) {
            auto loop = innermost_loop_of(graph_, block);
            while (loop && graph_.loops[*loop].parent)
                loop = graph_.loops[*loop].parent;
            first_after_.push_back(loop ? header_block(graph_.loops[*loop]) : block);
        }
    }

    /// The first block, in reverse post order, that a path may reach after the event.
    [[nodiscard]] BlockIndex first_after(const PathEvent& event) const {
        BlockIndex first{graph_.blocks.size()};
        for (const BlockIndex block : at_.at(event.block))
            first = std::min(first, first_after_[block]);
        return first;
    }

    void find_ahead(InfeasiblePair& pair) {
        for (std::size_t which = 0; which < 2; ++which) {
            auto& ahead = pair.ahead[which];
            const BlockIndex first = first_after(pair.sides[1 - which]);
            ++searches_;
            const auto add = [&](BlockIndex block) {
                if (block < first || std::exchange(seen_[block], searches_) == searches_) return;
                ahead.push_back(block);
            };
            for (const BlockIndex to : at_.at(pair.sides[which].block))
                for (const std::size_t edge : block_at(graph_, to).in) {
                    const BlockIndex from = from_block(graph_.edges[edge]);
                    if (!pair.sides[which].from ||
                        block_at(graph_, from).address == *pair.sides[which].from)
                        add(from);
                }
            for (std::size_t next = 0; next < ahead.size(); ++next) {
                check_stop("the paths that keep the flow facts");
                for (const std::size_t edge : block_at(graph_, ahead[next]).in)
                    add(from_block(graph_.edges[edge]));
            }
            std::sort(ahead.begin(), ahead.end());
        }
        std::set_union(pair.ahead[0].begin(), pair.ahead[0].end(), pair.ahead[1].begin(),
                       pair.ahead[1].end(), std::back_inserter(pair.open));
    }

    /// The memory after a step into a block; none when a pair forbids the step.
    [[nodiscard]] std::optional<Memory> memory_after(Memory memory, std::optional<BlockIndex> from,
                                                     BlockIndex to) const {
        const auto take = [&](const std::vector<std::size_t>& events) {
            for (const std::size_t event : events) {
                if (is_forbidden(pairs_[event / 2])) return false;
                if (std::binary_search(memory.begin(), memory.end(), event ^ 1U)) return false;
                const auto position = std::lower_bound(memory.begin(), memory.end(), event);
                if (position == memory.end() || *position != event) memory.insert(position, event);
            }
            return true;
        };
        if (from)
            if (const auto edge = on_edge_.find({*from, to}); edge != on_edge_.end())
                if (!take(edge->second)) return std::nullopt;
        if (!take(on_entry_[to])) return std::nullopt;
        // An event is forgotten when the other one cannot occur any more.
        memory.erase(std::remove_if(memory.begin(), memory.end(),
                                    [&](std::size_t event) {
                                        const auto& ahead = pairs_[event / 2].ahead[1 - event % 2];
                                        return !std::binary_search(ahead.begin(), ahead.end(), to);
                                    }),
                     memory.end());
        return memory;
    }

    NodeIndex number(NodeIndex original, const Memory& memory) {
        const auto [position, inserted] =
            numbers_.emplace(std::pair{original, memory}, nodes_.next());
        if (inserted) {
            nodes_.push_back({original, memory});
            ++nodes_of_block_[paths_.nodes[original].block];
        }
        return position->second;
    }

    const ControlFlowGraph& graph_;
    const PathGraph& paths_;
    std::vector<InfeasiblePair> pairs_; ///< Pairs that are open at few blocks first.
    std::map<std::int64_t, std::vector<BlockIndex>> at_; ///< By address.
    PerBlock<BlockIndex> first_after_;
    PerBlock<std::size_t> seen_; ///< The last search that found it.
    std::size_t searches_ = 0;
    const std::vector<bool>* chosen_ = nullptr;
    PerBlock<std::vector<std::size_t>> on_entry_; ///< Events.
    std::map<std::pair<BlockIndex, BlockIndex>, std::vector<std::size_t>> on_edge_;
    PerNode<std::pair<NodeIndex, Memory>> nodes_; ///< Of the product: original node and memory.
    std::map<std::pair<NodeIndex, Memory>, NodeIndex> numbers_;
    PerBlock<std::size_t> nodes_of_block_;
};

} // namespace

bool is_encodable(const ControlFlowGraph& graph, const models::LinearFact& fact) {
    return is_pair(graph, fact) || is_only_way(fact);
}

PairConstrainedPaths encode_pairs(const ControlFlowGraph& graph, const PathGraph& given,
                                  const models::FlowFacts& facts, Side side) {
    const PathGraph paths = with_only_ways(graph, given, facts.constraints, side);
    PairConstrainedPaths result;
    PairProduct product{graph, paths, pairs_of(graph, facts)};
    std::vector<bool> exclusive_encoded(facts.exclusives.size(), false);
    std::vector<bool> linear_encoded(facts.constraints.size(), false);
    result.paths = paths;
    for (const std::size_t cap : open_pair_limits) {
        const auto chosen_pairs = product.chosen(cap);
        auto built = product.build(chosen_pairs, side);
        if (!built) continue;
        result.paths = std::move(*built);
        std::vector<bool> linear_missed(facts.constraints.size(), false);
        for (std::size_t i = 0; i < chosen_pairs.size(); ++i) {
            const InfeasiblePair& pair = product.pairs()[i];
            (pair.exclusive ? exclusive_encoded : linear_encoded)[pair.index] = true;
            if (!chosen_pairs[i] && pair.exclusive) exclusive_encoded[pair.index] = false;
            if (!chosen_pairs[i] && !pair.exclusive) linear_missed[pair.index] = true;
        }
        for (std::size_t i = 0; i < linear_missed.size(); ++i)
            if (linear_missed[i]) linear_encoded[i] = false;
        break;
    }
    for (std::size_t i = 0; i < facts.exclusives.size(); ++i)
        if (!exclusive_encoded[i]) result.remaining.exclusives.push_back(facts.exclusives[i]);
    for (std::size_t i = 0; i < facts.constraints.size(); ++i)
        if (!linear_encoded[i] && !is_only_way(facts.constraints[i]))
            result.remaining.constraints.push_back(facts.constraints[i]);
    return result;
}

} // namespace warpbound::analyzer
