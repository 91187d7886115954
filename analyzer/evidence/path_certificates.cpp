#include "analyzer/evidence/path_certificates.hpp"

#include "analyzer/evidence/smt_script.hpp"
#include "analyzer/path/ilp_solver.hpp"
#include "analyzer/path/infeasible_pairs.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "analyzer/path/subtours.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// The best path of the certificate's graph under loop bounds alone.
BlockPath best_under_loop_bounds(const TimedKernel& kernel, const PathCertificate& certificate) {
    return LoopBoundedPaths{*kernel.graph, certificate.paths, kernel.facts.loops, certificate.side}
        .start_to_end()
        .value();
}

/// What the script of a certificate proves under exclusive and linear facts.
class ScriptProof {
public:
    ScriptProof(const TimedKernel& kernel, PathCertificate& certificate)
        : kernel_{kernel}, certificate_{certificate} {}

    /// Adds the regions that the script needs to prove the bound, or weakens the certificate and
    /// the solution to what the script proves.
    void establish(PathSolution& solved) {
        weaken(solved);
        remove_redundant_regions();
    }

private:
    void weaken(PathSolution& solved) {
        if (proves(solved.bound.count())) return;
        const std::int64_t structural = best_under_loop_bounds(kernel_, certificate_).cost;
        solved.proof = Proof::Refutation;
        solved.outcome = Outcome::LimitReached;
        solved.solver_used = true;
        if (proves(structural)) {
            std::int64_t open = solved.bound.count();
            std::int64_t proved = structural;
            while (std::abs(proved - open) > 1) {
                const std::int64_t middle = open + (proved - open) / 2;
                (proves(middle) ? proved : open) = middle;
            }
            certificate_.bound = proved;
        } else { // Without these facts the script is about the longest (shortest) path.
            if (certificate_.pairs) {
                certificate_.pairs->exclusives.clear();
                certificate_.pairs->constraints.clear();
            } else {
                certificate_.facts = Facts::LoopBounds;
            }
            certificate_.regions.clear();
            certificate_.bound = structural;
            solved.proof = Proof::StructuralPath;
        }
        solved.bound = models::Cycles{certificate_.bound};
    }

    /// Throws `Stopped` where work has to end: a query that was cut off is no answer.
    [[nodiscard]] ScriptAnswer ask() const {
        const ScriptAnswer answer = answer_script(
            proof_script(*kernel_.graph, *kernel_.stated, kernel_.facts.loops, certificate_));
        if (stop_requested()) throw Stopped{current_stop(), "the proof of a path bound"};
        return answer;
    }

    bool proves(std::int64_t bound) {
        constexpr int most_queries = 60;
        certificate_.bound = bound;
        for (int query = 0; query < most_queries; ++query) {
            const ScriptAnswer answer = ask();
            if (answer.kind != ScriptAnswer::Kind::Satisfiable)
                return answer.kind == ScriptAnswer::Kind::Unsatisfiable;
            const auto subtours = subtours_in(answer.positive);
            if (subtours.empty()) return false;
            certificate_.regions.insert(certificate_.regions.end(), subtours.begin(),
                                        subtours.end());
        }
        return false;
    }

    /// Subtours of the solution of the script: nodes whose flow is not connected to the start.
    [[nodiscard]] std::vector<std::vector<NodeIndex>>
    subtours_in(const std::set<std::string>& counted) const {
        const auto& nodes = certificate_.paths.nodes;
        PerNode<std::vector<NodeIndex>> successors(nodes.size());
        std::size_t number = 0; // of the edge, as in the script
        for (const NodeIndex node : nodes.indices())
            for (const PathEdge& edge : nodes[node].successors)
                if (counted.count(fmt::format("x{}", number++)) != 0)
                    successors[node].push_back(edge.to);
        return subtours_of(successors);
    }

    /// Removes the regions without which the bound is still proved.
    void remove_redundant_regions() {
        for (std::size_t i = certificate_.regions.size(); i-- > 0;) {
            const auto all = certificate_.regions;
            certificate_.regions.erase(certificate_.regions.begin() +
                                       static_cast<std::ptrdiff_t>(i));
            if (ask().kind != ScriptAnswer::Kind::Unsatisfiable) certificate_.regions = all;
        }
    }

    const TimedKernel& kernel_;
    PathCertificate& certificate_;
};

/// Lets the nodes of the graph remember infeasible pairs (S19c), so that its paths are those that
/// keep them. Not where the facts say nothing of this kind.
void remember_pairs(const TimedKernel& kernel, PathCertificate& certificate) {
    const models::FlowFacts& facts = *kernel.stated;
    PairProduct product = product_of_pairs(*kernel.graph, certificate.paths, facts);
    if (product.exclusives.size() == facts.exclusives.size() &&
        product.constraints.size() == facts.constraints.size())
        return;
    PathGraph table = std::exchange(certificate.paths, std::move(product.paths));
    certificate.pairs = {std::move(table), std::move(product.states), std::move(product.exclusives),
                         std::move(product.constraints)};
}

/// Adds what proves the bound under exclusive and linear facts, or weakens it to what is proved.
void prove_with_facts(const TimedKernel& kernel, PathCertificate& certificate,
                      PathSolution& solved) {
    remember_pairs(kernel, certificate);
    if (certificate.pairs) {
        auto& [table, states, exclusives, constraints] = *certificate.pairs;
        BlockPath best = best_under_loop_bounds(kernel, certificate);
        const bool suffices = best.cost == certificate.bound;
        if (suffices || (exclusives.empty() && constraints.empty())) {
            exclusives.clear();
            constraints.clear();
            if (suffices) return;
            certificate.bound = best.cost;
            solved.bound = models::Cycles{best.cost};
            certificate.witness = std::move(best);
            return;
        }
    }
    ScriptProof{kernel, certificate}.establish(solved);
}

} // namespace

PathSolution record(const TimedKernel& kernel, const AnalysisRun& run, const CertificateName& name,
                    const PathQuery& query, PathSolution solved, const GrowingPaths& paths) {
    if (run.certificates == nullptr) return solved;
    // Exclusive and linear facts may be stated and not used (S19d).
    const bool unused =
        has_further_facts(*kernel.stated) && !has_further_facts(kernel.facts.in_use);
    const Facts used = unused ? Facts::LoopBounds : query.facts;
    PathCertificate certificate{
        name.id, name.text, query.side, used, std::nullopt, solved.bound.count(),
        {},      {},        {},         {},   query.ends};
    constexpr std::size_t most_nodes = 64;
    for (std::size_t nodes = 1; nodes <= most_nodes && !certificate.witness; nodes *= 2) {
        PathGraph smaller = paths(nodes);
        auto again = solve_paths(kernel, run.until(std::nullopt), smaller, query);
        if (!again || again.value().bound != solved.bound || !again.value().witness) continue;
        certificate.paths = std::move(smaller);
        certificate.witness = std::move(again.value().witness);
    }
    if (!certificate.witness) {
        certificate.paths = paths(std::nullopt);
        certificate.witness = solved.witness;
    }
    // If the path does not attain the bound, another path through the graph may cost more.
    if (certificate.witness && certificate.witness->cost != solved.bound.count())
        certificate.witness.reset();
    if (used == Facts::All && has_further_facts(*kernel.stated))
        prove_with_facts(kernel, certificate, solved);
    run.certificates->certificates.push_back(std::move(certificate));
    return solved;
}

namespace {

/// Cost of the longest (lower side: shortest) path; keeps its certificate, once, if the request
/// asks for certificates.
std::optional<std::int64_t> recorded(const TimedKernel& kernel, const AnalysisRun& run,
                                     const CertificateName& name, PathGraph paths, Side side) {
    auto best = LoopBoundedPaths{*kernel.graph, paths, kernel.facts.loops, side}.start_to_end();
    if (!best) return std::nullopt; // The path problem itself is refused as contradictory.
    const std::int64_t bound = best->cost;
    if (run.certificates == nullptr) return bound;
    auto& certificates = run.certificates->certificates;
    if (std::any_of(certificates.begin(), certificates.end(),
                    [&](const PathCertificate& certificate) { return certificate.id == name.id; }))
        return bound;
    certificates.push_back({name.id,
                            name.text,
                            side,
                            Facts::LoopBounds,
                            std::nullopt,
                            bound,
                            std::move(paths),
                            {},
                            {},
                            std::move(best)});
    return bound;
}

} // namespace

void certify_sum(const TimedKernel& kernel, const AnalysisRun& run, const CertificateName& name,
                 const PerBlock<std::int64_t>& block_costs, Side side) {
    if (run.certificates != nullptr)
        recorded(kernel, run, name, sum_graph(kernel, block_costs, side), side);
}

std::int64_t certified_most(const TimedKernel& kernel, const AnalysisRun& run,
                            const CertificateName& name, PathGraph paths) {
    return std::max<std::int64_t>(
        0, recorded(kernel, run, name, std::move(paths), Side::Upper).value_or(0));
}

std::int64_t certified_most(const TimedKernel& kernel, const AnalysisRun& run,
                            const CertificateName& name, const InstructionCosts& costs) {
    return certified_most(kernel, run, name,
                          sum_graph(kernel, block_costs(*kernel.graph, costs), Side::Upper));
}

void keep_counted_certificates(const AnalysisRun& run, const std::vector<BoundTerm>& terms) {
    if (run.certificates == nullptr) return;
    std::erase_if(run.certificates->certificates, [&](const PathCertificate& certificate) {
        return certificate.side == Side::Upper &&
               std::none_of(terms.begin(), terms.end(), [&](const BoundTerm& term) {
                   return term.count != 0 && term.certificate == certificate.id;
               });
    });
}

void keep_claimed_certificates(CertificateStore& store, const std::vector<BoundTerm>& lower,
                               bool claims_measured_time) {
    std::erase_if(store.certificates, [&](const PathCertificate& certificate) {
        if (certificate.between) return !claims_measured_time;
        return certificate.side == Side::Lower && !lower.empty() &&
               std::none_of(lower.begin(), lower.end(), [&](const BoundTerm& term) {
                   return term.certificate == certificate.id;
               });
    });
}

} // namespace warpbound::analyzer
