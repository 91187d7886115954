#include "harness/simulator/divergence/reconvergence_points.hpp"

#include "assembly/flow/post_dominators.hpp"
#include "assembly/isa/branch_guard.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::simulator {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

/// From this SM version on the threads of a warp arrive at a barrier one by one (C9).
constexpr int threads_arrive_sm = 70;

std::optional<PointKind> pushed_point(ControlFlow flow) {
    switch (flow) {
    case ControlFlow::PushReconvergence:
        return PointKind::Reconvergence;
    case ControlFlow::PushBreak:
        return PointKind::Break;
    case ControlFlow::PushContinue:
        return PointKind::Continue;
    case ControlFlow::ConvergenceSet:
        return PointKind::Barrier;
    default:
        return std::nullopt;
    }
}

std::optional<PointKind> popped_point(ControlFlow flow) {
    switch (flow) {
    case ControlFlow::PopReconvergence:
        return PointKind::Reconvergence;
    case ControlFlow::PopBreak:
        return PointKind::Break;
    case ControlFlow::PopContinue:
        return PointKind::Continue;
    case ControlFlow::ConvergenceWait:
        return PointKind::Barrier;
    default:
        return std::nullopt;
    }
}

class ReconvergenceFinder {
public:
    ReconvergenceFinder(const Kernel& kernel, const std::vector<bool>& visited)
        : kernel_{kernel}, visited_{visited} {}

    Result<ReconvergencePoints> find() {
        found_.function = kernel_.function;
        found_.graph = kernel_.graph;
        found_.blocks.resize(kernel_.graph->blocks.size());
        found_.may_diverge.assign(kernel_.function->instructions.size(), false);
        for (const models::DivergentFact& fact : kernel_.facts->divergents)
            if (const auto marked = mark(fact); !marked) return marked.as_failure();
        const auto post_dominators = assembly::immediate_post_dominators(*kernel_.graph);
        for (std::size_t block = 0; block < found_.blocks.size(); ++block) {
            if (!visited_[block]) continue;
            found_.blocks[block].post_dominator = post_dominators[block];
            const assembly::BasicBlock& basic = kernel_.graph->blocks[block];
            for (std::size_t index = basic.first; index <= basic.last; ++index)
                if (const auto added = add(block, index); !added) return added.as_failure();
            found_.blocks[block].may_diverge = found_.may_diverge[basic.last];
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] Failure refuse(const Instruction& instruction, std::string_view what) const {
        return Failure{fmt::format("{} at 0x{:04x}: {}", assembly::opcode_text(instruction),
                                   instruction.address, what),
                       kernel_.function->name, instruction.position.line,
                       instruction.position.column};
    }

    Result<void> mark(const models::DivergentFact& fact) {
        const auto index = kernel_.function->index_of(fact.at);
        if (!index)
            return Failure{
                fmt::format("{} has no instruction at 0x{:04x}", kernel_.function->name, fact.at),
                kernel_.facts->name, fact.from.line, 0};
        const auto decides = [&](const assembly::BasicBlock& block) {
            return block.last == *index && block.out.size() + (block.exits ? 1 : 0) > 1;
        };
        const auto& blocks = kernel_.graph->blocks;
        if (!assembly::is_guarded(kernel_.function->instructions[*index]) &&
            std::none_of(blocks.begin(), blocks.end(), decides))
            return Failure{
                fmt::format("{} at 0x{:04x} decides nothing; expected a branch or a "
                            "guarded instruction",
                            assembly::opcode_text(kernel_.function->instructions[*index]), fact.at),
                kernel_.facts->name, fact.from.line, 0};
        found_.may_diverge[*index] = true;
        return boost::outcome_v2::success();
    }

    Result<void> add(std::size_t block, std::size_t index) {
        const Instruction& instruction = kernel_.function->instructions[index];
        BlockReconvergence& here = found_.blocks[block];
        const bool never = instruction.guard && instruction.guard->never();
        if (never) return boost::outcome_v2::success();
        const bool needs_convergence = assembly::synchronizes_threads(instruction);
        if (needs_convergence && kernel_.function->target.sm >= threads_arrive_sm) {
            if (found_.may_diverge[index])
                return refuse(instruction, "from sm_70 on threads arrive one by one; a guard that "
                                           "differs between lanes is not simulated");
            if (!here.convergent_instruction) here.convergent_instruction = index;
        }
        const bool clears = instruction.mnemonic == "BMOV" && instruction.has_modifier("CLEAR");
        if (clears || instruction.control_flow == ControlFlow::ConvergenceBreak)
            return add_leave(block, index);
        if (const auto kind = pushed_point(instruction.control_flow)) {
            if (assembly::is_guarded(instruction))
                return refuse(instruction, "with a guard it is not simulated for diverging lanes");
            const auto reg = assembly::barrier_register(instruction);
            if (*kind == PointKind::Barrier && !reg)
                return refuse(instruction, "expected a barrier register");
            here.updates.push_back({true, *kind, reg.value_or(0)});
        }
        if (const auto kind = popped_point(instruction.control_flow)) {
            const auto reg = assembly::barrier_register(instruction);
            if (*kind == PointKind::Barrier && (assembly::is_guarded(instruction) || !reg))
                return refuse(instruction, "expected no guard and a barrier register where lanes "
                                           "diverge");
            here.arrives = kind;
            here.arrives_reg = reg.value_or(0);
        }
        return boost::outcome_v2::success();
    }

    Result<void> add_leave(std::size_t block, std::size_t index) {
        const Instruction& instruction = kernel_.function->instructions[index];
        const auto reg = assembly::barrier_register(instruction);
        if (!reg || assembly::has_predicate_operand(instruction))
            return refuse(instruction, "expected a barrier register and no predicate");
        BlockReconvergence& here = found_.blocks[block];
        if (!assembly::is_guarded(instruction)) {
            here.updates.push_back({false, PointKind::Barrier, *reg});
            return boost::outcome_v2::success();
        }
        const auto transferred = assembly::executes_if_taken(*kernel_.function, index,
                                                             kernel_.graph->blocks[block].last);
        if (!transferred)
            return refuse(instruction, "with a guard it is simulated only before a branch with the "
                                       "same guard or its opposite, where lanes diverge");
        (*transferred ? here.left_when_taken : here.left_when_not_taken).push_back(*reg);
        return boost::outcome_v2::success();
    }

    const Kernel& kernel_;
    const std::vector<bool>& visited_;
    ReconvergencePoints found_;
};

} // namespace

Result<ReconvergencePoints> find_reconvergence_points(const Kernel& kernel,
                                                      const std::vector<bool>& visited) {
    return ReconvergenceFinder{kernel, visited}.find();
}

} // namespace warpbound::harness::simulator
