#pragma once
/// \file
/// What is proved of a launch under a warp scheduling policy: which sums bound it, and which
/// certificates these are made of. One row for each policy.

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/memory/queueing_by_address.hpp"
#include "certification/verify/policies/blocked_paths.hpp"
#include "certification/verify/policies/round_robin_demand.hpp"
#include "certification/verify/policies/slot_table.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::certification::verify {

/// What a policy adds to the demand of a launch.
struct PolicyDemand {
    /// Of the warp slots of a time-division policy; else none.
    std::vector<SlotDistance> distances;
    /// Of the certificates of a round-robin interference bound; else empty.
    std::string round_robin_suffix;
    RotationDemand rotations; ///< Strict round robin.
    BlockedPaths blocked;     ///< Time division.
    DemandTables tables;      ///< Of its certificates.
};

/// What the sums under a policy are made from.
struct PolicyInputs {
    const TimedCode& code;
    const DemandTables& tables; ///< Of the launch, those of the policy among them.
    const PolicyDemand& demand;
    bool through_caches = false; ///< Accesses go through the caches.
    bool waits_in_memory = false;
    const CertificateValues& values;
};

/// What delays a warp besides issue slots and ports.
enum class FurtherDelay {
    ReadPorts,
    WritePorts,
    QueuedReads,
    MemoryQueue,
    InstructionLines,
    Operands
};

/// What is proved of queueing delays by addresses where a policy holds warps back: nothing, that
/// they count as in time slots (S29), or that loads of several warps at a time may delay the
/// critical path (S29a, S31).
enum class QueueingProof { None, InTimeSlots, OfSeveralWarps };

struct ProvedPolicy {
    models::PolicyKind kind{};
    /// Whether it may hold back a warp of this launch while a scheduler could issue. Where it does
    /// not, the launch is one under a work-conserving policy. Null: it never does.
    bool (*holds_back)(const TimedCode&) = nullptr;
    /// Null: no more than every policy.
    void (*add_demand)(const TimedCode&, bool waits_in_memory, PolicyDemand&) = nullptr;
    /// Of these sums a claim may be any. Side: upper.
    std::vector<std::vector<Term>> (*upper)(const PolicyInputs&) = nullptr;
    /// The sum that starts with a term of the certificate; none: only sums of any policy do. Null:
    /// likewise. Side: lower.
    std::optional<std::vector<Term>> (*lower)(const TimedCode&, const std::string& first,
                                              const CertificateValues&) = nullptr;
    /// Where the launch is held back: whether the sums hold with this delay, too. Null: with none.
    bool (*covers)(const TimedCode&, FurtherDelay) = nullptr;
    /// Where the launch is held back.
    QueueingProof by_addresses = QueueingProof::None;
    /// The steps of docs/theory.
    std::string_view theorems;
};

/// The row that is about this launch.
const ProvedPolicy& proved_policy_of(const TimedCode& code);
/// `waits_in_memory`: whether accesses can wait in memory. Throws `Finding` when the description
/// lacks a value.
PolicyDemand policy_demand_of(const TimedCode& code, bool waits_in_memory);
/// How warps issue, as far as queueing delays depend on it. Throws `Finding` where nothing is
/// proved of them by addresses.
IssueOrder issue_order_of(const TimedCode& code);
/// Throws `Finding` where nothing is proved of the launch with this delay.
void require_proof(const TimedCode& code, FurtherDelay delay);

} // namespace warpbound::certification::verify
