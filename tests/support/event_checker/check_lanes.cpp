#include "assembly/flow/post_dominators.hpp"
#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

using assembly::ControlFlow;
using harness::simulator::LaneMask;

constexpr std::size_t lane_count = 64;

bool holds_lane(LaneMask lanes, std::size_t lane) {
    return ((lanes >> lane) & 1U) != 0;
}
LaneMask only(std::size_t lane) {
    return LaneMask{1} << lane;
}

/// Number of the convergence barrier that an instruction names; -1 for those that name none.
int barrier_of(const assembly::Instruction& code) {
    for (const assembly::Operand& operand : code.operands)
        if (const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
            reg != nullptr && reg->file == assembly::RegisterFile::Barrier)
            return reg->index.value_or(-1);
    return -1;
}

/// The pop that matches a push.
ControlFlow pop_of(ControlFlow push) {
    using enum ControlFlow;
    return push == PushReconvergence ? PopReconvergence
           : push == PushBreak       ? PopBreak
           : push == PushContinue    ? PopContinue
                                     : None;
}

/// Follows every lane of one warp: C18 and C37 to C40.
class LanesOfWarp {
public:
    LanesOfWarp(RecordedLaunch& run, const WarpRecord& warp, LaneMask lanes,
                const std::vector<std::optional<std::size_t>>& post_dominators)
        : run_{run}, warp_{warp}, live_{lanes}, post_dominators_{post_dominators},
          lanes_(lane_count) {}

    void check() {
        const LaneMask all = live_;
        const std::size_t known = run_.found.size();
        for (std::size_t index = 0; index < warp_.issues.size(); ++index)
            for (std::size_t lane = 0; lane < lane_count; ++lane)
                if (holds_lane(warp_.issues[index].event.lanes, lane))
                    lanes_[lane].issues.push_back(index);
        for (std::size_t index = 0; index < warp_.issues.size(); ++index) {
            check_issue(index);
            if (run_.found.size() > known) return; // Later violations could follow from it.
        }
        if (live_ != 0) run_.report(fmt::format("C37: lanes 0x{:x} never end", live_));
        std::set<std::vector<std::size_t>> paths;
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            if (holds_lane(all, lane) && paths.insert(lanes_[lane].path).second)
                check_path(run_, lanes_[lane].path);
    }

private:
    struct Point {
        ControlFlow push = ControlFlow::None; ///< None: the immediate post-dominator.
        std::size_t target = 0;
        LaneMask members = 0;
        LaneMask arrived = 0;
    };
    /// When lanes became a pending path: an issue, then 0 for lanes that diverge at it or the
    /// number of the point that it opens, newer points later (C39).
    using Since = std::pair<std::size_t, int>;
    struct Lane {
        Since since;
        std::vector<std::size_t> issues; ///< All issues of the lane.
        std::size_t next = 0;            ///< Index of the next one.
        std::vector<int> points;
        std::map<int, int> barriers;
        std::vector<int> reached; ///< Points at which it arrived since its last issue.
        std::vector<std::size_t> path;
    };

    [[nodiscard]] bool may_diverge_at(std::size_t instruction) const {
        const auto& facts = run_.kernel.facts->divergents;
        return std::any_of(facts.begin(), facts.end(), [&](const models::DivergentFact& fact) {
            return fact.at == run_.kernel.function->instructions[instruction].address;
        });
    }
    /// The block to which a lane goes after its last issue; none when it ends.
    [[nodiscard]] std::optional<std::size_t> destination(const Lane& lane) const {
        if (lane.next == lane.issues.size()) return std::nullopt;
        return warp_.issues[lane.issues[lane.next]].event.block;
    }
    [[nodiscard]] bool has_edge(std::size_t from, std::size_t to, assembly::EdgeKind kind) const {
        const auto& graph = *run_.kernel.graph;
        return std::any_of(graph.blocks[from].out.begin(), graph.blocks[from].out.end(),
                           [&](std::size_t edge) {
                               return graph.edges[edge].to == to && graph.edges[edge].kind == kind;
                           });
    }
    template <typename Visit> static void each(LaneMask lanes, Visit visit) {
        for (; lanes != 0; lanes &= lanes - 1)
            visit(static_cast<std::size_t>(std::countr_zero(lanes)));
    }
    int new_point(ControlFlow push, std::size_t target, LaneMask members) {
        points_.push_back({push, target, members, 0});
        return static_cast<int>(points_.size()) - 1;
    }
    void leave(std::size_t lane, int point) {
        points_[static_cast<std::size_t>(point)].members &= ~only(lane);
    }
    void reach(std::size_t lane, int point) {
        points_[static_cast<std::size_t>(point)].arrived |= only(lane);
        lanes_[lane].reached.push_back(point);
        waited_at_.insert(point);
    }
    [[nodiscard]] bool is_open(int point) const {
        const Point& at = points_[static_cast<std::size_t>(point)];
        return (at.members & ~at.arrived) == 0;
    }
    /// All points at which the lane arrived are open.
    [[nodiscard]] bool can_resume(std::size_t lane) const {
        const auto& reached = lanes_[lane].reached;
        return std::all_of(reached.begin(), reached.end(), [this](int at) { return is_open(at); });
    }
    /// The lanes of points at which all members have arrived become pending paths.
    void open_points(std::size_t index) {
        std::erase_if(waited_at_, [&](int point) {
            if (!is_open(point)) return false;
            each(points_[static_cast<std::size_t>(point)].arrived, [&](std::size_t lane) {
                lanes_[lane].since = std::max(lanes_[lane].since, {index, point + 1});
            });
            return true;
        });
    }

    void check_issue(std::size_t index) {
        const Issue& issue = warp_.issues[index];
        const LaneMask lanes = issue.event.lanes;
        if (lanes == 0 || (lanes & ~live_) != 0)
            return run_.report_issue(issue,
                                     fmt::format("C37: lanes 0x{:x} of 0x{:x}", lanes, live_));
        if ((issue.event.executing & ~lanes) != 0 ||
            (issue.event.executing != 0) != issue.event.executed ||
            (issue.event.executed && issue.event.executing != lanes &&
             !may_diverge_at(issue.event.instruction)))
            run_.report_issue(issue,
                              fmt::format("C37: executes for lanes 0x{:x}", issue.event.executing));
        each(lanes, [&](std::size_t lane) { check_step(index, lane); });
        if (index > 0) check_path_order(index);
        each(lanes, [&](std::size_t lane) { lanes_[lane].reached.clear(); });
        follow(issue);
        open_points(index);
    }

    /// The lane follows an edge from its last issue, and all lanes for which it waited are active
    /// with it.
    void check_step(std::size_t index, std::size_t lane) {
        const Issue& issue = warp_.issues[index];
        const auto& blocks = run_.kernel.graph->blocks;
        Lane& own = lanes_[lane];
        const bool enters = issue.event.instruction == blocks[issue.event.block].first;
        if (own.next == 0) {
            if (issue.event.block != 0 || !enters) run_.report_issue(issue, "C18: not the entry");
        } else {
            const Issued& before = warp_.issues[own.issues[own.next - 1]].event;
            using enum assembly::EdgeKind;
            const bool follows = issue.event.block == before.block &&
                                 issue.event.instruction == before.instruction + 1;
            const bool jumps = enters && before.instruction == blocks[before.block].last &&
                               (has_edge(before.block, issue.event.block, FallThrough) ||
                                has_edge(before.block, issue.event.block, Taken));
            if (!follows && !jumps)
                run_.report_issue(issue, fmt::format("C18: lane {} follows no edge", lane));
        }
        if (enters) own.path.push_back(issue.event.block);
        for (const int reached : own.reached) {
            const Point& point = points_[static_cast<std::size_t>(reached)];
            if ((point.members & ~issue.event.lanes) != 0)
                run_.report_issue(issue, fmt::format("C40: lane {} continues without lanes 0x{:x}",
                                                     lane, point.members & ~issue.event.lanes));
        }
        ++own.next;
    }

    /// C39: some of the last active lanes continue if they can; else the path that became pending
    /// last resumes.
    void check_path_order(std::size_t index) {
        const Issue& before = warp_.issues[index - 1];
        const Issue& issue = warp_.issues[index];
        const auto& block = run_.kernel.graph->blocks[before.event.block];
        if (before.event.instruction != block.last) {
            if (before.event.lanes != issue.event.lanes)
                run_.report_issue(issue, "C39: lanes change inside a block");
            return;
        }
        LaneMask able = 0;
        each(before.event.lanes & live_, [&](std::size_t lane) {
            if (can_resume(lane)) able |= only(lane);
        });
        if (able != 0 && (able & issue.event.lanes) == 0)
            run_.report_issue(issue, fmt::format("C39: lanes 0x{:x} could continue", able));
        each(able & ~issue.event.lanes, [&](std::size_t lane) {
            lanes_[lane].since = std::max(lanes_[lane].since, {index - 1, 0});
        });
        if (able != 0) return;
        Since latest;
        each(live_, [&](std::size_t lane) {
            if (can_resume(lane)) latest = std::max(latest, lanes_[lane].since);
        });
        LaneMask too_early = 0;
        each(issue.event.lanes, [&](std::size_t lane) {
            if (lanes_[lane].since != latest) too_early |= only(lane);
        });
        if (too_early != 0)
            run_.report_issue(
                issue,
                fmt::format("C39: lanes 0x{:x} resume before a path that became pending later",
                            too_early));
    }

    /// Updates the points of the lanes after the issue.
    void follow(const Issue& issue) {
        const LaneMask lanes = issue.event.lanes;
        const assembly::Instruction& code = run_.instruction(issue);
        const auto& block = run_.kernel.graph->blocks[issue.event.block];
        if (!(code.guard && code.guard->never())) update_points(issue, code);
        if (issue.event.instruction != block.last) return;
        std::set<std::optional<std::size_t>> destinations;
        each(lanes, [&](std::size_t lane) { destinations.insert(destination(lanes_[lane])); });
        if (destinations.size() > 1 && !may_diverge_at(issue.event.instruction))
            run_.report_issue(issue, "C38: its lanes diverge");
        each(lanes, [&](std::size_t lane) {
            if (destination(lanes_[lane])) return;
            if (!block.exits) run_.report_issue(issue, fmt::format("C2: lane {} stops here", lane));
            live_ &= ~only(lane);
            for (Point& point : points_)
                point.members &= ~only(lane);
        });
        destinations.erase(std::nullopt);
        if (destinations.size() > 1) push_post_dominator(issue, lanes & live_);
        each(lanes & live_, [&](std::size_t lane) { move(issue, code, lane); });
    }

    void update_points(const Issue& issue, const assembly::Instruction& code) {
        using enum ControlFlow;
        const LaneMask lanes = issue.event.lanes;
        switch (code.control_flow) {
        case PushReconvergence:
        case PushBreak:
        case PushContinue: {
            const int point = new_point(code.control_flow, 0, lanes);
            each(lanes, [&](std::size_t lane) { lanes_[lane].points.push_back(point); });
            return;
        }
        case ConvergenceSet: {
            const int point = new_point(code.control_flow, 0, lanes);
            each(lanes, [&](std::size_t lane) {
                leave_barrier(lane, barrier_of(code));
                lanes_[lane].barriers[barrier_of(code)] = point;
            });
            return;
        }
        case ConvergenceBreak:
            if (!code.guard || code.guard->always())
                each(lanes, [&](std::size_t lane) { leave_barrier(lane, barrier_of(code)); });
            return;
        default:
            return;
        }
    }

    void leave_barrier(std::size_t lane, int reg) {
        const auto entry_of_reg = lanes_[lane].barriers.find(reg);
        if (entry_of_reg == lanes_[lane].barriers.end()) return;
        leave(lane, entry_of_reg->second);
        lanes_[lane].barriers.erase(entry_of_reg);
    }

    void push_post_dominator(const Issue& issue, LaneMask lanes) {
        const auto target = post_dominators_[issue.event.block];
        if (!target) return;
        LaneMask members = 0;
        each(lanes, [&](std::size_t lane) {
            const Lane& own = lanes_[lane];
            if (!own.barriers.empty()) return;
            if (!own.points.empty()) {
                const Point& top = points_[static_cast<std::size_t>(own.points.back())];
                if (top.push != ControlFlow::None || top.target == *target) return;
            }
            members |= only(lane);
        });
        if (members == 0) return;
        const int point = new_point(ControlFlow::None, *target, members);
        each(members, [&](std::size_t lane) { lanes_[lane].points.push_back(point); });
    }

    /// The lane leaves the block: it may leave points and arrive at others.
    void move(const Issue& issue, const assembly::Instruction& code, std::size_t lane) {
        Lane& own = lanes_[lane];
        const std::size_t to = *destination(own);
        const bool taken = has_edge(issue.event.block, to, assembly::EdgeKind::Taken);
        const auto& block = run_.kernel.graph->blocks[issue.event.block];
        for (std::size_t index = block.first; index < block.last; ++index) {
            const auto& inner = run_.kernel.function->instructions[index];
            if (inner.control_flow != ControlFlow::ConvergenceBreak || !inner.guard || !code.guard)
                continue;
            auto of_branch = *code.guard; // Holds for lanes on this path.
            if (!taken) of_branch.predicate.negated = !of_branch.predicate.negated;
            if (inner.guard == of_branch) leave_barrier(lane, barrier_of(inner));
        }
        if (code.control_flow == ControlFlow::ConvergenceWait) {
            if (const auto entry_of_reg = own.barriers.find(barrier_of(code));
                entry_of_reg != own.barriers.end()) {
                reach(lane, entry_of_reg->second);
                own.barriers.erase(entry_of_reg);
            }
        } else if (taken && pops(code.control_flow)) {
            bool found = false;
            while (!found && !own.points.empty()) {
                const int top = own.points.back();
                own.points.pop_back();
                found = pop_of(points_[static_cast<std::size_t>(top)].push) == code.control_flow;
                if (found)
                    reach(lane, top);
                else
                    leave(lane, top);
            }
            if (!found) run_.report_issue(issue, "C40: pops a point that was not pushed");
        }
        while (!own.points.empty()) {
            const Point& top = points_[static_cast<std::size_t>(own.points.back())];
            if (top.push != ControlFlow::None || top.target != to) break;
            reach(lane, own.points.back());
            own.points.pop_back();
        }
    }

    static bool pops(ControlFlow flow) {
        using enum ControlFlow;
        return flow == PopReconvergence || flow == PopBreak || flow == PopContinue;
    }

    RecordedLaunch& run_;
    const WarpRecord& warp_;
    LaneMask live_;
    const std::vector<std::optional<std::size_t>>& post_dominators_;
    std::vector<Lane> lanes_;
    std::vector<Point> points_;
    std::set<int> waited_at_; ///< Points at which lanes wait for others.
};

} // namespace

void check_lanes(RecordedLaunch& run) {
    const auto post_dominators = assembly::immediate_post_dominators(*run.kernel.graph);
    const std::int64_t warp_size = value_of(run.machine.geometry, "warp-size").lo;
    for (std::size_t index = 0; index < run.warps.size(); ++index) {
        const auto in_block = static_cast<std::int64_t>(index) % run.warps_per_block;
        LaneMask lanes = 0;
        for (std::int64_t lane = 0; lane < warp_size; ++lane)
            if (in_block * warp_size + lane < run.kernel.launch.threads)
                lanes |= only(static_cast<std::size_t>(lane));
        LanesOfWarp{run, run.warps[index], lanes, post_dominators}.check();
    }
}

} // namespace warpbound::tests
