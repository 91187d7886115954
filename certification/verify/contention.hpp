#pragma once
/// \file
/// What warps of a launch take from each other: block costs and the sums of a bound, recomputed
/// from listing, description and launch (steps S11 to S15 of docs/soundness.md).

#include "certification/verify/control_flow.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

class Contention {
public:
    /// Throws `Finding` when the description lacks a value.
    Contention(const KernelCase& kernel, const ControlFlow& flow);

    /// Per block, the costs that a lemma sums; nothing when its costs are times to completion,
    /// which are no sums.
    [[nodiscard]] std::optional<std::vector<std::int64_t>>
    block_costs(const std::string& lemma) const;

    [[nodiscard]] std::int64_t warps() const { return warps_; }
    /// Barriers at which each warp meets others. Throws `Finding` when paths pass them unequally
    /// often.
    [[nodiscard]] std::int64_t barriers() const;
    /// Warps of one scheduler that are resident together, at most.
    [[nodiscard]] std::int64_t together_on_scheduler() const {
        return per_scheduler(resident_ * warps_per_block_);
    }

    /// Throws `Finding` when the terms of a bound are not those that the launch makes of its
    /// lemmas.
    void check_terms(const ClaimRow& claim) const;

private:
    void read_shape();
    [[nodiscard]] std::int64_t instruction_cost(const std::string& lemma, std::size_t i) const;
    [[nodiscard]] std::int64_t largest(const std::string& lemma) const;
    [[nodiscard]] std::vector<Term> upper_terms() const;
    /// One way to a lower bound per lemma that it may start with.
    [[nodiscard]] std::vector<Term> lower_terms(const std::string& first_lemma) const;
    [[nodiscard]] std::int64_t per_scheduler(std::int64_t warps) const {
        return (warps + schedulers_ - 1) / schedulers_;
    }

    const KernelCase& kernel_;
    const ControlFlow& flow_;
    std::vector<Result<models::InstructionTiming>> timings_;
    std::vector<bool> live_; ///< Per instruction.
    std::int64_t blocks_ = 1;
    std::int64_t warps_per_block_ = 1;
    std::int64_t warps_ = 1;
    std::int64_t resident_ = 1;
    std::int64_t schedulers_ = 1;
    std::int64_t waves_ = 1;
    models::Interval issue_slot_{1, 1, 1};
    models::Interval refill_{0, 0, 0};
};

} // namespace warpbound::certification::verify
