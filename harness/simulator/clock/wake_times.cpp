#include "harness/simulator/clock/wake_times.hpp"

#include <algorithm>
#include <bit>

namespace warpbound::harness::simulator {

WakeTimes::WakeTimes() {
    first_.fill(none);
}

std::size_t WakeTimes::add() {
    sleepers_.push_back({.cycle = never});
    return sleepers_.size() - 1;
}

void WakeTimes::enter(Index sleeper) {
    Sleeper& entering = sleepers_[sleeper];
    const std::size_t day = day_of(entering.cycle);
    entering.before = none;
    entering.after = first_[day];
    if (entering.after != none) sleepers_[entering.after].before = sleeper;
    first_[day] = sleeper;
    occupied_[day / word_bits] |= std::uint64_t{1} << (day % word_bits);
    from_ = std::min(from_, entering.cycle);
    ++waking_;
}

void WakeTimes::leave(Index sleeper) {
    const Sleeper& leaving = sleepers_[sleeper];
    const std::size_t day = day_of(leaving.cycle);
    if (leaving.after != none) sleepers_[leaving.after].before = leaving.before;
    if (leaving.before != none)
        sleepers_[leaving.before].after = leaving.after;
    else
        first_[day] = leaving.after;
    if (first_[day] == none) occupied_[day / word_bits] &= ~(std::uint64_t{1} << (day % word_bits));
    --waking_;
}

std::size_t WakeTimes::to_next_bucket(std::int64_t cycle) const {
    const std::size_t day = day_of(cycle);
    const std::size_t bit = day % word_bits;
    std::size_t word = day / word_bits;
    std::uint64_t days_of_word = occupied_[word] & (~std::uint64_t{0} << bit);
    // The last word of the year is the first one again, with the days before this one.
    for (std::size_t words = 0; words <= occupied_.size(); ++words) {
        if (days_of_word != 0)
            return words * word_bits + static_cast<std::size_t>(std::countr_zero(days_of_word)) -
                   bit;
        word = (word + 1) % occupied_.size();
        days_of_word = occupied_[word];
    }
    return days;
}

bool WakeTimes::wakes_one(std::int64_t cycle) const {
    for (Index sleeper = first_[day_of(cycle)]; sleeper != none; sleeper = sleepers_[sleeper].after)
        if (sleepers_[sleeper].cycle == cycle) return true;
    return false;
}

std::int64_t WakeTimes::earliest() const {
    if (waking_ == 0) return never;
    for (std::size_t day = to_next_bucket(from_); day < days;) {
        const std::int64_t cycle = from_ + static_cast<std::int64_t>(day);
        if (wakes_one(cycle)) return from_ = cycle;
        day += 1 + to_next_bucket(cycle + 1);
    }
    const auto first =
        std::min_element(sleepers_.begin(), sleepers_.end(),
                         [](const Sleeper& a, const Sleeper& b) { return a.cycle < b.cycle; });
    return from_ = first->cycle;
}

void WakeTimes::take_bucket(std::size_t day, std::int64_t now, std::vector<std::size_t>& sleepers) {
    Index kept = none; // Those of later years stay.
    for (Index sleeper = first_[day]; sleeper != none;) {
        Sleeper& entry = sleepers_[sleeper];
        const Index after = entry.after;
        if (entry.cycle <= now) {
            entry.cycle = never;
            --waking_;
            sleepers.push_back(sleeper);
        } else {
            entry.before = none;
            entry.after = kept;
            if (kept != none) sleepers_[kept].before = sleeper;
            kept = sleeper;
        }
        sleeper = after;
    }
    first_[day] = kept;
    if (kept == none) occupied_[day / word_bits] &= ~(std::uint64_t{1} << (day % word_bits));
}

void WakeTimes::take(std::int64_t now, std::vector<std::size_t>& sleepers) {
    const std::int64_t last = std::min(now, from_ + static_cast<std::int64_t>(days) - 1);
    for (; from_ <= last; ++from_)
        take_bucket(day_of(from_), now, sleepers);
    from_ = std::max(from_, now + 1);
}

} // namespace warpbound::harness::simulator
