#include "harness/simulator/sm/arbitration.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace warpbound::harness::simulator {

namespace {

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

bool can_run(const Warp& warp) {
    return warp.is_live() && !warp.waits_at();
}

std::size_t draw_place(std::size_t places, RandomSource& random) {
    if (places == 0) return 0;
    return static_cast<std::size_t>(random.draw(0, static_cast<std::int64_t>(places) - 1));
}

/// A round over all places from any of them on.
class Round {
public:
    explicit Round(std::size_t places) : places_{places}, twice_(2 * places) {
        for (std::size_t i = 0; i < twice_.size(); ++i)
            twice_[i] = i % places;
    }
    [[nodiscard]] std::span<const std::size_t> from(std::size_t first) const {
        return std::span{twice_}.subspan(first, places_);
    }
    [[nodiscard]] std::size_t after(std::size_t place) const {
        return place + 1 == places_ ? 0 : place + 1;
    }

private:
    std::size_t places_;
    std::vector<std::size_t> twice_;
};

/// The search starts after the one chosen last.
class LooseRoundRobin final : public Arbitration {
public:
    LooseRoundRobin(std::size_t places, RandomSource& random)
        : round_{places}, first_{draw_place(places, random)} {}

    std::span<const std::size_t> candidates(std::int64_t /*now*/) override {
        return round_.from(first_);
    }
    void chosen(std::size_t warp) override { first_ = round_.after(warp); }

private:
    Round round_;
    std::size_t first_;
};

/// Only the next in turn; who has ended or waits at a barrier is passed over.
class StrictRoundRobin final : public Arbitration {
public:
    StrictRoundRobin(const std::vector<Warp>& warps, RandomSource& random)
        : warps_{warps}, round_{warps.size()}, first_{draw_place(warps.size(), random)} {}

    std::span<const std::size_t> candidates(std::int64_t /*now*/) override {
        const auto all = round_.from(first_);
        const auto next = std::find_if(all.begin(), all.end(),
                                       [&](std::size_t warp) { return can_run(warps_[warp]); });
        return next == all.end() ? std::span<const std::size_t>{} : std::span{next, 1};
    }
    void chosen(std::size_t warp) override { first_ = round_.after(warp); }

private:
    const std::vector<Warp>& warps_;
    Round round_;
    std::size_t first_;
};

/// Oldest first: by the time of their start, then by place. Greedy: before them the one chosen
/// last.
class ByAge final : public Arbitration {
public:
    explicit ByAge(bool greedy) : greedy_{greedy} {}

    std::span<const std::size_t> candidates(std::int64_t /*now*/) override { return order_; }

    void started(std::size_t warp, std::int64_t at) override {
        forget(warp);
        // A block that got its slot later may start earlier.
        const Aged aged{at, warp};
        by_age_.insert(std::upper_bound(by_age_.begin(), by_age_.end(), aged), aged);
        if (last_ == warp) last_ = nobody;
        arrange();
    }

    void chosen(std::size_t warp) override {
        if (!greedy_ || last_ == warp) return;
        last_ = warp;
        arrange();
    }

private:
    void forget(std::size_t warp) {
        by_age_.erase(std::remove_if(by_age_.begin(), by_age_.end(),
                                     [&](const Aged& aged) { return aged.second == warp; }),
                      by_age_.end());
    }
    void arrange() {
        order_.clear();
        for (const auto& [at, warp] : by_age_)
            order_.push_back(warp);
        const auto last = std::find(order_.begin(), order_.end(), last_);
        if (last != order_.end()) std::rotate(order_.begin(), last, last + 1);
    }

    using Aged = std::pair<std::int64_t, std::size_t>; ///< Start and place.

    bool greedy_;
    std::size_t last_ = nobody;
    std::vector<Aged> by_age_; ///< The oldest first.
    std::vector<std::size_t> order_;
};

/// Loose round robin inside an active set. A warp leaves it at its end, at a barrier, and when its
/// next instruction waits for a long operation; those outside enter in the order in which they
/// left, once nothing of this holds.
class TwoLevel final : public Arbitration {
public:
    TwoLevel(const std::vector<Warp>& warps, std::size_t active, RandomSource& random)
        : warps_{warps}, limit_{active}, last_{draw_place(warps.size(), random)},
          starts_at_(warps.size(), 0) {}

    std::span<const std::size_t> candidates(std::int64_t now) override {
        const auto stays = [&](std::size_t warp) {
            return can_run(warps_[warp]) && warps_[warp].long_at() <= now;
        };
        const auto leaving = std::stable_partition(active_.begin(), active_.end(), stays);
        for (auto warp = leaving; warp != active_.end(); ++warp)
            if (warps_[*warp].is_live()) outside_.push_back(*warp);
        active_.erase(leaving, active_.end());
        const auto started = std::find_if(coming_.begin(), coming_.end(),
                                          [&](std::size_t warp) { return starts_at_[warp] > now; });
        outside_.insert(outside_.end(), coming_.begin(), started);
        coming_.erase(coming_.begin(), started);
        wake_ = coming_.empty() ? never : starts_at_[coming_.front()];
        for (auto warp = outside_.begin(); warp != outside_.end();) {
            if (active_.size() < limit_ && stays(*warp)) {
                active_.push_back(*warp);
                warp = outside_.erase(warp);
                continue;
            }
            if (warps_[*warp].long_at() > now) wake_ = std::min(wake_, warps_[*warp].long_at());
            ++warp;
        }
        // Round robin by place, from the one after the last.
        std::sort(active_.begin(), active_.end());
        const auto next = std::upper_bound(active_.begin(), active_.end(), last_);
        order_.assign(next, active_.end());
        order_.insert(order_.end(), active_.begin(), next);
        return order_;
    }
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

    void started(std::size_t warp, std::int64_t at) override {
        std::erase(active_, warp);
        std::erase(outside_, warp);
        std::erase(coming_, warp);
        starts_at_[warp] = at;
        const auto later = [&](std::size_t one, std::size_t other) {
            return std::pair{starts_at_[one], one} < std::pair{starts_at_[other], other};
        };
        coming_.insert(std::upper_bound(coming_.begin(), coming_.end(), warp, later), warp);
    }
    void chosen(std::size_t warp) override { last_ = warp; }

private:
    const std::vector<Warp>& warps_;
    std::size_t limit_;
    std::size_t last_;
    std::vector<std::int64_t> starts_at_; ///< Per place: when its warp may first issue.
    std::vector<std::size_t> active_;
    std::vector<std::size_t> outside_; ///< First come, first served.
    std::vector<std::size_t> coming_;  ///< Not started yet: by start, then by place.
    std::vector<std::size_t> order_;
    std::int64_t wake_ = never;
};

/// Slots of fixed length in a fixed pattern: f r0 f r1 f r2 .. for every = 2.
class VariableRate final : public Arbitration {
public:
    VariableRate(std::size_t places, const models::WarpPolicy& policy, std::int64_t slot,
                 RandomSource& random)
        : slot_{std::max<std::int64_t>(1, slot)}, conserving_{policy.conserving}, round_{places} {
        const auto fast = static_cast<std::size_t>(policy.fast) % std::max<std::size_t>(1, places);
        const auto every = static_cast<std::size_t>(policy.every);
        if (places < 2) {
            pattern_.assign(1, 0);
        } else {
            std::size_t next = 0;
            for (std::size_t k = 0; k < every * (places - 1); ++k) {
                if (k % every == 0) {
                    pattern_.push_back(fast);
                    continue;
                }
                if (next == fast) next = round_.after(next);
                pattern_.push_back(next);
                next = round_.after(next);
            }
        }
        phase_ = random.draw(0, static_cast<std::int64_t>(pattern_.size()) * slot_ - 1);
    }

    std::span<const std::size_t> candidates(std::int64_t now) override {
        const auto all = round_.from(first_);
        if (!conserving_ || all.empty()) return all;
        order_.assign(all.begin(), all.end());
        const auto owner = std::find(order_.begin(), order_.end(), owner_at(now));
        std::rotate(order_.begin(), owner, owner + 1);
        return order_;
    }

    [[nodiscard]] std::int64_t turn(std::size_t warp, std::int64_t at) const override {
        if (conserving_) return at;
        std::int64_t slot_start = at;
        for (std::size_t slots = 0; slots <= pattern_.size(); ++slots) {
            if (owner_at(slot_start) == warp) return slot_start;
            slot_start += slot_ - (slot_start + phase_) % slot_;
        }
        return never;
    }
    void chosen(std::size_t warp) override { first_ = round_.after(warp); }

private:
    [[nodiscard]] std::size_t owner_at(std::int64_t cycle) const {
        const auto slot = static_cast<std::size_t>((cycle + phase_) / slot_);
        return pattern_[slot % pattern_.size()];
    }

    std::int64_t slot_;
    bool conserving_;
    Round round_;
    std::vector<std::size_t> pattern_;
    std::int64_t phase_ = 0;
    std::size_t first_ = 0;
    std::vector<std::size_t> order_;
};

/// By no known rule: each run keeps to a manner of its own, so that long times become likely.
/// RandomSource: another order after every choice. Fixed: one order, whoever is last starves.
/// Changing: an order that lasts for some choices. Least and most: those chosen least, or most,
/// often come first. Youngest: in the order of places from the last one on.
class Unknown final : public Arbitration {
public:
    Unknown(std::size_t places, const RandomSource& own)
        : random_{Draw::Uniform, stream_from(own)},
          manner_{static_cast<Manner>(random_.draw(0, static_cast<std::int64_t>(last_manner)))},
          order_(places), times_(places, 0) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (manner_ == Manner::Youngest)
            std::reverse(order_.begin(), order_.end());
        else
            shuffle();
    }

    std::span<const std::size_t> candidates(std::int64_t /*now*/) override { return order_; }

    void started(std::size_t warp, std::int64_t /*at*/) override { times_[warp] = 0; }

    void chosen(std::size_t warp) override {
        ++times_[warp];
        const auto by_times = [&](auto before) {
            std::stable_sort(order_.begin(), order_.end(), [&](std::size_t one, std::size_t other) {
                return before(times_[one], times_[other]);
            });
        };
        switch (manner_) {
        case Manner::RandomSource:
            return shuffle();
        case Manner::Changing:
            if (random_.draw(1, choices_of_an_order) == 1) shuffle();
            return;
        case Manner::Least:
            return by_times(std::less<>{});
        case Manner::Most:
            return by_times(std::greater<>{});
        case Manner::Fixed:
        case Manner::Youngest:
            return;
        }
    }

private:
    enum class Manner { RandomSource, Fixed, Changing, Least, Most, Youngest };
    static constexpr Manner last_manner = Manner::Youngest;
    static constexpr std::int64_t choices_of_an_order = 64; ///< In the mean.

    static RandomStream stream_from(const RandomSource& own) {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
        const std::int64_t seed = own.with(Draw::Uniform).draw(0, most);
        return {static_cast<std::uint64_t>(seed), StreamOf::Choices, 0};
    }
    void shuffle() {
        for (std::size_t left = order_.size(); left > 1; --left)
            std::swap(order_[left - 1], order_[draw_place(left, random_)]);
    }

    RandomSource random_;
    Manner manner_;
    std::vector<std::size_t> order_;
    std::vector<std::int64_t> times_; ///< Chosen so often since its start, per place.
};

} // namespace

std::unique_ptr<Arbitration> make_arbitration(const models::WarpPolicy& policy,
                                              const std::vector<Warp>& warps, std::int64_t slot,
                                              RandomSource& random) {
    switch (policy.kind) {
    case models::PolicyKind::GreedyThenOldest:
        return std::make_unique<ByAge>(true);
    case models::PolicyKind::OldestFirst:
        return std::make_unique<ByAge>(false);
    case models::PolicyKind::TwoLevel:
        return std::make_unique<TwoLevel>(warps, static_cast<std::size_t>(policy.active), random);
    case models::PolicyKind::StrictRoundRobin:
        return std::make_unique<StrictRoundRobin>(warps, random);
    case models::PolicyKind::VariableRate:
        return std::make_unique<VariableRate>(warps.size(), policy, slot, random);
    case models::PolicyKind::Unknown:
        return std::make_unique<Unknown>(warps.size(), random);
    case models::PolicyKind::LooseRoundRobin:
        break;
    }
    return std::make_unique<LooseRoundRobin>(warps.size(), random);
}

} // namespace warpbound::harness::simulator
