#pragma once
/// \file
/// The files of a bundle for one kernel.

#include "analyzer/evidence/path_certificates.hpp"
#include "certification/bundle/inputs.hpp"
#include "certification/bundle/node_stacks.hpp"
#include "certification/bundle/policies.hpp"
#include "certification/report/report.hpp"
#include "harness/trace/fact_check.hpp"

#include <memory>
#include <string>

namespace warpbound::certification {

/// A kernel with its analysis and the certificates of its bounds.
struct KernelEvidence {
    std::string id; ///< "K1"
    std::unique_ptr<LoadedInput> input;
    analyzer::Analysis analysis;
    analyzer::CertificateStore certificates;
    NodeStacks stacks; ///< Of the nodes of the serialized control flow, where lanes may diverge.
    std::vector<PolicyBounds> policies;
    std::string clock_assumption; ///< Id in the register of the bundle; empty without a clock.
    /// Per trace: the flow facts that were checked against it and not refuted.
    std::vector<std::vector<harness::trace::FactCheck>> traced_facts;
    Report report;
};

/// Leaves `policies` and `report` empty. Refuses what the analyzer refuses, and flow facts that a
/// recorded execution refutes.
Result<KernelEvidence> analyze_kernel(const KernelInput& input, const std::string& id,
                                      const BundleInputs& bundle);

/// "analysis/K1/": control flow, the text of AMD's code, path certificates as tables and SMT
/// scripts, results. "policies/K1.json": bounds under other policies. "checks/K1.json":
/// observations compared with bounds, the replayed witness path, flow facts.
void add_analysis_files(const KernelEvidence& kernel, EvidenceFiles& files);
void add_check_files(const KernelEvidence& kernel, const KernelInput& input, EvidenceFiles& files);

/// A bound as the sum that proves it. Each term is a count times a number of cycles; a path
/// certificate proves the cycles of a term that names one.
std::vector<analyzer::BoundTerm> composition(const KernelEvidence& kernel, const Claim& claim);

} // namespace warpbound::certification
