#pragma once
/// \file
/// The critical path of a launch under a work-conserving policy, as sums of terms: what bounds its
/// own delays, and the resource demand of the warps that delay it (steps S12 to S15 and S20 of
/// docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// What the terms of the upper bound are made from.
struct InterferenceInputs {
    const TimedCode& code;
    const DemandTables& tables;
    /// What the ids of the certificates end in: those of a round-robin interference bound (S27);
    /// else empty.
    std::string suffix;
    /// Terms of the policy for so many warps that the critical path meets on its scheduler, its own
    /// warps in blocks that it is in all the time left out. Null: none.
    std::function<std::vector<Term>(std::int64_t)> policy_terms;
};

/// What the former warp of the critical path still occupies when it goes over to another one (S13).
/// `Unit:` core cycles. Side: upper.
std::int64_t carry_in_of(const InterferenceInputs& inputs);

/// Each of them is an upper bound. Side: upper. Sound when: the policy is work-conserving, but for
/// what `policy_terms` count.
std::vector<std::vector<Term>> critical_path_terms_of(const InterferenceInputs& inputs);

/// Several waves on several multiprocessors: the drains that the two critical paths of S20 wait
/// for, or those of all stores where that is less. `hidden`: time in which what is in a buffer at
/// the start of the last block drains, and which counts by itself. Side: upper.
std::vector<Term> drain_terms_of(const TimedCode& code, const DemandTables& tables,
                                 const std::string& suffix, std::int64_t hidden = 0);

/// The time that hides drains at the start of the last block: that of the refill of its block slot,
/// where S82 holds; else 0. `Unit:` core cycles.
std::int64_t time_hiding_drains(const InterferenceInputs& inputs);

/// What the refill of a block slot adds to a path before the start of the last thread block: none
/// of its cycles in which stores drain that the terms of drains contain (S82). `of_block`: what
/// these count for the stores of a thread block. Side: upper.
std::int64_t refill_on_first_path(const InterferenceInputs& inputs, std::int64_t of_block);
/// So many refills before the start of the last thread block, and that of the last one. Side:
/// upper.
std::vector<Term> refill_terms_of(const InterferenceInputs& inputs, std::int64_t before_last,
                                  std::int64_t of_block);
/// By the certificate of drains; 0: there is none. Side: upper.
std::int64_t drains_of_block(const InterferenceInputs& inputs);

/// On how many schedulers the critical path is at one time or another: it changes the warp at
/// barriers and with the block (S12, S36). Side: upper.
std::int64_t schedulers_of_path(const TimedCode& code);
/// On how many schedulers a path of any blocks may be: all that have warps. Side: upper.
std::int64_t schedulers_with_warps(const TimedCode& code);

/// Schedulers of the two paths of S20, each on one multiprocessor. Side: upper.
struct SchedulersOfTwo {
    std::int64_t up_to_last = 0; ///< Up to the start of the last thread block.
    std::int64_t from_last = 0;
    std::int64_t in_one_block = 0; ///< Of a path that is in a single thread block (S96).
};
/// Of the critical path, or of a chain of any blocks without barriers. Requires: a policy that
/// conserves work.
SchedulersOfTwo schedulers_of_two(const TimedCode& code, bool any_blocks);

/// The lower bound that starts with a term of this certificate (S15). Throws `Finding` when no
/// lower bound does. Side: lower.
std::vector<Term> lower_terms_of(const TimedCode& code, const DemandTables& tables,
                                 const std::string& first_certificate);

} // namespace warpbound::certification::verify
