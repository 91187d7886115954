#pragma once
/// \file
/// A path certificate as an SMT-LIB 2.6 script in the form of docs/reference/evidence-format.md:
/// satisfiable exactly when some execution counts that the constraints allow cost more (less) than
/// the bound.

#include "analyzer/evidence/certificate.hpp"

#include <string>

namespace warpbound::analyzer {

/// Quantifier-free linear integer arithmetic; every constraint has a label. The expected answer is
/// `unsat`. Equal certificates give equal text.
std::string proof_script(const assembly::ControlFlowGraph& graph, const models::FlowFacts& facts,
                         const std::vector<BackEdgeBounds>& bounds,
                         const PathCertificate& certificate);

} // namespace warpbound::analyzer
