#pragma once
/// \file
/// The issue policies of a warp scheduler: rule C19 of docs/reference/timing-contract.md, one class
/// per policy.

#include "harness/device.hpp"
#include "harness/simulator/sm/warp.hpp"
#include "models/launch/warp_policy.hpp"

#include <memory>
#include <span>
#include <vector>

namespace warpbound::harness::simulator {

/// Orders the warps of one scheduler by priority. It decides when the policy lets a warp issue, not
/// whether the warp is ready.
class Arbitration {
public:
    Arbitration() = default;
    Arbitration(const Arbitration&) = delete;
    Arbitration& operator=(const Arbitration&) = delete;
    Arbitration(Arbitration&&) = delete;
    Arbitration& operator=(Arbitration&&) = delete;
    virtual ~Arbitration() = default;

    /// Warps that may be chosen at `now`, by descending priority. Valid until the next call.
    virtual std::span<const std::size_t> candidates(std::int64_t now) = 0;
    /// The first cycle from `at` on in which the policy lets a candidate issue; `never` from
    /// `never` on.
    [[nodiscard]] std::int64_t allowed_from(std::size_t warp, std::int64_t at) const {
        return restricts_times_ && at != never ? first_allowed(warp, at) : at;
    }
    /// The next cycle in which the candidates may change without an issue; `never` if none.
    [[nodiscard]] std::int64_t wake() const { return wake_; }
    /// A warp of a new block occupies the warp slot; it may issue from `at` on.
    virtual void started(std::size_t /*warp*/, std::int64_t /*at*/) {}
    virtual void chosen(std::size_t warp) = 0;

protected:
    /// As `allowed_from`, of a policy that restricts the times of a candidate.
    [[nodiscard]] virtual std::int64_t first_allowed(std::size_t /*warp*/, std::int64_t at) const {
        return at;
    }

    bool restricts_times_ = false;
    std::int64_t wake_ = never;
};

/// `warps`: the warp slots of one scheduler. `slot`: its least time between choices, in core
/// cycles. The initial phase, which the policy leaves open, is drawn from `random`. `turns`: of an
/// unknown policy.
std::unique_ptr<Arbitration> make_arbitration(const models::WarpPolicy& policy,
                                              const std::vector<Warp>& warps, std::int64_t slot,
                                              RandomSource& random,
                                              const std::vector<Turn>& turns = {});

} // namespace warpbound::harness::simulator
