#include "certification/verify/wavefront/wave_times.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

namespace {

std::int64_t after(std::int64_t moment, std::int64_t cycles) {
    return moment <= undecided ? undecided : models::plus(moment, cycles);
}

void delay(std::int64_t& moment, std::int64_t until) {
    moment = std::max(moment, until);
}

} // namespace

WaveTimes::WaveTimes(const TimedCode& code, const WaveCode& waves, bool upper, bool drains,
                     std::vector<bool> portless)
    : code_{code}, waves_{waves}, upper_{upper}, portless_{std::move(portless)},
      depth_{waves.most_waited_for + 1}, places_{drains ? static_cast<std::size_t>(
                                                              end_of(write_buffer_entries(code)))
                                                        : 0},
      registers_{port(code.kernel.architecture.units.size())}, returns_{registers_ +
                                                                        waves.register_classes},
      drains_{returns_ + wave_counters * depth_}, parts_{drains_ + places_} {}

bool WaveTimes::is_idle(std::size_t component, const std::vector<bool>& touched) const {
    return component >= registers_ && component < returns_ && !touched[component - registers_];
}

std::int64_t WaveTimes::issue(Moments& moments, std::size_t instruction) const {
    const WaveInstruction& wave = waves_.instructions[instruction];
    const models::InstructionTiming& timing = code_.timings[instruction].value();
    const bool executes = upper_ || !wave.may_be_off;
    std::int64_t issued = std::max(moments[next_issue], moments[barrier]);
    for (const std::size_t reg : wave.touches)
        delay(issued, moments[registers_ + reg]);
    for (std::size_t counter = 0; counter < wave_counters; ++counter)
        if (const auto& most = wave.waits[counter])
            delay(issued, moments[returned(counter, *most)]);
    for (std::size_t part = 0; part < wave_parts; ++part)
        if (wave.waits_for_part[part]) delay(issued, moments[parts_ + part]);
    if (executes) delay(issued, moments[port(timing.unit)]);
    if (executes && places_ > 0 && timing.enters_write_buffer)
        delay(issued, moments[drains_ + places_ - 1]);
    moments[barrier] = undecided;
    if (!executes) return issued;
    const std::int64_t passes = end_of(timing.passes);
    const std::int64_t result =
        after(issued, models::plus(end_of(timing.latency),
                                   models::times(end_of(timing.pass_cost), passes - 1)));
    if (portless_.empty() || !portless_[instruction])
        delay(moments[port(timing.unit)],
              after(issued, upper_ ? port_occupancy(timing) : least_port_occupancy(timing)));
    for (const std::size_t reg : wave.writes)
        moments[registers_ + reg] = result;
    delay(moments[last_result], result);
    count(moments, wave, result);
    if (waves_.waits_for_parts && wave.part)
        delay(moments[parts_ + *wave.part],
              after(issued, models::plus(end_of(timing.source_read),
                                         models::times(end_of(timing.pass_cost), passes - 1))));
    drain(moments, timing, issued);
    if (timing.is_barrier_wait) moments[barrier] = result;
    return issued;
}

/// C99: operations in order return no earlier than those before them. Of the scalar loads the order
/// is open: the later end takes them in order, the earlier end counts the k latest moments.
void WaveTimes::count(Moments& moments, const WaveInstruction& wave, std::int64_t result) const {
    if (!wave.counter) return;
    const std::size_t first = returned(*wave.counter, 0);
    const bool is_ordered = upper_ || (wave.returns_in_order && *wave.counter != mixed_counter);
    if (is_ordered) delay(result, moments[first]);
    for (std::size_t i = first; i < first + depth_; ++i) {
        // In order each moves on by one place; else the list stays sorted, the latest first.
        if (is_ordered || result > moments[i]) std::swap(result, moments[i]);
    }
}

void WaveTimes::drain(Moments& moments, const models::InstructionTiming& timing,
                      std::int64_t issued) const {
    if (places_ == 0 || !timing.enters_write_buffer) return;
    std::int64_t drained =
        after(std::max(moments[drains_], issued), drain_time(code_, timing, upper_));
    for (std::size_t i = drains_; i < drains_ + places_; ++i)
        std::swap(drained, moments[i]);
}

void WaveTimes::follow(Moments& moments, std::size_t instruction, std::int64_t issued,
                       bool transferred) const {
    const models::InstructionTiming& timing = code_.timings[instruction].value();
    const std::int64_t gap = end_of(transferred ? timing.gap_taken : timing.gap);
    // Two issues are two choices of the scheduler, except in one cycle.
    const std::int64_t slot = end_of(code_.geometry.issue_slot);
    const bool shares_cycle = gap == 0 && (!upper_ || slot <= 1);
    moments[next_issue] = after(issued, shares_cycle ? 0 : std::max(gap, slot));
}

std::int64_t WaveTimes::completion(const Moments& moments, std::int64_t issued) const {
    std::int64_t end = std::max(after(issued, 1), moments[last_result]);
    if (places_ > 0) delay(end, moments[drains_]);
    return end;
}

} // namespace warpbound::certification::verify
