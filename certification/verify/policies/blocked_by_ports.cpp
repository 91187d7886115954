#include "certification/verify/policies/blocked_by_ports.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

std::int64_t slot_blocking_occupancy(const TimedCode& code,
                                     const models::InstructionTiming& timing) {
    return is_port_of_warp(code, timing) || timing.queue ? 0 : port_occupancy(timing);
}

namespace {

HeldPort held_by(const TimedCode& code, std::size_t i) {
    if (!code.reachable[i]) return {};
    const models::InstructionTiming& timing = code.timings[i].value();
    const std::int64_t cycles = slot_blocking_occupancy(code, timing);
    return {cycles, cycles > 0 && is_port_of_multiprocessor(code, timing)};
}

std::int64_t rounded_up(std::int64_t cycles, std::int64_t distance) {
    return cycles / distance + (cycles % distance == 0 ? 0 : 1);
}

/// The time slots of one warp slot.
class OwnSlots {
public:
    OwnSlots(const SchedulerSlots& slots, std::int64_t warp_slot)
        : period_{slots.repeats_after()}, duration_{slots.duration} {
        for (std::int64_t time_slot = 0; time_slot < period_; ++time_slot)
            if (slots.owner(time_slot) == warp_slot) own_.push_back(time_slot);
    }

    /// Among the first `count` time slots.
    [[nodiscard]] std::int64_t among(std::int64_t count) const {
        const auto whole = static_cast<std::int64_t>(own_.size());
        const auto rest = std::lower_bound(own_.begin(), own_.end(), count % period_);
        return models::times(count / period_, whole) + (rest - own_.begin());
    }
    /// Slot boundaries among the first `cycles` cycles: the last cycles of these time slots.
    [[nodiscard]] std::int64_t boundaries(std::int64_t cycles) const {
        return among(cycles / duration_);
    }
    [[nodiscard]] const std::vector<std::int64_t>& numbers() const { return own_; }

private:
    std::int64_t period_;
    std::int64_t duration_;
    std::vector<std::int64_t> own_; ///< Of one period.
};

/// Counts boundaries for the slot tables of a full multiprocessor.
class BoundariesHeld {
public:
    BoundariesHeld(const TimedCode& code, const std::vector<HeldPort>& held)
        : code_{code}, held_{held}, schedulers_{slots_of_schedulers(code.kernel.policy,
                                                                    code.geometry,
                                                                    code.geometry.block_slots)} {
        for (const SchedulerSlots& slots : schedulers_) {
            own_.emplace_back();
            for (std::int64_t i = 0; i < slots.warp_slots && slots.warp_slots > 1; ++i)
                own_.back().emplace_back(slots, i);
        }
    }

    [[nodiscard]] std::vector<WarpSlotInTable> each_in_its_table() const {
        std::vector<WarpSlotInTable> all;
        for (std::size_t i = 0; i < schedulers_.size(); ++i) {
            // A scheduler with as many warp slots as the one before it is as that one.
            if (i > 0 && schedulers_[i].warp_slots == schedulers_[i - 1].warp_slots) continue;
            for (std::int64_t warp_slot = 0; warp_slot < schedulers_[i].warp_slots; ++warp_slot)
                all.push_back(in_table(i, warp_slot));
        }
        return all;
    }

    /// Each warp counts with the most that it blocks in any warp slot of this block.
    [[nodiscard]] WarpsByTime against_block(std::int64_t block) const {
        const LaunchGeometry& launch = code_.geometry;
        const std::int64_t first = models::times(block, launch.warps_per_block);
        WarpsByTime warps;
        for (std::int64_t other = 0; other < launch.resident_warps(); ++other) {
            TimeByUse most(held_.size(), 0);
            for (std::int64_t warp = first; warp < first + launch.warps_per_block; ++warp) {
                if (warp == other) continue;
                const TimeByUse time = between_warps(warp, other);
                for (std::size_t k = 0; k < most.size(); ++k)
                    most[k] = std::max(most[k], time[k]);
            }
            ++warps[most];
        }
        return warps;
    }

private:
    [[nodiscard]] const OwnSlots& own(std::size_t scheduler, std::int64_t warp_slot) const {
        return own_[scheduler][static_cast<std::size_t>(warp_slot)];
    }

    template <typename Count> TimeByUse times_of(const SlotDistance& distance, Count count) const {
        TimeByUse time;
        for (const HeldPort& port : held_)
            time.push_back(port.cycles == 0 ? 0 : models::times(count(port), distance.longest));
        return time;
    }

    /// S17, lemma 2: time slots of `warp_slot` among the (o - 1) / s after one of `other`.
    [[nodiscard]] TimeByUse on_same_scheduler(std::size_t scheduler, std::int64_t warp_slot,
                                              std::int64_t other) const {
        const SchedulerSlots& slots = schedulers_[scheduler];
        const OwnSlots& blocked = own(scheduler, warp_slot);
        return times_of(slots.distance(warp_slot), [&](const HeldPort& port) {
            const std::int64_t reach = (port.cycles - 1) / slots.duration;
            std::int64_t most = 0;
            for (const std::int64_t used : own(scheduler, other).numbers())
                most = std::max(most, blocked.among(used + 1 + reach) - blocked.among(used + 1));
            return most;
        });
    }

    /// o / P, rounded up.
    [[nodiscard]] TimeByUse from_any_phase(const SlotDistance& distance) const {
        return times_of(distance, [&](const HeldPort& port) {
            return port.of_multiprocessor ? rounded_up(port.cycles, distance.shortest) : 0;
        });
    }

    /// Boundaries in b .. b + s + o - 2, b the beginning of a time slot of `other`.
    [[nodiscard]] TimeByUse at_phase(std::size_t scheduler, std::int64_t warp_slot,
                                     std::int64_t other, std::int64_t phase) const {
        const SchedulerSlots& slots = schedulers_[scheduler];
        const OwnSlots& blocked = own(scheduler, warp_slot);
        const SlotDistance distance = slots.distance(warp_slot);
        return times_of(distance, [&](const HeldPort& port) {
            if (!port.of_multiprocessor) return std::int64_t{0};
            std::int64_t most = 0;
            for (const std::int64_t used : own(scheduler, other).numbers()) {
                const std::int64_t begin = models::times(used, slots.duration) + phase;
                const std::int64_t end = begin + slots.duration + port.cycles - 1;
                most = std::max(most, blocked.boundaries(end) - blocked.boundaries(begin));
            }
            return std::min(most, rounded_up(port.cycles, distance.shortest));
        });
    }

    [[nodiscard]] TimeByUse between_warps(std::int64_t warp, std::int64_t other) const {
        const std::int64_t count = code_.geometry.schedulers;
        const auto scheduler = static_cast<std::size_t>(warp % count);
        if (other % count == warp % count)
            return on_same_scheduler(scheduler, warp / count, other / count);
        return from_any_phase(schedulers_[scheduler].distance(warp / count));
    }

    [[nodiscard]] WarpSlotInTable in_table(std::size_t scheduler, std::int64_t warp_slot) const {
        const SchedulerSlots& slots = schedulers_[scheduler];
        WarpSlotInTable place{slots.distance(warp_slot), {}, {}, 0};
        for (std::int64_t other = 0; other < slots.warp_slots; ++other)
            if (other != warp_slot)
                ++place.any_phase[on_same_scheduler(scheduler, warp_slot, other)];
        // Phases are told apart where there are not too many of them (S17).
        constexpr std::int64_t most_steps = std::int64_t{1} << 20U;
        const std::int64_t period = slots.repeats_after();
        const bool by_phase =
            place.distance.shortest > 1 &&
            models::times(models::times(period, period), slots.duration) <= most_steps;
        for (std::size_t i = 0; i < schedulers_.size(); ++i) {
            if (i == scheduler) continue;
            if (by_phase && schedulers_[i].warp_slots == slots.warp_slots)
                ++place.schedulers;
            else
                place.any_phase[from_any_phase(place.distance)] += schedulers_[i].warp_slots;
        }
        const std::int64_t phases = models::times(period, slots.duration);
        for (std::int64_t phase = 0; phase < phases && place.schedulers > 0; ++phase) {
            WarpsByTime& warps = place.by_phase.emplace_back();
            for (std::int64_t other = 0; other < slots.warp_slots; ++other)
                ++warps[at_phase(scheduler, warp_slot, other, phase)];
        }
        return place;
    }

    const TimedCode& code_;
    const std::vector<HeldPort>& held_;
    std::vector<SchedulerSlots> schedulers_;
    std::vector<std::vector<OwnSlots>> own_; ///< `Shape:` own[scheduler][warp slot].
};

bool blocks_none(const TimeByUse& time) {
    return std::all_of(time.begin(), time.end(), [](std::int64_t cycles) { return cycles == 0; });
}

/// Numbered in the order of what uses block, the shortest use first.
void number_certificates(const TimedCode& code, PortsInSlots& ports) {
    std::set<TimeByUse> all;
    const auto add = [&](const WarpsByTime& warps) {
        for (const auto& [time, count] : warps)
            if (!blocks_none(time)) all.insert(time);
    };
    for (const WarpSlotInTable& place : ports.warp_slots) {
        add(place.any_phase);
        for (const WarpsByTime& warps : place.by_phase)
            add(warps);
    }
    for (const WarpsByTime& warps : ports.blocks)
        add(warps);
    for (const TimeByUse& time : all) {
        const std::string id = std::string{certificate_id::ports} + "-" +
                               std::to_string(ports.certificates.size() + 1);
        ports.certificates.emplace(time, id);
        DemandTable table;
        for (std::size_t i = 0; i < code.timings.size(); ++i) {
            const auto at =
                std::lower_bound(ports.held.begin(), ports.held.end(), held_by(code, i));
            table.push_back(time[static_cast<std::size_t>(at - ports.held.begin())]);
        }
        ports.tables.emplace(id, std::move(table));
    }
}

/// Warps that block some time, and the sum: of several the largest one counts.
struct BlockedTime {
    std::int64_t cycles = 0;
    WarpsByTime warps;

    friend auto operator<=>(const BlockedTime&, const BlockedTime&) = default;
};

class BlockedTimes {
public:
    BlockedTimes(const PortsInSlots& ports, const CertificateValues& values)
        : ports_{ports}, values_{values} {}

    [[nodiscard]] std::int64_t of_one_warp(const TimeByUse& time) const {
        if (blocks_none(time)) return 0;
        return cycles_of(values_, {1, 0, ports_.certificates.at(time)});
    }

    void add(BlockedTime& sum, const WarpsByTime& warps, std::int64_t count) const {
        for (const auto& [time, number] : warps) {
            const std::int64_t cycles = of_one_warp(time);
            const std::int64_t all = models::times(number, count);
            if (cycles == 0 || all == 0) continue;
            sum.warps[time] += all;
            sum.cycles =
                (models::Cycles{sum.cycles} + models::Cycles{models::times(cycles, all)}).count();
        }
    }

    [[nodiscard]] BlockedTime longest_of(const std::vector<WarpsByTime>& cases) const {
        BlockedTime longest;
        for (const WarpsByTime& warps : cases) {
            BlockedTime sum;
            add(sum, warps, 1);
            longest = std::max(longest, std::move(sum));
        }
        return longest;
    }

    [[nodiscard]] BlockedTime at_distance(const SlotDistance& distance) const {
        BlockedTime longest;
        for (const WarpSlotInTable& place : ports_.warp_slots) {
            if (place.distance != distance) continue;
            BlockedTime sum;
            add(sum, place.any_phase, 1);
            add(sum, longest_of(place.by_phase).warps, place.schedulers);
            longest = std::max(longest, std::move(sum));
        }
        return longest;
    }

    /// S17, lemma 3: by blocks, or by warp slots, of which the path has one between two barriers.
    [[nodiscard]] BlockedTime between_barriers(std::int64_t barriers) const {
        BlockedTime of_one;
        for (const WarpSlotInTable& place : ports_.warp_slots)
            of_one = std::max(of_one, at_distance(place.distance));
        BlockedTime by_warp_slots;
        add(by_warp_slots, of_one.warps, barriers + 1);
        BlockedTime by_blocks = longest_of(ports_.blocks);
        return by_blocks.cycles <= by_warp_slots.cycles ? by_blocks : by_warp_slots;
    }

private:
    const PortsInSlots& ports_;
    const CertificateValues& values_;
};

} // namespace

PortsInSlots ports_in_slots(const TimedCode& code) {
    PortsInSlots ports;
    if (code.geometry.waves > 1 || code.geometry.warps == 1) return ports;
    std::set<HeldPort> held;
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        held.insert(held_by(code, i));
    ports.held.assign(held.begin(), held.end());
    const BoundariesHeld boundaries{code, ports.held};
    ports.warp_slots = boundaries.each_in_its_table();
    if (most_barriers_if_none_ends_early(code) > 0)
        for (std::int64_t block = 0; block < code.geometry.block_slots; ++block)
            ports.blocks.push_back(boundaries.against_block(block));
    number_certificates(code, ports);
    return ports;
}

std::vector<Term> blocked_port_terms(const TimedCode& code, const PortsInSlots& ports,
                                     const std::optional<SlotDistance>& distance,
                                     const CertificateValues& values) {
    const BlockedTimes times{ports, values};
    const BlockedTime blocked =
        distance ? times.at_distance(*distance)
                 : times.between_barriers(most_barriers_if_none_ends_early(code));
    std::vector<Term> terms;
    for (const auto& [time, warps] : blocked.warps)
        terms.push_back({warps, 0, ports.certificates.at(time)});
    return terms;
}

} // namespace warpbound::certification::verify
