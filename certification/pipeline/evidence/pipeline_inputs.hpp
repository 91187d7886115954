#pragma once
/// \file
/// What the evidence of a pipeline is made from: the description, the machine, and the evidence of
/// the kernels whose code was bounded.

#include "certification/bundle/evidence_file.hpp"
#include "certification/bundle/inputs.hpp"
#include "models/pipeline/system.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

struct PipelineInputs {
    std::string tool_version;
    std::vector<Component> components;
    std::string description;            ///< XML.
    std::optional<std::string> machine; ///< XML; none where no time follows from it.
    /// A bundle of all kernels of `kernels_of`, in this order; empty: there are none.
    EvidenceFiles kernels;
};

/// One stage for each kernel that is bounded from its code: stages with the same code, launch and
/// number of SMs share one. Points into the system.
std::vector<const models::PipelineStage*> kernels_of(const models::PipelineSystem& system);
/// The id of the stage's kernel in the bundle of kernels. Requires: a stage with code.
std::string kernel_of(const models::PipelineSystem& system, const models::PipelineStage& stage);

/// Fills in the clock and the times that the inputs decide, as claimed in the bundle of kernels,
/// and traffic that follows from their code. Refuses what has no time.
Result<void> take_times(models::PipelineSystem& system, const PipelineInputs& inputs);

/// The files of step "inputs".
EvidenceFiles pipeline_input_files(const PipelineInputs& inputs);
/// The inputs that a bundle contains. Refuses missing and malformed files, naming the file.
Result<PipelineInputs> pipeline_inputs_of(const std::map<std::string, std::string>& files);

} // namespace warpbound::certification
