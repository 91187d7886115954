#include "harness/execution/warp_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::execution {

using simulator::BlockReconvergence;
using simulator::PointKind;
using simulator::PointUpdate;

WarpWalk::WarpWalk(const simulator::ReconvergencePoints& points, Lanes lanes)
    : points_of_code_{&points}, live_{lanes} {
    active_.cohorts.push_back(Cohort{lanes, {}, {}});
}

Lanes WarpWalk::lanes_of(const Cohorts& cohorts) {
    Lanes lanes = 0;
    for (const Cohort& cohort : cohorts)
        lanes |= cohort.lanes;
    return lanes;
}

void WarpWalk::add(Cohorts& to, Cohort cohort) {
    const auto same = std::find_if(to.begin(), to.end(), [&](const Cohort& other) {
        return other.points == cohort.points && other.barriers == cohort.barriers;
    });
    if (same == to.end())
        to.push_back(std::move(cohort));
    else
        same->lanes |= cohort.lanes;
}

WarpWalk::Point* WarpWalk::find(PointId id) {
    const auto point = std::find_if(points_.begin(), points_.end(),
                                    [id](const Point& candidate) { return candidate.id == id; });
    return point == points_.end() ? nullptr : &*point;
}

WarpWalk::PointId WarpWalk::make_point(PointKind kind, std::size_t target, Lanes members) {
    points_.push_back(Point{next_point_, kind, target, members, 0, {}});
    return next_point_++;
}

void WarpWalk::leave_barrier(Cohort& cohort, int reg) {
    const auto entry = std::find_if(cohort.barriers.begin(), cohort.barriers.end(),
                                    [reg](const auto& one) { return one.first == reg; });
    if (entry == cohort.barriers.end()) return;
    if (Point* const point = find(entry->second)) point->members &= ~cohort.lanes;
    cohort.barriers.erase(entry);
}

void WarpWalk::apply_updates(const BlockReconvergence& here) {
    for (const PointUpdate& update : here.updates) {
        if (update.kind == PointKind::Barrier) {
            for (Cohort& cohort : active_.cohorts)
                leave_barrier(cohort, update.reg);
            open_points(); // Opened points become pending before lanes diverge after this one.
        }
        if (!update.pushes) continue;
        const PointId id = make_point(update.kind, 0, lanes());
        for (Cohort& cohort : active_.cohorts)
            if (update.kind == PointKind::Barrier)
                cohort.barriers.emplace_back(update.reg, id);
            else
                cohort.points.push_back(id);
    }
}

std::vector<WarpWalk::Leaving> WarpWalk::leaving_cohorts(std::span<const Departure> departures) {
    std::vector<Leaving> leaving;
    for (const Departure& departure : departures)
        for (const Cohort& cohort : active_.cohorts) {
            if ((cohort.lanes & departure.lanes) == 0) continue;
            leaving.push_back({cohort, departure.edge});
            leaving.back().cohort.lanes &= departure.lanes;
        }
    return leaving;
}

/// Where the code names no reconvergence point, diverging lanes reconverge at the immediate
/// post-dominator.
void WarpWalk::push_post_dominator(std::vector<Leaving>& leaving, const BlockReconvergence& here) {
    if (!here.post_dominator) return;
    const auto is_named = [&](const Cohort& cohort) {
        if (!cohort.barriers.empty()) return true;
        if (cohort.points.empty()) return false;
        const Point& innermost = *find(cohort.points.back());
        return innermost.kind != PointKind::PostDominator ||
               innermost.target == *here.post_dominator;
    };
    Lanes members = 0;
    for (const Leaving& one : leaving)
        if (one.edge && !is_named(one.cohort)) members |= one.cohort.lanes;
    if (members == 0) return;
    const PointId id = make_point(PointKind::PostDominator, *here.post_dominator, members);
    for (Leaving& one : leaving)
        if ((one.cohort.lanes & members) != 0) one.cohort.points.push_back(id);
}

/// The point at which lanes arrive by the end of the block; they leave all points inside it.
std::optional<WarpWalk::PointId> WarpWalk::arrival_point(Cohort& cohort,
                                                         const BlockReconvergence& here) {
    if (*here.arrives == PointKind::Barrier) {
        const auto entry =
            std::find_if(cohort.barriers.begin(), cohort.barriers.end(),
                         [&](const auto& one) { return one.first == here.arrives_reg; });
        if (entry == cohort.barriers.end()) return std::nullopt; // They left it.
        const PointId id = entry->second;
        cohort.barriers.erase(entry);
        return id;
    }
    while (!cohort.points.empty()) {
        const PointId id = cohort.points.back();
        cohort.points.pop_back();
        Point& point = *find(id);
        if (point.kind == *here.arrives) return id;
        point.members &= ~cohort.lanes;
    }
    return std::nullopt;
}

void WarpWalk::arrive(Cohort cohort, PointId id, std::size_t block) {
    Point& point = *find(id);
    point.block = block;
    add(point.arrived, std::move(cohort));
}

void WarpWalk::go_or_arrive(Cohort cohort, std::size_t block, std::vector<Group>& going) {
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

void WarpWalk::follow(Leaving leaving, const BlockReconvergence& here, std::vector<Group>& going) {
    Cohort& cohort = leaving.cohort;
    if (!leaving.edge) {
        live_ &= ~cohort.lanes;
        for (Point& point : points_)
            point.members &= ~cohort.lanes;
        return;
    }
    const assembly::Edge& edge = points_of_code_->graph->edges[*leaving.edge];
    const bool taken = edge.kind == assembly::EdgeKind::Taken;
    (taken ? transferred_ : fell_through_) |= cohort.lanes;
    for (const int reg : taken ? here.left_when_taken : here.left_when_not_taken)
        leave_barrier(cohort, reg);
    if (here.arrives && (taken || *here.arrives == PointKind::Barrier))
        if (const auto point = arrival_point(cohort, here))
            return arrive(std::move(cohort), *point, edge.to);
    go_or_arrive(std::move(cohort), edge.to, going);
}

/// The lanes of every point at which all members have arrived become pending paths.
void WarpWalk::open_points() {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t index = 0; index < points_.size(); ++index) {
            Point& point = points_[index];
            if (point.members != lanes_of(point.arrived)) continue;
            Cohorts arrived = std::move(point.arrived);
            const std::size_t block = point.block;
            points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(index));
            std::vector<Group> going;
            for (Cohort& cohort : arrived)
                go_or_arrive(std::move(cohort), block, going);
            for (Group& group : going)
                pending_.push_back(std::move(group));
            changed = true;
            break;
        }
    }
}

std::string WarpWalk::resume(std::vector<Group> going) {
    if (!going.empty()) {
        active_ = std::move(going.front());
        for (auto group = going.rbegin(); group + 1 != going.rend(); ++group)
            pending_.push_back(std::move(*group));
        open_points();
    } else {
        open_points();
        if (pending_.empty()) {
            active_ = {};
            if (live_ == 0) return {};
            std::string waiting;
            for (const Point& point : points_)
                if (const Lanes arrived = lanes_of(point.arrived); arrived != 0)
                    waiting +=
                        fmt::format("; lanes 0x{:x} wait at 0x{:04x} for lanes 0x{:x}", arrived,
                                    points_of_code_->graph->blocks[point.block].address,
                                    point.members & ~arrived);
            return "the lanes wait for each other" + waiting;
        }
        active_ = std::move(pending_.back());
        pending_.pop_back();
    }
    const Lanes now = lanes();
    was_transferred_ = (now & fell_through_) == 0 || (now & transferred_) != 0;
    return {};
}

std::string WarpWalk::advance(std::span<const Departure> departures) {
    fell_through_ = 0;
    transferred_ = 0;
    const BlockReconvergence& here = points_of_code_->blocks[active_.block];
    apply_updates(here);
    auto leaving = leaving_cohorts(departures);
    const auto continues = [](const Leaving& one) { return one.edge.has_value(); };
    const auto first = std::find_if(leaving.begin(), leaving.end(), continues);
    if (std::any_of(first, leaving.end(),
                    [&](const Leaving& one) { return one.edge && one.edge != first->edge; }))
        push_post_dominator(leaving, here);
    std::vector<Group> going;
    for (Leaving& one : leaving)
        follow(std::move(one), here, going);
    return resume(std::move(going));
}

} // namespace warpbound::harness::execution
