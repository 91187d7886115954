#include "tests/support/branch_serialization/reconvergence_stack.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

} // namespace

namespace {

class StackAnalysis {
public:
    explicit StackAnalysis(const AnalysisContext& context)
        : context_{context}, function_{*context.request.function}, graph_{*context.request.graph} {
        found_.before.resize(graph_.blocks.size());
        found_.at_end.resize(graph_.blocks.size());
    }

    Result<ReconvergenceStacks> find() {
        found_.before[0] = ReconvergenceStack{};
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            check_stop("the reconvergence of divergent branches");
            if (!found_.before[block]) continue;
            ReconvergenceStack points = *found_.before[block];
            left_when_taken_.clear();
            left_when_not_taken_.clear();
            for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i)
                if (auto stepped = step(points, i, block); !stepped) return stepped.as_failure();
            found_.at_end[block] = points;
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (context_.facts.never[to]) continue;
                const auto next = along(points, edge);
                if (!next) return next.as_failure();
                if (!found_.before[to]) {
                    found_.before[to] = next.value();
                } else if (*found_.before[to] != next.value()) {
                    return refuse_at(context_, graph_.blocks[to].first,
                                     "paths come here with different reconvergence points, which "
                                     "is not bounded where lanes may diverge");
                }
            }
        }
        return std::move(found_);
    }

private:
    Result<void> step(ReconvergenceStack& points, std::size_t instruction, std::size_t block) {
        const Instruction& at = function_.instructions[instruction];
        if (pushes_point(at.control_flow)) return push(points, instruction, block);
        if (!leaves_point(at) || (at.guard && at.guard->never()))
            return boost::outcome_v2::success();
        const auto reg = assembly::barrier_register(at);
        if (!reg || assembly::has_predicate_operand(at))
            return refuse_at(context_, instruction, "expected a barrier register alone");
        if (!assembly::is_guarded(at)) {
            leave(points, *reg, found_.left_in_block[block]);
            return boost::outcome_v2::success();
        }
        const auto transferred =
            assembly::executes_if_taken(function_, instruction, graph_.blocks[block].last);
        if (!transferred)
            return refuse_at(context_, instruction,
                             "a guarded exit from a reconvergence point is bounded before a branch "
                             "with the same guard or its opposite only, where lanes may diverge");
        (*transferred ? left_when_taken_ : left_when_not_taken_).push_back(*reg);
        return boost::outcome_v2::success();
    }

    static void leave(ReconvergenceStack& points, int reg, ReconvergenceStack& left) {
        const auto point =
            std::find_if(points.begin(), points.end(), [&](const ReconvergencePoint& joined) {
                return joined.kind == ControlFlow::ConvergenceSet && joined.reg == reg;
            });
        if (point == points.end()) return;
        left.push_back(*point);
        points.erase(point);
    }

    Result<void> push(ReconvergenceStack& points, std::size_t instruction,
                      std::size_t block) const {
        const Instruction& at = function_.instructions[instruction];
        if (assembly::is_guarded(at))
            return refuse_at(
                context_, instruction,
                "a guarded push of a reconvergence point is not bounded where lanes may diverge");
        const ReconvergencePoint point{at.control_flow, assembly::barrier_register(at), block};
        for (const ReconvergencePoint& open : points)
            if (open.kind == ControlFlow::ConvergenceSet && point.reg && open.reg == point.reg)
                return refuse_at(
                    context_, instruction,
                    "the barrier register is in use, which is not bounded where lanes may diverge");
        points.push_back(point);
        return boost::outcome_v2::success();
    }

    /// The points after an edge: lanes that arrive at a point pop it and those inside it.
    Result<ReconvergenceStack> along(ReconvergenceStack points, std::size_t edge) {
        const std::size_t block = graph_.edges[edge].from;
        const Instruction& last = function_.instructions[graph_.blocks[block].last];
        const bool taken = graph_.edges[edge].kind == assembly::EdgeKind::Taken;
        for (const int reg : taken ? left_when_taken_ : left_when_not_taken_)
            leave(points, reg, found_.left_on_edge[edge]);
        const auto kind = arrives_at(last.control_flow);
        const bool waits = last.control_flow == ControlFlow::ConvergenceWait;
        if (!kind || (!waits && !taken)) return points;
        const auto reg = assembly::barrier_register(last);
        while (!points.empty() &&
               (points.back().kind != *kind || (waits && points.back().reg != reg))) {
            if (waits || points.back().kind == ControlFlow::ConvergenceSet)
                return refuse_at(context_, graph_.blocks[block].last,
                                 "lanes arrive at a reconvergence point that is not the innermost, "
                                 "which is not bounded where lanes may diverge");
            points.pop_back();
        }
        if (points.empty())
            return refuse_at(context_, graph_.blocks[block].last,
                             "lanes arrive at a reconvergence point that they have not joined");
        found_.arrival_of[edge] = points.back();
        points.pop_back();
        return points;
    }

    const AnalysisContext& context_;
    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    ReconvergenceStacks found_;
    /// Registers of points that lanes leave over the edges of the current block: its taken branch,
    /// and the others.
    std::vector<int> left_when_taken_;
    std::vector<int> left_when_not_taken_;
};

} // namespace

Result<ReconvergenceStacks> reconvergence_stacks(const AnalysisContext& context) {
    return StackAnalysis{context}.find();
}

} // namespace warpbound::analyzer
