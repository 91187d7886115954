#include "analyzer/launch/context.hpp"

#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

namespace warpbound::analyzer {

AnalysisContext without_addresses(const AnalysisContext& context) {
    AnalysisContext plain = context;
    for (std::size_t i = 0; i < plain.unrefined.size(); ++i) {
        if (!plain.unrefined[i]) continue;
        models::InstructionTiming& timing = plain.timings.own()[i].value();
        timing.passes = plain.unrefined[i]->passes;
        timing.latency = plain.unrefined[i]->latency;
    }
    plain.footprint.reset();
    plain.unrefined.clear();
    return plain;
}

AnalysisContext under_request(const AnalysisContext& context, const Request& request) {
    return {request,
            context.facts,
            context.shape,
            context.timings,
            context.used,
            context.buffer_entries,
            context.buffer_drain,
            context.caches,
            context.footprint,
            context.register_reads,
            context.deadline,
            context.atomics_wait,
            context.instruction_lines,
            context.unseen_counters,
            context.operand_lines,
            context.certificates,
            context.unrefined,
            context.register_writes};
}

AnalysisContext without_certificates(const AnalysisContext& context) {
    AnalysisContext plain = context;
    plain.certificates = nullptr;
    return plain;
}

Failure refuse_at(const AnalysisContext& context, std::size_t instruction,
                  const std::string& what) {
    const assembly::Function& function = *context.request.function;
    const assembly::Instruction& at = function.instructions[instruction];
    return Failure{fmt::format("{}: {}", assembly::place_of(function, at), what), function.name,
                   at.position.line, at.position.column};
}

bool has_scheduler_to_itself(const LaunchGeometry& shape) {
    const std::int64_t blocks = std::min(shape.resident, shape.blocks);
    return shape.waves() == 1 && shape.on_one_scheduler(blocks * shape.warps_per_block) == 1;
}

bool conserves_work(const Request& request, const LaunchGeometry& shape) {
    const std::int64_t warp_slots = shape.on_one_scheduler(shape.resident * shape.warps_per_block);
    switch (models::guarantee_of(request.policy)) {
    case models::PolicyGuarantee::WorkConserving:
        return true;
    case models::PolicyGuarantee::SetLimited:
        return shape.warps() == 1 || warp_slots <= request.policy.active;
    case models::PolicyGuarantee::OrderForced:
        return shape.warps() == 1 || warp_slots == 1;
    case models::PolicyGuarantee::TimeDivision:
        break;
    }
    return false;
}

std::vector<bool> used_instructions(const Request& request, const std::vector<bool>& never) {
    const auto& graph = *request.graph;
    std::vector<bool> used(request.function->instructions.size(), false);
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<std::size_t> work{0};
    seen[0] = true;
    while (!work.empty()) {
        const auto& block = graph.blocks[work.back()];
        work.pop_back();
        for (std::size_t i = block.first; i <= block.last; ++i)
            used[i] = true;
        for (const std::size_t edge : block.out) {
            const std::size_t to = graph.edges[edge].to;
            if (seen[to] || never[to]) continue;
            seen[to] = true;
            work.push_back(to);
        }
    }
    return used;
}

} // namespace warpbound::analyzer
