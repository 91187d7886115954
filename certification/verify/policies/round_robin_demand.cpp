#include "certification/verify/policies/round_robin_demand.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// The number that a certificate's id ends in, after `start`.
std::optional<std::int64_t> number_at_end(std::string_view id, std::string_view start) {
    if (id.substr(0, start.size()) != start) return std::nullopt;
    id.remove_prefix(start.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
    return number;
}

/// Adds what certificates count by rotations of this length.
template <class Residual, class OnAnyScheduler>
void add_rotations(const TimedCode& code, std::int64_t rotation, const Residual& residual,
                   const OnAnyScheduler& of_any_scheduler, RotationDemand& demand) {
    DemandTables& tables = demand.tables;
    tables[rotations_certificate(rotation)] =
        demand_table(code, [&](const Timing&, std::size_t) { return rotation; });
    const auto beyond_rotation = [&](std::size_t i) {
        return std::max<std::int64_t>(0, demand.stalls.of_instruction[i] - rotation);
    };
    tables[stalls_certificate(rotation)] =
        demand_table(code, [&](const Timing& timing, std::size_t i) {
            return models::plus(beyond_rotation(i), residual(timing, i));
        });
    tables[stalls_certificate(rotation) + certificate_id::any_scheduler] =
        demand_table(code, [&](const Timing& timing, std::size_t i) {
            return models::plus(beyond_rotation(i), of_any_scheduler(timing, i));
        });
}

} // namespace

InterferencePerTurn interference_per_turn_of(const TimedCode& code) {
    namespace ids = certificate_id;
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t resident = launch.resident_warps();
    const std::int64_t warp_slots = launch.per_scheduler(resident); // m of S27.
    InterferencePerTurn demand{fmt::format("-round-robin-of-{}", warp_slots), {}};
    const models::Cycles waiting_interval = models::Cycles{launch.issue_slot.hi} * (warp_slots - 1);
    const auto and_waiting_interval = [waiting_interval](std::int64_t cycles) {
        return (models::Cycles{cycles} + waiting_interval).count();
    };
    const auto is_used_by_other_schedulers = [&](const Timing& timing) {
        return warp_slots < resident && is_port_of_multiprocessor(code, timing) &&
               port_occupancy(timing) > 0;
    };
    demand.tables[ids::own_scheduler + demand.suffix] =
        demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
            const bool outlasts_slot =
                !is_port_of_warp(code, timing) && port_occupancy(timing) > launch.issue_slot.lo;
            return outlasts_slot || is_used_by_other_schedulers(timing)
                       ? and_waiting_interval(port_occupancy(timing))
                       : 0;
        });
    demand.tables[ids::other_schedulers + demand.suffix] =
        demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
            return is_used_by_other_schedulers(timing)
                       ? and_waiting_interval(port_occupancy(timing))
                       : 0;
        });
    // No waiting interval ends by the write buffer while all stores of the launch fit.
    const bool may_be_full = stores_exceed_write_buffer(code);
    demand.tables[ids::upper_drain + demand.suffix] =
        demand_table(code, [&](const Timing& timing, std::size_t) {
            const std::int64_t drain = drain_time(code, timing, true);
            return may_be_full && timing.enters_write_buffer ? and_waiting_interval(drain) : drain;
        });
    return demand;
}

RotationDemand rotation_demand_of(const TimedCode& code) {
    namespace ids = certificate_id;
    RotationDemand demand{{}, dependence_stalls_of(code), {}};
    // S51: the stages in front of the units hold others as ports do.
    const DemandTable grants = cycles_per_grant(code);
    // S78: behind a queue the backlog takes the place of the port.
    const DemandTable raises = backlog_raises(code);
    const auto residual = [&](const Timing& timing, std::size_t i) {
        const std::int64_t in_stages = grants[i] - code.geometry.issue_slot.lo;
        if (timing.queue) return models::plus(raises[i], std::max<std::int64_t>(0, in_stages));
        return std::max(occupancy_beyond_slot(code, timing), in_stages);
    };
    // S25a: on several schedulers a port of the multiprocessor counts with all of its occupancy,
    // and the stages apart from it.
    const auto of_any_scheduler = [&](const Timing& timing, std::size_t i) {
        if (!is_port_of_multiprocessor(code, timing) || port_occupancy(timing) == 0)
            return residual(timing, i);
        const std::int64_t in_stages = std::max<std::int64_t>(0, grants[i] - 1);
        if (timing.queue)
            return models::plus(raises[i], models::plus(port_occupancy(timing), in_stages));
        return std::max(residual(timing, i), models::plus(port_occupancy(timing), in_stages));
    };
    DemandTables& tables = demand.tables;
    tables[ids::upper_issue_slots] =
        demand_table(code, [&](const Timing&, std::size_t) { return code.geometry.issue_slot.hi; });
    tables[ids::residual_occupancy] = demand_table(code, residual);
    tables[std::string{ids::residual_occupancy} + ids::any_scheduler] =
        demand_table(code, of_any_scheduler);
    std::set<std::int64_t> lengths;
    for (const Certificate& certificate : code.kernel.certificates)
        if (const auto length = number_at_end(certificate.id, ids::rotations_of))
            lengths.insert(*length);
    demand.rotations.assign(lengths.begin(), lengths.end());
    for (const std::int64_t length : lengths)
        add_rotations(code, length, residual, of_any_scheduler, demand);
    return demand;
}

std::string rotations_certificate(std::int64_t rotation) {
    return certificate_id::rotations_of + std::to_string(rotation);
}

std::string stalls_certificate(std::int64_t rotation) {
    return certificate_id::stalls_beyond + std::to_string(rotation);
}

} // namespace warpbound::certification::verify
