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

/// Name of a certificate.
struct CertificateName {
    std::string id;
    std::string text;
};

/// Path problems of increasing size (nodes per block), up to the one that gave the bound.
using GrowingPaths = std::function<PathGraph(std::optional<std::size_t> nodes_per_block)>;

/// Keeps a solved path problem in the smallest size that gives the same bound, if the request asks
/// for certificates. Returns the solution that the certificate proves. If its script does not prove
/// the bound (its constraints admit subtours), that is the tightest bound that the script proves.
PathSolution record(const TimedKernel& kernel, const AnalysisRun& run, const CertificateName& name,
                    const PathQuery& query, PathSolution solved, const GrowingPaths& paths);

/// Keeps a certificate of the bound on a sum of block costs over all paths that loop bounds allow.
void certify_sum(const TimedKernel& kernel, const AnalysisRun& run, const CertificateName& name,
                 const PerBlock<std::int64_t>& block_costs, Side side);

/// Largest sum of instruction costs on a path that loop bounds allow; keeps its certificate, once,
/// if the request asks for certificates. Side: upper.
std::int64_t certified_most(const TimedKernel& kernel, const AnalysisRun& run,
                            const CertificateName& name, const InstructionCosts& costs);
/// The same for the longest path of a path problem.
std::int64_t certified_most(const TimedKernel& kernel, const AnalysisRun& run,
                            const CertificateName& name, PathGraph paths);

/// Removes certificates of the upper side that no term refers to, if the request asks for
/// certificates.
void keep_counted_certificates(const AnalysisRun& run, const std::vector<BoundTerm>& terms);

/// Of several lower bounds only the largest is claimed: leaves out the certificates of the others,
/// and those of the measured time where none is claimed. `lower`: the terms of the claimed one.
void keep_claimed_certificates(CertificateStore& store, const std::vector<BoundTerm>& lower,
                               bool claims_measured_time);

} // namespace warpbound::analyzer
