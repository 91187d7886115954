#include "analyzer/flow/infeasible_paths.hpp"

#include "analyzer/value/block_states.hpp"
#include "analyzer/value/branch_conditions.hpp"
#include "analyzer/value/condition_text.hpp"
#include "analyzer/value/kernel_parameters.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;

// The limits below weaken bounds of large kernels only: a fact that is left out excludes no path.
constexpr std::size_t most_pairs = 8192;
constexpr std::size_t most_partners = 256;            ///< Of one edge, the nearest ones.
constexpr std::size_t most_partners_of_all = 400'000; ///< Of all edges of one subject.
constexpr std::size_t most_pair_blocks = 16'000'000;  ///< Pairs times blocks.
constexpr std::size_t most_exits = 16; ///< Each adds a constraint for the path analysis.

/// The values of one subject with which an edge can be taken.
struct EdgeCondition {
    std::size_t edge = 0;
    IntervalSet allowed = IntervalSet::all();
    std::vector<Comparison> comparisons; ///< As in the code.
};

class InfeasiblePathAnalysis {
public:
    InfeasiblePathAnalysis(const Function& function, const ControlFlowGraph& graph,
                           const std::optional<models::Launch>& launch, Convergence convergence)
        : function_{function}, graph_{graph}, launch_{launch}, convergence_{convergence},
          known_(graph.blocks.size()), of_edge_(graph.edges.size()), of_exit_(graph.blocks.size()),
          infeasible_edge_(graph.edges.size()), infeasible_exit_(graph.blocks.size()) {
        for (const auto& block : graph.blocks)
            ++contexts_[block.address];
    }

    std::vector<DerivedPathFact> derive() {
        read_conditions();
        find_infeasible_edges();
        find_reached();
        add_never_facts();
        add_exit_facts();
        add_pair_facts();
        return std::move(facts_);
    }

private:
    using KnownValues = std::map<Subject, IntervalSet>;

    void read_conditions() {
        const BlockStates values = block_states_of_run(function_, graph_, convergence_);
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            if (!values[block]) continue;
            const auto decision = decision_of(function_, graph_, *values[block], block);
            if (!decision) continue;
            if (decision->taken && decision->otherwise &&
                graph_.edges[*decision->taken].to == graph_.edges[*decision->otherwise].to)
                continue;
            if (decision->taken)
                add_condition(*decision->taken, decision->when, of_edge_, infeasible_edge_);
            else
                add_condition(block, decision->when, of_exit_, infeasible_exit_);
            if (decision->otherwise)
                add_condition(*decision->otherwise, !decision->when, of_edge_, infeasible_edge_);
        }
    }

    using Conditions = std::map<Subject, EdgeCondition>;

    /// Adds the condition under which an edge is taken, or a block's EXIT terminates the thread.
    static void add_condition(std::size_t number, const Predicate& when,
                              std::vector<Conditions>& of, std::vector<std::string>& infeasible) {
        if (when.negated && !when.all.empty()) return; // A disjunction: not representable.
        if (when.negated) infeasible[number] = "its guard always has the opposite value";
        for (const Comparison& comparison : when.all) {
            const Condition condition = condition_of(comparison);
            EdgeCondition& all = of[number][condition.subject];
            all.edge = number;
            all.allowed = all.allowed.intersect(condition.allowed);
            all.comparisons.push_back(comparison);
        }
    }

    [[nodiscard]] std::optional<std::size_t> only_edge_into(std::size_t block) const {
        if (block == 0 || graph_.blocks[block].in.size() != 1) return std::nullopt;
        return graph_.blocks[block].in.front();
    }

    /// Edges and EXITs whose condition contradicts the conditions on all paths to their block,
    /// which are those of its dominators.
    void find_infeasible_edges() {
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            check_stop("the search for infeasible paths");
            KnownValues& known = known_[block];
            if (graph_.immediate_dominator[block])
                known = known_[*graph_.immediate_dominator[block]];
            if (const auto into = only_edge_into(block))
                for (const auto& [subject, condition] : of_edge_[*into]) {
                    const auto [entry, inserted] = known.emplace(subject, condition.allowed);
                    if (!inserted) entry->second = entry->second.intersect(condition.allowed);
                }
            const auto check = [&](const Conditions& conditions, std::string& infeasible) {
                for (const auto& [subject, condition] : conditions)
                    if (infeasible.empty() && possible(block, subject, condition.allowed).empty())
                        infeasible = "that would need " + text_of(condition);
            };
            for (const std::size_t edge : graph_.blocks[block].out)
                check(of_edge_[edge], infeasible_edge_[edge]);
            check(of_exit_[block], infeasible_exit_[block]);
        }
    }

    /// The values among `allowed` that the conditions of the block's dominators and the launch
    /// admit.
    [[nodiscard]] IntervalSet possible(std::size_t block, const Subject& subject,
                                       IntervalSet allowed) const {
        allowed = allowed.intersect(range_of(subject, launch_));
        const auto known = known_[block].find(subject);
        return known == known_[block].end() ? allowed : allowed.intersect(known->second);
    }

    /// Blocks that can be reached over feasible edges.
    void find_reached() {
        reached_.assign(graph_.blocks.size(), false);
        std::vector<std::size_t> worklist{0};
        reached_[0] = true;
        while (!worklist.empty()) {
            const std::size_t block = worklist.back();
            worklist.pop_back();
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (!infeasible_edge_[edge].empty() || reached_[to]) continue;
                reached_[to] = true;
                worklist.push_back(to);
            }
        }
    }

    [[nodiscard]] std::string text_of(const EdgeCondition& condition) const {
        std::string text;
        for (const Comparison& comparison : condition.comparisons)
            text += (text.empty() ? "" : " and ") + to_text(comparison, function_, graph_);
        return text;
    }
    [[nodiscard]] std::int64_t address(std::size_t block) const {
        return graph_.blocks[block].address;
    }
    [[nodiscard]] std::int64_t branch_of(std::size_t edge) const {
        return function_.instructions[graph_.blocks[graph_.edges[edge].from].last].address;
    }
    /// Flow facts name addresses, which cover all call contexts of the code.
    [[nodiscard]] bool has_one_context(std::size_t block) const {
        return contexts_.at(address(block)) == 1;
    }

    /// Whether every edge from the block to code at the address is infeasible.
    [[nodiscard]] bool never_goes_to(std::size_t from, std::int64_t target) const {
        const auto& out = graph_.blocks[from].out;
        return std::all_of(out.begin(), out.end(), [&](std::size_t edge) {
            return address(graph_.edges[edge].to) != target || !infeasible_edge_[edge].empty();
        });
    }

    void add_never_facts() {
        std::set<std::int64_t> reached;
        for (std::size_t block = 0; block < reached_.size(); ++block)
            if (reached_[block]) reached.insert(address(block));
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
            const auto& [from, to, kind] = graph_.edges[edge];
            if (infeasible_edge_[edge].empty() || !reached_[from]) continue;
            const std::string reason = fmt::format("the branch at 0x{:04x} never goes there: {}",
                                                   branch_of(edge), infeasible_edge_[edge]);
            if (reached.count(address(to)) == 0) {
                facts_.push_back({models::NeverFact{address(to), models::from_code}, reason});
            } else if (has_one_context(from) && never_goes_to(from, address(to))) {
                models::LinearFact fact;
                fact.terms = {{1, address(from), address(to)}};
                fact.from = models::from_code;
                facts_.push_back({std::move(fact), reason});
            }
        }
        // A block with several infeasible in-edges is named once.
        std::map<std::int64_t, bool> seen;
        facts_.erase(
            std::remove_if(facts_.begin(), facts_.end(),
                           [&](const DerivedPathFact& derived) {
                               const auto* never = std::get_if<models::NeverFact>(&derived.fact);
                               return never != nullptr && !seen.emplace(never->block, true).second;
                           }),
            facts_.end());
    }

    /// Where an EXIT terminates no thread, the block's out-edge is taken as often as the block.
    void add_exit_facts() {
        std::size_t added = 0;
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            const auto& out = graph_.blocks[block].out;
            if (infeasible_exit_[block].empty() || !reached_[block] || !has_one_context(block) ||
                out.size() != 1 || ++added > most_exits)
                continue;
            models::LinearFact fact;
            fact.terms = {{1, address(block), address(graph_.edges[out.front()].to)},
                          {-1, std::nullopt, address(block)}};
            fact.relation = models::Relation::AtLeast;
            fact.from = models::from_code;
            facts_.push_back(
                {std::move(fact), fmt::format("the EXIT at 0x{:04x} never terminates a thread: {}",
                                              branch_of(out.front()), infeasible_exit_[block])});
        }
    }

    void add_pair_facts() {
        std::map<Subject, std::vector<const EdgeCondition*>> groups;
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
            for (const std::size_t edge : graph_.blocks[block].out) {
                if (!reached_[block] || !infeasible_edge_[edge].empty()) continue;
                for (const auto& [subject, condition] : of_edge_[edge])
                    groups[subject].push_back(&condition);
            }
        const std::size_t pairs = std::min(most_pairs, most_pair_blocks / graph_.blocks.size());
        for (const auto& [subject, group] : groups) {
            const IntervalSet range = range_of(subject, launch_);
            const std::size_t partners =
                std::min(most_partners, most_partners_of_all / group.size());
            for (std::size_t second = 0; second < group.size(); ++second) {
                const IntervalSet allowed = group[second]->allowed.intersect(range);
                for (std::size_t back = 1; back <= std::min(second, partners); ++back) {
                    check_stop("the search for infeasible paths");
                    if (pairs_ < pairs && group[second - back]->allowed.disjoint(allowed))
                        consider_pair(std::span{group}.subspan(second - back, back + 1));
                }
            }
        }
    }

    /// The first and the last of `group` contradict each other; the others are those between.
    void consider_pair(std::span<const EdgeCondition* const> group) {
        const EdgeCondition& a = *group.front();
        const EdgeCondition& b = *group.back();
        const std::size_t first = graph_.edges[a.edge].from;
        const std::size_t second = graph_.edges[b.edge].from;
        const bool loops = graph_.innermost_loop[first] || graph_.innermost_loop[second];
        if (first == second && !loops) return;
        if (!reaches(a.edge, second) && !(loops && reaches(b.edge, first))) return;
        if (!loops && is_covered(group)) return;
        const auto counted = [&](std::size_t edge) -> std::optional<models::LinearTerm> {
            const auto& [from, to, kind] = graph_.edges[edge];
            if (!has_one_context(to)) return std::nullopt;
            if (only_edge_into(to)) return models::LinearTerm{1, std::nullopt, address(to)};
            if (!has_one_context(from)) return std::nullopt;
            return models::LinearTerm{1, address(from), address(to)};
        };
        const auto one = counted(a.edge);
        const auto other = counted(b.edge);
        if (!one || !other) return;
        const std::string reason = fmt::format(
            "the branch at 0x{:04x} goes to 0x{:04x} if {}, that at 0x{:04x} to 0x{:04x} if {}",
            branch_of(a.edge), address(graph_.edges[a.edge].to), text_of(a), branch_of(b.edge),
            address(graph_.edges[b.edge].to), text_of(b));
        if (!one->from && !other->from) {
            facts_.push_back(
                {models::ExclusiveFact{one->block, other->block, models::from_code}, reason});
        } else if (!loops) { // Each edge is taken at most once.
            models::LinearFact fact;
            fact.terms = {*one, *other};
            fact.constant = 1;
            fact.from = models::from_code;
            facts_.push_back({std::move(fact), reason});
        } else {
            return;
        }
        ++pairs_;
    }

    /// Whether a branch on all paths between the two has only edges that contradict one of them:
    /// then the pairs with that branch's edges imply this pair.
    [[nodiscard]] bool is_covered(std::span<const EdgeCondition* const> group) const {
        const EdgeCondition& a = *group.front();
        const EdgeCondition& b = *group.back();
        const std::size_t first = graph_.edges[a.edge].from;
        const std::size_t second = graph_.edges[b.edge].from;
        // The conditions are in the order of their blocks; the nearest to the second come first.
        std::size_t excluding = 0; // Edges of the block between.
        for (std::size_t i = group.size() - 1; i-- > 1;) {
            const std::size_t between = graph_.edges[group[i]->edge].from;
            if (graph_.edges[group[i + 1]->edge].from != between) excluding = 0;
            if (between <= first || between >= second || graph_.innermost_loop[between] ||
                !graph_.dominates(between, second))
                continue;
            const IntervalSet& allowed = group[i]->allowed;
            if (allowed.disjoint(a.allowed) || allowed.disjoint(b.allowed)) ++excluding;
            if (excluding == graph_.blocks[between].out.size()) return true;
        }
        return false;
    }

    /// Whether a block that every feasible path from `start` soon enters dominates `block`: the
    /// path from the entry to `block` then passes there.
    [[nodiscard]] bool surely_reaches(std::size_t start, std::size_t block) const {
        constexpr int most_steps = 8;
        for (int step = 0; step < most_steps; ++step) {
            if (graph_.dominates(start, block)) return reached_[block];
            const auto& out = graph_.blocks[start].out;
            if (out.size() != 1 || !infeasible_edge_[out.front()].empty()) return false;
            start = graph_.edges[out.front()].to;
        }
        return false;
    }

    /// Whether a feasible path leads from the edge to the block.
    [[nodiscard]] bool reaches(std::size_t edge, std::size_t block) {
        const std::size_t start = graph_.edges[edge].to;
        if (surely_reaches(start, block)) return true;
        auto& reach = reach_[start];
        if (reach.empty()) {
            reach.assign(graph_.blocks.size(), false);
            std::vector<std::size_t> worklist{start};
            reach[start] = true;
            while (!worklist.empty()) {
                check_stop("the search for infeasible paths");
                const std::size_t from = worklist.back();
                worklist.pop_back();
                for (const std::size_t next : graph_.blocks[from].out) {
                    const std::size_t to = graph_.edges[next].to;
                    if (!infeasible_edge_[next].empty() || reach[to]) continue;
                    reach[to] = true;
                    worklist.push_back(to);
                }
            }
        }
        return reach[block];
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const std::optional<models::Launch>& launch_;
    Convergence convergence_;
    std::map<std::int64_t, int> contexts_; ///< Number of blocks by address.
    std::vector<KnownValues> known_;       ///< Per block: conditions of its dominators.
    std::vector<Conditions> of_edge_;
    std::vector<Conditions> of_exit_; ///< Per block: conditions of its EXIT.
    std::vector<std::string>
        infeasible_edge_; ///< Per edge: why it is never taken; empty: feasible.
    std::vector<std::string> infeasible_exit_; ///< Per block: why its EXIT terminates no thread.
    std::vector<bool> reached_;
    std::map<std::size_t, std::vector<bool>> reach_; ///< By block: blocks reachable from it.
    std::size_t pairs_ = 0;
    std::vector<DerivedPathFact> facts_;
};

} // namespace

std::vector<DerivedPathFact> derive_infeasible_paths(const Function& function,
                                                     const ControlFlowGraph& graph,
                                                     const std::optional<models::Launch>& launch,
                                                     Convergence convergence) {
    return InfeasiblePathAnalysis{function, graph, launch, convergence}.derive();
}

std::vector<DerivedPathFact> infeasible_paths_with_arguments(const Function& function,
                                                             const ControlFlowGraph& graph,
                                                             const models::Launch& launch,
                                                             Convergence convergence) {
    KernelParameters words = launch_words(function, launch);
    auto facts =
        derive_infeasible_paths(with_parameters(function, words), graph, launch, convergence);
    if (launch.arguments.empty()) return facts;
    const auto is_known = [](const std::vector<DerivedPathFact>& known,
                             const DerivedPathFact& one) {
        return std::any_of(known.begin(), known.end(),
                           [&](const DerivedPathFact& other) { return other.fact == one.fact; });
    };
    words.insert(launch.arguments.begin(), launch.arguments.end());
    auto further =
        derive_infeasible_paths(with_parameters(function, words), graph, launch, convergence);
    std::erase_if(further, [&](const DerivedPathFact& one) { return is_known(facts, one); });
    for (DerivedPathFact& one : further) {
        std::visit([](auto& fact) { fact.from = models::from_arguments; }, one.fact);
        facts.push_back(std::move(one));
    }
    return facts;
}

const models::FactSource& source_of(const DerivedPathFact& derived) {
    return std::visit([](const auto& fact) -> const models::FactSource& { return fact.from; },
                      derived.fact);
}

std::string text_of(const DerivedPathFact& derived) {
    if (const auto* never = std::get_if<models::NeverFact>(&derived.fact))
        return fmt::format("0x{:04x} is never executed", never->block);
    if (const auto* pair = std::get_if<models::ExclusiveFact>(&derived.fact))
        return fmt::format("0x{:04x} or 0x{:04x}, not both", pair->first, pair->second);
    const auto& linear = std::get<models::LinearFact>(derived.fact);
    if (linear.relation == models::Relation::AtLeast)
        return fmt::format("0x{:04x} -> 0x{:04x} is always taken", linear.terms.back().block,
                           linear.terms.front().block);
    std::string text;
    for (const auto& term : linear.terms) {
        if (!text.empty()) text += " or ";
        if (term.from) text += fmt::format("0x{:04x} -> ", *term.from);
        text += fmt::format("0x{:04x}", term.block);
    }
    return text + (linear.constant == 0 ? " is never taken" : ", not both");
}

void append(models::FlowFacts& facts, const std::vector<DerivedPathFact>& derived) {
    for (const auto& [fact, reason] : derived)
        if (const auto* never = std::get_if<models::NeverFact>(&fact))
            facts.nevers.push_back(*never);
        else if (const auto* exclusive = std::get_if<models::ExclusiveFact>(&fact))
            facts.exclusives.push_back(*exclusive);
        else
            facts.constraints.push_back(std::get<models::LinearFact>(fact));
}

} // namespace warpbound::analyzer
