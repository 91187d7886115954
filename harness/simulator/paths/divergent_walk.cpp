#include "harness/simulator/paths/divergent_walk.hpp"

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

DivergentWalk::DivergentWalk(const PathSpace& space, const ReconvergencePoints& reconvergence,
                             LaneMask lanes, const RandomSource& random, const RandomSource& common)
    : space_{&space}, reconvergence_{&reconvergence}, random_{random}, common_{common}, live_{
                                                                                            lanes} {
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

/// Lanes with equal loop state and reconvergence points become one cohort again.
void DivergentWalk::add(std::vector<Cohort>& to, Cohort cohort) {
    const auto same = std::find_if(to.begin(), to.end(), [&](const Cohort& other) {
        return other.remaining == cohort.remaining && other.executed == cohort.executed &&
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
    const auto entry_of_reg = std::find_if(cohort.barriers.begin(), cohort.barriers.end(),
                                           [reg](const auto& entry) { return entry.first == reg; });
    if (entry_of_reg == cohort.barriers.end()) return;
    leave(entry_of_reg->second, cohort.lanes);
    cohort.barriers.erase(entry_of_reg);
}

void DivergentWalk::apply_updates(const BlockReconvergence& here) {
    constexpr std::size_t point_limit = 64; // As deep as the graph lets stacks become.
    for (const PointUpdate& update : here.updates) {
        if (update.pushes &&
            std::any_of(active_.cohorts.begin(), active_.cohorts.end(),
                        [](const Cohort& cohort) { return cohort.points.size() >= point_limit; })) {
            anomaly_ = "the reconvergence stack grows without limit";
            return;
        }
        if (update.kind == PointKind::Barrier) {
            for (Cohort& cohort : active_.cohorts)
                leave_barrier(cohort, update.reg);
            open_points(); // Opened points become pending before lanes diverge after this one.
        }
        if (!update.pushes) continue;
        const PointId id = make_point(update.kind, update.reg, 0, lanes());
        for (Cohort& cohort : active_.cohorts)
            if (update.kind == PointKind::Barrier)
                cohort.barriers.emplace_back(update.reg, id);
            else
                cohort.points.push_back(id);
    }
}

std::vector<DivergentWalk::Successor> DivergentWalk::successors_of(const Cohort& cohort) {
    const assembly::BasicBlock& block = space_->graph().blocks[active_.block];
    std::vector<Successor> successors;
    if (space_->may_end(active_.block) &&
        std::all_of(cohort.remaining.begin(), cohort.remaining.end(),
                    [](std::int64_t remaining) { return remaining == 0; }))
        successors.emplace_back(std::nullopt);
    for (const std::size_t edge : block.out)
        if (space_->is_allowed(edge, cohort.remaining, trial_)) successors.emplace_back(edge);
    return successors;
}

/// One successor that all active lanes can take; empty when there is none.
std::vector<DivergentWalk::Choice> DivergentWalk::choose_uniform() {
    const assembly::BasicBlock& block = space_->graph().blocks[active_.block];
    std::vector<Successor> successors;
    if (block.out.size() == 1 && !block.exits) {
        successors.emplace_back(block.out.front());
    } else {
        successors = successors_of(active_.cohorts.front());
        for (std::size_t other = 1; other < active_.cohorts.size(); ++other) {
            const auto theirs = successors_of(active_.cohorts[other]);
            std::erase_if(successors, [&](Successor successor) {
                return std::find(theirs.begin(), theirs.end(), successor) == theirs.end();
            });
        }
    }
    std::vector<Choice> choices;
    if (successors.empty()) return choices;
    RandomSource& source = space_->is_shared_choice(active_.block) ? common_ : random_;
    const auto drawn = source.draw(0, static_cast<std::int64_t>(successors.size()) - 1);
    for (Cohort& cohort : active_.cohorts)
        choices.push_back({std::move(cohort), successors[static_cast<std::size_t>(drawn)]});
    return choices;
}

std::vector<DivergentWalk::Choice> DivergentWalk::choose_divergent() {
    std::vector<Choice> choices;
    for (Cohort& cohort : active_.cohorts) {
        const auto successors = successors_of(cohort);
        if (successors.empty()) return {};
        const auto drawn = random_.draw(0, static_cast<std::int64_t>(successors.size()) - 1);
        Choice kept_choice{std::move(cohort), successors[static_cast<std::size_t>(drawn)]};
        std::vector<Successor> taken{kept_choice.successor};
        bool may_diverge_further = true;
        while (may_diverge_further && count_of(kept_choice.cohort.lanes) > 1 &&
               random_.draw(0, 1) == 1)
            may_diverge_further = diverge_from(kept_choice, taken, choices);
        choices.push_back(std::move(kept_choice));
    }
    return choices;
}

/// Some lanes of a cohort take a successor that no other lanes of it take, if their loop state
/// allows one. Returns whether there may be one more.
bool DivergentWalk::diverge_from(Choice& kept_choice, std::vector<Successor>& taken,
                                 std::vector<Choice>& choices) {
    const LaneMask all = kept_choice.cohort.lanes;
    const LaneMask kept = draw_lanes(all, random_.draw(1, count_of(all) - 1), random_);
    Cohort others = kept_choice.cohort;
    others.lanes = all & ~kept;
    const assembly::BasicBlock& block = space_->graph().blocks[active_.block];
    std::vector<Successor> candidates(block.out.begin(), block.out.end());
    if (space_->may_end(active_.block)) candidates.emplace_back(std::nullopt);
    std::erase_if(candidates, [&](Successor successor) {
        return std::find(taken.begin(), taken.end(), successor) != taken.end() ||
               !redirected(others, successor);
    });
    if (candidates.empty()) return false;
    const auto drawn = random_.draw(0, static_cast<std::int64_t>(candidates.size()) - 1);
    const Successor successor = candidates[static_cast<std::size_t>(drawn)];
    Cohort going = std::move(*redirected(others, successor));
    if (successor)
        if (const PathSpace::Step& step = space_->step(*successor); step.iterates) {
            const auto further = further_iterations(others, step);
            going.remaining[step.common - 1] = random_.draw(further->min, further->max) + 1;
        }
    kept_choice.cohort.lanes = kept;
    choices.push_back({std::move(going), successor});
    taken.push_back(successor);
    return candidates.size() > 1;
}

std::optional<LoopBound> DivergentWalk::further_iterations(const Cohort& cohort,
                                                           const PathSpace::Step& step) {
    const LoopBound& bound = space_->bound(active_.block, step.common - 1);
    const std::int64_t executed = cohort.executed[step.common - 1];
    const std::int64_t least = std::max<std::int64_t>(bound.min - executed - 1, 0);
    std::int64_t greatest = bound.max - executed - 1;
    trial_.assign(cohort.remaining.begin(),
                  cohort.remaining.begin() + static_cast<std::ptrdiff_t>(step.common));
    trial_.back() = 1;
    if (!space_->can_finish(step.to, trial_)) greatest = std::min<std::int64_t>(greatest, 0);
    if (least > greatest) return std::nullopt;
    trial_.back() = least;
    if (!space_->can_finish(step.to, trial_)) return std::nullopt;
    return LoopBound{least, greatest};
}

std::optional<DivergentWalk::Cohort> DivergentWalk::redirected(const Cohort& cohort,
                                                               Successor successor) {
    const std::size_t kept = successor ? space_->step(*successor).common : 0;
    Cohort going = cohort;
    for (std::size_t loop = kept; loop < cohort.executed.size(); ++loop) {
        if (cohort.executed[loop] < space_->bound(active_.block, loop).min) return std::nullopt;
        going.remaining[loop] = 0;
    }
    if (!successor) return going;
    const PathSpace::Step& step = space_->step(*successor);
    if (!step.iterates)
        return space_->is_allowed(*successor, going.remaining, trial_) ? std::optional{going}
                                                                       : std::nullopt;
    return further_iterations(cohort, step) ? std::optional{going} : std::nullopt;
}

/// Where the code names no reconvergence point, diverging lanes reconverge at the immediate
/// post-dominator.
void DivergentWalk::push_post_dominator(std::vector<Choice>& choices,
                                        const BlockReconvergence& here) {
    if (!here.post_dominator) return;
    const auto is_named = [this, &here](const Cohort& cohort) {
        if (!cohort.barriers.empty()) return true;
        if (cohort.points.empty()) return false;
        const Point& innermost = *find(cohort.points.back());
        return innermost.kind != PointKind::PostDominator ||
               innermost.target == *here.post_dominator;
    };
    LaneMask members = 0;
    for (const Choice& choice : choices)
        if (choice.successor && !is_named(choice.cohort)) members |= choice.cohort.lanes;
    if (members == 0) return;
    const PointId id = make_point(PointKind::PostDominator, 0, *here.post_dominator, members);
    for (Choice& choice : choices)
        if ((choice.cohort.lanes & members) != 0) choice.cohort.points.push_back(id);
}

void DivergentWalk::enter_loop(Cohort& cohort, std::size_t header) {
    const LoopBound further = space_->entry_iterations(header, cohort.remaining);
    if (!space_->is_shared_loop(header)) {
        cohort.remaining.push_back(random_.draw(further.min, further.max));
    } else { // All lanes enter it together.
        if (!common_iterations_) common_iterations_ = common_.draw(further.min, further.max);
        cohort.remaining.push_back(*common_iterations_);
    }
    cohort.executed.push_back(1);
}

void DivergentWalk::take(Cohort& cohort, std::size_t edge) {
    const PathSpace::Step& step = space_->step(edge);
    cohort.remaining.resize(step.common);
    cohort.executed.resize(step.common);
    if (step.iterates) {
        --cohort.remaining.back();
        ++cohort.executed.back();
    }
    if (step.enters) enter_loop(cohort, step.to);
}

/// The point at which transferred lanes arrive; they leave all points inside it.
std::optional<DivergentWalk::PointId> DivergentWalk::arrival_point(Cohort& cohort,
                                                                   const BlockReconvergence& here) {
    if (*here.arrives == PointKind::Barrier) {
        const auto entry_of_reg =
            std::find_if(cohort.barriers.begin(), cohort.barriers.end(),
                         [&](const auto& entry) { return entry.first == here.arrives_reg; });
        if (entry_of_reg == cohort.barriers.end()) return std::nullopt; // They left it.
        const PointId id = entry_of_reg->second;
        cohort.barriers.erase(entry_of_reg);
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
        anomaly_ = fmt::format(
            "lanes arrive at one reconvergence point and continue at 0x{:04x} and "
            "0x{:04x}",
            space_->graph().blocks[point.block].address, space_->graph().blocks[block].address);
    point.block = block;
    add(point.arrived, std::move(cohort));
}

/// Lanes that reach a block may thereby arrive at their post-dominator point.
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

void DivergentWalk::follow(Choice choice, const BlockReconvergence& here,
                           std::vector<Group>& going) {
    Cohort& cohort = choice.cohort;
    if (!choice.successor) {
        live_ &= ~cohort.lanes;
        for (Point& point : points_)
            point.members &= ~cohort.lanes;
        return;
    }
    const assembly::Edge& edge = space_->graph().edges[*choice.successor];
    const bool taken = edge.kind == assembly::EdgeKind::Taken;
    (taken ? transferred_ : fell_through_) |= cohort.lanes;
    moves_.push_back({*choice.successor, cohort.lanes});
    take(cohort, *choice.successor);
    for (const int reg : taken ? here.left_when_taken : here.left_when_not_taken)
        leave_barrier(cohort, reg);
    if (here.arrives && (taken || *here.arrives == PointKind::Barrier))
        if (const auto point = arrival_point(cohort, here))
            return arrive(std::move(cohort), *point, edge.to);
    go_or_arrive(std::move(cohort), edge.to, going);
}

/// The lanes of every point at which all members have arrived become pending paths. Pending paths
/// resume in last-in-first-out order.
void DivergentWalk::open_points() {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t index = 0; index < points_.size(); ++index) {
            Point& point = points_[index];
            if (point.members != lanes_of(point.arrived)) continue;
            std::vector<Cohort> arrived = std::move(point.arrived);
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

DivergentTransition DivergentWalk::resume(std::vector<Group> going) {
    using enum DivergentTransition::Kind;
    if (!anomaly_.empty()) return {Anomaly, true};
    if (!going.empty()) {
        const auto first =
            static_cast<std::size_t>(random_.draw(0, static_cast<std::int64_t>(going.size()) - 1));
        active_ = std::move(going[first]);
        going.erase(going.begin() + static_cast<std::ptrdiff_t>(first));
        while (!going.empty()) {
            const auto next =
                going.begin() + random_.draw(0, static_cast<std::int64_t>(going.size()) - 1);
            pending_.push_back(std::move(*next));
            going.erase(next);
        }
        open_points();
    } else {
        open_points();
        if (pending_.empty()) return {live_ == 0 ? Ended : Anomaly, true};
        active_ = std::move(pending_.back());
        pending_.pop_back();
    }
    const auto& convergent = reconvergence_->blocks[active_.block].convergent_instruction;
    if (convergent && lanes() != live_) {
        const auto& instruction = reconvergence_->function->instructions[*convergent];
        anomaly_ = fmt::format("{} at 0x{:04x} is issued by lanes 0x{:x} of 0x{:x}; from sm_70 on "
                               "threads arrive one by one, which is not simulated",
                               instruction.mnemonic, instruction.address, lanes(), live_);
        return {Anomaly, true};
    }
    const LaneMask now = lanes();
    return {Continues, (now & fell_through_) == 0 || (now & transferred_) != 0};
}

DivergentTransition DivergentWalk::advance() {
    moves_.clear();
    common_iterations_.reset();
    fell_through_ = 0;
    transferred_ = 0;
    const BlockReconvergence& here = reconvergence_->blocks[active_.block];
    apply_updates(here);
    auto choices = here.may_diverge ? choose_divergent() : choose_uniform();
    if (choices.empty()) return {DivergentTransition::Kind::NoPath, true};
    const auto continues = [](const Choice& choice) { return choice.successor.has_value(); };
    const auto first = std::find_if(choices.begin(), choices.end(), continues);
    if (std::any_of(first, choices.end(), [&](const Choice& choice) {
            return choice.successor && choice.successor != first->successor;
        }))
        push_post_dominator(choices, here);
    std::vector<Group> going;
    for (Choice& choice : choices)
        follow(std::move(choice), here, going);
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
