#pragma once
/// \file
/// One kernel's part of a bundle.

#include "analyzer/evidence/path_certificates.hpp"
#include "certification/bundle/inputs.hpp"
#include "certification/bundle/policies.hpp"
#include "certification/report/report.hpp"
#include "harness/trace/fact_check.hpp"

#include <memory>
#include <string>

namespace warpbound::certification {

/// A kernel with its analysis and everything that proves it.
struct KernelEvidence {
    std::string id; ///< "K1"
    std::unique_ptr<LoadedInput> input;
    analyzer::Analysis analysis;
    analyzer::CertificateStore proofs;
    /// Without evidence, where that may bound more tightly.
    std::optional<analyzer::Analysis> without_evidence;
    std::vector<PolicyBounds> policies;
    /// Per trace: path facts that it was held against, and did not refute.
    std::vector<std::vector<harness::trace::FactCheck>> traced_facts;
    Report report;
};

/// Bounds under other policies are left out. Refuses what the analyzer refuses, and flow facts that
/// a recorded execution refutes.
Result<KernelEvidence> analyze_kernel(const KernelInput& input, const std::string& id,
                                      const BundleInputs& bundle);

/// "analysis/K1/", "policies/K1.json" and "checks/K1.json": control flow, path lemmas as tables and
/// scripts, results; bounds under other policies;
/// observations held against bounds, the replayed witness, flow facts.
void add_analysis_files(const KernelEvidence& kernel, EvidenceFiles& files);
void add_check_files(const KernelEvidence& kernel, const KernelInput& input, EvidenceFiles& files);

/// A bound as the sum that proves it: each term a count times a number of cycles, which a path
/// lemma bounds where it names one.
std::vector<analyzer::BoundTerm> composition(const KernelEvidence& kernel, const Claim& claim);

} // namespace warpbound::certification
