#include "analyzer/divergence/reconvergence.hpp"

#include "analyzer/divergence/influence_region.hpp"
#include "analyzer/divergence/loop_exit_groups.hpp"
#include "analyzer/divergence/reconvergence_stack.hpp"
#include "assembly/flow/post_dominators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

Result<void> check_code(const AnalysisContext& context) {
    const auto& instructions = context.request.function->instructions;
    for (std::size_t i = 0; i < context.used.size(); ++i) {
        if (!context.used[i]) continue;
        const Instruction& instruction = instructions[i];
        if (assembly::waits_for_others(instruction) && assembly::is_guarded(instruction))
            return refuse_at(context, i, "a guarded barrier is not bounded where lanes may part");
    }
    return boost::outcome_v2::success();
}

class Finder {
public:
    /// `breaks`: in every branch some of whose lanes leave its point by another one, others meet.
    Finder(const AnalysisContext& context, const ReconvergenceStacks& points, bool breaks)
        : breaks_{breaks}, context_{context}, function_{*context.request.function},
          graph_{*context.request.graph}, points_{points}, before_{points.before},
          behind_{points.behind}, arrival_of_{points.arrival_of} {
        for (const auto& [edge, point] : arrival_of_)
            found_.arrivals.insert(edge);
    }

    Result<Reconvergence> find() {
        for (const auto& fact : context_.request.facts->divergents)
            if (auto added = add(fact); !added) return added.as_failure();
        sort_partings();
        if (auto related = group_loop_exits(context_, points_, found_.divergent_branches); !related)
            return related.as_failure();
        return std::move(found_);
    }

private:
    [[nodiscard]] Failure refuse(std::size_t instruction, const std::string& what) const {
        return refuse_at(context_, instruction, what);
    }
    /// On a path that the facts allow.
    [[nodiscard]] bool is_reached(std::size_t block) const { return before_[block].has_value(); }

    /// Larger regions first; where lanes leave a branch's point by another one, that one before it.
    void sort_partings() {
        std::map<std::size_t, std::size_t> sizes;
        for (const DivergentBranch& parting : found_.divergent_branches)
            sizes[parting.block] = parting.region.size();
        for (const DivergentBranch& broken : found_.divergent_branches)
            for (const std::size_t edge : broken.breaks) {
                auto& size = sizes[graph_.edges[edge].from];
                size = std::max(size, broken.region.size() + 1);
            }
        const auto key = [&](const DivergentBranch& parting) {
            return std::pair{sizes.at(parting.block), !parting.leaving.has_value()};
        };
        std::stable_sort(
            found_.divergent_branches.begin(), found_.divergent_branches.end(),
            [&](const DivergentBranch& a, const DivergentBranch& b) { return key(a) > key(b); });
    }

    Result<void> add(const models::DivergentFact& fact) {
        const auto index = function_.index_of(fact.at);
        const auto refuse_fact = [&](const std::string& what) {
            return Failure{fmt::format("0x{:04x}: {}", fact.at, what), context_.request.facts->name,
                           fact.from.line, 0};
        };
        if (!index)
            return refuse_fact("no instruction stands here, where lanes are stated to part");
        bool decides = assembly::is_guarded(function_.instructions[*index]);
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            const auto& code = graph_.blocks[block];
            if (code.last != *index || !is_reached(block)) continue;
            const std::size_t ways = ways_of(block).size();
            // EXIT, of which some lanes end and the others go on, or a branch that all take alike.
            if (ways < 2) {
                decides = decides || code.out.size() >= 2;
                continue;
            }
            decides = true;
            if (code.exits)
                return refuse(*index, "lanes may part to more than two ways, of which one ends, "
                                      "which is not bounded");
            if (auto added = add_parting(block); !added) return added.as_failure();
        }
        if (!decides) return refuse_fact("nothing is decided where lanes are stated to part");
        return boost::outcome_v2::success();
    }

    [[nodiscard]] std::set<std::size_t> ways_of(std::size_t block) const {
        std::set<std::size_t> ways;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (is_reached(graph_.edges[edge].to)) ways.insert(graph_.edges[edge].to);
        return ways;
    }

    Result<void> add_parting(std::size_t block) {
        DivergentBranch parting;
        parting.block = block;
        const std::size_t last = graph_.blocks[block].last;
        const ReconvergenceStack& joined = *behind_[block];
        Meeting meeting;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (const auto arrival = arrival_of_.find(edge); arrival != arrival_of_.end())
                meeting.point = arrival->second;
        if (!meeting.point && !joined.empty()) meeting.point = joined.back();
        if (auto set = meet_behind(meeting, last); !set) return set;
        if (!meeting.point) meeting.block = assembly::immediate_post_dominators(graph_)[block];
        InfluenceRegion region = region_of(graph_, points_, block, meeting);
        const bool several = ways_of(block).size() > 2;
        if (several && (!region.left.empty() || region.blocks.count(block) != 0))
            return refuse(last, "lanes that part here to more than two ways may leave points, or "
                                "come here again before they meet, which is not bounded");
        std::size_t points_inside = 0; // that of the meeting
        if (!region.left.empty()) {
            auto around = around_left(region.left, block);
            if (!around) return around.as_failure();
            const bool turns = breaks_ || comes_again(block, around.value().region);
            if (turns && left_itself(block) == 0)
                return add_broken(std::move(parting), meeting, around.value());
            meeting = std::move(around.value().meeting);
            region = std::move(around.value().region);
            points_inside = meeting.passed.size();
            if (turns) {
                if (!meeting.point || left_itself(block) < points_inside)
                    return refuse_around(last);
            } else {
                if (points_inside > 1 || region.behind_passed.size() > 1)
                    return refuse_around(last);
                parting.passed = DivergentBranch::Passed{region.passing, {}};
                if (!region.behind_passed.empty())
                    parting.passed->behind = *region.behind_passed.begin();
            }
        }
        if (!region.arrives)
            return refuse(last, "lanes that part here may come behind their point without "
                                "arriving at it, which is not bounded");
        parting.meeting = meeting.block;
        parting.is_named = meeting.point.has_value();
        parting.region = region.blocks;
        parting.is_to_several = several;
        parting.one_sided = region.one_sided && !several;
        if (!parting.one_sided && parting.region.count(block) != 0) {
            parting.leaving = leaving_of(parting);
            if (!parting.leaving)
                return refuse(last, "lanes that part here may come here again before they meet, "
                                    "which is not bounded");
        } else if (points_inside > 0 && !parting.passed) {
            parting.leaving = leaving_once(parting);
        }
        if (parting.passed)
            if (auto checked = check_passed(parting); !checked) return checked;
        std::set<std::size_t> waiting = region.waiting; // blocks before which lanes may wait
        if (meeting.block) waiting.insert(*meeting.block);
        const auto turns = [&](std::size_t at) { return turns_before(block, at, std::nullopt); };
        if (std::any_of(waiting.begin(), waiting.end(), turns) ||
            (parting.passed && parting.passed->behind &&
             turns_before(block, *parting.passed->behind, meeting.block)))
            return refuse(last, "lanes may turn a loop while others wait for them inside it, which "
                                "is not bounded");
        if (auto apart = find_apart(parting, joined.size() - points_inside); !apart) return apart;
        found_.divergent_branches.push_back(std::move(parting));
        return boost::outcome_v2::success();
    }

    /// Those who leave their innermost points meet the others at the one around them.
    struct Around {
        Meeting meeting;
        InfluenceRegion region;
    };
    [[nodiscard]] Result<Around> around_left(const ReconvergenceStack& left,
                                             std::size_t block) const {
        const std::size_t last = graph_.blocks[block].last;
        const ReconvergenceStack& joined = *behind_[block];
        Around around;
        const auto first_left = joined.end() - static_cast<std::ptrdiff_t>(left.size());
        around.meeting.passed.assign(first_left, joined.end());
        if (!std::is_permutation(left.begin(), left.end(), first_left, joined.end()))
            return refuse_around(last);
        if (first_left != joined.begin()) around.meeting.point = *std::prev(first_left);
        if (auto set = meet_behind(around.meeting, last); !set) return set.as_failure();
        around.region = region_of(graph_, points_, block, around.meeting);
        if (around.region.left.size() != left.size() || !around.region.waiting.empty() ||
            around.region.one_sided)
            return refuse_around(last);
        return around;
    }
    [[nodiscard]] Failure refuse_around(std::size_t last) const {
        return refuse(last, "lanes that part here may leave points that are not their innermost, "
                            "or come to several places, which is not bounded");
    }
    /// How many points lanes leave at the branch itself, by one of its ways.
    [[nodiscard]] std::size_t left_itself(std::size_t block) const {
        std::size_t most = 0;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (const auto left = points_.left_over.find(edge); left != points_.left_over.end())
                most = std::max(most, left->second.size());
        return most;
    }
    /// Lanes may, from behind a passed point, before they meet.
    [[nodiscard]] bool comes_again(std::size_t block, const InfluenceRegion& region) const {
        return std::any_of(region.behind_passed.begin(), region.behind_passed.end(),
                           [&](std::size_t from) {
                               return from == block || blocks_inside(from, region.blocks)[block];
                           });
    }

    /// A branch that meets in every turn of a loop, which some of its lanes leave before.
    Result<void> add_broken(DivergentBranch parting, Meeting meeting, const Around& around) {
        const std::size_t last = graph_.blocks[parting.block].last;
        meeting.ends_where_left = true;
        const InfluenceRegion region = region_of(graph_, points_, parting.block, meeting);
        const auto turns = [&](std::size_t at) {
            return turns_before(parting.block, at, around.meeting.block);
        };
        if (!around.meeting.point || !region.arrives || region.one_sided ||
            !region.waiting.empty() || region.blocks.count(parting.block) != 0 ||
            turns(*meeting.block) || turns(*around.meeting.block))
            return refuse(last, "lanes that part here may come here again before they meet, which "
                                "is not bounded");
        parting.meeting = meeting.block;
        parting.is_named = true;
        parting.region = region.blocks;
        parting.breaks = region.leaving;
        parting.apart = around.region.blocks;
        found_.divergent_branches.push_back(std::move(parting));
        return boost::outcome_v2::success();
    }
    /// Where the lanes that arrive at the point go on.
    Result<void> meet_behind(Meeting& meeting, std::size_t last) const {
        for (const auto& [edge, of] : arrival_of_) {
            if (of != meeting.point) continue;
            const std::size_t to = graph_.edges[edge].to;
            if (meeting.block && *meeting.block != to)
                return refuse(last, "the lanes that part here go on at several places behind "
                                    "their point, which is not bounded");
            meeting.block = to;
        }
        return boost::outcome_v2::success();
    }

    /// Behind the passed point nothing of this kind may come again before the meeting, and who
    /// leaves a loop has left that point.
    [[nodiscard]] Result<void> check_passed(const DivergentBranch& parting) const {
        const std::size_t last = graph_.blocks[parting.block].last;
        if (parting.passed->behind) {
            const std::vector<bool> behind = blocks_inside(*parting.passed->behind, parting.region);
            if (behind[parting.block] || *parting.passed->behind == parting.block)
                return refuse(last, "lanes that part here may come here again when others have "
                                    "left their point, which is not bounded");
        }
        if (parting.leaving)
            for (const std::size_t edge : parting.passed->arrivals)
                if (parting.leaving->region.count(graph_.edges[edge].from) != 0)
                    return refuse(last, "lanes that leave a loop here may arrive at the point that "
                                        "others leave, which is not bounded");
        return boost::outcome_v2::success();
    }

    /// From the branch on, over edges behind which lanes are still in so many points, and the other
    /// edges that lead away from there.
    struct Walk {
        std::set<std::size_t> blocks;
        std::set<std::size_t> arrivals;
    };
    [[nodiscard]] Walk walk_inside(std::size_t branch, std::size_t points) const {
        Walk walk;
        std::vector<std::size_t> work{branch};
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            for (const std::size_t edge : graph_.blocks[at].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (!is_reached(to)) continue;
                if (before_[to]->size() < points)
                    walk.arrivals.insert(edge);
                else if (walk.blocks.insert(to).second)
                    work.push_back(to);
            }
        }
        return walk;
    }

    /// Lanes that arrive at a point around that of the meeting, the last of `joined`, wait there,
    /// while others meet and go on.
    Result<void> find_apart(DivergentBranch& parting, std::size_t joined) const {
        const std::size_t last = graph_.blocks[parting.block].last;
        parting.apart = parting.region;
        if (joined == 0) return boost::outcome_v2::success();
        const auto left = [&](std::size_t edge) { return before_[graph_.edges[edge].to]->size(); };
        const Walk inside = walk_inside(parting.block, joined);
        parting.apart.insert(inside.blocks.begin(), inside.blocks.end());
        std::size_t fewest = joined - 1;
        for (const std::size_t edge : inside.arrivals)
            fewest = std::min(fewest, left(edge));
        if (fewest + 1 == joined) return boost::outcome_v2::success();
        const Walk around = walk_inside(parting.block, fewest + 1);
        std::set<std::size_t> places;
        bool several = false;
        for (const std::size_t edge : inside.arrivals)
            several = several || (left(edge) != fewest && left(edge) + 1 != joined);
        for (const std::size_t edge : around.arrivals) {
            several = several || left(edge) != fewest;
            places.insert(graph_.edges[edge].to);
        }
        if (several || places.size() > 1)
            return refuse(last, "lanes that part here may wait at several points around the "
                                "innermost, which is not bounded");
        for (const std::size_t block : around.blocks)
            if (graph_.blocks[block].exits)
                return refuse(last, "lanes that part here may wait at a point around the innermost "
                                    "while others end, which is not bounded");
        parting.apart = around.blocks;
        return boost::outcome_v2::success();
    }

    /// From behind the block, the header of a loop around `place` may be executed before `place`
    /// and `end`: the loop's bound is that of a lane, and lanes that wait there do not count these
    /// turns.
    [[nodiscard]] bool turns_before(std::size_t block, std::size_t place,
                                    std::optional<std::size_t> end) const {
        const std::vector<bool> seen =
            assembly::blocks_behind(graph_, block, [&](const assembly::Edge& edge) {
                return edge.to != place && edge.to != end && is_reached(edge.to);
            });
        return std::any_of(graph_.loops.begin(), graph_.loops.end(), [&](const auto& loop) {
            return seen[loop.header] &&
                   std::binary_search(loop.blocks.begin(), loop.blocks.end(), place);
        });
    }

    /// The way over which lanes leave points, of a branch that is not come to again.
    [[nodiscard]] DivergentBranch::Leaving leaving_once(const DivergentBranch& parting) const {
        const auto& out = graph_.blocks[parting.block].out;
        const auto way = std::find_if(out.begin(), out.end(), [&](std::size_t edge) {
            return points_.left_over.count(edge) != 0;
        });
        return behind(graph_.edges[*way].to, parting);
    }
    /// Which follow a block of the region in it.
    [[nodiscard]] std::vector<bool> blocks_inside(std::size_t from,
                                                  const std::set<std::size_t>& region) const {
        return assembly::blocks_behind(graph_, from, [&](const assembly::Edge& edge) {
            return region.count(edge.to) != 0 && is_reached(edge.to);
        });
    }
    /// From the start on, up to the meeting.
    [[nodiscard]] DivergentBranch::Leaving behind(std::size_t start,
                                                  const DivergentBranch& parting) const {
        DivergentBranch::Leaving leaving{start, {start}, 1};
        const std::vector<bool> passed = blocks_inside(start, parting.region);
        std::copy_if(parting.region.begin(), parting.region.end(),
                     std::inserter(leaving.region, leaving.region.end()),
                     [&](std::size_t block) { return passed[block]; });
        return leaving;
    }

    /// The way of a turning branch that does not come to it again; nothing when both do.
    [[nodiscard]] std::optional<DivergentBranch::Leaving>
    leaving_of(const DivergentBranch& parting) const {
        for (const std::size_t way : graph_.blocks[parting.block].out) {
            if (!is_reached(graph_.edges[way].to)) continue;
            DivergentBranch::Leaving leaving = behind(graph_.edges[way].to, parting);
            if (leaving.region.count(parting.block) != 0) continue;
            if (std::any_of(
                    graph_.loops.begin(), graph_.loops.end(),
                    [&](const assembly::Loop& loop) { return loop.header == leaving.start; }))
                return std::nullopt;
            for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
                const auto& blocks = graph_.loops[loop].blocks;
                const auto inside = [&](std::size_t block) {
                    return std::binary_search(blocks.begin(), blocks.end(), block);
                };
                if (!inside(parting.block) || parting.region.count(graph_.loops[loop].header) == 0)
                    continue;
                // Each of those who wait is a lane at least.
                const std::int64_t lanes = context_.shape.warp_size;
                const std::int64_t turns = context_.facts.loops[loop].max;
                leaving.most = turns >= lanes ? lanes : std::min(lanes, leaving.most * (turns + 1));
            }
            return leaving;
        }
        return std::nullopt;
    }

    bool breaks_;
    const AnalysisContext& context_;
    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const ReconvergenceStacks& points_;
    const std::vector<std::optional<ReconvergenceStack>>& before_;
    const std::vector<std::optional<ReconvergenceStack>>& behind_;
    const std::map<std::size_t, ReconvergencePoint>& arrival_of_;
    Reconvergence found_;
};

/// Barriers count warps or, from sm_70 on, lanes (C9): no other lanes may be elsewhere.
Result<void> check_barriers(const AnalysisContext& context, const Reconvergence& points) {
    const auto& graph = *context.request.graph;
    const auto& instructions = context.request.function->instructions;
    for (const DivergentBranch& parting : points.divergent_branches)
        for (const std::size_t block : parting.apart)
            for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i)
                if (assembly::waits_for_others(instructions[i]))
                    return refuse_at(
                        context, i,
                        fmt::format("some lanes may come to this barrier while others that parted "
                                    "from them at 0x{:04x} are elsewhere, which is not bounded",
                                    instructions[graph.blocks[parting.block].last].address));
    return boost::outcome_v2::success();
}

} // namespace

Result<Reconvergence> find_reconvergence(const AnalysisContext& context) {
    if (auto checked = check_code(context); !checked) return checked.as_failure();
    const auto joined = reconvergence_stacks(context);
    if (!joined) return joined.as_failure();
    auto points = Finder{context, joined.value(), false}.find();
    if (!points)
        if (auto broken = Finder{context, joined.value(), true}.find()) points = std::move(broken);
    if (!points) return points;
    if (auto checked = check_barriers(context, points.value()); !checked)
        return checked.as_failure();
    return points;
}

} // namespace warpbound::analyzer
