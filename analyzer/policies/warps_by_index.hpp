#pragma once
/// \file
/// Upper bounds that count each warp of a block by the indices of its threads (docs/theory, S85).

#include "analyzer/interference/demand_by_warp.hpp"
#include "analyzer/launch/analysis_run.hpp"
#include "analyzer/policies/critical_path_problem.hpp"

#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// What S85 counts in place of the demand of the longest path for every warp. Points to the
/// problem.
class WarpsByIndex {
public:
    /// None where it is not known.
    static std::optional<WarpsByIndex> find(const CriticalPathProblem& problem,
                                            const Demand& demand, const AnalysisRun& run);

    [[nodiscard]] const BlockDemand& demand() const { return found_.demand; }
    /// Keeps the certificates of these terms, if the request asks for certificates. False where it
    /// is stopped.
    [[nodiscard]] bool certify(const std::vector<BoundTerm>& terms, const AnalysisRun& run) const;

private:
    WarpsByIndex(const CriticalPathProblem& problem, DemandByWarp found, Demand least,
                 PathSolution solved);
    void certify_stall(const AnalysisRun& run) const;

    const CriticalPathProblem* problem_;
    DemandByWarp found_;
    Demand least_; ///< Of the warp itself, whether its guards hold or not.
    PathSolution solved_;
};

} // namespace warpbound::analyzer
