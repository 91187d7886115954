#include "harness/simulator/sm/arbitration.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace warpbound::harness::simulator {

namespace {

constexpr std::size_t no_warp = std::numeric_limits<std::size_t>::max();

bool can_run(const Warp& warp) {
    return warp.is_live() && !warp.waits_at();
}

std::size_t draw_index(std::size_t count, RandomSource& random) {
    if (count == 0) return 0;
    return static_cast<std::size_t>(random.draw(0, static_cast<std::int64_t>(count) - 1));
}

/// The round-robin order of all warp slots, from any of them on.
class Rotation {
public:
    explicit Rotation(std::size_t warp_slots) : warp_slots_{warp_slots}, twice_(2 * warp_slots) {
        for (std::size_t i = 0; i < twice_.size(); ++i)
            twice_[i] = i % warp_slots;
    }
    [[nodiscard]] std::span<const std::size_t> from(std::size_t first) const {
        return std::span{twice_}.subspan(first, warp_slots_);
    }
    [[nodiscard]] std::size_t after(std::size_t warp) const {
        return warp + 1 == warp_slots_ ? 0 : warp + 1;
    }

private:
    std::size_t warp_slots_;
    std::vector<std::size_t> twice_;
};

/// The search starts after the warp that was chosen last.
class LooseRoundRobin final : public Arbitration {
public:
    LooseRoundRobin(std::size_t warp_slots, RandomSource& random)
        : rotation_{warp_slots}, first_{draw_index(warp_slots, random)} {}

    std::span<const std::size_t> candidates(std::int64_t /*now*/) override {
        return rotation_.from(first_);
    }
    void chosen(std::size_t warp) override { first_ = rotation_.after(warp); }

private:
    Rotation rotation_;
    std::size_t first_;
};

/// Only the warp whose turn it is; warps that have ended or wait at a barrier are skipped.
class StrictRoundRobin final : public Arbitration {
public:
    StrictRoundRobin(const std::vector<Warp>& warps, RandomSource& random)
        : warps_{warps}, rotation_{warps.size()}, first_{draw_index(warps.size(), random)} {}

    std::span<const std::size_t> candidates(std::int64_t /*now*/) override {
        const auto all = rotation_.from(first_);
        const auto next = std::find_if(all.begin(), all.end(),
                                       [&](std::size_t warp) { return can_run(warps_[warp]); });
        return next == all.end() ? std::span<const std::size_t>{} : std::span{next, 1};
    }
    void chosen(std::size_t warp) override { first_ = rotation_.after(warp); }

private:
    const std::vector<Warp>& warps_;
    Rotation rotation_;
    std::size_t first_;
};

/// Oldest first: by start time, then by warp slot; youngest first: the reverse. Greedy: the warp
/// that was chosen last comes before them.
class ByAge final : public Arbitration {
public:
    enum class First { Oldest, Youngest };

    ByAge(First first, bool greedy) : first_{first}, greedy_{greedy} {}

    std::span<const std::size_t> candidates(std::int64_t /*now*/) override { return order_; }

    void started(std::size_t warp, std::int64_t at) override {
        remove(warp);
        // A block that was placed later may start earlier.
        const Aged aged{at, warp};
        by_age_.insert(std::upper_bound(by_age_.begin(), by_age_.end(), aged), aged);
        if (last_ == warp) last_ = no_warp;
        arrange();
    }

    void chosen(std::size_t warp) override {
        if (!greedy_ || last_ == warp) return;
        last_ = warp;
        arrange();
    }

private:
    void remove(std::size_t warp) {
        by_age_.erase(std::remove_if(by_age_.begin(), by_age_.end(),
                                     [&](const Aged& aged) { return aged.second == warp; }),
                      by_age_.end());
    }
    void arrange() {
        order_.clear();
        for (const auto& [at, warp] : by_age_)
            order_.push_back(warp);
        if (first_ == First::Youngest) std::reverse(order_.begin(), order_.end());
        const auto last = std::find(order_.begin(), order_.end(), last_);
        if (last != order_.end()) std::rotate(order_.begin(), last, last + 1);
    }

    using Aged = std::pair<std::int64_t, std::size_t>; ///< Start time and warp slot.

    First first_;
    bool greedy_;
    std::size_t last_ = no_warp;
    std::vector<Aged> by_age_; ///< The oldest first.
    std::vector<std::size_t> order_;
};

/// Loose round robin within an active set. A warp leaves the set at its end, at a barrier, and when
/// its next instruction waits for a long operation. Pending warps enter in the order in which they
/// left, once none of these conditions holds.
class TwoLevel final : public Arbitration {
public:
    TwoLevel(const std::vector<Warp>& warps, std::size_t active, RandomSource& random)
        : warps_{warps}, limit_{active}, last_{draw_index(warps.size(), random)},
          starts_at_(warps.size(), 0) {}

    std::span<const std::size_t> candidates(std::int64_t now) override {
        const auto may_be_active = [&](std::size_t warp) {
            return can_run(warps_[warp]) && warps_[warp].long_at() <= now;
        };
        const auto leaving = std::stable_partition(active_.begin(), active_.end(), may_be_active);
        for (auto warp = leaving; warp != active_.end(); ++warp)
            if (warps_[*warp].is_live()) pending_.push_back(*warp);
        active_.erase(leaving, active_.end());
        const auto started = std::find_if(not_started_.begin(), not_started_.end(),
                                          [&](std::size_t warp) { return starts_at_[warp] > now; });
        pending_.insert(pending_.end(), not_started_.begin(), started);
        not_started_.erase(not_started_.begin(), started);
        wake_ = not_started_.empty() ? never : starts_at_[not_started_.front()];
        for (auto warp = pending_.begin(); warp != pending_.end();) {
            if (active_.size() < limit_ && may_be_active(*warp)) {
                active_.push_back(*warp);
                warp = pending_.erase(warp);
                continue;
            }
            if (warps_[*warp].long_at() > now) wake_ = std::min(wake_, warps_[*warp].long_at());
            ++warp;
        }
        // Round robin by warp slot, from the one after the last.
        std::sort(active_.begin(), active_.end());
        const auto next = std::upper_bound(active_.begin(), active_.end(), last_);
        order_.assign(next, active_.end());
        order_.insert(order_.end(), active_.begin(), next);
        return order_;
    }

    void started(std::size_t warp, std::int64_t at) override {
        std::erase(active_, warp);
        std::erase(pending_, warp);
        std::erase(not_started_, warp);
        starts_at_[warp] = at;
        const auto earlier = [&](std::size_t a, std::size_t b) {
            return std::pair{starts_at_[a], a} < std::pair{starts_at_[b], b};
        };
        not_started_.insert(
            std::upper_bound(not_started_.begin(), not_started_.end(), warp, earlier), warp);
    }
    void chosen(std::size_t warp) override { last_ = warp; }

private:
    const std::vector<Warp>& warps_;
    std::size_t limit_;
    std::size_t last_;
    std::vector<std::int64_t> starts_at_; ///< Per warp slot: when its warp may first issue.
    std::vector<std::size_t> active_;
    std::vector<std::size_t> pending_;     ///< First come, first served.
    std::vector<std::size_t> not_started_; ///< By start time, then by warp slot.
    std::vector<std::size_t> order_;
};

/// Time slots of fixed length in a fixed pattern: f r0 f r1 f r2 .. for every = 2.
class VariableRate final : public Arbitration {
public:
    VariableRate(std::size_t warp_slots, const models::WarpPolicy& policy, std::int64_t slot,
                 RandomSource& random)
        : slot_{std::max<std::int64_t>(1, slot)}, conserving_{policy.conserving}, rotation_{
                                                                                      warp_slots} {
        const auto fast =
            static_cast<std::size_t>(policy.fast) % std::max<std::size_t>(1, warp_slots);
        const auto every = static_cast<std::size_t>(policy.every);
        if (warp_slots < 2) {
            pattern_.assign(1, 0);
        } else {
            std::size_t next = 0;
            for (std::size_t k = 0; k < every * (warp_slots - 1); ++k) {
                if (k % every == 0) {
                    pattern_.push_back(fast);
                    continue;
                }
                if (next == fast) next = rotation_.after(next);
                pattern_.push_back(next);
                next = rotation_.after(next);
            }
        }
        phase_ = random.draw(0, static_cast<std::int64_t>(pattern_.size()) * slot_ - 1);
        restricts_times_ = !conserving_;
    }

    std::span<const std::size_t> candidates(std::int64_t now) override {
        const auto all = rotation_.from(first_);
        if (!conserving_ || all.empty()) return all;
        order_.assign(all.begin(), all.end());
        const auto owner = std::find(order_.begin(), order_.end(), owner_at(now));
        std::rotate(order_.begin(), owner, owner + 1);
        return order_;
    }

    [[nodiscard]] std::int64_t first_allowed(std::size_t warp, std::int64_t at) const override {
        std::int64_t slot_start = at;
        for (std::size_t slots = 0; slots <= pattern_.size(); ++slots) {
            if (owner_at(slot_start) == warp) return slot_start;
            slot_start += slot_ - (slot_start + phase_) % slot_;
        }
        return never;
    }
    void chosen(std::size_t warp) override { first_ = rotation_.after(warp); }

private:
    [[nodiscard]] std::size_t owner_at(std::int64_t cycle) const {
        const auto slot = static_cast<std::size_t>((cycle + phase_) / slot_);
        return pattern_[slot % pattern_.size()];
    }

    std::int64_t slot_;
    bool conserving_;
    Rotation rotation_;
    std::vector<std::size_t> pattern_;
    std::int64_t phase_ = 0;
    std::size_t first_ = 0;
    std::vector<std::size_t> order_;
};

/// The policy is unknown: each run draws one rule, so that long execution times become likely.
/// Random: a new order after every choice. Fixed: one order, so the last warp starves.
/// Changing: an order that lasts for some choices. Least and Most: the warps that were chosen
/// least, or most, often come first. Youngest: by descending warp slot. Each turn draws anew.
class UnknownPolicy final : public Arbitration {
public:
    UnknownPolicy(std::size_t warp_slots, const RandomSource& own, std::vector<Turn> turns)
        : own_seed_{seed_from(own)}, turns_{std::move(turns)},
          random_{Draw::Uniform, RandomStream{own_seed_, StreamOf::Choices, 0}}, order_(warp_slots),
          times_(warp_slots, 0) {
        draw_rule();
    }

    std::span<const std::size_t> candidates(std::int64_t now) override {
        for (; turn_ < turns_.size() && turns_[turn_].from <= now; ++turn_) {
            // The schedulers' own seeds differ, so their rules do, too.
            const std::uint64_t seed =
                RandomStream{turns_[turn_].seed, StreamOf::Choices, own_seed_}.next();
            random_ = RandomSource{Draw::Uniform, RandomStream{seed, StreamOf::Choices, 0}};
            draw_rule();
        }
        return order_;
    }

    void started(std::size_t warp, std::int64_t /*at*/) override { times_[warp] = 0; }

    void chosen(std::size_t warp) override {
        ++times_[warp];
        const auto by_times = [&](auto before) {
            std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
                return before(times_[a], times_[b]);
            });
        };
        switch (rule_) {
        case Rule::Random:
            return shuffle();
        case Rule::Changing:
            if (random_.draw(1, choices_of_an_order) == 1) shuffle();
            return;
        case Rule::Least:
            return by_times(std::less<>{});
        case Rule::Most:
            return by_times(std::greater<>{});
        case Rule::Fixed:
        case Rule::Youngest:
            return;
        }
    }

private:
    enum class Rule { Random, Fixed, Changing, Least, Most, Youngest };
    static constexpr Rule last_rule = Rule::Youngest;
    static constexpr std::int64_t choices_of_an_order = 64; ///< On average.

    static std::uint64_t seed_from(const RandomSource& own) {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
        return static_cast<std::uint64_t>(own.with(Draw::Uniform).draw(0, most));
    }
    void draw_rule() {
        rule_ = static_cast<Rule>(random_.draw(0, static_cast<std::int64_t>(last_rule)));
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (rule_ == Rule::Youngest)
            std::reverse(order_.begin(), order_.end());
        else
            shuffle();
    }
    void shuffle() {
        for (std::size_t left = order_.size(); left > 1; --left)
            std::swap(order_[left - 1], order_[draw_index(left, random_)]);
    }

    std::uint64_t own_seed_;
    std::vector<Turn> turns_;
    std::size_t turn_ = 0; ///< The next one.
    RandomSource random_;
    Rule rule_ = Rule::Random;
    std::vector<std::size_t> order_;
    std::vector<std::int64_t> times_; ///< Choices of a warp since its start, per warp slot.
};

} // namespace

std::unique_ptr<Arbitration> make_arbitration(const models::WarpPolicy& policy,
                                              const std::vector<Warp>& warps, std::int64_t slot,
                                              RandomSource& random,
                                              const std::vector<Turn>& turns) {
    switch (policy.kind) {
    case models::PolicyKind::GreedyThenOldest:
        return std::make_unique<ByAge>(ByAge::First::Oldest, true);
    case models::PolicyKind::GreedyThenYoungest:
        return std::make_unique<ByAge>(ByAge::First::Youngest, true);
    case models::PolicyKind::OldestFirst:
        return std::make_unique<ByAge>(ByAge::First::Oldest, false);
    case models::PolicyKind::TwoLevel:
        return std::make_unique<TwoLevel>(warps, static_cast<std::size_t>(policy.active), random);
    case models::PolicyKind::StrictRoundRobin:
        return std::make_unique<StrictRoundRobin>(warps, random);
    case models::PolicyKind::VariableRate:
        return std::make_unique<VariableRate>(warps.size(), policy, slot, random);
    case models::PolicyKind::Unknown:
        return std::make_unique<UnknownPolicy>(warps.size(), random, turns);
    case models::PolicyKind::LooseRoundRobin:
        break;
    }
    return std::make_unique<LooseRoundRobin>(warps.size(), random);
}

} // namespace warpbound::harness::simulator
