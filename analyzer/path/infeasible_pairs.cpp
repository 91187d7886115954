#include "analyzer/path/infeasible_pairs.hpp"

#include "analyzer/flow/flow_facts.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

constexpr std::size_t max_product_nodes = 300'000;
constexpr std::size_t max_product_edges = 1'000'000;
constexpr std::size_t max_header_nodes = 512; ///< Work at a loop grows with their cube.
/// Limits for the pairs that may be open at a block, tried in this order.
constexpr std::array<std::size_t, 8> open_pair_limits{SIZE_MAX, 48, 24, 12, 6, 3, 1, 0};

/// At most one of two events occurs; both are the same where it must not occur at all.
struct InfeasiblePair {
    std::array<PathEvent, 2> sides;
    bool exclusive = true; ///< From the exclusive facts, else from the linear ones.
    std::size_t index = 0;
    bool is_of_code = false; ///< Derived.
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

/// Addresses of such blocks and of the ones behind them.
std::map<std::int64_t, std::int64_t> only_ways_of(const std::vector<models::LinearFact>& facts) {
    std::map<std::int64_t, std::int64_t> next;
    for (const models::LinearFact& fact : facts)
        if (is_only_way(fact)) next.emplace(fact.terms[1].block, fact.terms[0].block);
    return next;
}

/// By this program, and stated nowhere.
bool is_derived(const models::FactSource& from) {
    return from.origin != models::FactOrigin::User && from.line == 0;
}

std::vector<InfeasiblePair> pairs_of(const ControlFlowGraph& graph,
                                     const models::FlowFacts& facts) {
    std::vector<InfeasiblePair> pairs;
    for (std::size_t i = 0; i < facts.exclusives.size(); ++i) {
        const auto& fact = facts.exclusives[i];
        pairs.push_back({{PathEvent{{}, fact.first}, PathEvent{{}, fact.second}},
                         true,
                         i,
                         is_derived(fact.from)});
    }
    for (std::size_t i = 0; i < facts.constraints.size(); ++i) {
        const auto& fact = facts.constraints[i];
        if (!is_pair(graph, fact)) continue;
        const auto event = [&](std::size_t term) {
            return PathEvent{fact.terms[term].from, fact.terms[term].block};
        };
        const bool is_of_code = is_derived(fact.from);
        if (fact.constant == 1) pairs.push_back({{event(0), event(1)}, false, i, is_of_code});
        for (std::size_t term = 0; fact.constant == 0 && term < fact.terms.size(); ++term)
            pairs.push_back({{event(term), event(term)}, false, i, is_of_code});
    }
    return pairs;
}

class ProductBuilder {
public:
    ProductBuilder(const ControlFlowGraph& graph, const PathGraph& paths,
                   const models::FlowFacts& facts)
        : graph_{graph}, paths_{paths}, pairs_{pairs_of(graph, facts)}, only_way_{only_ways_of(
                                                                            facts.constraints)} {
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

    /// The product in which those pairs hold; none when it gets too large, where it may not.
    [[nodiscard]] std::optional<PairProduct> build(const std::vector<bool>& chosen_pairs,
                                                   bool is_limited) {
        collect_events(chosen_pairs);
        const BlockIndex first = paths_.nodes[start_node].block;
        const auto start = state_after({}, events_of_step(std::nullopt, first), first);
        PairProduct product;
        product.paths.exact = paths_.exact;
        if (!start) {
            product.paths.nodes.push_back({first, std::nullopt, {}});
            product.states.states.push_back({first, {}, {}});
            return product;
        }
        number(start_node, *start);
        std::size_t edges = 0;
        for (NodeIndex at = start_node; at < nodes_.next(); ++at) {
            check_stop("the paths that keep the flow facts");
            const auto [original, state] = nodes_[at];
            const PathNode& node = paths_.nodes[original];
            if (is_limited && is_header(node.block) &&
                nodes_of_block_[node.block] > max_header_nodes)
                return std::nullopt;
            PathNode added{node.block, node.end_cost, {}};
            if (only_way_.count(block_at(graph_, node.block).address) != 0) added.end_cost.reset();
            for (const PathEdge& edge : node.successors)
                if (const auto next = successor(state, paths_.nodes[edge.to].block))
                    added.successors.push_back({number(edge.to, *next), edge.cost});
            edges += added.successors.size();
            product.paths.nodes.push_back(std::move(added));
            if (is_limited && (nodes_.size() > max_product_nodes || edges > max_product_edges))
                return std::nullopt;
        }
        sort_nodes(product.paths);
        product.states = states();
        return product;
    }

    [[nodiscard]] const std::vector<InfeasiblePair>& pairs() const { return pairs_; }

private:
    using Memory = std::vector<std::size_t>; ///< Events, sorted.
    using State = std::size_t;

    /// What a step into a block brings about.
    struct Step {
        Memory events;
        bool is_possible = true; ///< No fact forbids it whatever has occurred.
    };

    /// A block with what is remembered there, and where it leads.
    struct StateInWork {
        BlockIndex block;
        Memory memory;
        std::map<BlockIndex, std::optional<State>> next; ///< As far as it was asked for.
    };

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

    /// Events of the chosen pairs, what excludes them, and where they still matter.
    void collect_events(const std::vector<bool>& chosen_pairs) {
        std::map<PathEvent, std::size_t> numbers;
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            for (const PathEvent& event : pairs_[i].sides)
                if (chosen_pairs[i]) numbers.emplace(event, 0);
        events_.clear();
        events_into_.clear();
        for (auto& [event, number] : numbers) {
            number = events_.size();
            events_.push_back(event);
            events_into_[event.block].push_back(number);
        }
        is_never_.assign(events_.size(), false);
        partners_.assign(events_.size(), {});
        matters_.assign(graph_.blocks.size(), std::vector<bool>(events_.size(), false));
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (!chosen_pairs[i]) continue;
            const InfeasiblePair& pair = pairs_[i];
            const std::array<std::size_t, 2> sides{numbers.at(pair.sides[0]),
                                                   numbers.at(pair.sides[1])};
            if (is_forbidden(pair)) is_never_[sides[0]] = true;
            for (std::size_t which = 0; which < 2 && !is_forbidden(pair); ++which) {
                partners_[sides[which]].push_back(sides[1 - which]);
                for (const BlockIndex block : pair.ahead[1 - which])
                    matters_[block][sides[which]] = true;
            }
        }
        steps_.clear();
        states_.clear();
        state_numbers_.clear();
        nodes_.clear();
        numbers_.clear();
        nodes_of_block_.assign(graph_.blocks.size(), 0);
    }

    /// Without a block that the path comes from, it starts there.
    [[nodiscard]] Step events_of_step(std::optional<BlockIndex> from, BlockIndex to) const {
        Step step;
        const std::int64_t address = block_at(graph_, to).address;
        const auto before =
            from ? std::optional{block_at(graph_, *from).address} : std::optional<std::int64_t>{};
        if (const auto only = before ? only_way_.find(*before) : only_way_.end();
            only != only_way_.end() && only->second != address)
            step.is_possible = false;
        const auto events = events_into_.find(address);
        if (events == events_into_.end()) return step;
        for (const std::size_t event : events->second)
            if (!events_[event].from || events_[event].from == before) {
                step.events.push_back(event);
                if (is_never_[event]) step.is_possible = false;
            }
        return step;
    }

    [[nodiscard]] const Step& step(BlockIndex from, BlockIndex to) {
        const auto [known, is_new] = steps_.try_emplace({from, to});
        if (is_new) known->second = events_of_step(from, to);
        return known->second;
    }

    /// The state after a step into a block; none when a fact forbids the step.
    std::optional<State> state_after(const Memory& before, const Step& step, BlockIndex to) {
        if (!step.is_possible) return std::nullopt;
        Memory memory;
        std::set_union(before.begin(), before.end(), step.events.begin(), step.events.end(),
                       std::back_inserter(memory));
        for (const std::size_t event : step.events)
            for (const std::size_t partner : partners_[event])
                if (std::binary_search(memory.begin(), memory.end(), partner)) return std::nullopt;
        // An event is forgotten when what it excludes cannot occur any more.
        std::erase_if(memory, [&](std::size_t event) { return !matters_[to][event]; });
        const auto [known, is_new] =
            state_numbers_.try_emplace({to, std::move(memory)}, states_.size());
        if (is_new) states_.push_back({to, known->first.second, {}});
        return known->second;
    }

    [[nodiscard]] std::optional<State> successor(State state, BlockIndex to) {
        const auto known = states_[state].next.find(to);
        if (known != states_[state].next.end()) return known->second;
        const auto next = state_after(states_[state].memory, step(states_[state].block, to), to);
        states_[state].next.emplace(to, next);
        return next;
    }

    NodeIndex number(NodeIndex original, State state) {
        const auto [position, is_new] = numbers_.emplace(std::pair{original, state}, nodes_.next());
        if (is_new) {
            nodes_.push_back({original, state});
            ++nodes_of_block_[paths_.nodes[original].block];
        }
        return position->second;
    }

    /// By node of the path graph, then by state.
    void sort_nodes(PathGraph& paths) const {
        PerNode<NodeIndex> renumbered(nodes_.size(), start_node);
        PerNode<PathNode> sorted;
        for (const auto& [of, number] : numbers_) {
            renumbered[number] = sorted.next();
            sorted.push_back(std::move(paths.nodes[number]));
        }
        for (PathNode& node : sorted) {
            for (PathEdge& edge : node.successors)
                edge.to = renumbered[edge.to];
            std::sort(node.successors.begin(), node.successors.end(),
                      [](const PathEdge& a, const PathEdge& b) { return a.to < b.to; });
        }
        paths.nodes = std::move(sorted);
    }

    /// With the events that are remembered somewhere.
    [[nodiscard]] PairStates states() const {
        constexpr std::size_t unused = SIZE_MAX;
        std::vector<std::size_t> renumbered(events_.size(), unused);
        for (const StateInWork& state : states_)
            for (const std::size_t event : state.memory)
                renumbered[event] = event;
        PairStates result;
        for (std::size_t event = 0; event < events_.size(); ++event)
            if (renumbered[event] != unused) {
                renumbered[event] = result.events.size();
                result.events.push_back(events_[event]);
            }
        for (const StateInWork& state : states_) {
            PairState shown{state.block, {}, {}};
            for (const std::size_t event : state.memory)
                shown.memory.push_back(renumbered[event]);
            for (const auto& [block, next] : state.next)
                if (next) shown.successors.push_back(*next);
            result.states.push_back(std::move(shown));
        }
        return result;
    }

    const ControlFlowGraph& graph_;
    const PathGraph& paths_;
    std::vector<InfeasiblePair> pairs_;             ///< Pairs that are open at few blocks first.
    std::map<std::int64_t, std::int64_t> only_way_; ///< Address behind a block, by its address.
    std::map<std::int64_t, std::vector<BlockIndex>> at_; ///< By address.
    PerBlock<BlockIndex> first_after_;
    PerBlock<std::size_t> seen_; ///< The last search that found it.
    std::size_t searches_ = 0;
    std::vector<PathEvent> events_;
    std::map<std::int64_t, std::vector<std::size_t>> events_into_; ///< By address of the block.
    std::vector<bool> is_never_;                                   ///< Per event.
    std::vector<std::vector<std::size_t>> partners_; ///< Per event: those that it excludes.
    PerBlock<std::vector<bool>> matters_; ///< Per event: what it excludes may still occur.
    std::map<std::pair<BlockIndex, BlockIndex>, Step> steps_;
    std::vector<StateInWork> states_;
    std::map<std::pair<BlockIndex, Memory>, State> state_numbers_;
    PerNode<std::pair<NodeIndex, State>> nodes_; ///< Of the product: original node and state.
    std::map<std::pair<NodeIndex, State>, NodeIndex> numbers_;
    PerBlock<std::size_t> nodes_of_block_;
};

} // namespace

bool is_encodable(const ControlFlowGraph& graph, const models::LinearFact& fact) {
    return is_pair(graph, fact) || is_only_way(fact);
}

PairProduct product_of_pairs(const ControlFlowGraph& graph, const PathGraph& paths,
                             const models::FlowFacts& facts) {
    ProductBuilder builder{graph, paths, facts};
    for (const std::size_t cap : open_pair_limits) {
        const auto chosen_pairs = builder.chosen(cap);
        auto product = builder.build(chosen_pairs, cap != 0);
        if (!product) continue;
        std::vector<bool> exclusive_left(facts.exclusives.size(), false);
        std::vector<bool> linear_left(facts.constraints.size(), false);
        for (std::size_t i = 0; i < facts.constraints.size(); ++i)
            linear_left[i] = !is_encodable(graph, facts.constraints[i]);
        for (std::size_t i = 0; i < chosen_pairs.size(); ++i) {
            const InfeasiblePair& pair = builder.pairs()[i];
            if (!chosen_pairs[i] && !pair.is_of_code)
                (pair.exclusive ? exclusive_left : linear_left)[pair.index] = true;
        }
        for (std::size_t i = 0; i < exclusive_left.size(); ++i)
            if (exclusive_left[i]) product->exclusives.push_back(i);
        for (std::size_t i = 0; i < linear_left.size(); ++i)
            if (linear_left[i]) product->constraints.push_back(i);
        return std::move(*product);
    }
    throw std::logic_error{"a product without memory has no limit"};
}

models::FlowFacts facts_at(const models::FlowFacts& facts,
                           const std::vector<std::size_t>& exclusives,
                           const std::vector<std::size_t>& constraints) {
    models::FlowFacts some;
    for (const std::size_t i : exclusives)
        some.exclusives.push_back(facts.exclusives[i]);
    for (const std::size_t i : constraints)
        some.constraints.push_back(facts.constraints[i]);
    return some;
}

PairConstrainedPaths encode_pairs(const ControlFlowGraph& graph, const PathGraph& paths,
                                  const models::FlowFacts& facts, Side side) {
    PairProduct product = product_of_pairs(graph, paths, facts);
    return {tidy(std::move(product.paths), side),
            facts_at(facts, product.exclusives, product.constraints)};
}

} // namespace warpbound::analyzer
