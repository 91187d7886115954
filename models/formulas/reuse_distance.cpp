#include "models/formulas/reuse_distance.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <random>

namespace warpbound::models::reuse_distance {
namespace {

std::uint64_t bit(std::uint64_t line, unsigned number) {
    return (line >> number) & 1U;
}

/// |N(0, sigma)| again and again, the same from the same seed everywhere.
class HalfNormal {
public:
    explicit HalfNormal(const Timing& timing) : sigma_{timing.spread}, bits_{timing.seed} {}
    std::int64_t next() {
        if (sigma_ == 0) return 0;
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return std::llround(std::abs(sigma_ * radius * std::cos(2 * std::numbers::pi * uniform())));
    }

private:
    double uniform() { // Above 0, up to 1.
        return (static_cast<double>(bits_() >> 11U) + 1) * 0x1p-53;
    }

    double sigma_;
    std::mt19937_64 bits_;
};

class Cache {
public:
    Cache(const Shape& shape, const Timing& timing)
        : shape_{shape}, timing_{timing}, late_{timing},
          sets_(static_cast<std::size_t>(shape.sets)) {}

    Outcome access(const Access& access) {
        now_ = std::max(now_, access.time);
        arrive();
        Outcome found = look_up(access);
        while (found.missed != 0 && timing_.miss_registers &&
               fetching_ == *timing_.miss_registers) {
            now_ = std::ranges::find_if(pending_, &Update::fetched)->time;
            arrive();
            found = look_up(access);
        }
        if (found.hit != 0) schedule(timing_.hit, access.line, 0);
        if (found.missed != 0) {
            schedule(timing_.miss + late_.next(), access.line, found.missed);
            ++fetching_;
            lines_[access.line].outstanding |= found.missed;
        }
        return found;
    }

private:
    struct Line {
        std::uint64_t present = 0;     ///< Sectors fetched since the line was.
        std::uint64_t outstanding = 0; ///< Outstanding sectors.
    };
    /// The line is used at this time.
    struct Update {
        std::int64_t time = 0;
        std::uint64_t line = 0;
        std::uint64_t sectors = 0; ///< Arriving sectors; 0 for a hit.

        [[nodiscard]] bool fetched() const { return sectors != 0; }
    };

    [[nodiscard]] Distances& set_with(std::uint64_t line) {
        return sets_[static_cast<std::size_t>(set_of(line, shape_))];
    }

    Outcome look_up(const Access& access) {
        Line& line = lines_[access.line];
        Outcome found{.distance = set_with(access.line).of(access.line)};
        if (!found.distance || *found.distance >= shape_.ways) line.present = 0;
        found.hit = access.sectors & line.present;
        found.merged = access.sectors & ~line.present & line.outstanding;
        found.missed = access.sectors & ~line.present & ~line.outstanding;
        return found;
    }

    void schedule(std::int64_t wait, std::uint64_t line, std::uint64_t sectors) {
        const Update made{now_ + wait, line, sectors};
        const auto position = std::ranges::upper_bound(pending_, made.time, {}, &Update::time);
        pending_.insert(position, made);
    }

    /// Applies the updates that are due.
    void arrive() {
        while (!pending_.empty() && pending_.front().time <= now_) {
            const Update due = pending_.front();
            pending_.pop_front();
            Line& line = lines_[due.line];
            Distances& set = set_with(due.line);
            const auto distance = set.of(due.line);
            const bool stayed = distance && *distance < shape_.ways;
            if (!stayed) line.present = 0;
            line.present |= due.sectors;
            line.outstanding &= ~due.sectors;
            if (due.fetched()) --fetching_;
            if (stayed || due.fetched()) set.use(due.line);
        }
    }

    const Shape& shape_;
    const Timing& timing_;
    HalfNormal late_;
    std::vector<Distances> sets_;
    std::unordered_map<std::uint64_t, Line> lines_;
    std::deque<Update> pending_; ///< By time, then in the order made.
    std::int64_t now_ = 0;
    std::int64_t fetching_ = 0; ///< Outstanding misses.
};

} // namespace

std::int64_t Distances::sum(std::size_t count) const {
    std::int64_t sum = 0;
    for (; count > 0; count &= count - 1)
        sum += tree_[count - 1];
    return sum;
}

std::optional<std::int64_t> Distances::of(std::uint64_t line) const {
    const auto found = last_.find(line);
    if (found == last_.end()) return std::nullopt;
    return sum(tree_.size()) - sum(found->second + 1);
}

void Distances::use(std::uint64_t line) {
    const auto found = last_.find(line);
    if (found != last_.end())
        for (std::size_t position = found->second + 1; position <= tree_.size();
             position += position & -position)
            --tree_[position - 1];
    // A node holds the sum of the uses from its lowest bit on.
    const std::size_t position = tree_.size() + 1;
    tree_.push_back(1 + sum(position - 1) - sum(position & (position - 1)));
    last_.insert_or_assign(line, position - 1);
}

std::int64_t set_of(std::uint64_t line, const Shape& shape) {
    std::uint64_t index = line;
    if (shape.index == SetIndex::FermiL1) {
        const std::uint64_t mask = bit(line, 12) << 4U | bit(line, 10) << 3U | bit(line, 8) << 2U |
                                   bit(line, 7) << 1U | bit(line, 6);
        index = ((line & 31U) ^ mask) + 32 * bit(line, 5);
    }
    return static_cast<std::int64_t>(index % static_cast<std::uint64_t>(shape.sets));
}

Result<std::vector<Outcome>> outcomes(std::span<const Access> accesses, const Shape& shape,
                                      const Timing& timing) {
    constexpr std::int64_t longest = std::int64_t{1} << 40;
    InputCheck check{"reuse distance"};
    check.count("sets", shape.sets, 1, 1 << 24)
        .count("ways", shape.ways, 1)
        .require(shape.index == SetIndex::Modulo || shape.sets == 32 || shape.sets == 64,
                 "a Fermi L1 has 32 or 64 sets")
        .count("hit latency", timing.hit, 0, longest)
        .count("miss latency", timing.miss, 0, longest)
        .within("spread of the miss latency", timing.spread, 0, real(longest))
        .count("miss registers", timing.miss_registers.value_or(1), 1);
    std::int64_t before = 0;
    for (const auto& access : accesses) {
        check.count("time of an access", access.time, before, longest)
            .require(access.sectors != 0, "an access of no sectors");
        before = access.time;
    }
    if (check.failure()) return *check.failure();
    Cache cache{shape, timing};
    std::vector<Outcome> found;
    found.reserve(accesses.size());
    for (const auto& access : accesses)
        found.push_back(cache.access(access));
    return found;
}

} // namespace warpbound::models::reuse_distance
