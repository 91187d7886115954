#include "models/kernel_profile.hpp"

#include "assembly/isa/effects.hpp"

#include <fmt/core.h>

#include <algorithm>
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
    if (is_memory_access(step.opcode_class)) {
        const MemoryFact* const fact = facts.memory_at(instruction.address);
        step.passes.reset();
        if (fact != nullptr) {
            step.passes = is_shared(step.opcode_class) ? fact->conflict_degree : fact->transactions;
            if (!is_shared(step.opcode_class)) step.level = fact->level;
        }
        if (found.effects.memory) step.bytes_per_lane = found.effects.memory->bytes_per_lane;
    }
    if (instruction.control)
        step.stall = instruction.control->dual_issue
                         ? instruction.control->stall
                         : std::max<std::int64_t>(instruction.control->stall, 1);
    // The pair is marked at its first instruction, and only a stall of 0 issues it together.
    if (index > 0) {
        const auto& before = function.instructions[index - 1].control;
        step.dual_issued = before && before->dual_issue && before->stall == 0;
    }
    return found;
}

/// Writers of a register that may have produced its value: a guarded one does not hide those before
/// it. `Shape:` positions of steps, increasing.
using Writers = std::map<assembly::Register, std::vector<std::int64_t>>;

constexpr std::size_t writer_limit = 8; // Guarded writers of one register that are kept.

std::vector<std::int64_t> distances_of(const assembly::Effects& effects, const Writers& writers,
                                       std::int64_t here) {
    std::vector<std::int64_t> distances;
    for (const auto& reg : effects.reads)
        if (const auto found = writers.find(reg); found != writers.end())
            for (const std::int64_t writer : found->second)
                distances.push_back(here - writer);
    std::ranges::sort(distances);
    const auto rest = std::ranges::unique(distances);
    distances.erase(rest.begin(), rest.end());
    return distances;
}

void note_writes(const StaticStep& executed, std::int64_t here, Writers& writers) {
    for (const auto& reg : executed.effects.writes) {
        auto& of_register = writers[reg];
        if (!executed.guarded) of_register.clear();
        if (of_register.size() == writer_limit) of_register.erase(of_register.begin());
        of_register.push_back(here);
    }
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
    std::map<std::size_t, StaticStep> instructions;
    std::vector<ProfileStep> steps;
    Writers writers;
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
            auto found = instructions.find(at);
            if (found == instructions.end())
                found = instructions.emplace(at, static_step(function, at, facts)).first;
            const auto here = static_cast<std::int64_t>(steps.size());
            ProfileStep step = found->second.step;
            step.distances = distances_of(found->second.effects, writers, here);
            step.transfers = at == block.last && *transfers;
            step.dual_issued = step.dual_issued && at != block.first;
            steps.push_back(std::move(step));
            note_writes(found->second, here, writers);
        }
    }
    return steps;
}

} // namespace warpbound::models
