#include "analyzer/policies/time_division/certified_ports.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/time_division/blocking.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::plus;
using models::times;

std::vector<std::int64_t> scaled(std::vector<std::int64_t> blocked, std::int64_t cycles) {
    for (std::int64_t& slots : blocked)
        slots = times(slots, cycles);
    return blocked;
}

SlotsByWarps scaled(const SlotsByWarps& blocked, std::int64_t cycles) {
    SlotsByWarps all{times(blocked.slots, cycles), {}};
    for (const auto& [slots, warps] : blocked.warps)
        all.warps.emplace(scaled(slots, cycles), warps);
    return all;
}

} // namespace

CertifiedPorts::CertifiedPorts(const TimedKernel& kernel, const ScheduledLaunch& launch,
                               const AnalysisRun& run, const TimeDivisionPath& critical)
    : kernel_{kernel}, launch_{launch}, run_{run}, critical_{critical} {
    if (launch_.shape.waves() > 1) return;
    for (const SlotDistance& distance : critical_.distances)
        worst_[distance] = of_distance(distance);
    if (critical_.barriers > 0) {
        // Between two barriers the critical path is in one warp slot.
        SlotsByWarps in_intervals;
        for (const auto& [distance, blocked] : worst_)
            in_intervals = std::max(in_intervals, blocked);
        SlotsByWarps all;
        all.add(in_intervals, critical_.barriers + 1);
        const SlotsByWarps by_blocks = of_block();
        worst_ = {{hull(critical_.distances), by_blocks.slots <= all.slots ? by_blocks : all}};
    }
    certify();
}

SlotsByWarps CertifiedPorts::of_distance(const SlotDistance& distance) {
    BlockedSlots ports{kernel_, launch_, port_occupancies(kernel_)};
    const auto schedulers = schedulers_of(launch_.policy, launch_.shape);
    SlotsByWarps most;
    for (std::size_t own = 0; own < schedulers.size(); ++own)
        for (const std::int64_t warp_slot : schedulers[own].table.representatives())
            if (schedulers[own].table.distance(warp_slot) == distance)
                most = std::max(most, ports.of_warp_slot(schedulers, own, warp_slot));
    keep(ports, distance.longest);
    return scaled(most, distance.longest);
}

SlotsByWarps CertifiedPorts::of_block() {
    BlockedSlots ports{kernel_, launch_, port_occupancies(kernel_)};
    SlotsByWarps most;
    for (std::int64_t block = 0; block < launch_.shape.blocks.count(); ++block)
        most = std::max(most, ports.cycles_of_block(block));
    keep(ports, 1);
    return most;
}

void CertifiedPorts::keep(const BlockedSlots& counted, std::int64_t cycles) {
    for (const Blocked& blocked : counted.counted()) {
        const Blocked of_warp = scaled(blocked, cycles);
        costs_.emplace(of_warp, counted.costs_of(of_warp));
    }
}

/// Certificates are numbered in the order of what the uses block, the shortest use first.
void CertifiedPorts::certify() {
    std::size_t number = 0;
    for (const auto& [blocked, costs] : costs_) {
        const CertificateName name{fmt::format("execution-time-upper-ports-{}", ++number),
                                   "slots of a warp that another one blocks by occupying ports"};
        const std::int64_t cycles = certified_most(kernel_, run_, name, costs);
        certified_.emplace(blocked,
                           BoundTerm{"slots of the warp in which another warp occupies a port", 1,
                                     cycles, name.id});
    }
}

std::vector<BoundTerm> CertifiedPorts::terms_of(const SlotsByWarps& blocked) const {
    std::vector<BoundTerm> terms;
    for (const auto& [of_warp, warps] : blocked.warps) {
        BoundTerm term = certified_.at(of_warp);
        term.count = warps;
        if (term.cycles > 0) terms.push_back(std::move(term));
    }
    return terms;
}

std::vector<BoundTerm> CertifiedPorts::in_several_waves() const {
    const LaunchGeometry& shape = launch_.shape;
    const std::int64_t longest_distance = hull(critical_.distances).longest;
    InstructionCosts costs;
    std::int64_t carry_in = 0; // What is occupied when the path changes the multiprocessor.
    for (const ResourceOccupancy& port : port_occupancies(kernel_)) {
        std::int64_t most_blocked = 0;
        // A port of the scheduler that is free after one slot is free at the next slot boundary.
        if (port.cycles > 0 && (port.core || port.cycles > shape.issue_slot.hi)) {
            carry_in = std::max(carry_in, plus(port.cycles, longest_distance - 1));
            for (const SlotDistance& slots : critical_.distances)
                most_blocked =
                    std::max(most_blocked,
                             times(models::divide_up(port.cycles, slots.shortest), slots.longest));
        }
        costs.push_back(most_blocked);
    }
    const CertificateName name{fmt::format("execution-time-upper-ports{}", in_any_warp_slot),
                               "slots of any other warp that a warp blocks by occupying ports"};
    const std::int64_t cycles = certified_most(kernel_, run_, name, costs);
    const std::int64_t along_path = shape.warps_along_critical_path().count();
    const bool is_shorter = shape.multiprocessors > 1 && plus(times(cycles, along_path), carry_in) <
                                                             times(cycles, shape.warps().count());
    std::vector<BoundTerm> terms;
    if (cycles > 0)
        terms.push_back({"slots of the critical path in which a port is occupied",
                         is_shorter ? along_path : shape.warps().count(), cycles, name.id});
    if (is_shorter)
        terms.push_back({"port that is still occupied when the critical path changes the "
                         "multiprocessor",
                         1, carry_in});
    return terms;
}

std::vector<BoundTerm> CertifiedPorts::terms(const std::vector<SlotDistance>& slots) const {
    if (launch_.shape.waves() > 1) return in_several_waves();
    return terms_of(worst_.at(hull(slots)));
}

} // namespace warpbound::analyzer
