#include "analyzer/lanes_in_turn.hpp"

#include "analyzer/meeting_points.hpp"
#include "assembly/flow/ordered_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

constexpr std::size_t most_copies = 20'000;

/// A block of the warp's graph.
struct Copy {
    std::size_t original = 0;
    struct Way {
        std::size_t to = 0;
        std::optional<std::size_t> edge; ///< Of the kernel's graph; none: other lanes go on.
        friend bool operator==(const Way&, const Way&) = default;
    };
    std::vector<Way> ways;
    std::optional<std::int64_t> repeated{}; ///< As `LanesInTurn` has it.
};

class Serializer {
public:
    Serializer(const Problem& problem, const MeetingPoints& points)
        : problem_{problem}, graph_{*problem.request.graph}, points_{points} {
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            Copy copy{block, {}};
            for (const std::size_t edge : graph_.blocks[block].out)
                if (!is_never_taken(edge)) copy.ways.push_back({graph_.edges[edge].to, edge});
            copies_.push_back(std::move(copy));
        }
    }

    Result<LanesInTurn> run() {
        for (const Parting& parting : points_.partings) {
            const std::size_t before = copies_.size();
            for (std::size_t copy = 0; copy < before; ++copy)
                if (copies_[copy].original == parting.block && left_.count(copy) == 0 &&
                    !part(copy, parting))
                    return refuse_copies();
            if (copies_.size() > most_copies) return refuse_copies();
        }
        std::vector<assembly::ExploredBlock> blocks;
        for (const Copy& copy : copies_) {
            const auto& code = graph_.blocks[copy.original];
            assembly::ExploredBlock block{code.first, code.last, code.exits, code.context, {}};
            for (const Copy::Way& way : copy.ways) {
                // What follows an arrival is not behind the instruction for all lanes.
                const bool falls =
                    way.edge && graph_.edges[*way.edge].kind == assembly::EdgeKind::FallThrough &&
                    points_.arrivals.count(*way.edge) == 0;
                block.successors.push_back({way.to, !falls});
            }
            blocks.push_back(std::move(block));
        }
        auto ordered = assembly::order_blocks(*problem_.request.function, blocks);
        if (!ordered)
            return Failure{"lanes that part take their ways in turn, which makes another control "
                           "flow than the code's; in it: " +
                               ordered.error().what,
                           problem_.request.function->name};
        LanesInTurn lanes{std::move(ordered.value().graph), {}, {}, {}};
        for (const std::size_t given : ordered.value().given) {
            const std::size_t original = copies_[given].original;
            lanes.original.push_back(original);
            lanes.repeated.push_back(copies_[given].repeated);
            lanes.together.push_back(std::none_of(
                points_.partings.begin(), points_.partings.end(),
                [&](const Parting& parting) { return parting.apart.count(original) != 0; }));
        }
        return lanes;
    }

private:
    using Copies = std::set<std::size_t>;
    using Seconds = std::map<std::size_t, std::size_t>; ///< By copy.

    [[nodiscard]] Failure refuse_copies() const {
        return Failure{"lanes may part inside each other so often that their ways are not bounded "
                       "in this version",
                       problem_.request.function->name};
    }

    /// Lets the ways of one copy of the branch follow each other. False when it cannot.
    bool part(std::size_t branch, const Parting& parting) {
        // The copies of the region that the branch leads to, and where it goes on.
        Copies inside;
        std::vector<std::size_t> work;
        std::optional<std::size_t> meeting;
        const auto follow = [&](std::size_t from) {
            for (const Copy::Way& way : copies_[from].ways) {
                if (!way.edge) continue;
                const std::size_t to = copies_[way.to].original;
                if (to == parting.meeting) meeting = way.to;
                if (leaves(*way.edge, parting)) continue;
                if (inside.insert(way.to).second) work.push_back(way.to);
            }
        };
        follow(branch);
        while (!work.empty()) {
            const std::size_t from = work.back();
            work.pop_back();
            follow(from);
        }
        if (parting.leaving && !parting.leaving->beside.empty())
            return let_leave_at_several(branch, parting, inside, meeting);
        if (parting.leaving)
            let_leave(branch, parting, inside, meeting);
        else if (parting.one_sided)
            let_wait(inside, parting, meeting);
        else
            let_follow(branch, parting, inside, meeting);
        return true;
    }

    /// Those who have waited at the meeting go on when the others do not come there.
    void let_wait(const Copies& ways, const Parting& parting, std::optional<std::size_t> meeting) {
        for (const std::size_t copy : ways)
            if (meeting && ends_way(copy, parting) && misses_meeting(copy, parting))
                add(copy, *meeting);
    }

    /// Copies what follows the passed point, for lanes that waited there until the others had left
    /// it and come to the meeting or ended. Returns where they go on.
    std::vector<std::size_t> copy_late(const Copies& inside, const Parting& parting,
                                       std::optional<std::size_t> meeting) {
        if (!parting.passed || !parting.passed->behind) return {};
        Copies behind;
        std::vector<std::size_t> starts;
        for (const std::size_t copy : inside) {
            if (copies_[copy].original != parting.passed->behind) continue;
            starts.push_back(copy);
            behind.merge(reached_from(copy, parting));
        }
        const Seconds late = copy_all(behind, parting);
        let_wait(values_of(late), parting, meeting);
        for (std::size_t& start : starts)
            start = late.at(start);
        return starts;
    }

    /// Behind one way comes the other one, then what follows both.
    void let_follow(std::size_t branch, const Parting& parting, const Copies& inside,
                    std::optional<std::size_t> meeting) {
        std::vector<std::size_t> starts;
        for (const Copy::Way& way : copies_[branch].ways)
            if (way.edge && inside.count(way.to) != 0) starts.push_back(way.to);
        std::vector<Copies> ways;
        for (const std::size_t start : starts)
            ways.push_back(reached_from(start, parting));
        Copies shared;
        if (ways.size() == 2)
            std::set_intersection(ways[0].begin(), ways[0].end(), ways[1].begin(), ways[1].end(),
                                  std::inserter(shared, shared.end()));
        const std::vector<std::size_t> late = copy_late(inside, parting, meeting);
        // Where they share much, either may follow either: fewer copies, and a longer path at most.
        if (ways.size() != 2 || 2 * shared.size() > inside.size()) {
            const Behind behind = copy_behind(inside, parting, meeting, late);
            for (const std::size_t start : starts)
                lead(inside, parting, behind, start);
            let_wait(inside, parting, meeting);
            return;
        }
        const std::array<Behind, 2> behind{copy_behind(ways[1], parting, meeting, late),
                                           copy_behind(ways[0], parting, meeting, late)};
        // The second way has its own copies of what both share.
        const Seconds own = copy_all(shared, parting);
        Copies first = ways[1];
        first.insert(branch);
        for (const std::size_t copy : first) {
            if (shared.count(copy) != 0) continue;
            for (Copy::Way& way : copies_[copy].ways)
                if (way.edge && own.count(way.to) != 0 && (copy != branch || way.to == starts[1]))
                    way.to = own.at(way.to);
        }
        first.erase(branch);
        for (const auto& [copy, made] : own) {
            first.erase(copy);
            first.insert(made);
        }
        const std::array<Copies, 2> before{ways[0], first};
        for (const std::size_t way : {0U, 1U}) {
            lead(before[way], parting, behind[way], starts[1 - way]);
            let_wait(before[way], parting, meeting);
        }
    }

    /// Copies of a way that comes second: behind the end of the first one, or while the lanes of
    /// that wait at the passed point.
    struct Behind {
        Seconds ended;
        Seconds waiting;
    };
    Behind copy_behind(const Copies& way, const Parting& parting,
                       std::optional<std::size_t> meeting, const std::vector<std::size_t>& late) {
        Behind behind{copy_all(way, parting), {}};
        let_wait(values_of(behind.ended), parting, meeting);
        if (late.empty()) return behind;
        behind.waiting = copy_all(way, parting);
        const Copies made = values_of(behind.waiting);
        let_wait(made, parting, meeting);
        go_on_late(made, parting, late);
        return behind;
    }

    /// From the first way to the second, which begins at `start`. Where lanes part in the first,
    /// some of them may end while others wait at the passed point.
    void lead(const Copies& first, const Parting& parting, const Behind& behind,
              std::size_t start) {
        const bool parts = std::any_of(first.begin(), first.end(), [&](std::size_t copy) {
            return std::any_of(
                points_.partings.begin(), points_.partings.end(),
                [&](const Parting& inner) { return inner.block == copies_[copy].original; });
        });
        for (const std::size_t copy : first) {
            if (ends_way(copy, parting)) add(copy, behind.ended.at(start));
            if (!behind.waiting.empty() && (waits_inside(copy, parting) ||
                                            (parts && graph_.blocks[copies_[copy].original].exits)))
                add(copy, behind.waiting.at(start));
        }
    }

    /// Behind the ends of `ways`, those who waited at the passed point go on.
    void go_on_late(const Copies& ways, const Parting& parting,
                    const std::vector<std::size_t>& late) {
        for (const std::size_t copy : ways)
            if (ends_way(copy, parting))
                for (const std::size_t place : late)
                    add(copy, place);
    }

    /// What a way of the parting passes from here on.
    [[nodiscard]] Copies reached_from(std::size_t start, const Parting& parting) const {
        Copies reached{start};
        std::vector<std::size_t> work{start};
        while (!work.empty()) {
            const std::size_t from = work.back();
            work.pop_back();
            for (const Copy::Way& way : copies_[from].ways)
                if (way.edge && !leaves(*way.edge, parting) && reached.insert(way.to).second)
                    work.push_back(way.to);
        }
        return reached;
    }

    /// Copies them, with the ways between them; other ways lead where they led.
    Seconds copy_all(const Copies& of, const Parting& parting) {
        Seconds second;
        for (const std::size_t copy : of) {
            second[copy] = copies_.size();
            copies_.push_back(copies_[copy]);
        }
        for (const auto& [copy, made] : second)
            for (Copy::Way& way : copies_[made].ways)
                if (way.edge && !leaves(*way.edge, parting)) way.to = second.at(way.to);
        return second;
    }

    static Copies values_of(const Seconds& second) {
        Copies values;
        for (const auto& [copy, made] : second)
            values.insert(made);
        return values;
    }

    /// Copies the way of those who leave a loop. Its ends lead where `behind` says, beside where
    /// they led before if `also`. Returns the copy of its start.
    std::size_t copy_leaving(const Parting& parting, const Copies& inside, std::size_t start,
                             const std::vector<std::size_t>& behind, bool also) {
        Copies leaving;
        for (const std::size_t copy : inside)
            if (parting.leaving->region.count(copies_[copy].original) != 0) leaving.insert(copy);
        const Seconds second = copy_all(leaving, parting);
        for (const auto& [copy, made] : second) {
            auto& ways = copies_[made].ways;
            if (!ends_way(copy, parting)) continue;
            if (!also)
                ways.erase(std::remove_if(ways.begin(), ways.end(),
                                          [&](const Copy::Way& way) {
                                              return !way.edge || leaves(*way.edge, parting);
                                          }),
                           ways.end());
            for (const std::size_t to : behind)
                add(made, to);
        }
        return second.at(start);
    }

    /// Those who leave go on before the others turn on, or wait until the others have left.
    void let_leave(std::size_t branch, const Parting& parting, const Copies& inside,
                   std::optional<std::size_t> meeting) {
        const auto [start, staying] = ways_of(branch, parting);
        const std::size_t at_once = copy_leaving(parting, inside, start, staying, false);
        const std::size_t first_late = copies_.size();
        const std::size_t late = copy_leaving(parting, inside, start, {}, true);
        const std::size_t behind_late = copies_.size();
        copies_[late].repeated = parting.leaving->most;
        add(branch, at_once);
        const std::vector<std::size_t> waited = copy_late(inside, parting, meeting);
        const auto others_go_on = [&](std::size_t copy) {
            if (!ends_way(copy, parting) && !waits_inside(copy, parting)) return;
            add(copy, late);
            if (meeting && misses_meeting(copy, parting)) add(copy, *meeting);
        };
        for (const std::size_t copy : inside)
            others_go_on(copy);
        Copies leaving_late;
        for (std::size_t copy = first_late; copy < behind_late; ++copy) {
            others_go_on(copy);
            leaving_late.insert(copy);
        }
        go_on_late(leaving_late, parting, waited);
    }

    /// Where those who leave at a branch go on, and where the others do.
    struct Ways {
        std::size_t start = 0;
        std::vector<std::size_t> staying;
    };
    [[nodiscard]] Ways ways_of(std::size_t branch, const Parting& parting) const {
        Ways ways;
        for (const Copy::Way& way : copies_[branch].ways)
            if (way.edge && copies_[way.to].original == parting.leaving->start)
                ways.start = way.to;
            else if (way.edge)
                ways.staying.push_back(way.to);
        return ways;
    }

    /// The same at each of several branches of the same turns. Those who waited follow each other
    /// in any order; all come over one last block, at which their sequence turns. False when a
    /// block has several copies there.
    bool let_leave_at_several(std::size_t branch, const Parting& parting, const Copies& inside,
                              std::optional<std::size_t> meeting) {
        std::map<std::size_t, std::size_t> branches{{parting.block, branch}}; // by original
        std::set<std::size_t> region;
        for (const std::size_t copy : inside)
            if (parting.leaving->beside.count(copies_[copy].original) != 0 &&
                !branches.emplace(copies_[copy].original, copy).second)
                return false;
        if (branches.size() != parting.leaving->beside.size() + 1) return false;
        std::vector<std::size_t> starts;
        std::vector<std::pair<std::size_t, std::size_t>> at_once;
        std::int64_t most = 0;
        for (const Parting& other : points_.partings) {
            const auto found = branches.find(other.block);
            if (found == branches.end()) continue;
            left_.insert(found->second);
            const Ways ways = ways_of(found->second, other);
            starts.push_back(ways.start);
            at_once.emplace_back(found->second,
                                 copy_leaving(other, inside, ways.start, ways.staying, false));
            region.insert(other.leaving->region.begin(), other.leaving->region.end());
            most += other.leaving->most;
        }
        Copies ahead; // Of the last block.
        std::optional<std::size_t> last;
        std::set<std::size_t> originals;
        for (const std::size_t copy : inside) {
            if (region.count(copies_[copy].original) == 0) continue;
            if (!originals.insert(copies_[copy].original).second) return false;
            if (ends_way(copy, parting))
                last = copy;
            else
                ahead.insert(copy);
        }
        if (!last) return false;
        const std::size_t turning = copies_.size();
        copies_.push_back(copies_[*last]);
        copies_[turning].repeated = std::min(most, problem_.shape.warp_size);
        const auto copy_ahead = [&] {
            Seconds second;
            for (const std::size_t copy : ahead) {
                second[copy] = copies_.size();
                copies_.push_back(copies_[copy]);
            }
            for (const auto& [copy, made] : second)
                for (Copy::Way& way : copies_[made].ways)
                    if (way.edge) way.to = way.to == *last ? turning : second.at(way.to);
            return second;
        };
        const Seconds first = copy_ahead();
        const Seconds next = copy_ahead();
        const auto lead_to = [&](std::size_t from, const Seconds& second) {
            for (const std::size_t start : starts)
                add(from, start == *last ? turning : second.at(start));
        };
        for (const auto& [from, to] : at_once)
            add(from, to);
        for (const std::size_t copy : inside) {
            if (!ends_way(copy, parting)) continue;
            lead_to(copy, first);
            if (meeting && misses_meeting(copy, parting)) add(copy, *meeting);
        }
        lead_to(turning, next);
        return true;
    }

    [[nodiscard]] bool is_never_taken(std::size_t edge) const {
        return problem_.facts.never[graph_.edges[edge].to];
    }

    /// The edge leads to the meeting, or to a point around the parting.
    [[nodiscard]] bool leaves(std::size_t edge, const Parting& parting) const {
        const std::size_t to = graph_.edges[edge].to;
        return !is_never_taken(edge) && (to == parting.meeting || parting.region.count(to) == 0);
    }

    /// All lanes may end here, or wait for others behind it.
    [[nodiscard]] bool ends_way(std::size_t copy, const Parting& parting) const {
        const auto& block = graph_.blocks[copies_[copy].original];
        return block.exits || std::any_of(block.out.begin(), block.out.end(),
                                          [&](auto edge) { return leaves(edge, parting); });
    }

    /// Lanes may wait behind it at the point that others leave.
    [[nodiscard]] bool waits_inside(std::size_t copy, const Parting& parting) const {
        const auto& out = graph_.blocks[copies_[copy].original].out;
        return parting.passed && std::any_of(out.begin(), out.end(), [&](std::size_t edge) {
                   return parting.passed->arrivals.count(edge) != 0;
               });
    }

    /// All lanes may end here, or wait at a point around the parting.
    [[nodiscard]] bool misses_meeting(std::size_t copy, const Parting& parting) const {
        const auto& block = graph_.blocks[copies_[copy].original];
        return block.exits || std::any_of(block.out.begin(), block.out.end(), [&](auto edge) {
                   return leaves(edge, parting) && graph_.edges[edge].to != parting.meeting;
               });
    }

    void add(std::size_t from, std::size_t to) {
        const Copy::Way way{to, std::nullopt};
        auto& ways = copies_[from].ways;
        if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
    }

    const Problem& problem_;
    const ControlFlowGraph& graph_;
    const MeetingPoints& points_;
    std::vector<Copy> copies_;
    Copies left_; ///< Of branches that were taken together with another one's.
};

} // namespace

Result<LanesInTurn> lanes_in_turn(const Problem& problem) {
    const auto points = meeting_points(problem);
    if (!points) return points.as_failure();
    auto lanes = Serializer{problem, points.value()}.run();
    if (!lanes) return lanes;
    const auto& graph = *problem.request.graph;
    for (const auto& loop : lanes.value().graph.loops) {
        const std::size_t header = lanes.value().original[loop.header];
        if (lanes.value().repeated[loop.header]) continue;
        if (std::none_of(graph.loops.begin(), graph.loops.end(),
                         [&](const assembly::Loop& known) { return known.header == header; }))
            return Failure{fmt::format("lanes that part may come to 0x{:04x} again and again in "
                                       "turn, which is not bounded in this version",
                                       graph.blocks[header].address),
                           problem.request.function->name};
    }
    return lanes;
}

} // namespace warpbound::analyzer
