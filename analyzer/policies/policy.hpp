#pragma once
/// \file
/// A warp scheduling policy as the analysis knows it: the time of a launch under it, when no access
/// waits for another at the caches or DRAM. It mirrors `Arbitration` of the simulator.

#include "analyzer/launch/context.hpp"
#include "analyzer/launch/path_bound.hpp"

#include <utility>

namespace warpbound::analyzer {

class Policy {
public:
    Policy() = default;
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;
    virtual ~Policy() = default;

    /// Side: upper. At least one alternative of the wanted ones.
    [[nodiscard]] virtual Result<Alternatives> from_above(const AnalysisContext& context,
                                                          Wanted wanted) const = 0;
    /// Side: lower. `any_policy`: what the launch takes under every policy; an alternative.
    /// `deadline`: for the solver. Default: no more than that.
    [[nodiscard]] virtual Result<Alternatives> from_below(const AnalysisContext& /*context*/,
                                                          SideAnswer any_policy,
                                                          Deadline /*deadline*/,
                                                          Wanted /*wanted*/) const {
        return Alternatives{std::move(any_policy)};
    }
};

} // namespace warpbound::analyzer
