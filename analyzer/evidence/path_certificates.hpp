#pragma once
/// \file
/// What a stranger needs to check a bound: the path problems behind it, each with its bound and a
/// witness.

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/interference/resource_demand.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// No path of `paths` that the flow facts allow costs more (lower side: less) than `bound`.
/// `Unit:` core cycles.
struct PathCertificate {
    std::string id;   ///< "execution-time-upper-stall": unique in an analysis.
    std::string text; ///< What the costs are.
    Side side = Side::Upper;
    Facts facts = Facts::All;
    /// Blocks of the two clock reads between which the paths lie; none: entry to an exit.
    std::optional<std::pair<std::size_t, std::size_t>> between;
    std::int64_t bound = 0;
    PathGraph paths; ///< The smallest that was found to give the bound.
    /// Sets of nodes in which no path turns without entering them from outside, as the script says
    /// of each: those without which it does not show the bound. `Shape:` increasing, without node
    /// 0, from which paths start.
    std::vector<std::vector<std::size_t>> regions{};
    /// A path of the control-flow graph that meets the bound that was found, if there is one; its
    /// cost is the best of its ways through `paths`.
    std::optional<BlockPath> witness;
};

/// The blocks and loops that lemmas of the upper side are about where the lanes of a warp may part.
struct SerializedPaths {
    LanesInTurn lanes;
    std::vector<BackEdgeBounds> loops; ///< Of `lanes.graph`.
};

/// Filled by `analyze` when the request asks for it.
struct CertificateStore {
    std::vector<PathCertificate> certificates;
    std::optional<SerializedPaths> in_turn{}; ///< None: all lemmas are about the kernel's blocks.
};

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
PathSolution record(const AnalysisContext& context, const CertificateName& name, Side side, Facts facts,
                    PathSolution solved, const GrowingPaths& paths);

/// Keeps the bound on a sum of block costs over all paths that loop bounds allow.
void certify_sum(const AnalysisContext& context, const CertificateName& name,
                const std::vector<std::int64_t>& block_costs, Side side);

/// The most that instructions cost on a path that loop bounds allow; keeps its lemma, once, if the
/// request asks for proofs. Side: upper.
std::int64_t certified_most(const AnalysisContext& context, const CertificateName& name,
                           const InstructionCosts& costs);
/// The same of the costliest of such paths.
std::int64_t certified_most(const AnalysisContext& context, const CertificateName& name, PathGraph paths);

/// Leaves out lemmas of the upper side that no term counts, if the request asks for proofs.
void keep_counted_certificates(const AnalysisContext& context, const std::vector<BoundTerm>& terms);

} // namespace warpbound::analyzer
