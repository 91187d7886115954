#pragma once
/// \file
/// The sums that bound a launch, recomputed from listing, description and launch: what warps take
/// from each other (steps S11 to S15, S20, S23, S26, S28 and S29 of docs/soundness.md).

#include "certification/verify/interference/demand.hpp"
#include "models/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

class Contention {
public:
    /// Throws `Finding` when the description lacks a value.
    Contention(const KernelCase& kernel, const SideFlows& flows);

    [[nodiscard]] const LaunchGeometry& shape() const { return shape_; }
    [[nodiscard]] const WarpCosts& costs() const { return costs_; }
    /// Of a slotted policy; else none.
    [[nodiscard]] const std::vector<SlotRange>& slots() const { return slots_; }
    /// Warps of one scheduler that are resident together, at most.
    [[nodiscard]] std::int64_t together_on_scheduler() const {
        return shape_.per_scheduler(shape_.resident * shape_.warps_per_block);
    }

    /// Throws `Finding` when the terms of a bound are not those that the launch makes of its
    /// lemmas.
    void check_terms(const ClaimRow& claim) const;

private:
    /// A claim adds up one of these.
    [[nodiscard]] std::vector<std::vector<Term>> possible_sums(const ClaimRow& claim) const;
    /// Throws `Finding` when the claim adds up something else.
    void check_sum(const ClaimRow& claim, std::vector<Term>& expected) const;
    [[nodiscard]] std::vector<Term> measured_terms(const ClaimRow& claim) const;
    [[nodiscard]] std::vector<std::vector<Term>> upper_sums(const ClaimRow& claim) const;
    /// How the blocks beside that of the critical chain count: in every window with all of their
    /// work, or part by part between their barriers (S13).
    enum class Beside { Blocks, Parts };
    /// Under a policy that is not slotted, and where no access waits for another.
    /// `kind`: behind the names of its lemmas.
    [[nodiscard]] std::vector<std::vector<Term>>
    conserving_upper_sums(const std::string& kind) const;
    /// Of `blocks` blocks that are on one multiprocessor, in so many waves.
    [[nodiscard]] std::vector<Term>
    on_one_multiprocessor(std::int64_t blocks, const std::string& kind, Beside beside) const;
    [[nodiscard]] std::vector<Term> from_place_to_place(const std::string& kind,
                                                        Beside beside) const;
    /// For the parts of the blocks in so many places in which the chain changes its window.
    void add_parts(std::vector<Term>& terms, std::int64_t places, std::int64_t windows,
                   const std::string& kind) const;
    /// Of the two buffers that its critical chain waits for.
    [[nodiscard]] std::vector<Term> drains_on_several(const std::string& kind) const;
    /// Whether warps that may issue can stand outside the active set of a scheduler (S31).
    [[nodiscard]] bool exceeds_active_set() const;
    /// Of so many warps that are seen on the chain's scheduler, beside its own.
    void add_active_set(std::vector<Term>& terms, std::int64_t others) const;
    /// Strict round robin, by which several warps of a scheduler take turns.
    [[nodiscard]] bool in_strict_turns() const;
    [[nodiscard]] std::vector<Term> terms_in_turns(const ClaimRow& claim) const;
    /// All but drains, in one wave without barriers for so many warps on the scheduler.
    [[nodiscard]] std::vector<Term> sum_in_turns(std::int64_t on_scheduler) const;
    /// Of the lemmas of loose round robin, where the kernel has them.
    [[nodiscard]] std::string kind_of_turns() const;
    [[nodiscard]] std::int64_t seen_on_scheduler(std::int64_t blocks, std::int64_t windows) const;
    /// One way to a lower bound per lemma that it may start with.
    [[nodiscard]] std::vector<Term> lower_terms(const std::string& first_lemma) const;
    [[nodiscard]] std::vector<Term> slotted_upper_terms(const ClaimRow& claim) const;
    /// Whether the critical chain goes over to other warps, from block to block or at barriers.
    [[nodiscard]] bool changes_place() const;
    /// `path`: what the lemma of the path is named after; `lost`: how far apart the slots are that
    /// are lost; `kind`: what the lemmas about them are named after.
    [[nodiscard]] std::vector<Term> slotted_sum(const std::string& path, const SlotRange& lost,
                                                const std::string& kind,
                                                const ClaimRow& claim) const;
    void add_lost_to_ports(std::vector<Term>& terms, const SlotRange& lost, const std::string& kind,
                           const ClaimRow& claim) const;
    /// None where the lemma is not about slots.
    [[nodiscard]] std::optional<std::vector<Term>>
    slotted_lower_terms(const std::string& first_lemma, const ClaimRow& claim) const;
    /// Of accesses through caches, behind the terms of a bound in which none waits for another.
    void add_waits(std::vector<Term>& terms, const ClaimRow& claim) const;
    [[nodiscard]] const Certificate* certificate_of(const std::string& id) const;
    /// What the lemma of a term bounds; 0 where no path has anything of its kind.
    [[nodiscard]] std::int64_t cycles_of(const Term& term, const ClaimRow& claim) const;
    [[nodiscard]] models::Cycles sum_of(const std::vector<Term>& terms,
                                        const ClaimRow& claim) const;

    const KernelCase& kernel_;
    LaunchGeometry shape_;
    std::vector<SlotRange> slots_;
    WarpCosts costs_;
};

} // namespace warpbound::certification::verify
