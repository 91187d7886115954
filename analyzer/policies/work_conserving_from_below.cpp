#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/critical_path_problem.hpp"
#include "analyzer/policies/work_conserving.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

Result<SideAnswer> bound_work_conserving_from_below(const TimedKernel& kernel,
                                                    const LaunchGeometry& shape,
                                                    const AnalysisRun& run,
                                                    const PipelinePair& pipelines,
                                                    SideAnswer isolated) {
    const models::Architecture& architecture = *kernel.architecture;
    const auto least = [&](const CertificateName& name, const InstructionCosts& costs) {
        const auto of_blocks = block_costs(*kernel.graph, costs);
        certify_sum(kernel, run, name, of_blocks, Side::Lower);
        return extreme_sum(kernel, of_blocks, Side::Lower);
    };
    // Some multiprocessor gets at least its share of the blocks, and some scheduler of the warps.
    const models::Warps warps = shape.share() * shape.warps_per_block;
    const models::Warps share = shape.on_one_scheduler(warps);
    std::vector<std::vector<BoundTerm>> bounds;
    bounds.push_back(
        {{"one warp in isolation", 1, isolated.execution.proved.count(), "execution-time-lower"}});
    if (shape.waves() > 1) {
        Span span = whole_run(*kernel.graph, pipelines.lower);
        span.ends_at_exit = true;
        const PathSpan to_exit{kernel.facts.never, span, pipelines.start()};
        const auto paths = [&](std::optional<std::size_t> nodes) {
            return path_graph_of(kernel, pipelines, Side::Lower, to_exit, nodes);
        };
        const PathQuery shortest{Side::Lower, Facts::LoopBounds};
        const auto residency =
            solve_paths(kernel, run.until(std::nullopt), paths(std::nullopt), shortest);
        if (!residency) return residency.as_failure();
        record(kernel, run, {"execution-time-lower-residency", "time to the last EXIT of one warp"},
               shortest, residency.value(), paths);
        bounds.front().push_back({"blocks that ran before in the same block slot",
                                  shape.waves() - 1, residency.value().bound.count(),
                                  "execution-time-lower-residency"});
        bounds.front().push_back(
            {"replacement and start of a block", shape.waves() - 1, shape.refill.lo});
    }
    const CertificateName slots{"execution-time-lower-issue-slots", "issue slots of a warp"};
    bounds.push_back({{"issue slots of a warp on the scheduler with the largest demand",
                       share.count(), least(slots, issue_slot_costs(kernel, shape)), slots.id},
                      {"the last issue slot need not have ended", 1, 1 - shape.issue_slot.lo}});
    const CertificateName drains{"execution-time-lower-drain", "drains of the stores of a warp"};
    bounds.push_back({{"drains of the stores of a warp", warps.count(),
                       least(drains, drain_costs(kernel, Side::Lower)), drains.id}});
    for (std::size_t unit = 0; unit < architecture.units.size(); ++unit) {
        const models::UnitScope scope = architecture.units[unit].scope;
        if (scope == models::UnitScope::Warp) continue;
        const InstructionCosts costs = port_costs(kernel, unit);
        const CertificateName port{
            "execution-time-lower-port-" + architecture.units[unit].name,
            fmt::format("occupancy of the port of {}", architecture.units[unit].name)};
        bounds.push_back(
            {{fmt::format("occupancy of the port of {} by a warp", architecture.units[unit].name),
              (scope == models::UnitScope::Core ? warps : share).count(), least(port, costs),
              port.id},
             {"its last use need not have ended", 1, -largest(costs)}});
    }
    const CertificateName queue{"execution-time-lower-memory-queue",
                                "hand-overs by the memory queue of a scheduler"};
    if (uses_memory_queue(kernel)) {
        const InstructionCosts costs = hand_over_costs(kernel);
        bounds.push_back(
            {{"hand-overs of a warp by the memory queue of its scheduler", share.count(),
              least(queue, costs), queue.id},
             {"its last hand-over need not have been followed by another", 1, -largest(costs)}});
    }
    const std::size_t banks = kernel.registers.reads ? kernel.registers.reads->banks : 0;
    for (std::size_t bank = 0; bank < banks; ++bank) {
        const CertificateName port{fmt::format("execution-time-lower-read-port-{}", bank),
                                   fmt::format("register reads from bank {}", bank)};
        bounds.push_back({{fmt::format("reads of a warp from bank {} of the register file", bank),
                           share.count(), least(port, read_costs(kernel, bank)), port.id},
                          {"its last reads may be within the window that follows a grant", 1,
                           -kernel.registers.reads->window}});
    }
    std::vector<BoundExpression> sums;
    for (auto& terms : bounds) {
        BoundExpression& sum = sums.emplace_back();
        sum.text = terms.front().text;
        sum.terms = std::move(terms);
    }
    const models::Cycles of_path = sum_of(sums.front().terms);
    set_bound(isolated.execution, best_of(Side::Lower, std::move(sums)));
    if (of_path < isolated.execution.proved || shape.waves() > 1)
        isolated.execution.proof = Proof::ResponseTime;
    isolated.execution.best_found.reset();
    return isolated;
}

} // namespace warpbound::analyzer
