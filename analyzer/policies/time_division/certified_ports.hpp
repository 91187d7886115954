#pragma once
/// \file
/// Slots that ports block, as sums of path certificates (docs/theory, S23).

#include "analyzer/bound_expression.hpp"
#include "analyzer/evidence/certificate.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/policies/time_division/blocked_slots.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// Blocked slots of S17, each number of slots that a warp blocks with a certificate of its own.
/// Keeps these, if the request asks for certificates. Side: upper.
class CertifiedPorts {
public:
    CertifiedPorts(const TimedKernel& kernel, const ScheduledLaunch& launch, const AnalysisRun& run,
                   const TimeDivisionPath& critical);

    /// `slots`: slot distances of the path.
    [[nodiscard]] std::vector<BoundTerm> terms(const std::vector<SlotDistance>& slots) const;

private:
    using Blocked = BlockedSlots::Blocked;

    [[nodiscard]] SlotsByWarps of_distance(const SlotDistance& distance);
    [[nodiscard]] SlotsByWarps of_block();
    /// Cycles that one warp blocks, of the slots in `counted` with this length.
    void keep(const BlockedSlots& counted, std::int64_t cycles);
    void certify();
    [[nodiscard]] std::vector<BoundTerm> terms_of(const SlotsByWarps& blocked) const;
    [[nodiscard]] std::vector<BoundTerm> in_several_waves() const;

    const TimedKernel& kernel_;
    const ScheduledLaunch& launch_;
    const AnalysisRun& run_;
    const TimeDivisionPath& critical_;
    /// By what one warp blocks: its costs by instruction. `Unit:` core cycles.
    std::map<Blocked, InstructionCosts> costs_;
    std::map<Blocked, BoundTerm> certified_; ///< Of one warp.
    /// In one wave, by slot distance: in the warp slot in which it takes longest. `Unit:` core
    /// cycles.
    std::map<SlotDistance, SlotsByWarps> worst_;
};

} // namespace warpbound::analyzer
