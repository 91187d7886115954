#include "analyzer/divergence/loop_divergence.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Copy = SerializedBlocks::Copy;

/// Where those who leave at a branch go on, and where the others do.
struct Ways {
    std::size_t start = 0;
    std::vector<std::size_t> staying;
};

Ways ways_of(const SerializedBlocks& copies, std::size_t branch, const DivergentBranch& parting) {
    Ways ways;
    for (const Copy::Way& way : copies[branch].ways)
        if (way.edge && copies[way.to].original == parting.leaving->start)
            ways.start = way.to;
        else if (way.edge)
            ways.staying.push_back(way.to);
    return ways;
}

SerializedBlocks::Seconds copy_way(SerializedBlocks& copies, const DivergentBranch& parting,
                                   const SerializedBlocks::Set& inside) {
    SerializedBlocks::Set leaving;
    for (const std::size_t copy : inside)
        if (parting.leaving->region.count(copies[copy].original) != 0) leaving.insert(copy);
    return copies.copy_all(leaving, parting);
}

/// Copies the way of those who leave and go on at once, before those who stay. Returns the copy of
/// its start.
std::size_t leave_at_once(SerializedBlocks& copies, const DivergentBranch& parting,
                          const SerializedBlocks::Set& inside, const Ways& ways) {
    const SerializedBlocks::Seconds second = copy_way(copies, parting, inside);
    for (const auto& [copy, made] : second) {
        copies[made].left_at = parting.block;
        if (!copies.ends_way(copy, parting)) continue;
        std::erase_if(copies[made].ways, [&](const Copy::Way& way) {
            return !way.edge || copies.leaves(*way.edge, parting);
        });
        for (const std::size_t to : ways.staying)
            copies.add(made, to);
    }
    return second.at(ways.start);
}

/// What all who leave at one of several branches may pass, and where they go on.
struct Tails {
    std::vector<std::size_t> starts;
    SerializedBlocks::Set ahead; ///< Of the last block.
    std::size_t last = 0;
    std::optional<std::size_t> ending; ///< In which those end who go there.
};

/// Of the blocks of `region`; none where one of them has several copies.
std::optional<Tails> tails_of(const SerializedBlocks& copies, const std::set<std::size_t>& region,
                              const DivergentBranch& parting, const SerializedBlocks::Set& inside) {
    Tails tails;
    std::set<std::size_t> originals;
    bool ends = false;
    for (const std::size_t copy : inside) {
        if (region.count(copies[copy].original) == 0) continue;
        if (!originals.insert(copies[copy].original).second) return std::nullopt;
        if (!copies.ends_way(copy, parting)) {
            tails.ahead.insert(copy);
        } else if (copies.block_of(copy).exits) {
            tails.ending = copy;
        } else {
            ends = true;
            tails.last = copy;
        }
    }
    return ends ? std::optional{tails} : std::nullopt;
}

/// One who leaves goes on to end, without another block ahead.
bool ends_at_once(const SerializedBlocks& copies, const DivergentBranch& parting) {
    return copies.original_of(parting.leaving->start).exits;
}

/// Copies of tails, one of which comes next.
struct Sequence {
    SerializedBlocks::Seconds ahead;
    std::optional<std::size_t> ending;
};

/// Copies what leads to the last block, with `turning` in its place.
SerializedBlocks::Seconds copy_ahead(SerializedBlocks& copies, const Tails& tails,
                                     std::size_t turning) {
    SerializedBlocks::Seconds second;
    for (const std::size_t copy : tails.ahead)
        second[copy] = copies.copy(copy);
    for (const auto& [copy, made] : second)
        for (Copy::Way& way : copies[made].ways)
            if (way.edge) way.to = way.to == tails.last ? turning : second.at(way.to);
    return second;
}

} // namespace

void let_leave(SerializedBlocks& copies, std::size_t branch, const DivergentBranch& parting,
               const SerializedBlocks::Reached& reached) {
    const Ways ways = ways_of(copies, branch, parting);
    const std::size_t at_once = leave_at_once(copies, parting, reached.inside, ways);
    const SerializedBlocks::Seconds second = copy_way(copies, parting, reached.inside);
    const std::size_t late = second.at(ways.start);
    const bool repeats = parting.region.count(parting.block) != 0; // in turns
    if (repeats) copies[late].repeated = parting.leaving->most;
    copies.add(branch, at_once);
    const std::vector<std::size_t> waited = copies.copy_late(reached, parting);
    const auto others_go_on = [&](const SerializedBlocks::Set& behind, bool others_left) {
        for (const std::size_t copy : behind) {
            if (!copies.ends_way(copy, parting) && !copies.waits_inside(copy, parting)) continue;
            if (others_left) copies.add(copy, late);
            if (reached.meeting && copies.misses_meeting(copy, parting))
                copies.add(copy, *reached.meeting);
        }
    };
    others_go_on(reached.inside, true);
    const SerializedBlocks::Set leaving_late = SerializedBlocks::values_of(second);
    others_go_on(leaving_late, repeats);
    copies.go_on_late(leaving_late, parting, waited);
}

std::optional<SerializedBlocks::Set>
let_leave_at_several(SerializedBlocks& copies, std::size_t branch, const DivergentBranch& parting,
                     const std::vector<DivergentBranch>& divergent_branches,
                     const SerializedBlocks::Reached& reached, std::int64_t lanes) {
    std::map<std::size_t, std::size_t> branches{{parting.block, branch}}; // by original
    for (const std::size_t copy : reached.inside)
        if (parting.leaving->beside.count(copies[copy].original) != 0 &&
            !branches.emplace(copies[copy].original, copy).second)
            return std::nullopt;
    if (branches.size() != parting.leaving->beside.size() + 1) return std::nullopt;
    std::set<std::size_t> region;
    std::int64_t most = 0;
    std::int64_t most_end = 0;
    for (const DivergentBranch& other : divergent_branches)
        if (branches.count(other.block) != 0) {
            region.insert(other.leaving->region.begin(), other.leaving->region.end());
            most = std::min(lanes, most + other.leaving->most);
            most_end =
                std::min(lanes, most_end + (ends_at_once(copies, other) ? other.leaving->most : 0));
        }
    auto tails = tails_of(copies, region, parting, reached.inside);
    if (!tails) return std::nullopt;
    std::map<std::size_t, std::size_t> at_once; // by branch
    for (const DivergentBranch& other : divergent_branches) {
        const auto found = branches.find(other.block);
        if (found == branches.end()) continue;
        const Ways ways = ways_of(copies, found->second, other);
        if (ways.start != tails->ending) tails->starts.push_back(ways.start);
        at_once[found->second] = leave_at_once(copies, other, reached.inside, ways);
    }
    const std::size_t turning = copies.copy(tails->last);
    copies[turning].repeated = most;
    // Those who end follow each other ahead of the first who come to the meeting, and of each next.
    const auto sequence = [&] {
        Sequence made{copy_ahead(copies, *tails, turning), {}};
        if (!tails->ending) return made;
        made.ending = copies.copy(*tails->ending);
        copies[*made.ending].repeated = most_end;
        return made;
    };
    const Sequence first = sequence();
    const Sequence next = sequence();
    const auto lead_to = [&](std::size_t from, const Sequence& to) {
        for (const std::size_t start : tails->starts)
            copies.add(from, start == tails->last ? turning : to.ahead.at(start));
        if (to.ending) copies.add(from, *to.ending);
    };
    SerializedBlocks::Set left;
    for (const auto& [from, to] : at_once) {
        copies.add(from, to);
        left.insert(from);
    }
    const auto go_on = [&](std::size_t copy, const Sequence& to) {
        lead_to(copy, to);
        if (reached.meeting && copies.misses_meeting(copy, parting))
            copies.add(copy, *reached.meeting);
    };
    for (const std::size_t copy : reached.inside)
        if (copies.ends_way(copy, parting)) go_on(copy, first);
    go_on(turning, next);
    for (const Sequence& part : {first, next})
        if (part.ending) go_on(*part.ending, part);
    return left;
}

namespace {

/// What those pass who break off.
struct Broken {
    SerializedBlocks::Set starts;
    SerializedBlocks::Set tail;
    std::set<std::size_t> branches; ///< At which they do, of the kernel.
};

Broken broken_off(const SerializedBlocks& copies, const DivergentBranch& parting,
                  const std::vector<DivergentBranch>& divergent_branches,
                  const SerializedBlocks::Set& of) {
    Broken broken;
    for (const std::size_t copy : of) {
        if (!copies.breaks(copy, parting)) continue;
        const auto branch =
            std::find_if(divergent_branches.begin(), divergent_branches.end(),
                         [&](const DivergentBranch& other) {
                             return other.block == copies[copy].original && other.leaving;
                         });
        broken.branches.insert(branch->block);
        for (const Copy::Way& way : copies[copy].ways)
            if (way.edge && parting.breaks.count(*way.edge) != 0) {
                broken.starts.insert(way.to);
                broken.tail.merge(copies.reached_from(way.to, *branch));
            }
    }
    return broken;
}

} // namespace

void let_break_off(SerializedBlocks& copies, const DivergentBranch& parting,
                   const std::vector<DivergentBranch>& divergent_branches,
                   const SerializedBlocks::Set& of, const SerializedBlocks::Set& ends,
                   std::size_t next) {
    const auto [starts, tail, branches] = broken_off(copies, parting, divergent_branches, of);
    // Each of the branches was passed once by those who went this way.
    std::vector<SerializedBlocks::Seconds> followers;
    for (std::size_t turn = 0; turn < branches.size(); ++turn) {
        SerializedBlocks::Seconds second;
        for (const std::size_t copy : tail)
            second[copy] = copies.copy(copy);
        for (const auto& [copy, made] : second)
            for (Copy::Way& way : copies[made].ways)
                if (way.edge && tail.count(way.to) != 0) way.to = second.at(way.to);
        followers.push_back(std::move(second));
    }
    const auto follow = [&](std::size_t from, std::size_t turn) {
        for (; turn < followers.size(); ++turn)
            for (const std::size_t start : starts)
                copies.add(from, followers[turn].at(start));
    };
    for (const std::size_t copy : ends)
        follow(copy, 0);
    for (std::size_t turn = 0; turn < followers.size(); ++turn)
        for (const auto& [copy, made] : followers[turn]) {
            const auto& ways = copies[copy].ways;
            if (!copies.block_of(copy).exits &&
                std::all_of(ways.begin(), ways.end(), [&](const Copy::Way& way) {
                    return way.edge && tail.count(way.to) != 0;
                }))
                continue;
            follow(made, turn + 1);
            copies.add(made, next);
        }
}

SerializedBlocks::Set behind_breaks(const SerializedBlocks& copies, const DivergentBranch& parting,
                                    const std::vector<DivergentBranch>& divergent_branches,
                                    const SerializedBlocks::Set& of) {
    const Broken broken = broken_off(copies, parting, divergent_branches, of);
    SerializedBlocks::Set behind;
    for (const std::size_t copy : broken.tail)
        for (const Copy::Way& way : copies[copy].ways)
            if (way.edge && broken.tail.count(way.to) == 0) behind.insert(way.to);
    return behind;
}

} // namespace warpbound::analyzer
