#pragma once
/// \file
/// Queueing delay of accesses through caches whose addresses are known (steps S21 to S22f, S57 and
/// S58 of docs/theory; as evidence: S26).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/memory/footprint.hpp"

#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// What a claim by addresses rests on.
struct AddressedMemory {
    MemoryLayout layout;
    Footprint footprint;
    std::optional<QueueingArguments> arguments; ///< None: on the lower side.
};

/// Lists the accesses of the code and lets its instructions take as many passes, and hold such
/// ports, as the arguments say. Throws `Finding` where these do not apply.
/// `arguments`: none on the lower side.
AddressedMemory read_addressed_memory(TimedCode& code,
                                      const std::optional<QueueingArguments>& arguments);

/// The lower bounds by bandwidth: of the L1s, a channel, links and slices (S21, S22 lemma 4). Side:
/// lower.
std::vector<std::vector<Term>> bandwidth_terms(const AddressedMemory& memory,
                                               const TimedCode& code);

/// `terms` of a bound in which no access waits for another, and after them those of the queueing
/// delay of the launch. `values`: of the code that `read_addressed_memory` changed. Side: upper.
/// Throws `Finding` where the arguments do not apply.
std::vector<Term> with_addressed_terms(std::vector<Term> terms, const AddressedMemory& memory,
                                       const CertificateValues& values);

} // namespace warpbound::certification::verify
