#pragma once
/// \file
/// Distances between the consecutive issues of a warp along a path that was recorded: what the
/// warp's own earlier instructions enforce (docs/theory, S68).

#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// From the issue before to an issue. `Unit:` core cycles.
struct IssueDistance {
    std::int64_t lower = 0; ///< Whatever delays the warp besides.
    std::int64_t upper = 0; ///< Unless another warp delays it.
    std::size_t before = 0; ///< The instruction that issued before.
};

/// Steps both pipelines along recorded issues. What is pending is counted from the times at which
/// the instructions issued. Pipelines and graph must live as long.
class IssueDistances {
public:
    IssueDistances(const assembly::ControlFlowGraph& graph, const PipelineModel& lower,
                   const PipelineModel& upper);

    /// The warp begins: nothing is pending.
    void start();
    /// Instructions are missing: what is pending is not known.
    void gap();
    /// The next issue, so many cycles after the one before. None where it has none: behind `start`
    /// and `gap`, and where it does not follow in the code, which is a gap.
    std::optional<IssueDistance> issue(std::size_t instruction, std::int64_t elapsed);

private:
    struct Successor {
        std::size_t instruction = 0;
        bool transferred = false;
    };

    /// Sets the gap behind the instruction before, over each edge that leads to the instruction.
    [[nodiscard]] bool leave_for(std::size_t instruction);

    const PipelineModel* lower_;
    const PipelineModel* upper_;
    std::map<std::size_t, std::vector<Successor>> behind_block_; ///< By its last instruction.
    std::optional<std::size_t> before_;
    PipelineState earliest_;
    PipelineState latest_;
};

} // namespace warpbound::analyzer
