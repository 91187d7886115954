#pragma once
/// \file
/// The sums of terms that a claim may be, composed from the critical path, the policy and the
/// memory hierarchy.

#include "certification/verify/interference/demand.hpp"
#include "certification/verify/memory/memory_parameters.hpp"
#include "certification/verify/memory/queueing_by_address.hpp"
#include "certification/verify/policies/proved_policy.hpp"

#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// What the terms of a kernel's claims are made from, by listing, description and launch.
struct LaunchDemand {
    TimedCode code;
    PolicyDemand policy; ///< Its tables are among `tables`.
    /// None where no access goes through the caches.
    std::optional<MemoryParameters> memory;
    /// Of claims by addresses.
    std::optional<AddressedMemory> addressed;
    bool atomics_wait = false; ///< Global atomics can wait for each other.
    /// What each certificate of a sum adds up; times to completion are no such sums.
    DemandTables tables;

    [[nodiscard]] bool waits_in_memory() const { return memory || atomics_wait; }
};

/// Kernel and flows must live as long. Throws `Finding` when the description lacks a value.
LaunchDemand demand_of(const KernelCase& kernel, const SideFlows& flows);
/// Of the kernel's claims: the arguments of those that use addresses count for their side. The
/// same, and when the arguments do not apply.
LaunchDemand demand_of(const KernelCase& kernel, const SideFlows& flows, const ClaimRow& claim);

/// Throws `Finding` when the terms of the claim are not those that the launch requires, or do not
/// add up to its value.
void check_terms(const LaunchDemand& demand, const ClaimRow& claim);

} // namespace warpbound::certification::verify
