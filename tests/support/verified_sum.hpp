#pragma once
/// \file
/// The sums of an analysis with certificates, derived again by the verifier's own code.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/certificate.hpp"

#include <string>

namespace warpbound::tests {

/// What the verifier says against the terms of both bounds; empty where it accepts them. Tables of
/// the certificates are not checked, nor lower bounds by the port of a unit. Requires: a launch
/// whose lanes do not diverge.
std::string rejection_of_sum(const analyzer::Request& request, const analyzer::Analysis& analysis,
                             const analyzer::CertificateStore& certificates);

} // namespace warpbound::tests
