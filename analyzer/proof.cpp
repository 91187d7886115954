#include "analyzer/proof.hpp"

#include "analyzer/longest_path.hpp"
#include "analyzer/warp_work.hpp"

#include <utility>

namespace warpbound::analyzer {

void record(const Problem& problem, const LemmaName& name, Side side, Facts facts,
            const PathSolution& solved, const GrowingPaths& paths) {
    if (problem.request.proofs == nullptr) return;
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
    problem.request.proofs->lemmas.push_back(std::move(lemma));
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
