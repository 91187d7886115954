#include "analyzer/microarchitecture/pipeline_model.hpp"

#include "analyzer/microarchitecture/cycle_sums.hpp"
#include "assembly/amd/counters.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// The later of two times.
std::int64_t later(std::int64_t a, std::int64_t b) {
    return std::max(a, b);
}
Delays later(Delays a, const Delays& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = std::max(a[i], b[i]);
    return a;
}

std::int64_t after(std::int64_t time, std::int64_t cycles) {
    return sum_of_product(time, cycles, 1);
}
Delays after(Delays time, std::int64_t cycles) {
    for (std::int64_t& delay : time)
        if (delay != none) delay = after(delay, cycles);
    return time;
}

/// A time that delays nothing.
std::int64_t no_time(std::int64_t) {
    return 0;
}
Delays no_time(const Delays& like) {
    return Delays(like.size(), none);
}

} // namespace

/// Two issues of a warp in different cycles are two choices of its scheduler; in the same cycle
/// (dual issue, gap 0) they are one. When dual issue is missed, the next choice is needed. So the
/// upper side must not count on dual issue unless there is a choice in every cycle.
std::int64_t PipelineModel::gap_between_choices(std::int64_t gap) const {
    const bool same_cycle = gap == 0 && (side_ == Side::Lower || issue_slot_ <= 1);
    return same_cycle ? 0 : std::max(gap, issue_slot_);
}

/// From a time slot of the warp to its first one in which `wait` cycles have passed, with every
/// distance counted as the longest. On the upper side issues are at the last cycles of slots; on
/// the lower side at their first ones, which an issue follows by `slot_slack_` at most.
std::int64_t PipelineModel::until_slot(std::int64_t wait, const SlotDistance& slots) const {
    if (slots.longest <= 1) return wait;
    const std::int64_t least =
        side_ == Side::Upper ? wait : std::max<std::int64_t>(0, wait - slot_slack_);
    const std::int64_t distance = side_ == Side::Upper ? slots.shortest : slots.longest;
    return sum_of_product(0, models::divide_up(least, distance), slots.longest);
}

std::int64_t PipelineModel::until_slot(std::int64_t wait) const {
    if (slots_.empty()) return wait;
    std::int64_t until = until_slot(wait, slots_.front());
    for (const SlotDistance& slots : slots_) {
        const std::int64_t other = until_slot(wait, slots);
        until = side_ == Side::Upper ? std::max(until, other) : std::min(until, other);
    }
    return until;
}

PipelineState PipelineModel::start() const {
    return PipelineState(size(), 0);
}

void PipelineModel::insert_release(PipelineState& state, int scoreboard,
                                   const std::int64_t& release) const {
    const auto begin =
        state.begin() + static_cast<std::ptrdiff_t>(scoreboard_component(scoreboard));
    const auto end = begin + static_cast<std::ptrdiff_t>(depth_);
    const auto position = std::upper_bound(begin, end, release, std::greater<>{});
    if (position == end) return;
    std::move_backward(position, end - 1, end);
    *position = release;
}

/// Scalar loads are released in any order. The lower side counts what is on their counter as they
/// are, which is no later.
void PipelineModel::insert_in_order(PipelineState& state, int scoreboard,
                                    std::int64_t release) const {
    if (side_ == Side::Upper || scoreboard != assembly::amd::scalar_scoreboard)
        release = std::max(release, state[scoreboard_component(scoreboard)]);
    insert_release(state, scoreboard, release);
}

/// With one more release, the (k+1)-th largest is at most the k-th largest of before.
void PipelineModel::insert_release(std::vector<Delays>& components, int scoreboard,
                                   const Delays& release) const {
    const auto begin =
        components.begin() + static_cast<std::ptrdiff_t>(scoreboard_component(scoreboard));
    Delays largest = later(*begin, release);
    std::move_backward(begin, begin + static_cast<std::ptrdiff_t>(depth_) - 1,
                       begin + static_cast<std::ptrdiff_t>(depth_));
    *begin = std::move(largest);
}

template <class Wait> void PipelineModel::for_each_wait(const Compiled& compiled, Wait wait) const {
    wait(barrier_component, StackCategory::Barrier);
    for (const std::size_t reg : compiled.waits)
        wait(register_base() + reg, StackCategory::RegisterDependence);
    const auto wait_for_reads = [&](int scoreboard) {
        for (std::size_t bank = 0; side_ == Side::Upper && bank < pending_banks_; ++bank)
            wait(pending_component(scoreboard, bank), StackCategory::Scoreboard);
    };
    for (int sb = 0; sb < assembly::scoreboard_count; ++sb) {
        if (((compiled.wait_mask >> static_cast<unsigned>(sb)) & 1U) == 0) continue;
        wait(scoreboard_component(sb), StackCategory::Scoreboard);
        wait_for_reads(sb);
    }
    for (const CountedWait& counted : compiled.counted) {
        if (side_ != Side::Upper && !sees(compiled, counted)) continue;
        // However many may be unreleased: which reads are pending for them is not kept.
        wait_for_reads(counted.scoreboard);
        // At most k unreleased: the (k + 1)-th largest release has passed. Beyond the releases that
        // are kept, the upper side waits for the smallest of them, the lower side for none.
        if (counted.unreleased < depth_)
            wait(scoreboard_component(counted.scoreboard) + counted.unreleased,
                 StackCategory::Scoreboard);
        else if (side_ == Side::Upper)
            wait(scoreboard_component(counted.scoreboard) + depth_ - 1, StackCategory::Scoreboard);
    }
    if (has_stages()) wait(hold_component(), StackCategory::Port);
    if (!compiled.executes) return;
    if (!compiled.queues)
        wait(port_base() + compiled.unit, StackCategory::Port);
    else if (places_ > 0)
        wait(queue_base(), StackCategory::Port);
    if (compiled.enters_buffer && entries_ > 0 && buffer_fills_)
        wait(buffer_base(), StackCategory::WriteBuffer);
}

template <class Time>
Time PipelineModel::pass_stages(std::vector<Time>& components, const Compiled& compiled,
                                const Time& issue) const {
    const bool passes_allocate = compiled.has_fixed_latency;
    if (!has_stages())
        return passes_allocate && side_ == Side::Upper ? after(issue, longest_lag_) : issue;
    Time& hold = components[hold_component()];
    if (!passes_allocate) {
        hold = no_time(issue);
        return issue;
    }
    const auto beyond_window = [&](std::int64_t reads) {
        return std::max<std::int64_t>(0, reads - window_);
    };
    const auto& reads = compiled.reads;
    const bool enters_latch = compiled.executes && compiled.has_latch;
    Time& next_grant = components[grant_component()];
    hold = after(next_grant, 1);
    Time granted = after(later(issue, next_grant),
                         beyond_window(*std::max_element(reads.begin(), reads.end())));
    if (enters_latch) granted = later(granted, components[latch_base() + compiled.unit]);
    for (std::size_t bank = 0; bank < reads.size(); ++bank)
        if (reads[bank] > 0)
            granted = later(granted, after(components[bank_base() + bank], reads[bank] - window_));
    for (std::size_t bank = 0; bank < reads.size(); ++bank) {
        Time& free = components[bank_base() + bank];
        if (reads[bank] > 0)
            free = after(later(free, after(granted, -beyond_window(reads[bank]))), reads[bank]);
    }
    next_grant = after(granted, 1);
    // Where the latch is free in the next cycle, grants are as far apart anyway.
    if (enters_latch && compiled.occupancy > 1)
        components[latch_base() + compiled.unit] = after(granted, compiled.occupancy);
    return granted;
}

template <class Time>
void PipelineModel::delay_results(std::vector<Time>& components, const Compiled& compiled,
                                  const Time& granted) const {
    if (compiled.delays_end == 0) return;
    for (int sb = 0; sb < assembly::scoreboard_count; ++sb) {
        if (((compiled.delayed >> static_cast<unsigned>(sb)) & 1U) == 0) continue;
        const Time written = after(granted, after_fixed_on_[static_cast<std::size_t>(sb)]);
        for (std::size_t i = 0; i < depth_; ++i) {
            Time& release = components[scoreboard_component(sb) + i];
            release = later(std::move(release), written);
        }
    }
    Time& completion = components[completion_component];
    completion = later(std::move(completion), after(granted, compiled.delays_end));
}

template <class Time>
void PipelineModel::delay_reads(std::vector<Time>& components, const Compiled& compiled) const {
    if (may_be_pending_.empty() || compiled.delays_reads.empty()) return;
    for (std::size_t i = 0; i < may_be_pending_.size(); ++i) {
        const std::int64_t reads = compiled.delays_reads[i % pending_banks_];
        if (!may_be_pending_[i] || reads == 0) continue;
        Time& pending = components[pending_base() + i];
        pending = after(std::move(pending), reads);
    }
}

template <class Time>
void PipelineModel::enter_queued_read(std::vector<Time>& components, const Compiled& compiled,
                                      const Time& issue) const {
    const QueuedRead& queued = compiled.queued;
    for (std::size_t bank = 0; bank < queued.registers.size(); ++bank) {
        const std::int64_t registers = queued.registers[bank];
        if (registers == 0) continue;
        // What was granted before has read by the end of its window: the last grant before it, less
        // two, is `next_grant` less one, or in the cycle before at the latest, and then its lag.
        const std::int64_t window = window_ + 1 + registers;
        const Time after_others = has_stages() ? after(components[grant_component()], window)
                                               : after(issue, longest_lag_ + window);
        const Time read = after(later(after(issue, queued.due), after_others), after_read_wait_);
        const auto enter = [&](int scoreboard, std::int64_t cycles) {
            Time& pending = components[pending_component(scoreboard, bank)];
            pending = later(std::move(pending), after(read, cycles));
        };
        enter(end_of_warp, std::max(queued.result, queued.sources));
        if (queued.result >= 0 && compiled.write_barrier >= 0)
            enter(compiled.write_barrier, queued.result);
        if (queued.sources >= 0) enter(compiled.read_barrier, queued.sources);
    }
}

template <class Time>
PipelineModel::Passage<Time> PipelineModel::pass_queue(std::vector<Time>& components,
                                                       const Compiled& compiled, const Time& issue,
                                                       const Time& begin) const {
    if (!compiled.queues) return {begin, begin};
    if (places_ == 0) return {issue, issue};
    // The other end of the entry is subtracted: it is drawn once for both uses.
    Time& next = components[hand_over_component()];
    Passage<Time> passage{later(issue, after(next, -compiled.other_entry)),
                          later(after(issue, compiled.entry), next)};
    const auto first = components.begin() + static_cast<std::ptrdiff_t>(queue_base());
    const auto end = first + static_cast<std::ptrdiff_t>(places_);
    std::move(first + 1, end, first);
    *(end - 1) = passage.handed_over;
    next = after(passage.handed_over, compiled.spacing);
    return passage;
}

template <class Time>
void PipelineModel::take_effect(std::vector<Time>& components, const Compiled& compiled,
                                const Time& issue, const Passage<Time>& passage) const {
    const Time& begin = passage.begin;
    Time result = after(begin, compiled.result);
    Time usable = after(begin, compiled.result_wait);
    if (compiled.queues) {
        result = later(std::move(result), passage.handed_over);
        usable = later(std::move(usable), passage.handed_over);
    } else {
        Time& port = components[port_base() + compiled.unit];
        port = later(port, after(issue, compiled.occupancy));
    }
    if (compiled.after_fixed > 0) {
        // The last grant before it, less two: `next_grant` less one, or in the cycle before at the
        // latest, and then its lag.
        const Time written = has_stages()
                                 ? after(components[grant_component()], compiled.after_fixed - 1)
                                 : after(issue, longest_lag_ + compiled.after_fixed - 1);
        result = later(std::move(result), written);
        usable = later(std::move(usable), written);
    }
    for (const std::size_t reg : compiled.writes)
        components[register_base() + reg] = usable;
    Time& completion = components[completion_component];
    completion = later(completion, result);
    if (compiled.write_barrier >= 0 && compiled.releases_in_order)
        insert_in_order(components, compiled.write_barrier, usable);
    else if (compiled.write_barrier >= 0)
        insert_release(components, compiled.write_barrier, usable);
    if (compiled.read_barrier >= 0) {
        Time read = after(begin, compiled.source_read);
        Time released = after(begin, compiled.source_wait);
        if (compiled.queues && places_ > 0) {
            const Time earliest = after(passage.handed_over, -compiled.sources_before);
            read = later(std::move(read), earliest);
            released = later(std::move(released), earliest);
        }
        insert_release(components, compiled.read_barrier, released);
        completion = later(completion, read);
    }
    if (compiled.enters_buffer && entries_ > 0) {
        const auto first = components.begin() + static_cast<std::ptrdiff_t>(buffer_base());
        const auto end = first + static_cast<std::ptrdiff_t>(entries_);
        Time drained = after(later(*(end - 1), issue), compiled.drain);
        std::move(first + 1, end, first);
        *(end - 1) = std::move(drained);
    }
    // The release of a barrier counts from the last arrival, an issue (C9).
    if (compiled.barrier) components[barrier_component] = after(issue, compiled.barrier_wait);
}

IssueStep PipelineModel::wait_of(const PipelineState& state, std::size_t instruction) const {
    IssueStep step;
    step.gap = state[gap_component];
    step.gap_category =
        state[gap_kind_component] != 0 ? StackCategory::ControlTransfer : StackCategory::Issue;
    step.cycles = step.gap;
    for_each_wait(compiled_[instruction], [&](std::size_t component, StackCategory category) {
        if (state[component] <= step.cycles) return;
        step.cycles = state[component];
        step.wait = category;
    });
    if (side_ == Side::Lower) step.cycles = until_slot(step.cycles);
    return step;
}

/// Clears the components that an issued instruction certainly waited for.
void PipelineModel::pass_waits(PipelineState& state, const Compiled& compiled) const {
    state[gap_component] = 0;
    state[barrier_component] = 0;
    for (const std::size_t reg : compiled.waits)
        state[register_base() + reg] = 0;
    const unsigned waited = compiled.wait_mask & compiled.seen;
    for (int sb = 0; sb < assembly::scoreboard_count; ++sb) {
        if (((waited >> static_cast<unsigned>(sb)) & 1U) == 0) continue;
        std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(scoreboard_component(sb)), depth_,
                    0);
        std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(pending_component(sb, 0)),
                    pending_banks_, 0);
    }
    for (const CountedWait& counted : compiled.counted)
        for (std::size_t i = counted.unreleased; sees(compiled, counted) && i < depth_; ++i)
            state[scoreboard_component(counted.scoreboard) + i] = 0;
    if (!compiled.always_executes) return;
    if (!compiled.queues)
        state[port_base() + compiled.unit] = 0;
    else if (places_ > 0)
        state[queue_base()] = 0;
}

void PipelineModel::issue(PipelineState& state, std::size_t instruction,
                          std::int64_t elapsed) const {
    const Compiled& compiled = compiled_[instruction];
    for (std::size_t i = 0; i < state.size(); ++i)
        if (i != gap_kind_component) state[i] = std::max<std::int64_t>(0, state[i] - elapsed);
    pass_waits(state, compiled);
    const std::int64_t begin = pass_stages<std::int64_t>(state, compiled, 0);
    delay_reads<std::int64_t>(state, compiled);
    if (compiled.executes) enter_queued_read<std::int64_t>(state, compiled, 0);
    if (compiled.executes) delay_results<std::int64_t>(state, compiled, begin);
    if (compiled.executes)
        take_effect<std::int64_t>(state, compiled, 0,
                                  pass_queue<std::int64_t>(state, compiled, 0, begin));
}

IssueStep PipelineModel::advance(PipelineState& state, std::size_t instruction) const {
    const IssueStep step = wait_of(state, instruction);
    issue(state, instruction, step.cycles);
    return step;
}

Delays PipelineModel::advance(std::vector<Delays>& components, std::size_t instruction) const {
    const Compiled& compiled = compiled_[instruction];
    Delays issue = components[gap_component];
    for_each_wait(compiled, [&](std::size_t component, StackCategory) {
        issue = later(std::move(issue), components[component]);
    });
    const Delays begin = pass_stages(components, compiled, issue);
    delay_reads(components, compiled);
    if (compiled.executes) enter_queued_read(components, compiled, issue);
    if (compiled.executes) delay_results(components, compiled, begin);
    if (compiled.executes)
        take_effect(components, compiled, issue, pass_queue(components, compiled, issue, begin));
    return issue;
}

void PipelineModel::leave(std::vector<Delays>& components, std::size_t instruction,
                          bool transferred, const Delays& issue) const {
    const Compiled& compiled = compiled_[instruction];
    components[gap_component] = after(issue, transferred ? compiled.gap_taken : compiled.gap);
}

Delays PipelineModel::completion(const std::vector<Delays>& components, const Delays& issue) const {
    Delays end = later(after(issue, 1), components[completion_component]);
    if (entries_ > 0) end = later(std::move(end), components[buffer_base() + entries_ - 1]);
    for (std::size_t bank = 0; bank < pending_banks_; ++bank)
        end = later(std::move(end), components[pending_component(end_of_warp, bank)]);
    return end;
}

void PipelineModel::leave(PipelineState& state, std::size_t instruction, bool transferred) const {
    const Compiled& compiled = compiled_[instruction];
    state[gap_component] = transferred ? compiled.gap_taken : compiled.gap;
    state[gap_kind_component] = compiled.transfers ? 1 : 0;
}

PortUse PipelineModel::port_use(std::size_t instruction) const {
    const Compiled& compiled = compiled_[instruction];
    return {compiled.unit, compiled.occupancy, compiled.executes};
}

std::int64_t PipelineModel::completion(const PipelineState& state) const {
    std::int64_t end = std::max<std::int64_t>(1, state[completion_component]);
    if (entries_ > 0) end = std::max(end, state[buffer_base() + entries_ - 1]);
    for (std::size_t bank = 0; bank < pending_banks_; ++bank)
        end = std::max(end, state[pending_component(end_of_warp, bank)]);
    return end;
}

void PipelineModel::join(PipelineState& into, const PipelineState& other) const {
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = side_ == Side::Upper ? std::max(into[i], other[i]) : std::min(into[i], other[i]);
}

std::int64_t PipelineModel::longest_in_queue() const {
    std::int64_t entry = 0;
    std::int64_t spacing = 0;
    for (const Compiled& compiled : compiled_) {
        if (!compiled.queues) continue;
        entry = std::max(entry, compiled.entry);
        spacing = std::max(spacing, compiled.spacing);
    }
    // The first of the instructions that wait when one issues is handed over after its entry, or
    // `spacing` after one that was handed over before; the others follow each other.
    return sum_of_product(std::max(entry, spacing), spacing,
                          std::max<std::int64_t>(0, static_cast<std::int64_t>(places_) - 1));
}

/// Reads that follow raise it by no more than ports and window let them take in the time that
/// passes.
std::int64_t PipelineModel::longest_pending() const {
    std::int64_t longest = 0;
    for (const Compiled& compiled : compiled_) {
        const QueuedRead& queued = compiled.queued;
        if (queued.registers.empty()) continue;
        const std::int64_t registers = *std::ranges::max_element(queued.registers);
        longest = std::max(
            longest, models::plus(std::max(queued.due, longest_lag_ + window_ + 1 + registers),
                                  std::max(queued.result, queued.sources)));
    }
    const std::int64_t most_reads = window_ + beyond_window_;
    return models::plus(longest, after_read_wait_ + longest_lag_ + window_ + 2 * most_reads);
}

PipelineState PipelineModel::top() const {
    PipelineState state = start();
    if (side_ == Side::Lower) return state;
    std::int64_t result = 0;
    std::int64_t occupancy = 0;
    std::int64_t gap = 0;
    std::int64_t drain = 0;
    for (const Compiled& compiled : compiled_) {
        const std::int64_t lag = compiled.queues && places_ > 0 ? longest_in_queue()
                                 : compiled.has_fixed_latency   ? longest_lag_
                                                                : 0;
        result = std::max({result, lag + compiled.result_wait, lag + compiled.source_wait});
        occupancy = std::max(occupancy, compiled.occupancy);
        gap = std::max({gap, compiled.gap, compiled.gap_taken});
        drain = std::max(drain, compiled.drain);
    }
    if (after_fixed_ > 0) result = std::max(result, longest_lag_ + after_fixed_);
    std::fill(state.begin(), state.end(), result);
    state[gap_component] = gap;
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(port_base()), units_, occupancy);
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(buffer_base()), entries_,
                sum_of_product(0, drain, static_cast<std::int64_t>(entries_)));
    state[gap_kind_component] = 1;
    const auto queue = state.begin() + static_cast<std::ptrdiff_t>(queue_base());
    // A grant lags by at most `longest_lag_`, and a port is busy up to the end of its window.
    if (has_stages())
        std::fill(state.begin() + static_cast<std::ptrdiff_t>(hold_component()), queue,
                  longest_lag_ + std::max({window_, occupancy, std::int64_t{2}}));
    std::fill(state.begin() + static_cast<std::ptrdiff_t>(pending_base()), state.end(),
              longest_pending());
    if (places_ == 0) return state;
    std::fill(queue, state.end(), longest_in_queue());
    for (const Compiled& compiled : compiled_)
        if (compiled.queues)
            state.back() = std::max(state.back(), longest_in_queue() + compiled.spacing);
    return state;
}

} // namespace warpbound::analyzer
