#include "analyzer/flow/infeasible_paths.hpp"

#include "analyzer/value/block_states.hpp"
#include "analyzer/value/branch_conditions.hpp"
#include "analyzer/value/condition_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;

constexpr std::size_t most_pairs = 8192;
constexpr std::size_t most_partners = 256; ///< Of one edge, nearest first.
constexpr std::size_t most_exits = 16;     ///< Each is a question to the solver.
constexpr models::FactSource from_code{models::FactOrigin::Static, models::FactStatus::Proved, 0};

/// What holds whenever an edge is taken, about one subject.
struct EdgeCondition {
    std::size_t edge = 0;
    IntervalSet allowed = IntervalSet::all();
    std::vector<Comparison> as_written;
};

class Branches {
public:
    Branches(const Function& function, const ControlFlowGraph& graph,
             const std::optional<models::Launch>& launch, Lanes lanes)
        : function_{function}, graph_{graph}, launch_{launch}, lanes_{lanes},
          known_(graph.blocks.size()), of_edge_(graph.edges.size()), of_exit_(graph.blocks.size()),
          dead_(graph.edges.size()), dead_exit_(graph.blocks.size()) {
        for (const auto& block : graph.blocks)
            ++copies_[block.address];
    }

    std::vector<DerivedPathFact> derive() {
        read_conditions();
        find_dead_edges();
        find_reached();
        add_nevers();
        add_exits();
        add_pairs();
        return std::move(facts_);
    }

private:
    using Known = std::map<Subject, IntervalSet>;

    void read_conditions() {
        const BlockStates values = values_in_run(function_, graph_, lanes_);
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            if (!values[block]) continue;
            const auto decision = decision_of(function_, graph_, *values[block], block);
            if (!decision) continue;
            if (decision->taken && decision->otherwise &&
                graph_.edges[*decision->taken].to == graph_.edges[*decision->otherwise].to)
                continue;
            if (decision->taken)
                read(*decision->taken, decision->when, of_edge_, dead_);
            else
                read(block, decision->when, of_exit_, dead_exit_);
            if (decision->otherwise) read(*decision->otherwise, !decision->when, of_edge_, dead_);
        }
    }

    using Conditions = std::map<Subject, EdgeCondition>;

    /// What holds when an edge is taken or a block ends the lane.
    static void read(std::size_t number, const Predicate& when, std::vector<Conditions>& of,
                     std::vector<std::string>& dead) {
        if (when.negated && !when.all.empty()) return; // One of several comparisons fails.
        if (when.negated) dead[number] = "its guard is always decided the other way";
        for (const Comparison& comparison : when.all) {
            const Condition condition = condition_of(comparison);
            EdgeCondition& all = of[number][condition.subject];
            all.edge = number;
            all.allowed = all.allowed.intersect(condition.allowed);
            all.as_written.push_back(comparison);
        }
    }

    [[nodiscard]] std::optional<std::size_t> only_edge_into(std::size_t block) const {
        if (block == 0 || graph_.blocks[block].in.size() != 1) return std::nullopt;
        return graph_.blocks[block].in.front();
    }

    /// A condition that cannot hold beside those of the blocks that every way passes before.
    void find_dead_edges() {
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            Known& known = known_[block];
            if (graph_.immediate_dominator[block])
                known = known_[*graph_.immediate_dominator[block]];
            if (const auto into = only_edge_into(block))
                for (const auto& [subject, condition] : of_edge_[*into]) {
                    const auto [place, fresh] = known.emplace(subject, condition.allowed);
                    if (!fresh) place->second = place->second.intersect(condition.allowed);
                }
            const auto find_dead = [&](const Conditions& conditions, std::string& dead) {
                for (const auto& [subject, condition] : conditions)
                    if (dead.empty() && left(block, subject, condition.allowed).empty())
                        dead = "that would need " + text_of(condition);
            };
            for (const std::size_t edge : graph_.blocks[block].out)
                find_dead(of_edge_[edge], dead_[edge]);
            find_dead(of_exit_[block], dead_exit_[block]);
        }
    }

    /// Values of a subject that conditions before a block and the launch leave of some.
    [[nodiscard]] IntervalSet left(std::size_t block, const Subject& subject,
                                   IntervalSet some) const {
        some = some.intersect(range_of(subject, launch_));
        const auto known = known_[block].find(subject);
        return known == known_[block].end() ? some : some.intersect(known->second);
    }

    /// Blocks that can be reached over edges that are not dead.
    void find_reached() {
        reached_.assign(graph_.blocks.size(), false);
        std::vector<std::size_t> work{0};
        reached_[0] = true;
        while (!work.empty()) {
            const std::size_t block = work.back();
            work.pop_back();
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (!dead_[edge].empty() || reached_[to]) continue;
                reached_[to] = true;
                work.push_back(to);
            }
        }
    }

    [[nodiscard]] std::string text_of(const EdgeCondition& condition) const {
        std::string text;
        for (const Comparison& comparison : condition.as_written)
            text += (text.empty() ? "" : " and ") + to_text(comparison, function_, graph_);
        return text;
    }
    [[nodiscard]] std::int64_t address(std::size_t block) const {
        return graph_.blocks[block].address;
    }
    [[nodiscard]] std::int64_t branch_of(std::size_t edge) const {
        return function_.instructions[graph_.blocks[graph_.edges[edge].from].last].address;
    }
    /// Facts name addresses, which stand for all copies of called code.
    [[nodiscard]] bool is_only_copy(std::size_t block) const {
        return copies_.at(address(block)) == 1;
    }

    void add_nevers() {
        for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
            const auto& [from, to, kind] = graph_.edges[edge];
            if (dead_[edge].empty() || !reached_[from] || !is_only_copy(to)) continue;
            const std::string reason = fmt::format("the branch at 0x{:04x} never goes there: {}",
                                                   branch_of(edge), dead_[edge]);
            if (!reached_[to]) {
                facts_.push_back({models::NeverFact{address(to), from_code}, reason});
            } else if (is_only_copy(from)) {
                models::LinearFact fact;
                fact.terms = {{1, address(from), address(to)}};
                fact.from = from_code;
                facts_.push_back({std::move(fact), reason});
            }
        }
        // A block that several dead edges lead to is named once.
        std::map<std::int64_t, bool> seen;
        facts_.erase(
            std::remove_if(facts_.begin(), facts_.end(),
                           [&](const DerivedPathFact& derived) {
                               const auto* never = std::get_if<models::NeverFact>(&derived.fact);
                               return never != nullptr && !seen.emplace(never->block, true).second;
                           }),
            facts_.end());
    }

    /// A block behind which a lane always goes on: as often as the block its edge is taken.
    void add_exits() {
        std::size_t added = 0;
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            const auto& out = graph_.blocks[block].out;
            if (dead_exit_[block].empty() || !reached_[block] || !is_only_copy(block) ||
                out.size() != 1 || ++added > most_exits)
                continue;
            models::LinearFact fact;
            fact.terms = {{1, address(block), address(graph_.edges[out.front()].to)},
                          {-1, std::nullopt, address(block)}};
            fact.relation = models::Relation::AtLeast;
            fact.from = from_code;
            facts_.push_back(
                {std::move(fact), fmt::format("the EXIT at 0x{:04x} never ends a lane: {}",
                                              branch_of(out.front()), dead_exit_[block])});
        }
    }

    void add_pairs() {
        std::map<Subject, std::vector<const EdgeCondition*>> groups;
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
            for (const std::size_t edge : graph_.blocks[block].out) {
                if (!reached_[block] || !dead_[edge].empty()) continue;
                for (const auto& [subject, condition] : of_edge_[edge])
                    groups[subject].push_back(&condition);
            }
        for (const auto& [subject, group] : groups)
            for (std::size_t second = 0; second < group.size(); ++second)
                for (std::size_t back = 1; back <= std::min(second, most_partners); ++back)
                    if (pairs_ < most_pairs)
                        consider(subject, *group[second - back], *group[second], group);
    }

    void consider(const Subject& subject, const EdgeCondition& a, const EdgeCondition& b,
                  const std::vector<const EdgeCondition*>& group) {
        const std::size_t first = graph_.edges[a.edge].from;
        const std::size_t second = graph_.edges[b.edge].from;
        const bool loops = graph_.innermost_loop[first] || graph_.innermost_loop[second];
        if (first == second && !loops) return;
        if (!a.allowed.intersect(b.allowed).intersect(range_of(subject, launch_)).empty()) return;
        if (!reaches(a.edge, second) && !(loops && reaches(b.edge, first))) return;
        if (!loops && is_covered(a, b, group)) return;
        const auto counted = [&](std::size_t edge) -> std::optional<models::LinearTerm> {
            const auto& [from, to, kind] = graph_.edges[edge];
            if (!is_only_copy(to)) return std::nullopt;
            if (only_edge_into(to)) return models::LinearTerm{1, std::nullopt, address(to)};
            if (!is_only_copy(from)) return std::nullopt;
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
            facts_.push_back({models::ExclusiveFact{one->block, other->block, from_code}, reason});
        } else if (!loops) { // Each edge is taken at most once.
            models::LinearFact fact;
            fact.terms = {*one, *other};
            fact.constant = 1;
            fact.from = from_code;
            facts_.push_back({std::move(fact), reason});
        } else {
            return;
        }
        ++pairs_;
    }

    /// A branch on every way between the two, each way out of which excludes one of them: its own
    /// pairs say the same.
    [[nodiscard]] bool is_covered(const EdgeCondition& a, const EdgeCondition& b,
                                  const std::vector<const EdgeCondition*>& group) const {
        const std::size_t first = graph_.edges[a.edge].from;
        const std::size_t second = graph_.edges[b.edge].from;
        std::map<std::size_t, std::size_t> excluding; // by block between
        for (const EdgeCondition* condition : group) {
            const std::size_t between = graph_.edges[condition->edge].from;
            if (between <= first || between >= second || graph_.innermost_loop[between] ||
                !graph_.dominates(between, second))
                continue;
            if (condition->allowed.intersect(a.allowed).empty() ||
                condition->allowed.intersect(b.allowed).empty())
                ++excluding[between];
        }
        return std::any_of(excluding.begin(), excluding.end(), [&](const auto& found) {
            return found.second == graph_.blocks[found.first].out.size();
        });
    }

    /// A way leads on from the edge to the block.
    [[nodiscard]] bool reaches(std::size_t edge, std::size_t block) {
        const std::size_t start = graph_.edges[edge].to;
        auto& reach = reach_[start];
        if (reach.empty()) {
            reach.assign(graph_.blocks.size(), false);
            std::vector<std::size_t> work{start};
            reach[start] = true;
            while (!work.empty()) {
                const std::size_t from = work.back();
                work.pop_back();
                for (const std::size_t next : graph_.blocks[from].out) {
                    const std::size_t to = graph_.edges[next].to;
                    if (!dead_[next].empty() || reach[to]) continue;
                    reach[to] = true;
                    work.push_back(to);
                }
            }
        }
        return reach[block];
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const std::optional<models::Launch>& launch_;
    Lanes lanes_;
    std::map<std::int64_t, int> copies_; ///< Blocks by address.
    std::vector<Known> known_;           ///< Per block: what holds whenever it is executed.
    std::vector<Conditions> of_edge_;
    std::vector<Conditions> of_exit_;    ///< Per block: those of its EXIT.
    std::vector<std::string> dead_;      ///< Per edge: why it is never taken; empty: it may be.
    std::vector<std::string> dead_exit_; ///< Per block: why its EXIT never ends a lane.
    std::vector<bool> reached_;
    std::map<std::size_t, std::vector<bool>> reach_; ///< By block: blocks behind it.
    std::size_t pairs_ = 0;
    std::vector<DerivedPathFact> facts_;
};

} // namespace

std::vector<DerivedPathFact> derive_branch_facts(const Function& function,
                                                 const ControlFlowGraph& graph,
                                                 const std::optional<models::Launch>& launch,
                                                 Lanes lanes) {
    return Branches{function, graph, launch, lanes}.derive();
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
