#include "analyzer/evidence/path_certificates.hpp"

#include "analyzer/path/ilp_solver.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "analyzer/evidence/smt_script.hpp"
#include "analyzer/path/subtours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// What the script of a lemma shows under further facts.
class Shown {
public:
    Shown(const Problem& problem, PathLemma& lemma) : problem_{problem}, lemma_{lemma} {}

    /// Adds the regions that the script needs to show the bound, or weakens the lemma and the
    /// solution to what it shows.
    void settle(PathSolution& solved) {
        weaken(solved);
        leave_out_regions();
    }

private:
    void weaken(PathSolution& solved) {
        if (shows(solved.bound)) return;
        const std::int64_t structural = StructuralPaths{*problem_.request.graph, lemma_.paths,
                                                        problem_.facts.loops, lemma_.side}
                                            .start_to_end()
                                            ->cost;
        solved.proof = Proof::Refutation;
        solved.outcome = Outcome::LimitReached;
        solved.solver_used = true;
        if (shows(structural)) {
            std::int64_t open = solved.bound;
            std::int64_t shown = structural;
            while (std::abs(shown - open) > 1) {
                const std::int64_t middle = open + (shown - open) / 2;
                (shows(middle) ? shown : open) = middle;
            }
            lemma_.bound = shown;
        } else { // Without facts the script is about the best path.
            lemma_.facts = Facts::LoopBounds;
            lemma_.regions.clear();
            lemma_.bound = structural;
            solved.proof = Proof::StructuralPath;
        }
        solved.bound = lemma_.bound;
    }

    [[nodiscard]] ScriptAnswer ask() const {
        return answer_script(proof_script(*problem_.request.graph, *problem_.request.facts,
                                          problem_.facts.loops, lemma_));
    }

    bool shows(std::int64_t bound) {
        constexpr int most_questions = 60;
        lemma_.bound = bound;
        for (int question = 0; question < most_questions; ++question) {
            const ScriptAnswer answer = ask();
            if (answer.kind != ScriptAnswer::Kind::Satisfiable)
                return answer.kind == ScriptAnswer::Kind::Unsatisfiable;
            const auto turning = turning_apart(answer.positive);
            if (turning.empty()) return false;
            lemma_.regions.insert(lemma_.regions.end(), turning.begin(), turning.end());
        }
        return false;
    }

    /// Nodes between which counts of the script's solution turn where no path leads.
    [[nodiscard]] std::vector<std::vector<std::size_t>>
    turning_apart(const std::set<std::string>& counted) const {
        const auto& nodes = lemma_.paths.nodes;
        std::vector<std::vector<std::size_t>> successors(nodes.size());
        std::size_t number = 0; // of the edge, as in the script
        for (std::size_t node = 0; node < nodes.size(); ++node)
            for (const PathEdge& edge : nodes[node].successors)
                if (counted.count(fmt::format("x{}", number++)) != 0)
                    successors[node].push_back(edge.to);
        return parts_not_reached(successors);
    }

    /// Those that the bound is shown without.
    void leave_out_regions() {
        for (std::size_t i = lemma_.regions.size(); i-- > 0;) {
            const auto all = lemma_.regions;
            lemma_.regions.erase(lemma_.regions.begin() + static_cast<std::ptrdiff_t>(i));
            if (ask().kind != ScriptAnswer::Kind::Unsatisfiable) lemma_.regions = all;
        }
    }

    const Problem& problem_;
    PathLemma& lemma_;
};

} // namespace

PathSolution record(const Problem& problem, const LemmaName& name, Side side, Facts facts,
                    PathSolution solved, const GrowingPaths& paths) {
    if (problem.request.proofs == nullptr) return solved;
    // Further facts may be stated and not used (S19d).
    const bool unused =
        has_further_facts(*problem.request.facts) && !has_further_facts(problem.facts.in_use);
    const Facts used = unused ? Facts::LoopBounds : facts;
    PathLemma lemma{name.id, name.text, side, used, std::nullopt, solved.bound, {}, {}, {}};
    constexpr std::size_t most_nodes = 64;
    for (std::size_t nodes = 1; nodes <= most_nodes && !lemma.witness; nodes *= 2) {
        PathGraph smaller = paths(nodes);
        auto again = solve_paths(problem, smaller, side, facts, std::nullopt);
        if (!again || again.value().bound != solved.bound || !again.value().witness) continue;
        lemma.paths = std::move(smaller);
        lemma.witness = std::move(again.value().witness);
    }
    if (!lemma.witness) {
        lemma.paths = paths(std::nullopt);
        lemma.witness = solved.witness;
    }
    // Of a path that does not meet the bound another way through the table may cost more.
    if (lemma.witness && lemma.witness->cost != solved.bound) lemma.witness.reset();
    if (used == Facts::All && has_further_facts(*problem.request.facts))
        Shown{problem, lemma}.settle(solved);
    problem.request.proofs->lemmas.push_back(std::move(lemma));
    return solved;
}

namespace {

/// The costliest (cheapest) path; keeps its lemma, once, if the request asks for proofs.
std::optional<std::int64_t> recorded(const Problem& problem, const LemmaName& name, PathGraph paths,
                                     Side side) {
    auto best =
        StructuralPaths{*problem.request.graph, paths, problem.facts.loops, side}.start_to_end();
    if (!best) return std::nullopt; // The path problem itself is refused as contradictory.
    const std::int64_t bound = best->cost;
    if (problem.request.proofs == nullptr) return bound;
    auto& lemmas = problem.request.proofs->lemmas;
    if (std::any_of(lemmas.begin(), lemmas.end(),
                    [&](const PathLemma& lemma) { return lemma.id == name.id; }))
        return bound;
    lemmas.push_back({name.id,
                      name.text,
                      side,
                      Facts::LoopBounds,
                      std::nullopt,
                      bound,
                      std::move(paths),
                      {},
                      std::move(best)});
    return bound;
}

} // namespace

void record_sum(const Problem& problem, const LemmaName& name,
                const std::vector<std::int64_t>& block_costs, Side side) {
    if (problem.request.proofs != nullptr)
        recorded(problem, name, sum_graph(problem, block_costs, side), side);
}

std::int64_t most_by_lemma(const Problem& problem, const LemmaName& name, PathGraph paths) {
    return std::max<std::int64_t>(
        0, recorded(problem, name, std::move(paths), Side::Upper).value_or(0));
}

std::int64_t most_by_lemma(const Problem& problem, const LemmaName& name,
                           const InstructionCosts& costs) {
    return most_by_lemma(problem, name,
                         sum_graph(problem, block_costs(problem, costs), Side::Upper));
}

void keep_counted(const Problem& problem, const std::vector<BoundTerm>& terms) {
    if (problem.request.proofs == nullptr) return;
    std::erase_if(problem.request.proofs->lemmas, [&](const PathLemma& lemma) {
        return lemma.side == Side::Upper &&
               std::none_of(terms.begin(), terms.end(), [&](const BoundTerm& term) {
                   return term.count != 0 && term.lemma == lemma.id;
               });
    });
}

} // namespace warpbound::analyzer
