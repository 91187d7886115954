#pragma once
/// \file
/// Keeps the path problems of an analysis as certificates.

#include "analyzer/evidence/certificate.hpp"
#include "analyzer/interference/resource_demand.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// How a lemma is named.
struct CertificateName {
    std::string id;
    std::string text;
};

/// Path problems of growing size (nodes per block), up to the one that gave the bound.
using GrowingPaths = std::function<PathGraph(std::optional<std::size_t> nodes_per_block)>;

/// Keeps a solved path problem in the smallest size that gives the same bound, if the request asks
/// for proofs. Returns the solution that the lemma proves: where its script does not show the bound
/// (its rows let counts circulate where no path goes), one with the tightest that it does show.
PathSolution record(const AnalysisContext& context, const CertificateName& name, Side side,
                    Facts facts, PathSolution solved, const GrowingPaths& paths);

/// Keeps the bound on a sum of block costs over all paths that loop bounds allow.
void certify_sum(const AnalysisContext& context, const CertificateName& name,
                 const std::vector<std::int64_t>& block_costs, Side side);

/// The most that instructions cost on a path that loop bounds allow; keeps its lemma, once, if the
/// request asks for proofs. Side: upper.
std::int64_t certified_most(const AnalysisContext& context, const CertificateName& name,
                            const InstructionCosts& costs);
/// The same of the costliest of such paths.
std::int64_t certified_most(const AnalysisContext& context, const CertificateName& name,
                            PathGraph paths);

/// Leaves out lemmas of the upper side that no term counts, if the request asks for proofs.
void keep_counted_certificates(const AnalysisContext& context, const std::vector<BoundTerm>& terms);

} // namespace warpbound::analyzer
