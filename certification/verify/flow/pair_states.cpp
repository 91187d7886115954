#include "certification/verify/flow/pair_states.hpp"

#include "certification/verify/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace warpbound::certification::verify {

namespace {

/// The most that the product of a table and its states may have.
constexpr std::size_t most_nodes = 300'000;
constexpr std::size_t most_edges = 1'000'000;

/// Addresses: a block is entered, or an edge is taken into it.
using Occurrence = std::pair<std::optional<std::int64_t>, std::int64_t>;

Occurrence counted_by(const models::LinearTerm& term) {
    return {term.from, term.block};
}

/// What occurs when a path comes from a block, if from any, into another.
std::vector<Occurrence> occurrences(const ControlFlow& flow, std::optional<std::size_t> from,
                                    std::size_t to) {
    const std::int64_t address = flow.blocks[to].first;
    std::vector<Occurrence> all{{std::nullopt, address}};
    if (from) all.emplace_back(flow.blocks[*from].first, address);
    return all;
}

/// What facts exclude, by what occurs.
class Exclusions {
public:
    explicit Exclusions(const models::FlowFacts& facts) {
        for (const auto& fact : facts.exclusives)
            add_pair({std::nullopt, fact.first}, {std::nullopt, fact.second});
        for (const auto& fact : facts.constraints)
            add(fact);
    }

    [[nodiscard]] bool never(const Occurrence& one) const { return never_.count(one) != 0; }
    /// Excluded once the first has occurred.
    [[nodiscard]] bool both(const Occurrence& one, const Occurrence& other) const {
        const auto partners = partners_.find(one);
        return partners != partners_.end() && partners->second.count(other) != 0;
    }
    /// Whether the block is always left over an edge to another address.
    [[nodiscard]] bool always_leaves_elsewhere(std::int64_t block, std::int64_t to) const {
        const auto only = only_next_.find(block);
        return only != only_next_.end() && only->second.count(to) == 0;
    }
    [[nodiscard]] bool is_always_left(std::int64_t block) const {
        return only_next_.count(block) != 0;
    }

private:
    void add_pair(const Occurrence& one, const Occurrence& other) {
        if (one == other) return; // Two executions of one block: said of loops.
        partners_[one].insert(other);
        partners_[other].insert(one);
    }

    void add(const models::LinearFact& fact) {
        const auto& terms = fact.terms;
        if (fact.relation == models::Relation::AtLeast) return add_only_next(fact);
        if (fact.relation != models::Relation::AtMost ||
            std::any_of(terms.begin(), terms.end(),
                        [](const models::LinearTerm& term) { return term.coefficient < 1; }))
            return;
        if (fact.constant == 0)
            for (const auto& term : terms)
                never_.insert(counted_by(term));
        if (fact.constant == 1 && terms.size() == 2)
            add_pair(counted_by(terms[0]), counted_by(terms[1]));
    }

    /// An edge is taken as often as the block that it leaves is executed.
    void add_only_next(const models::LinearFact& fact) {
        const auto& terms = fact.terms;
        if (fact.constant != 0 || terms.size() != 2) return;
        if (terms[0].coefficient != 1 || terms[1].coefficient != -1) return;
        if (terms[1].from || terms[0].from != terms[1].block) return;
        only_next_[terms[1].block].insert(terms[0].block);
    }

    std::set<Occurrence> never_;
    std::map<Occurrence, std::set<Occurrence>> partners_;
    std::map<std::int64_t, std::set<std::int64_t>> only_next_; ///< By address.
};

/// The states of a certificate.
class StateCheck {
public:
    StateCheck(const models::FlowFacts& facts, const ControlFlow& flow,
               const Certificate& certificate, const std::string& where)
        : exclusions_{facts}, flow_{flow}, pairs_{*certificate.pairs}, where_{where} {
        for (const auto& [from, block] : pairs_.events)
            events_.emplace_back(from, block);
        for (const auto& edge : certificate.edges)
            next_of_table_[certificate.nodes[edge.from].block].insert(
                certificate.nodes[edge.to].block);
        first_ = certificate.nodes.front().block;
    }

    void check() const {
        if (pairs_.states.empty()) fail("it has pairs and no states");
        for (const auto& state : pairs_.states) {
            const bool increasing =
                std::adjacent_find(state.memory.begin(), state.memory.end(),
                                   std::greater_equal<>{}) == state.memory.end();
            if (!increasing) fail("what a state remembers is not a set of events");
        }
        const PairStateRow& start = pairs_.states.front();
        if (start.block != first_) fail("state 0 is not where paths start");
        check_memory({}, occurrences(flow_, std::nullopt, first_), start);
        for (const PairStateRow& state : pairs_.states)
            check_successors(state);
    }

private:
    [[noreturn]] void fail(const std::string& what) const { refuted(where_ + ": " + what); }

    /// Everything that a state remembers occurred before or on the way to it.
    void check_memory(const std::vector<std::size_t>& before,
                      const std::vector<Occurrence>& occurred, const PairStateRow& state) const {
        for (const std::size_t event : state.memory)
            if (!std::binary_search(before.begin(), before.end(), event) &&
                std::find(occurred.begin(), occurred.end(), events_[event]) == occurred.end())
                fail(fmt::format("a state of block 0x{:04x} remembers what need not have occurred",
                                 flow_.blocks[state.block].first));
    }

    void check_successors(const PairStateRow& state) const {
        std::set<std::size_t> reached;
        const auto next = next_of_table_.find(state.block);
        for (const std::size_t to : state.successors) {
            const PairStateRow& after = pairs_.states[to];
            if (next == next_of_table_.end() || next->second.count(after.block) == 0)
                fail(fmt::format("a state of block 0x{:04x} leads to 0x{:04x}, its table does not",
                                 flow_.blocks[state.block].first, flow_.blocks[after.block].first));
            if (!reached.insert(after.block).second)
                fail(fmt::format("a state of block 0x{:04x} leads to two states of 0x{:04x}",
                                 flow_.blocks[state.block].first, flow_.blocks[after.block].first));
            check_memory(state.memory, occurrences(flow_, state.block, after.block), after);
        }
        if (next == next_of_table_.end()) return;
        for (const std::size_t to : next->second)
            if (reached.count(to) == 0 && !is_excluded(state, to))
                fail(fmt::format("a state of block 0x{:04x} does not lead to 0x{:04x}, which no "
                                 "fact excludes there",
                                 flow_.blocks[state.block].first, flow_.blocks[to].first));
    }

    /// Whether a fact says that no path takes the edge after what the state remembers.
    [[nodiscard]] bool is_excluded(const PairStateRow& state, std::size_t to) const {
        const std::int64_t from = flow_.blocks[state.block].first;
        if (exclusions_.always_leaves_elsewhere(from, flow_.blocks[to].first)) return true;
        const std::vector<Occurrence> now = occurrences(flow_, state.block, to);
        return std::any_of(now.begin(), now.end(), [&](const Occurrence& one) {
            const auto excludes = [&](const Occurrence& other) {
                return exclusions_.both(one, other);
            };
            return exclusions_.never(one) || std::any_of(now.begin(), now.end(), excludes) ||
                   std::any_of(state.memory.begin(), state.memory.end(),
                               [&](std::size_t event) { return excludes(events_[event]); });
        });
    }

    Exclusions exclusions_;
    const ControlFlow& flow_;
    const PairStatesRow& pairs_;
    const std::string& where_;
    std::vector<Occurrence> events_;
    std::map<std::size_t, std::set<std::size_t>> next_of_table_; ///< Blocks.
    std::size_t first_ = 0;                                      ///< Block where paths start.
};

} // namespace

void check_pair_states(const models::FlowFacts& facts, const ControlFlow& flow,
                       const Certificate& certificate, const std::string& where) {
    if (!certificate.pairs) return;
    if (!certificate.all_facts)
        refuted(where + ": it has states of pairs, and uses no facts about whole paths");
    const auto are_facts = [](const std::vector<std::size_t>& numbers, std::size_t all) {
        return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) ==
                   numbers.end() &&
               (numbers.empty() || numbers.back() < all);
    };
    if (!are_facts(certificate.pairs->exclusives, facts.exclusives.size()) ||
        !are_facts(certificate.pairs->constraints, facts.constraints.size()))
        refuted(where + ": its script states facts that are not in use");
    StateCheck{facts, flow, certificate, where}.check();
}

Certificate with_states(const models::FlowFacts& facts, const ControlFlow& flow,
                        const Certificate& certificate) {
    if (!certificate.pairs || certificate.pairs->states.empty()) return certificate;
    const auto& states = certificate.pairs->states;
    std::vector<std::vector<const Certificate::Edge*>> out(certificate.nodes.size());
    for (const auto& edge : certificate.edges)
        out[edge.from].push_back(&edge);
    using NodeInState = std::pair<std::size_t, std::size_t>;
    struct Found {
        NodeInState from;
        NodeInState to;
        std::int64_t cost = 0;
    };
    std::map<NodeInState, std::size_t> numbers{{{0, 0}, 0}};
    std::vector<Found> found;
    std::vector<NodeInState> work{{0, 0}};
    while (!work.empty()) {
        const NodeInState from = work.back();
        work.pop_back();
        std::map<std::size_t, std::size_t> next; // State by block.
        for (const std::size_t to : states[from.second].successors)
            next.emplace(states[to].block, to);
        for (const Certificate::Edge* edge : out[from.first]) {
            const auto state = next.find(certificate.nodes[edge->to].block);
            if (state == next.end()) continue;
            const NodeInState to{edge->to, state->second};
            found.push_back({from, to, edge->cost});
            if (numbers.emplace(to, 0).second) work.push_back(to);
        }
        if (numbers.size() > most_nodes || found.size() > most_edges)
            refuted(certificate.id + ": its table with states is too large");
    }
    const Exclusions exclusions{facts};
    Certificate product = certificate;
    product.pairs->states.clear();
    product.nodes.clear();
    product.edges.clear();
    for (auto& [of, number] : numbers) {
        number = product.nodes.size();
        product.nodes.push_back(certificate.nodes[of.first]);
        auto& [block, end] = product.nodes.back();
        if (exclusions.is_always_left(flow.blocks[block].first)) end.reset();
    }
    for (const auto& [from, to, cost] : found)
        product.edges.push_back({numbers.at(from), numbers.at(to), cost});
    std::sort(product.edges.begin(), product.edges.end(), [](const auto& a, const auto& b) {
        return std::tie(a.from, a.to, a.cost) < std::tie(b.from, b.to, b.cost);
    });
    return product;
}

models::FlowFacts facts_of_script(const models::FlowFacts& facts, const Certificate& certificate) {
    if (!certificate.pairs) return facts;
    models::FlowFacts stated;
    for (const std::size_t fact : certificate.pairs->exclusives)
        stated.exclusives.push_back(facts.exclusives[fact]);
    for (const std::size_t fact : certificate.pairs->constraints)
        stated.constraints.push_back(facts.constraints[fact]);
    return stated;
}

} // namespace warpbound::certification::verify
