#include "models/kernel_profile.hpp"

#include "assembly/isa/effects.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

namespace warpbound::models {
namespace {

using assembly::Instruction;
using assembly::OpcodeClass;

bool is_shared(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadShared || opcode_class == OpcodeClass::StoreShared ||
           opcode_class == OpcodeClass::AtomicShared;
}

std::int64_t& count_of(KernelProfile& counts, const ProfileStep& step) {
    if (is_global_load(step.opcode_class) || step.opcode_class == OpcodeClass::AtomicGlobal)
        return counts.global_loads;
    if (is_global_store(step.opcode_class)) return counts.global_stores;
    if (step.opcode_class == OpcodeClass::StoreShared) return counts.shared_stores;
    if (is_shared(step.opcode_class)) return counts.shared_loads;
    const bool dependent = !step.distances.empty() && step.distances.front() == 1;
    return dependent ? counts.arithmetic_dependent : counts.arithmetic_independent;
}

/// What is the same at every execution of an instruction.
struct StaticStep {
    ProfileStep step;
    assembly::Effects effects;
    bool guarded = false;
    std::optional<int> announces{}; ///< Scoreboard that its result releases.
    std::uint8_t wait_mask = 0;
};

StaticStep static_step(const assembly::Function& function, std::size_t index,
                       const FlowFacts& facts) {
    const Instruction& instruction = function.instructions[index];
    StaticStep found{.step = {},
                     .effects = assembly::effects_of(instruction, function.target),
                     .guarded = instruction.guard && !instruction.guard->always()};
    ProfileStep& step = found.step;
    step.opcode_class = instruction.opcode_class;
    step.address = instruction.address;
    if (counts_passes(instruction)) {
        const MemoryFact* const fact = facts.memory_at(instruction.address);
        step.passes.reset();
        if (fact != nullptr) {
            step.passes = is_shared(step.opcode_class) ? fact->conflict_degree : fact->transactions;
            if (!is_shared(step.opcode_class)) step.level = fact->level;
        }
        if (found.effects.memory) step.bytes_per_lane = found.effects.memory->bytes_per_lane;
    }
    if (instruction.control) {
        step.stall = instruction.control->dual_issue
                         ? instruction.control->stall
                         : std::max<std::int64_t>(instruction.control->stall, 1);
        found.announces = instruction.control->write_barrier;
        found.wait_mask = instruction.control->wait_mask;
    }
    // The pair is marked at its first instruction, and only a stall of 0 issues it together.
    if (index > 0) {
        const auto& before = function.instructions[index - 1].control;
        step.dual_issued = before && before->dual_issue && before->stall == 0;
    }
    return found;
}

constexpr std::size_t writer_limit = 8; // Kept of one register or scoreboard.

/// Steps that later ones may wait for. `Shape:` positions of steps, increasing.
class Producers {
public:
    /// Distances to what a step waits for at position `here`.
    std::vector<std::int64_t> distances(const StaticStep& step, std::int64_t here);
    /// Notes what the step at `here` produces.
    void note(const StaticStep& step, std::int64_t here);

private:
    using Positions = std::vector<std::int64_t>;
    static void keep(Positions& positions, std::int64_t here) {
        if (positions.size() == writer_limit) positions.erase(positions.begin());
        positions.push_back(here);
    }

    /// A guarded writer does not hide those before it.
    std::map<assembly::Register, Positions> writers_;
    /// Since the last wait for the scoreboard.
    std::array<Positions, assembly::scoreboard_count> announced_;
};

std::vector<std::int64_t> Producers::distances(const StaticStep& step, std::int64_t here) {
    std::vector<std::int64_t> distances;
    const auto add = [&](const Positions& positions) {
        for (const std::int64_t position : positions)
            distances.push_back(here - position);
    };
    for (const auto& reg : step.effects.reads)
        if (const auto found = writers_.find(reg); found != writers_.end()) add(found->second);
    for (std::size_t board = 0; board < announced_.size(); ++board) {
        if (((unsigned{step.wait_mask} >> board) & 1U) == 0) continue;
        add(announced_.at(board));
        announced_.at(board).clear();
    }
    std::ranges::sort(distances);
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    return distances;
}

void Producers::note(const StaticStep& step, std::int64_t here) {
    for (const auto& reg : step.effects.writes) {
        auto& writers = writers_[reg];
        if (!step.guarded) writers.clear();
        keep(writers, here);
    }
    if (step.announces) keep(announced_.at(static_cast<std::size_t>(*step.announces)), here);
}

/// Whether control is transferred between two blocks of a path; nothing when no edge joins them.
std::optional<bool> transfer_between(const assembly::ControlFlowGraph& graph, std::size_t from,
                                     std::size_t to) {
    std::optional<bool> transfers;
    for (const std::size_t edge : graph.blocks[from].out)
        if (graph.edges[edge].to == to)
            transfers =
                transfers.value_or(false) || graph.edges[edge].kind == assembly::EdgeKind::Taken;
    return transfers;
}

} // namespace

bool is_global_load(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadGlobal || opcode_class == OpcodeClass::LoadLocal;
}

bool is_global_store(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::StoreGlobal || opcode_class == OpcodeClass::StoreLocal;
}

bool is_memory_access(OpcodeClass opcode_class) {
    return is_global_load(opcode_class) || is_global_store(opcode_class) ||
           is_shared(opcode_class) || opcode_class == OpcodeClass::AtomicGlobal;
}

KernelProfile counts_of(std::span<const ProfileStep> steps) {
    KernelProfile counts;
    for (const auto& step : steps)
        ++count_of(counts, step);
    return counts;
}

Result<std::vector<ProfileStep>> steps_along(const assembly::Function& function,
                                             const assembly::ControlFlowGraph& graph,
                                             std::span<const std::size_t> path,
                                             const FlowFacts& facts) {
    std::vector<std::optional<StaticStep>> instructions(function.instructions.size());
    std::vector<ProfileStep> steps;
    Producers producers;
    for (std::size_t place = 0; place < path.size(); ++place) {
        const bool last = place + 1 == path.size();
        if (path[place] >= graph.blocks.size() || (place == 0 && path[place] != 0))
            return Failure{fmt::format("place {} of the path is block {}, which is not there",
                                       place, path[place]),
                           function.name};
        const auto transfers =
            last ? std::optional{false} : transfer_between(graph, path[place], path[place + 1]);
        if (!transfers)
            return Failure{fmt::format("no edge leads from block {} to block {} at place {} of the "
                                       "path",
                                       path[place], path[place + 1], place),
                           function.name};
        const auto& block = graph.blocks[path[place]];
        if (steps.size() + (block.last - block.first + 1) > profile_step_limit)
            return Failure{
                fmt::format("a warp executes more than {} instructions", profile_step_limit),
                function.name};
        for (std::size_t at = block.first; at <= block.last; ++at) {
            auto& found = instructions[at];
            if (!found) found = static_step(function, at, facts);
            const auto here = static_cast<std::int64_t>(steps.size());
            ProfileStep step = found->step;
            step.distances = producers.distances(*found, here);
            step.transfers = at == block.last && *transfers;
            step.dual_issued = step.dual_issued && at != block.first;
            steps.push_back(std::move(step));
            producers.note(*found, here);
        }
    }
    return steps;
}

} // namespace warpbound::models
