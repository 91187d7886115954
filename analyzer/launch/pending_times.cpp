#include "analyzer/launch/pending_times.hpp"

namespace warpbound::analyzer {

PendingTimes PendingTimes::after(std::int64_t cycles) const {
    PendingTimes left;
    for (const auto& [resource, most] : longest_)
        left.occupy(resource, resource.queued ? most : most - cycles);
    return left;
}

bool PendingTimes::join(const PendingTimes& other) {
    bool changed = false;
    for (const auto& [resource, cycles] : other.longest_) {
        std::int64_t& most = longest_[resource];
        changed = changed || cycles > most;
        most = std::max(most, cycles);
    }
    return changed;
}

std::int64_t PendingTimes::until(const OwnResource& resource) const {
    const auto found = longest_.find(resource);
    return found == longest_.end() ? 0 : found->second;
}

OwnResource OwnUses::of_queue(std::size_t i, OwnResource resource) const {
    resource.queued = timing(i).queue.has_value();
    return resource;
}

void OwnUses::occupy_sources(std::size_t i, PendingTimes& pending) const {
    pending.occupy({OwnResource::Kind::Port, {}, timing(i).unit, i},
                   models::occupancy_of_port(timing(i)).hi);
    if (const auto& control = instruction(i).control; control && control->read_barrier)
        pending.occupy(of_queue(i, scoreboard_of(static_cast<std::size_t>(*control->read_barrier))),
                       source_read(i));
}

void OwnUses::occupy_results(std::size_t i, PendingTimes& pending) const {
    if (timing(i).waits_for_registers)
        for (const assembly::Register& written : instruction(i).effects.writes)
            pending.occupy(of_queue(i, {OwnResource::Kind::Register, written}), result(i));
    if (const auto& control = instruction(i).control; control && control->write_barrier)
        pending.occupy(
            of_queue(i, scoreboard_of(static_cast<std::size_t>(*control->write_barrier))),
            result(i));
}

} // namespace warpbound::analyzer
