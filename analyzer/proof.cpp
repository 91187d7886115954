#include "analyzer/proof.hpp"

#include "analyzer/flow_solver.hpp"
#include "analyzer/longest_path.hpp"
#include "analyzer/proof_script.hpp"
#include "analyzer/warp_work.hpp"

#include <cstdlib>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// What the script of a lemma shows under further facts.
class Shown {
public:
    Shown(const Problem& problem, PathLemma& lemma) : problem_{problem}, lemma_{lemma} {}

    /// Weakens the lemma and the solution to what the script shows.
    void settle(PathSolution& solved) {
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
            lemma_.bound = structural;
            solved.proof = Proof::StructuralPath;
        }
        solved.bound = lemma_.bound;
    }

private:
    bool shows(std::int64_t bound) {
        lemma_.bound = bound;
        return is_unsatisfiable(proof_script(*problem_.request.graph, *problem_.request.facts,
                                             problem_.facts.loops, lemma_))
            .value_or(false);
    }

    const Problem& problem_;
    PathLemma& lemma_;
};

bool has_further(const models::FlowFacts& facts) {
    return !facts.exclusives.empty() || !facts.constraints.empty();
}

} // namespace

PathSolution record(const Problem& problem, const LemmaName& name, Side side, Facts facts,
                    PathSolution solved, const GrowingPaths& paths) {
    if (problem.request.proofs == nullptr) return solved;
    PathLemma lemma{name.id, name.text, side, facts, std::nullopt, solved.bound, {}, {}};
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
    if (facts == Facts::All && has_further(*problem.request.facts))
        Shown{problem, lemma}.settle(solved);
    problem.request.proofs->lemmas.push_back(std::move(lemma));
    return solved;
}

void record_sum(const Problem& problem, const LemmaName& name,
                const std::vector<std::int64_t>& block_costs, Side side) {
    if (problem.request.proofs == nullptr) return;
    PathLemma lemma{name.id, name.text, side, Facts::LoopBounds, std::nullopt, 0, {}, {}};
    lemma.paths = sum_graph(problem, block_costs, side);
    lemma.witness = StructuralPaths{*problem.request.graph, lemma.paths, problem.facts.loops, side}
                        .start_to_end();
    if (!lemma.witness) return; // The path problem itself is refused as contradictory.
    lemma.bound = lemma.witness->cost;
    problem.request.proofs->lemmas.push_back(std::move(lemma));
}

} // namespace warpbound::analyzer
