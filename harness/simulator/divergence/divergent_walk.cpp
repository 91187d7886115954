#include "harness/simulator/divergence/divergent_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::simulator {

LaneMask draw_lanes(LaneMask lanes, std::int64_t wanted, RandomSource& random) {
    LaneMask drawn = 0;
    for (std::int64_t left = count_of(lanes); lanes != 0; lanes &= lanes - 1, --left) {
        if (random.draw(0, left - 1) >= wanted) continue;
        drawn |= lanes & (~lanes + 1);
        --wanted;
    }
    return drawn;
}

DivergentWalk::DivergentWalk(const PathSpace& space, const Convergence& convergence, LaneMask lanes,
                             const RandomSource& random)
    : space_{&space}, convergence_{&convergence}, random_{random}, live_{lanes} {
    Cohort cohort;
    cohort.lanes = lanes;
    if (space.depth(0) > 0) enter_loop(cohort, 0);
    active_.cohorts.push_back(std::move(cohort));
}

LaneMask DivergentWalk::lanes_of(const std::vector<Cohort>& cohorts) {
    LaneMask lanes = 0;
    for (const Cohort& cohort : cohorts)
        lanes |= cohort.lanes;
    return lanes;
}

LaneMask DivergentWalk::lanes_of(const Group& group) {
    return lanes_of(group.cohorts);
}

/// Lanes with the same future become one cohort again.
void DivergentWalk::add(std::vector<Cohort>& to, Cohort cohort) {
    const auto same = std::find_if(to.begin(), to.end(), [&](const Cohort& other) {
        return other.owed == cohort.owed && other.done == cohort.done &&
               other.points == cohort.points && other.barriers == cohort.barriers;
    });
    if (same == to.end())
        to.push_back(std::move(cohort));
    else
        same->lanes |= cohort.lanes;
}

DivergentWalk::Point* DivergentWalk::find(PointId id) {
    const auto point = std::find_if(points_.begin(), points_.end(),
                                    [id](const Point& candidate) { return candidate.id == id; });
    return point == points_.end() ? nullptr : &*point;
}

DivergentWalk::PointId DivergentWalk::make_point(PointKind kind, int reg, std::size_t target,
                                                 LaneMask members) {
    points_.push_back(Point{.id = next_point_,
                            .kind = kind,
                            .reg = reg,
                            .target = target,
                            .members = members,
                            .block = 0,
                            .arrived = {}});
    return next_point_++;
}

void DivergentWalk::leave(PointId id, LaneMask lanes) {
    if (Point* point = find(id)) point->members &= ~lanes;
}

void DivergentWalk::leave_barrier(Cohort& cohort, int reg) {
    const auto joined = std::find_if(cohort.barriers.begin(), cohort.barriers.end(),
                                     [reg](const auto& entry) { return entry.first == reg; });
    if (joined == cohort.barriers.end()) return;
    leave(joined->second, cohort.lanes);
    cohort.barriers.erase(joined);
}

void DivergentWalk::follow_steps(const BlockConvergence& here) {
    constexpr std::size_t point_limit = 64; // As deep as the graph lets stacks become.
    for (const PointStep& step : here.steps) {
        if (step.joins &&
            std::any_of(active_.cohorts.begin(), active_.cohorts.end(),
                        [](const Cohort& cohort) { return cohort.points.size() >= point_limit; })) {
            anomaly_ = "the reconvergence stack grows without limit";
            return;
        }
        if (step.kind == PointKind::Barrier) {
            for (Cohort& cohort : active_.cohorts)
                leave_barrier(cohort, step.reg);
            open_points(); // Whom nobody misses waits from here on, before lanes part behind it.
        }
        if (!step.joins) continue;
        const PointId id = make_point(step.kind, step.reg, 0, lanes());
        for (Cohort& cohort : active_.cohorts)
            if (step.kind == PointKind::Barrier)
                cohort.barriers.emplace_back(step.reg, id);
            else
                cohort.points.push_back(id);
    }
}

std::vector<DivergentWalk::Way> DivergentWalk::ways_of(const Cohort& cohort) {
    const assembly::BasicBlock& block = space_->graph().blocks[active_.block];
    std::vector<Way> ways;
    if (block.exits && std::all_of(cohort.owed.begin(), cohort.owed.end(),
                                   [](std::int64_t owed) { return owed == 0; }))
        ways.emplace_back(std::nullopt);
    for (const std::size_t edge : block.out)
        if (space_->is_allowed(edge, cohort.owed, trial_)) ways.emplace_back(edge);
    return ways;
}

/// One way that all active lanes can go; no part when there is none.
std::vector<DivergentWalk::Part> DivergentWalk::choose_alike() {
    const assembly::BasicBlock& block = space_->graph().blocks[active_.block];
    std::vector<Way> ways;
    if (block.out.size() == 1 && !block.exits) {
        ways.emplace_back(block.out.front());
    } else {
        ways = ways_of(active_.cohorts.front());
        for (std::size_t other = 1; other < active_.cohorts.size(); ++other) {
            const auto theirs = ways_of(active_.cohorts[other]);
            std::erase_if(ways, [&](Way way) {
                return std::find(theirs.begin(), theirs.end(), way) == theirs.end();
            });
        }
    }
    std::vector<Part> parts;
    if (ways.empty()) return parts;
    const auto choice = random_.draw(0, static_cast<std::int64_t>(ways.size()) - 1);
    for (Cohort& cohort : active_.cohorts)
        parts.push_back({std::move(cohort), ways[static_cast<std::size_t>(choice)]});
    return parts;
}

std::vector<DivergentWalk::Part> DivergentWalk::choose_apart() {
    std::vector<Part> parts;
    for (Cohort& cohort : active_.cohorts) {
        const auto ways = ways_of(cohort);
        if (ways.empty()) return {};
        const auto choice = random_.draw(0, static_cast<std::int64_t>(ways.size()) - 1);
        Part stays{std::move(cohort), ways[static_cast<std::size_t>(choice)]};
        std::vector<Way> taken{stays.way};
        bool may_part = true;
        while (may_part && count_of(stays.cohort.lanes) > 1 && random_.draw(0, 1) == 1)
            may_part = part_from(stays, taken, parts);
        parts.push_back(std::move(stays));
    }
    return parts;
}

/// Some lanes of a cohort go another way than those that are taken, if there is one that they could
/// have been sent. Returns whether there may be one more.
bool DivergentWalk::part_from(Part& stays, std::vector<Way>& taken, std::vector<Part>& parts) {
    const LaneMask all = stays.cohort.lanes;
    const LaneMask kept = draw_lanes(all, random_.draw(1, count_of(all) - 1), random_);
    Cohort others = stays.cohort;
    others.lanes = all & ~kept;
    const assembly::BasicBlock& block = space_->graph().blocks[active_.block];
    std::vector<Way> candidates(block.out.begin(), block.out.end());
    if (block.exits) candidates.emplace_back(std::nullopt);
    std::erase_if(candidates, [&](Way way) {
        return std::find(taken.begin(), taken.end(), way) != taken.end() || !sent(others, way);
    });
    if (candidates.empty()) return false;
    const auto choice = random_.draw(0, static_cast<std::int64_t>(candidates.size()) - 1);
    const Way way = candidates[static_cast<std::size_t>(choice)];
    Cohort going = std::move(*sent(others, way));
    if (way)
        if (const PathSpace::Step& step = space_->step(*way); step.turns) {
            const auto further = further_turns(others, step);
            going.owed[step.common - 1] = random_.draw(further->min, further->max) + 1;
        }
    stays.cohort.lanes = kept;
    parts.push_back({std::move(going), way});
    taken.push_back(way);
    return candidates.size() > 1;
}

std::optional<LoopBound> DivergentWalk::further_turns(const Cohort& cohort,
                                                      const PathSpace::Step& step) {
    const LoopBound& bound = space_->bound(active_.block, step.common - 1);
    const std::int64_t done = cohort.done[step.common - 1];
    const std::int64_t least = std::max<std::int64_t>(bound.min - done - 1, 0);
    std::int64_t greatest = bound.max - done - 1;
    trial_.assign(cohort.owed.begin(),
                  cohort.owed.begin() + static_cast<std::ptrdiff_t>(step.common));
    trial_.back() = 1;
    if (!space_->is_open(step.to, trial_)) greatest = std::min<std::int64_t>(greatest, 0);
    if (least > greatest) return std::nullopt;
    trial_.back() = least;
    if (!space_->is_open(step.to, trial_)) return std::nullopt;
    return LoopBound{least, greatest};
}

std::optional<DivergentWalk::Cohort> DivergentWalk::sent(const Cohort& cohort, Way way) {
    const std::size_t kept = way ? space_->step(*way).common : 0;
    Cohort going = cohort;
    for (std::size_t loop = kept; loop < cohort.done.size(); ++loop) {
        if (cohort.done[loop] < space_->bound(active_.block, loop).min) return std::nullopt;
        going.owed[loop] = 0;
    }
    if (!way) return going;
    const PathSpace::Step& step = space_->step(*way);
    if (!step.turns)
        return space_->is_allowed(*way, going.owed, trial_) ? std::optional{going} : std::nullopt;
    return further_turns(cohort, step) ? std::optional{going} : std::nullopt;
}

/// Where the code names no point, lanes that part meet where all ways do.
void DivergentWalk::join_post_dominator(std::vector<Part>& parts, const BlockConvergence& here) {
    if (!here.post_dominator) return;
    const auto is_named = [this, &here](const Cohort& cohort) {
        if (!cohort.barriers.empty()) return true;
        if (cohort.points.empty()) return false;
        const Point& innermost = *find(cohort.points.back());
        return innermost.kind != PointKind::PostDominator ||
               innermost.target == *here.post_dominator;
    };
    LaneMask members = 0;
    for (const Part& part : parts)
        if (part.way && !is_named(part.cohort)) members |= part.cohort.lanes;
    if (members == 0) return;
    const PointId id = make_point(PointKind::PostDominator, 0, *here.post_dominator, members);
    for (Part& part : parts)
        if ((part.cohort.lanes & members) != 0) part.cohort.points.push_back(id);
}

void DivergentWalk::enter_loop(Cohort& cohort, std::size_t header) {
    const LoopBound further = space_->entries(header, cohort.owed);
    cohort.owed.push_back(random_.draw(further.min, further.max));
    cohort.done.push_back(1);
}

void DivergentWalk::take(Cohort& cohort, std::size_t edge) {
    const PathSpace::Step& step = space_->step(edge);
    cohort.owed.resize(step.common);
    cohort.done.resize(step.common);
    if (step.turns) {
        --cohort.owed.back();
        ++cohort.done.back();
    }
    if (step.enters) enter_loop(cohort, step.to);
}

/// The point at which transferred lanes arrive; leaves those inside it.
std::optional<DivergentWalk::PointId> DivergentWalk::arrival_point(Cohort& cohort,
                                                                   const BlockConvergence& here) {
    if (*here.arrives == PointKind::Barrier) {
        const auto joined =
            std::find_if(cohort.barriers.begin(), cohort.barriers.end(),
                         [&](const auto& entry) { return entry.first == here.arrives_reg; });
        if (joined == cohort.barriers.end()) return std::nullopt; // They left it.
        const PointId id = joined->second;
        cohort.barriers.erase(joined);
        return id;
    }
    while (!cohort.points.empty()) {
        const PointId id = cohort.points.back();
        cohort.points.pop_back();
        if (find(id)->kind == *here.arrives) return id;
        leave(id, cohort.lanes);
    }
    return std::nullopt; // Not reached: the graph matches every pop with its push.
}

void DivergentWalk::arrive(Cohort cohort, PointId id, std::size_t block) {
    Point& point = *find(id);
    if (!point.arrived.empty() && point.block != block)
        anomaly_ = fmt::format("lanes arrive at one reconvergence point and go on at 0x{:04x} and "
                               "0x{:04x}",
                               space_->graph().blocks[point.block].address,
                               space_->graph().blocks[block].address);
    point.block = block;
    add(point.arrived, std::move(cohort));
}

/// Lanes that come to a block may have been waited for there.
void DivergentWalk::go_or_arrive(Cohort cohort, std::size_t block, std::vector<Group>& going) {
    if (!cohort.points.empty()) {
        const Point& innermost = *find(cohort.points.back());
        if (innermost.kind == PointKind::PostDominator && innermost.target == block) {
            cohort.points.pop_back();
            return arrive(std::move(cohort), innermost.id, block);
        }
    }
    auto group = std::find_if(going.begin(), going.end(),
                              [block](const Group& other) { return other.block == block; });
    if (group == going.end()) group = going.insert(going.end(), Group{block, {}});
    add(group->cohorts, std::move(cohort));
}

void DivergentWalk::follow(Part part, const BlockConvergence& here, std::vector<Group>& going) {
    Cohort& cohort = part.cohort;
    if (!part.way) {
        live_ &= ~cohort.lanes;
        for (Point& point : points_)
            point.members &= ~cohort.lanes;
        return;
    }
    const assembly::Edge& edge = space_->graph().edges[*part.way];
    const bool taken = edge.kind == assembly::EdgeKind::Taken;
    (taken ? moved_ : fell_) |= cohort.lanes;
    moves_.push_back({*part.way, cohort.lanes});
    take(cohort, *part.way);
    for (const int reg : taken ? here.left_when_taken : here.left_behind)
        leave_barrier(cohort, reg);
    if (here.arrives && (taken || *here.arrives == PointKind::Barrier))
        if (const auto point = arrival_point(cohort, here))
            return arrive(std::move(cohort), *point, edge.to);
    go_or_arrive(std::move(cohort), edge.to, going);
}

/// Lanes whose point all have reached wait for their turn from now on, the newest point's first.
void DivergentWalk::open_points() {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t place = 0; place < points_.size(); ++place) {
            Point& point = points_[place];
            if (point.members != lanes_of(point.arrived)) continue;
            std::vector<Cohort> arrived = std::move(point.arrived);
            const std::size_t block = point.block;
            points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(place));
            std::vector<Group> going;
            for (Cohort& cohort : arrived)
                go_or_arrive(std::move(cohort), block, going);
            for (Group& group : going)
                waiting_.push_back(std::move(group));
            changed = true;
            break;
        }
    }
}

LaneTurn DivergentWalk::resume(std::vector<Group> going) {
    using enum LaneTurn::Kind;
    if (!anomaly_.empty()) return {Stuck, true};
    if (!going.empty()) {
        const auto first =
            static_cast<std::size_t>(random_.draw(0, static_cast<std::int64_t>(going.size()) - 1));
        active_ = std::move(going[first]);
        going.erase(going.begin() + static_cast<std::ptrdiff_t>(first));
        while (!going.empty()) {
            const auto next =
                going.begin() + random_.draw(0, static_cast<std::int64_t>(going.size()) - 1);
            waiting_.push_back(std::move(*next));
            going.erase(next);
        }
        open_points();
    } else {
        open_points();
        if (waiting_.empty()) return {live_ == 0 ? Ends : Stuck, true};
        active_ = std::move(waiting_.back());
        waiting_.pop_back();
    }
    const auto& together = convergence_->blocks[active_.block].together;
    if (together && lanes() != live_) {
        const auto& instruction = convergence_->function->instructions[*together];
        anomaly_ = fmt::format("{} at 0x{:04x} is issued by lanes 0x{:x} of 0x{:x}; from sm_70 on "
                               "threads arrive one by one, which is not simulated",
                               instruction.mnemonic, instruction.address, lanes(), live_);
        return {Stuck, true};
    }
    const LaneMask now = lanes();
    return {Goes, (now & fell_) == 0 || (now & moved_) != 0};
}

LaneTurn DivergentWalk::advance() {
    moves_.clear();
    fell_ = 0;
    moved_ = 0;
    const BlockConvergence& here = convergence_->blocks[active_.block];
    follow_steps(here);
    auto parts = here.parts ? choose_apart() : choose_alike();
    if (parts.empty()) return {LaneTurn::Kind::NoWay, true};
    const auto goes = [](const Part& part) { return part.way.has_value(); };
    const auto first = std::find_if(parts.begin(), parts.end(), goes);
    if (std::any_of(first, parts.end(),
                    [&](const Part& part) { return part.way && part.way != first->way; }))
        join_post_dominator(parts, here);
    std::vector<Group> going;
    for (Part& part : parts)
        follow(std::move(part), here, going);
    return resume(std::move(going));
}

std::string DivergentWalk::anomaly() const {
    if (!anomaly_.empty()) return anomaly_;
    std::string out;
    for (const Point& point : points_) {
        const LaneMask arrived = lanes_of(point.arrived);
        if (arrived == 0) continue;
        out += fmt::format("{}lanes 0x{:x} wait at 0x{:04x} for lanes 0x{:x}",
                           out.empty() ? "" : ", ", arrived,
                           space_->graph().blocks[point.block].address, point.members & ~arrived);
    }
    return "the lanes of a warp wait for each other: " + out;
}

} // namespace warpbound::harness::simulator
