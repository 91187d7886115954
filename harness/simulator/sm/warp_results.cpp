#include "harness/simulator/sm/warp.hpp"

#include <algorithm>

// When results come and operands have been read: what later instructions of the warp wait for.

namespace warpbound::harness::simulator {

/// Its result time will be unfinished.
void Warp::expect_result() {
    unfinished_.push_back(
        {.warp = number_of_warp_, .number = number_, .instruction = instruction_});
    set_result(*operation_, never);
}

void Warp::expect_read(std::int64_t delay) {
    source_delay_ = delay;
    if (operation_->read_barrier) ++counters_.unknown[*operation_->read_barrier];
    if (operation_->has_result) return;
    unfinished_.push_back({.warp = number_of_warp_,
                           .number = number_,
                           .instruction = instruction_,
                           .has_result = false});
}

void Warp::collect(std::int64_t delay, std::optional<std::int64_t> source_read) {
    if (operation_->read_barrier) ++counters_.unknown[*operation_->read_barrier];
    deferred_ = true;
    deferral_ = Deferral{.instruction = instruction_,
                         .number = number_,
                         .occupancy = occupancy_,
                         .delay = delay,
                         .source_read = source_read};
}

void Warp::set_registers(const Operation& operation, std::int64_t at) {
    const std::uint16_t* const registers = code_->registers.data() + operation.writes.first;
    for (std::uint32_t i = 0; i < operation.writes.count; ++i)
        register_ready_[registers[i]] = at;
    if (tracks_long_)
        for (std::uint32_t i = 0; i < operation.writes.count; ++i)
            long_ready_[registers[i]] = operation.is_long ? at : 0;
}

void Warp::set_result(const Operation& operation, std::int64_t at) {
    set_registers(operation, at);
    if (!operation.write_barrier) return;
    auto& before = in_order_[*operation.write_barrier];
    const bool waits = operation.releases_in_order && (at == never || !before.empty());
    if (waits)
        before.push_back(
            {number_, at == never ? std::nullopt : std::optional{at}, operation.is_long});
    if (at == never || waits) {
        ++counters_.unknown[*operation.write_barrier];
        if (operation.is_long) ++counters_.unknown_long[*operation.write_barrier];
        return;
    }
    if (operation.releases_in_order) {
        std::int64_t& latest = counters_.in_order[*operation.write_barrier];
        latest = at = std::max(latest, at);
    }
    counters_.add_release(*operation.write_barrier, at);
    if (!tracks_long_ || !operation.is_long) return;
    std::int64_t& release = counters_.long_release[*operation.write_barrier];
    release = std::max(release, at);
}

void Warp::find_release(std::int64_t number, std::uint8_t scoreboard, std::int64_t at,
                        bool is_long) {
    const auto find_in = [&](Counters& counters) {
        --counters.unknown[scoreboard];
        counters.add_release(scoreboard, at);
        if (!is_long) return;
        --counters.unknown_long[scoreboard];
        if (!tracks_long_) return;
        std::int64_t& release = counters.long_release[scoreboard];
        release = std::max(release, at);
    };
    find_in(counters_);
    // Of the instruction that issued last, nothing was outstanding there.
    if (unseen_ && number + 1 != number_) find_in(before_increments_);
}

void Warp::find_release_in_order(std::int64_t number, std::uint8_t scoreboard, std::int64_t at) {
    auto& operations = in_order_[scoreboard];
    std::find_if(operations.begin(), operations.end(), [&](const InOrder& one) {
        return one.number == number;
    })->at = at;
    const auto open = std::find_if(operations.begin(), operations.end(),
                                   [](const InOrder& one) { return !one.at; });
    for (auto one = operations.begin(); one != open; ++one) {
        std::int64_t& latest = counters_.in_order[scoreboard];
        latest = std::max(latest, *one->at);
        find_release(one->number, scoreboard, latest, one->is_long);
    }
    operations.erase(operations.begin(), open);
}

bool Warp::complete(int warp, std::int64_t number, std::optional<std::int64_t> at,
                    std::optional<std::int64_t> sources_read, std::int64_t waited) {
    const auto found =
        std::find_if(unfinished_.begin(), unfinished_.end(), [&](const Unfinished& unfinished) {
            return unfinished.warp == warp && unfinished.number == number;
        });
    const std::size_t instruction = found->instruction;
    if (at || !found->has_result) {
        *found = unfinished_.back();
        unfinished_.pop_back();
    }
    if (log_->has_listener() && at)
        log_->add(Completed{.cycle = *at,
                            .warp = warp,
                            .instruction = instruction,
                            .number = number,
                            .waited = waited});
    if (log_->has_listener() && sources_read)
        log_->add(SourcesRead{
            .cycle = *sources_read, .warp = warp, .instruction = instruction, .number = number});
    if (!live_ || warp != number_of_warp_) return false;
    completion_ = std::max({completion_, at.value_or(0), sources_read.value_or(0)});
    const Operation& operation = code_->operations[instruction];
    if (at) set_registers(operation, *at);
    if (at && operation.write_barrier && operation.releases_in_order)
        find_release_in_order(number, *operation.write_barrier, *at);
    else if (at && operation.write_barrier)
        find_release(number, *operation.write_barrier, *at, operation.is_long);
    if (operation.read_barrier && sources_read)
        find_release(number, *operation.read_barrier, *sources_read, false);
    find_dependences();
    return true;
}

} // namespace warpbound::harness::simulator
