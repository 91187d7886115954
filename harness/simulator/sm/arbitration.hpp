#pragma once
/// \file
/// How a warp scheduler chooses: rule C19 of docs/reference/timing-contract.md, one class per
/// policy.

#include "harness/simulator/sm/warp.hpp"
#include "models/launch/warp_policy.hpp"

#include <memory>
#include <span>

namespace warpbound::harness::simulator {

/// Puts the warps of one scheduler in order. Which of them may issue is not its business, but when
/// the policy lets them.
class Arbitration {
public:
    Arbitration() = default;
    Arbitration(const Arbitration&) = delete;
    Arbitration& operator=(const Arbitration&) = delete;
    Arbitration(Arbitration&&) = delete;
    Arbitration& operator=(Arbitration&&) = delete;
    virtual ~Arbitration() = default;

    /// Warps that may be chosen at `now`, the preferred one first. Valid until the next call.
    virtual std::span<const std::size_t> candidates(std::int64_t now) = 0;
    /// The first cycle from `at` on in which the policy lets a candidate issue.
    [[nodiscard]] virtual std::int64_t turn(std::size_t /*warp*/, std::int64_t at) const {
        return at;
    }
    /// When the candidates may become others although nothing issues; `never`: not at all.
    [[nodiscard]] virtual std::int64_t wake() const { return never; }
    /// A warp of a new block took a place; it may issue from `at` on.
    virtual void started(std::size_t /*warp*/, std::int64_t /*at*/) {}
    virtual void chosen(std::size_t warp) = 0;
};

/// `warps` are the places of one scheduler; `slot` its least time between choices. What the policy
/// leaves open, the phase at the start, is drawn from `random`.
std::unique_ptr<Arbitration> make_arbitration(const models::WarpPolicy& policy,
                                              const std::vector<Warp>& warps, std::int64_t slot,
                                              RandomSource& random);

} // namespace warpbound::harness::simulator
