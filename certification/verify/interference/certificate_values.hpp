#pragma once
/// \file
/// What the certificates of a kernel bound, as the terms of a claim use them.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Where the cycles of a claim's terms come from.
struct CertificateValues {
    const TimedCode& code;
    const DemandTables& tables;
    const std::string& claim; ///< Its id, for messages.
};

/// Null where the kernel has none of this id.
const Certificate* find_certificate(const KernelCase& kernel, const std::string& id);

/// The bound of a term's certificate, or the term's own cycles where it names none; 0 where no path
/// demands anything that the certificate would sum. Throws `Finding` when the certificate is
/// missing.
std::int64_t cycles_of(const CertificateValues& values, const Term& term);
/// Of all terms, count x cycles.
models::Cycles sum_of(const CertificateValues& values, const std::vector<Term>& terms);

} // namespace warpbound::certification::verify
