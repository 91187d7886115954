#include "analyzer/divergence/multiway_branches.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Set = SerializedBlocks::Set;
using Seconds = SerializedBlocks::Seconds;

constexpr std::size_t most_ways = 16; ///< Of which sets are made.

class SeveralWays {
public:
    SeveralWays(SerializedBlocks& copies, const DivergentBranch& parting,
                const SerializedBlocks::Reached& reached, std::vector<std::size_t> starts)
        : copies_{copies}, parting_{parting}, reached_{reached}, starts_{std::move(starts)} {
        for (const std::size_t start : starts_)
            ways_.push_back(copies_.reached_from(start, parting_));
    }

    /// Of each way one copy for each set of others that went before.
    [[nodiscard]] bool fits(std::size_t most) const {
        if (starts_.size() > most_ways) return false;
        std::size_t blocks = 0;
        for (const Set& way : ways_)
            blocks += way.size();
        return blocks << (starts_.size() - 1) <= most;
    }

    void follow_once(std::size_t branch) {
        separate(branch);
        const std::size_t sets = std::size_t{1} << starts_.size();
        std::map<Place, Seconds> made; // Of those that are not the first to go.
        for (std::size_t gone = 1; gone < sets; ++gone)
            for (std::size_t way = 0; way < starts_.size(); ++way)
                if (!holds(gone, way))
                    made.emplace(Place{gone, way}, copies_.copy_all(ways_[way], parting_));
        const auto lead = [&](const Set& from, std::size_t gone) {
            for (std::size_t next = 0; next < starts_.size(); ++next)
                if (!holds(gone, next)) lead_to(from, made.at({gone, next}).at(starts_[next]));
            copies_.let_wait(from, parting_, reached_.meeting);
        };
        for (const auto& [place, second] : made)
            lead(SerializedBlocks::values_of(second), with(place.first, place.second));
        for (std::size_t way = 0; way < starts_.size(); ++way)
            lead(ways_[way], with(0, way));
    }

    /// Any of them so often.
    void follow_often(std::size_t times) {
        std::vector<Seconds> stages;
        for (std::size_t stage = 1; stage < times; ++stage)
            stages.push_back(copies_.copy_all(reached_.inside, parting_));
        Set from = reached_.inside;
        for (const Seconds& stage : stages) {
            for (const std::size_t start : starts_)
                lead_to(from, stage.at(start));
            copies_.let_wait(from, parting_, reached_.meeting);
            from = SerializedBlocks::values_of(stage);
        }
        copies_.let_wait(from, parting_, reached_.meeting);
    }

private:
    using Place = std::pair<std::size_t, std::size_t>; ///< Ways that are gone, by bit, and the way.

    static bool holds(std::size_t set, std::size_t way) { return ((set >> way) & 1U) != 0; }
    static std::size_t with(std::size_t set, std::size_t way) {
        return set | std::size_t{1} << way;
    }
    void lead_to(const Set& from, std::size_t to) {
        for (const std::size_t copy : from)
            if (copies_.ends_way(copy, parting_)) copies_.add(copy, to);
    }

    /// Each way has its own copies of what it shares with those before it.
    void separate(std::size_t branch) {
        std::vector<Seconds> own;
        Set taken;
        for (const Set& way : ways_) {
            Set shared;
            std::set_intersection(way.begin(), way.end(), taken.begin(), taken.end(),
                                  std::inserter(shared, shared.end()));
            taken.insert(way.begin(), way.end());
            own.push_back(copies_.copy_all(shared, parting_));
        }
        for (std::size_t way = 0; way < starts_.size(); ++way) {
            for (const auto& [copy, second] : own[way]) {
                ways_[way].erase(copy);
                ways_[way].insert(second);
            }
            for (const std::size_t copy : ways_[way])
                for (SerializedBlocks::Copy::Way& edge : copies_[copy].ways)
                    if (const auto second = own[way].find(edge.to);
                        second != own[way].end() && copies_.stays(copy, edge, parting_))
                        edge.to = second->second;
            const auto start = own[way].find(starts_[way]);
            if (start == own[way].end()) continue;
            for (SerializedBlocks::Copy::Way& edge : copies_[branch].ways)
                if (edge.to == start->first) edge.to = start->second;
            starts_[way] = start->second;
        }
    }

    SerializedBlocks& copies_;
    const DivergentBranch& parting_;
    const SerializedBlocks::Reached& reached_;
    std::vector<std::size_t> starts_;
    std::vector<Set> ways_; ///< What each passes as the first to go.
};

} // namespace

void let_several_follow(SerializedBlocks& copies, std::size_t branch,
                        const DivergentBranch& parting, const SerializedBlocks::Reached& reached,
                        const std::vector<std::size_t>& starts, std::size_t most,
                        std::int64_t lanes) {
    SeveralWays several{copies, parting, reached, starts};
    if (several.fits(most))
        several.follow_once(branch);
    else
        several.follow_often(std::min(starts.size(), static_cast<std::size_t>(lanes)));
}

} // namespace warpbound::analyzer
