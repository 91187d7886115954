#pragma once
/// \file
/// Queueing delay of accesses through caches whose addresses are known (steps S21 to S22f, S57 and
/// S58, in time slots and strict turns S29 and S29a, of docs/theory; as evidence: S59).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/memory/footprint.hpp"

#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// How the policy lets warps issue, as far as S29 and S29a count by it.
struct IssueOrder {
    /// P', the longest of any warp slot; none: no time slots. `Unit:` core cycles.
    std::optional<std::int64_t> slot_distance;
    /// The critical path may wait for loads of several warps at a time.
    bool several_wait = false;
};

/// What a claim by addresses rests on.
struct AddressedMemory {
    MemoryLayout layout;
    Footprint footprint;
    std::optional<QueueingArguments> arguments; ///< None: on the lower side.
    IssueOrder order;
};

/// Lists the accesses of the code and lets its instructions take as many passes, and hold such
/// ports, as the arguments say. Throws `Finding` where these do not apply.
/// `arguments`: none on the lower side, where `order` is not asked for.
AddressedMemory read_addressed_memory(TimedCode& code,
                                      const std::optional<QueueingArguments>& arguments,
                                      const IssueOrder& order);

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
