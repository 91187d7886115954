#pragma once
/// \file
/// Pipelines as a compute graph of NVIDIA DRIVE's System Task Manager (STM).

#include "assembly/support/result.hpp"
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/report/stm_graph.hpp"

#include <string>

namespace warpbound::certification {

/// A client and an epoch for each pipeline, a runnable for each stage, with its dependences. The
/// period is that of the pipeline, or the least distance of its jobs. Refuses pipelines without an
/// upper bound. `submission`: host time to issue an operation, at most.
Result<StmGraph> stm_graph(const PipelineReport& report, const std::string& name,
                           models::Nanoseconds submission);

} // namespace warpbound::certification
